"""The papers around a study: its plan for a registry, and its ethics pack."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema

from annotation.api.auth import caller, study_for
from annotation.api.responses import gives
from annotation.models import Role, Study
from annotation.reports.papers.ethics_pack import ethics_pack, pack_file
from annotation.reports.papers.pack_facts import save_pack_answers
from annotation.reports.papers.plan_items import open_questions
from annotation.reports.papers.plan_paper import plan_file, plan_now
from annotation.studies.freeze_plan import amend_plan, save_answers, seal_plan, sealed_plans

router = Router(tags=["Papers"])


class PlanIn(Schema):
    """Answers by key; "" deletes one. reason: of the amendment, where the plan is sealed."""

    answers: dict[str, str] = Field(default={})
    reason: str = Field(default="", max_length=2000)


class PlanVersion(Schema):
    """A sealed version: 1 is the plan, each later one an amendment. submissions: collected before it."""

    number: int
    at: datetime
    actor: str
    reason: str
    submissions: int
    sha256: str


class PlanOut(Schema):
    """The plan that holds. document: facts of the design and answers. to_answer: keys that are still open."""

    sealed: bool
    document: dict[str, Any]
    to_answer: list[str]
    versions: list[PlanVersion]


def _plan(study: Study) -> PlanOut:
    document, sealed = plan_now(study)
    versions = [PlanVersion.from_orm(row) for row in sealed_plans(study)]
    return PlanOut(sealed=sealed is not None, document=document, to_answer=open_questions(document), versions=versions)


@router.get("/studies/{study}/registration", response=gives(PlanOut), summary="The plan of a study")
def show_plan(request: HttpRequest, study: UUID) -> PlanOut:
    """Facts come from the design; `to_answer` lists what people must add."""
    return _plan(study_for(request, study))


@router.patch("/studies/{study}/registration", response=gives(PlanOut), summary="Answer or amend the plan")
def change_plan(request: HttpRequest, study: UUID, body: PlanIn) -> PlanOut:
    """Before the plan is sealed, answers are stored. Afterwards they are an amendment, which needs a `reason`."""
    row = study_for(request, study, Role.EDITOR)
    who, now = caller(request).get_username(), timezone.now()
    if sealed_plans(row):
        amend_plan(row, body.answers, reason=body.reason, actor=who, now=now)
    else:
        save_answers(row, body.answers, actor=who, now=now)
    return _plan(row)


@router.post("/studies/{study}/registration/seal", response=gives(PlanOut), summary="Seal the plan")
def seal(request: HttpRequest, study: UUID) -> PlanOut:
    """The first answer of a participant does the same. It cannot be undone."""
    row = study_for(request, study, Role.EDITOR)
    seal_plan(row, actor=caller(request).get_username(), now=timezone.now())
    return _plan(row)


@router.get("/studies/{study}/registration/{form}.{file_format}", response=gives(None), summary="The plan as a file")
def plan_as_file(
    request: HttpRequest, study: UUID, form: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """form: `osf` or `aspredicted`. file_format: `md`, `docx` or `json`. number: of a sealed version."""
    content = plan_file(study_for(request, study), form, file_format, now=timezone.now(), number=number)
    return HttpResponse(content, content_type="application/octet-stream")


class EthicsIn(Schema):
    """Answers by key, in the language of the pack; "" deletes one."""

    answers: dict[str, str]


@router.get("/studies/{study}/ethics/{language}", response=gives(dict[str, Any]), summary="The ethics pack")
def show_ethics_pack(request: HttpRequest, study: UUID, language: str) -> dict[str, Any]:
    """Each sentence with its facts. `to_answer` lists what people must add. language: `en`, `de` or `es`."""
    pack = ethics_pack(study_for(request, study), language, now=timezone.now())
    document: dict[str, Any] = json.loads(pack.json())
    return document


@router.patch("/studies/{study}/ethics/{language}", response=gives(dict[str, Any]), summary="Answer the ethics pack")
def change_ethics_pack(request: HttpRequest, study: UUID, language: str, body: EthicsIn) -> dict[str, Any]:
    """What the study's facts do not say, such as risks."""
    row, now = study_for(request, study, Role.EDITOR), timezone.now()
    save_pack_answers(row, language, body.answers, actor=caller(request).get_username(), now=now)
    document: dict[str, Any] = json.loads(ethics_pack(row, language, now=now).json())
    return document


@router.get(
    "/studies/{study}/ethics/{language}/files/{file_format}", response=gives(None), summary="The pack as a file"
)
def ethics_pack_as_file(request: HttpRequest, study: UUID, language: str, file_format: str) -> HttpResponse:
    """file_format: `docx`, `pdf`, `md` or `json`."""
    content = pack_file(study_for(request, study), language, file_format, now=timezone.now())
    return HttpResponse(content, content_type="application/octet-stream")
