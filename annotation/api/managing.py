"""Manage studies: duplicate, repeat, rename and archive them, and invite colleagues to them by links."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, gives, paged
from annotation.api.studies import StudyOut
from annotation.jobs.celery_tasks import ask_to_copy
from annotation.models import Job, MemberInvitation, Replication, Role, Study
from annotation.reports import replicate_study
from annotation.studies import duplicate
from annotation.studies.archive import archive, unarchive
from annotation.studies.invite_member import Issued, invite_member, pending_invitations, revoke_invitation
from annotation.studies.rename import rename

router = Router(tags=["Studies"])


class NameIn(Schema):
    """Letters, digits, dots, dashes and underscores; no two studies have one name."""

    name: str = Field(max_length=100)


class CopyIn(NameIn):
    """with_texts: copy the texts too. keep_seed: the copy gets the same tasks from the same texts."""

    with_texts: bool = True
    keep_seed: bool = False


class RepetitionIn(NameIn):
    """people: who may take part: anyone, nobody who took part in the original, or only they.

    anchors: only the texts of so many contexts, drawn at random by `seed`; null: all of them. seed: of the tasks, too.
    """

    people: Replication.People = Replication.People.ANYONE
    anchors: int | None = None
    seed: int = 1


class RepetitionOut(Schema):
    """The new study, and how many of the original's texts it has."""

    study: StudyOut
    texts: int
    of: int


class InviteIn(Schema):
    role: Role


class InvitationOut(Schema):
    """A link that still works. Who made it, and until when it works."""

    number: int
    role: str
    invited_by: str
    created_at: datetime
    expires_at: datetime

    @staticmethod
    def resolve_number(row: MemberInvitation) -> int:
        return row.pk

    @staticmethod
    def resolve_invited_by(row: MemberInvitation) -> str:
        return row.invited_by.get_username()


class NewInvitationOut(Schema):
    """address: for one colleague; it is not shown again."""

    address: str
    invitation: InvitationOut


@router.post(
    "/studies/{study}/copies",
    response={**gives(StudyOut, 201), 202: JobOut},
    summary="Duplicate a study as a draft you own",
)
def copy_study(request: HttpRequest, study: UUID, body: CopyIn) -> Status[Study] | Status[Job]:
    """More than 5,000 texts and log probabilities are copied by a job, which is the answer then (202)."""
    study_row, by, now = study_for(request, study), caller(request), timezone.now()
    options: dict[str, Any] = {"with_texts": body.with_texts, "keep_seed": body.keep_seed}
    if duplicate.takes_long(study_row, with_texts=body.with_texts):
        duplicate.check_copy(study_row, body.name)
        settings = {"name": body.name, **options}
        return Status(202, ask_to_copy(Job.Kind.DUPLICATE, study_row, by=by, now=now, settings=settings))
    done = duplicate.duplicate(study_row, body.name, owner=by, actor=by.get_username(), now=now, **options)
    return Status(201, study_for(request, done.study.uuid))


@router.post(
    "/studies/{study}/repetitions",
    response={**gives(RepetitionOut, 201), 202: JobOut},
    summary="Repeat a study: a draft (a rehearsal) you own with the tasks of its latest snapshot or loaded report",
)
def repeat_study(request: HttpRequest, study: UUID, body: RepetitionIn) -> Status[dict[str, Any]] | Status[Job]:
    """A study with a large snapshot is repeated by a job, which is the answer then (202)."""
    study_row, by, now = study_for(request, study, Role.REVIEWER), caller(request), timezone.now()
    options: dict[str, Any] = {"people": body.people.value, "anchors": body.anchors, "seed": body.seed}
    if replicate_study.takes_long(study_row):
        replicate_study.check_repetition(study_row, body.name, body.people)
        settings = {"name": body.name, **options}
        return Status(202, ask_to_copy(Job.Kind.REPEAT, study_row, by=by, now=now, settings=settings))
    done = replicate_study.replicate(study_row, body.name, owner=by, actor=by.get_username(), now=now, **options)
    return Status(201, {"study": study_for(request, done.study.uuid), "texts": done.texts, "of": done.of})


@router.put("/studies/{study}/name", response=gives(None, 204), summary="Rename a study")
def name_study(request: HttpRequest, study: UUID, body: NameIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    rename(study_row, body.name, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.put("/studies/{study}/archive", response=gives(None, 204), summary="Hide a study from the list of studies")
def archive_study(request: HttpRequest, study: UUID) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    archive(study_row, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/archive", response=gives(None, 204), summary="Show an archived study in the list")
def unarchive_study(request: HttpRequest, study: UUID) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    unarchive(study_row, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.get("/studies/{study}/invitations", response=gives(Paged[InvitationOut]), summary="Pending invitation links")
def list_invitations(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(pending_invitations(study_for(request, study), now=timezone.now()), page)


@router.post("/studies/{study}/invitations", response=gives(NewInvitationOut, 201), summary="Create an invitation link")
def post_invitation(request: HttpRequest, study: UUID, body: InviteIn) -> Status[Issued]:
    study_row = study_for(request, study, Role.OWNER)
    return Status(201, invite_member(study_row, body.role, by=caller(request), now=timezone.now()))


@router.delete("/studies/{study}/invitations/{number}", response=gives(None, 204), summary="Revoke an invitation link")
def delete_invitation(request: HttpRequest, study: UUID, number: int) -> Status[None]:
    row = MemberInvitation.objects.filter(study=study_for(request, study, Role.OWNER), pk=number).first()
    if row is None:
        raise HttpError(404, "There is no such invitation link.")
    revoke_invitation(row, by=caller(request), now=timezone.now())
    return Status(204, None)
