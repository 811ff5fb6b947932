"""Studies: listed, made, imported; who works on them, and what was done."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, File, Form, Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile

from annotation.accounts.models import User
from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, RefusedError, gives, paged
from annotation.design.presets import PRESETS, preset_called
from annotation.design.wording import rename_texts
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import AuditEvent, Job, Membership, Role, Statement, Study
from annotation.studies import queries as overviews
from annotation.studies.access import studies_of
from annotation.studies.create import Plan, create
from annotation.studies.members import enrol
from annotation.studies.statements import state

router = Router(tags=["Studies"])


class StudyOut(Schema):
    """A study as its members see it. role: yours."""

    uuid: UUID
    name: str
    mode: str
    status: str
    task: str
    role: str
    created_at: datetime


class CountsOut(Schema):
    """texts judged; wanted: places for workers; submitted: handed in."""

    texts: int
    generators: int
    hits: int
    wanted: int
    submitted: int
    spent_cents: int


class StudyWithCounts(StudyOut):
    question: str
    counts: CountsOut


class StudyIn(Schema):
    """A new draft by the design of a paper; every value can be changed afterwards."""

    name: str = Field(max_length=100)
    preset: str = "huse-2019"
    mode: Literal["rehearsal", "live"] = "rehearsal"
    question: str = Field("", max_length=2000)
    noun: str = Field("", max_length=40, description="What a text is called on the pages; empty: as in the preset.")


class PresetOut(Schema):
    """A design of a paper. settings: the values of a study; differs: where ours are safer, and why."""

    name: str
    source: str
    settings: dict[str, Any]
    differs: dict[str, str]


class DeedOut(Schema):
    """A row of the audit log: the hash of each holds the one before."""

    number: int
    actor: str
    verb: str
    facts: dict[str, Any]
    at: datetime
    digest: str


class DeedSomewhere(DeedOut):
    study: UUID

    @staticmethod
    def resolve_study(deed: AuditEvent) -> UUID:
        return deed.study.uuid


class MemberOut(Schema):
    username: str
    role: str

    @staticmethod
    def resolve_username(member: Membership) -> str:
        return member.user.get_username()


class RoleIn(Schema):
    role: Role


class StatementIn(Schema):
    """Words of a statement; "" takes it back."""

    body: str = Field(max_length=4000)


class StatementOut(Schema):
    key: str
    body: str


@router.get("/presets", response=gives(Paged[PresetOut]), summary="Designs of papers to begin with")
def list_presets(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(list(PRESETS.values()), page)


@router.get("/studies", response=gives(Paged[StudyOut]), summary="Studies that you may see, newest first")
def list_studies(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(studies_of(caller(request)).order_by("-pk"), page)


@router.post("/studies", response=gives(StudyOut, 201), summary="Make a draft study that you own")
def make_study(request: HttpRequest, given: StudyIn) -> Status[Study]:
    if given.preset not in PRESETS:
        rule = f"It is one of {', '.join(PRESETS)}."
        raise RefusedError(422, f"There is no preset {given.preset}.", code="input", errors={"preset": rule})
    preset, owner = preset_called(given.preset), caller(request)
    noun = given.noun or preset.wording.noun
    wording = rename_texts(preset.wording, noun) if given.noun else preset.wording
    plan = Plan(**{**preset.settings, "question": given.question, "noun": noun})  # type: ignore[arg-type]
    made = create(
        given.name, mode=given.mode, plan=plan, wording=wording, owner=owner, actor=owner.get_username(),
        now=timezone.now(),
    )  # fmt: skip
    return Status(201, study_for(request, made.uuid))


@router.post("/imports/batch", response=gives(JobOut, 202), summary="Import a finished batch (CSV) as a study")
def import_batch(request: HttpRequest, file: File[UploadedFile], name: Form[str]) -> Status[Job]:
    given = {"path": str(uploads.keep(file)), "name": name}
    return Status(202, ask(Job.Kind.IMPORT_BATCH, by=caller(request), now=timezone.now(), settings=given))


@router.get("/studies/{study}", response=gives(StudyWithCounts), summary="One study, with its counts")
def show_study(request: HttpRequest, study: UUID) -> Study:
    found = study_for(request, study)
    found.counts = overviews.counts(found)  # type: ignore[attr-defined]
    return found


@router.get("/activity", response=gives(Paged[DeedSomewhere]), summary="What was done in your studies, newest first")
def activity(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(overviews.everywhere(studies_of(caller(request))), page)


@router.get("/studies/{study}/log", response=gives(Paged[DeedOut]), summary="What was done, newest first")
def show_log(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(overviews.deeds(study_for(request, study)), page)


@router.get("/studies/{study}/people", response=gives(Paged[MemberOut]), summary="Who works on the study")
def list_people(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    members = study_for(request, study).memberships
    return paged(members.select_related("user").order_by("user__username"), page)


@router.put("/studies/{study}/people/{username}", response=gives(None, 204), summary="Give somebody a role")
def put_person(request: HttpRequest, study: UUID, username: str, given: RoleIn) -> Status[None]:
    found = study_for(request, study, Role.OWNER)
    enrol(found, _person(username), given.role, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/people/{username}", response=gives(None, 204), summary="Take somebody's role away")
def remove_person(request: HttpRequest, study: UUID, username: str) -> Status[None]:
    found = study_for(request, study, Role.OWNER)
    enrol(found, _person(username), None, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


def _person(username: str) -> User:
    found = User.objects.filter(username=username, is_active=True).first()
    if found is None:
        raise HttpError(404, "Nobody of that name can sign in here.")
    return found


@router.get("/studies/{study}/statements", response=gives(Paged[StatementOut]), summary="Facts that people stated")
def list_statements(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(Statement.objects.filter(study=study_for(request, study)).order_by("key"), page)


@router.put("/studies/{study}/statements/{key}", response=gives(None, 204), summary="State a fact for the report")
def put_statement(request: HttpRequest, study: UUID, key: str, given: StatementIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    state(found, key, given.body, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)
