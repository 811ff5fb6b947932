"""Studies: list, create and import them; their members and their log."""

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
from annotation.design.presets import PRESETS, preset_called, preset_settings
from annotation.design.wording import rename_texts
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import AuditEvent, Job, Membership, Role, Statement, Study
from annotation.pricing.currency import check_currency
from annotation.studies import queries
from annotation.studies.access import studies_of
from annotation.studies.create import Plan, create
from annotation.studies.members import enrol
from annotation.studies.search import StudySearch, find_studies
from annotation.studies.statements import state

router = Router(tags=["Studies"])


class SearchIn(Schema):
    """Which studies of the list. q: words of name, question or members; state: `archived` shows archived ones only."""

    q: str = Field("", max_length=200)
    state: Literal["", "draft", "published", "paused", "ending", "closed", "archived"] = ""
    mode: Literal["", "rehearsal", "live", "imported"] = ""
    order: Literal["newest", "oldest", "name", "spent"] = "newest"


class StudyOut(Schema):
    """A study as its members see it. role: yours."""

    uuid: UUID
    name: str
    mode: str
    status: str
    task: str
    currency: str
    role: str
    created_at: datetime
    archived_at: datetime | None


class CountsOut(Schema):
    """texts: those to judge; wanted: assignments to fill; submitted: submissions."""

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
    """A new draft with the design of a paper; every value can be changed later."""

    name: str = Field(max_length=100)
    preset: str = "huse-2019"
    mode: Literal["rehearsal", "live"] = "rehearsal"
    currency: str = Field("USD", description="ISO 4217. A preset's reward is in dollars: elsewhere it starts at 0.")
    question: str = Field("", max_length=2000)
    noun: str = Field("", max_length=40, description="What a text is called on the pages; empty: as in the preset.")


class PresetOut(Schema):
    """A design of a paper. settings: the values of a study; differs: where Assay's are safer, and why."""

    name: str
    source: str
    settings: dict[str, Any]
    differs: dict[str, str]


class DeedOut(Schema):
    """A row of the audit log; its hash includes that of the row before."""

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
    """Text of a study detail; "" deletes it."""

    body: str = Field(max_length=4000)


class StatementOut(Schema):
    key: str
    body: str


@router.get("/presets", response=gives(Paged[PresetOut]), summary="Presets: designs of papers")
def list_presets(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(list(PRESETS.values()), page)


@router.get("/studies", response=gives(Paged[StudyOut]), summary="Studies that you may see; archived ones on request")
def list_studies(request: HttpRequest, page: Query[Page], search: Query[SearchIn]) -> dict[str, Any]:
    return paged(find_studies(studies_of(caller(request)), StudySearch.of(search.dict())), page)


@router.post("/studies", response=gives(StudyOut, 201), summary="Create a draft study that you own")
def make_study(request: HttpRequest, body: StudyIn) -> Status[Study]:
    if body.preset not in PRESETS:
        rule = f"It is one of {', '.join(PRESETS)}."
        raise RefusedError(422, f"There is no preset {body.preset}.", code="input", errors={"preset": rule})
    preset, owner = preset_called(body.preset), caller(request)
    noun = body.noun or preset.wording.noun
    wording = rename_texts(preset.wording, noun) if body.noun else preset.wording
    settings = preset_settings(preset, check_currency(body.currency))
    plan = Plan(**{**settings, "question": body.question, "noun": noun})  # type: ignore[arg-type]
    draft = create(
        body.name, mode=body.mode, plan=plan, wording=wording, owner=owner, actor=owner.get_username(),
        now=timezone.now(),
    )  # fmt: skip
    return Status(201, study_for(request, draft.uuid))


@router.post("/imports/batch", response=gives(JobOut, 202), summary="Import a finished batch (CSV) as a study")
def import_batch(request: HttpRequest, file: File[UploadedFile], name: Form[str]) -> Status[Job]:
    options = {"path": str(uploads.keep(file)), "name": name}
    return Status(202, ask(Job.Kind.IMPORT_BATCH, by=caller(request), now=timezone.now(), settings=options))


@router.get("/studies/{study}", response=gives(StudyWithCounts), summary="One study, with its counts")
def show_study(request: HttpRequest, study: UUID) -> Study:
    study_row = study_for(request, study)
    study_row.counts = queries.counts(study_row)  # type: ignore[attr-defined]
    return study_row


@router.get("/activity", response=gives(Paged[DeedSomewhere]), summary="Activity in your studies, newest first")
def activity(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(queries.everywhere(studies_of(caller(request))), page)


@router.get("/studies/{study}/log", response=gives(Paged[DeedOut]), summary="Activity in the study, newest first")
def show_log(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(queries.deeds(study_for(request, study)), page)


@router.get("/studies/{study}/people", response=gives(Paged[MemberOut]), summary="Members of the study")
def list_people(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    members = study_for(request, study).memberships
    return paged(members.select_related("user").order_by("user__username"), page)


@router.put("/studies/{study}/people/{username}", response=gives(None, 204), summary="Set a member's role")
def put_person(request: HttpRequest, study: UUID, username: str, body: RoleIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    enrol(study_row, _person(username), body.role, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/people/{username}", response=gives(None, 204), summary="Remove a member")
def remove_person(request: HttpRequest, study: UUID, username: str) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    enrol(study_row, _person(username), None, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


def _person(username: str) -> User:
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise HttpError(404, "There is no active user of this name.")
    return user


@router.get("/studies/{study}/statements", response=gives(Paged[StatementOut]), summary="Study details")
def list_statements(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(Statement.objects.filter(study=study_for(request, study)).order_by("key"), page)


@router.put("/studies/{study}/statements/{key}", response=gives(None, 204), summary="Store a study detail")
def put_statement(request: HttpRequest, study: UUID, key: str, body: StatementIn) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    state(study_row, key, body.body, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)
