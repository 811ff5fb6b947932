"""The design: settings, arms and cells, words, layout; what it costs and how exact it will be."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Field, Query, Router, Schema, Status

from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, gives, paged
from annotation.design import queries
from annotation.design.arrange_cells import arrange
from annotation.design.configure import configure
from annotation.design.discard_layout import clear_design
from annotation.design.lay_out import design, takes_long
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import ask
from annotation.models import Cell, Job, Role, Study
from annotation.publishing import cost_estimate as bills
from annotation.studies.create import reword

router = Router(tags=["Design"])
Whole = Field(None, ge=0, le=2_147_483_647)  # what its column counts to
InHit = Field(None, ge=0, le=500)


class SettingsIn(Schema):
    """Settings of a draft; those left out stay as they are. Money in cents, times in seconds."""

    question: str | None = None
    noun: str | None = Field(None, min_length=1, max_length=40)
    seed: int | None = Field(None, ge=0, le=2**62)
    raters_per_text: int | None = Field(None, ge=1, le=10_000)
    evaluators_per_cell: int | None = Field(None, ge=1, le=100_000)
    texts_per_hit: int | None = Field(None, ge=1, le=500)
    mix: Literal["balanced", "bernoulli", "fixed"] | None = None
    references_per_hit: int | None = InHit
    gold_per_hit: int | None = InHit
    repeats_per_hit: int | None = InHit
    checks_per_hit: int | None = InHit
    margin_points: int | None = Field(
        None, ge=1, le=49, description="Percentage points around 50 % right that count as chance; human or machine."
    )
    in_nines: bool | None = None
    once: bool | None = None
    reward_cents: int | None = Whole
    budget_cents: int | None = Field(None, ge=0, description="Never exceeded; null: no limit.")
    assignment_seconds: int | None = Field(None, ge=30)
    lifetime_seconds: int | None = Field(None, ge=30)
    auto_approval_seconds: int | None = Field(None, ge=0)
    minimum_approved_hits: int | None = Field(
        None, ge=0, le=2_147_483_647, description="Of accounts; 0 or null: none required."
    )
    minimum_percent_approved: int | None = Field(
        None, ge=0, le=100, description="Of accounts; 0 or null: none required."
    )
    country: str | None = Field(None, max_length=2, description="Of accounts; empty: none required.")
    retain_until: datetime | None = Field(None, description="Worker ids are forgotten from then on; of any study.")


# Null is a value of these: there is no such limit.
MAY_BE_NULL = frozenset(
    {
        "evaluators_per_cell",
        "references_per_hit",
        "budget_cents",
        "minimum_approved_hits",
        "minimum_percent_approved",
        "margin_points",
        "retain_until",
    }
)


class ArmPart(Schema):
    """What people of an arm see before the task, and what a HIT of it pays."""

    training: Literal["none", "instructions", "examples", "comparison"]
    reward_cents: int = Field(ge=0)


class CellPart(Schema):
    """A combination that gathers ratings of its own; "" stands for every domain, or every generator."""

    training: Literal["none", "instructions", "examples", "comparison"]
    domain: str = ""
    generator: str = ""


class Layout(Schema):
    """A cell as laid out, and what it costs at most."""

    name: str
    hits: int
    assignments: int
    reward_cents: int
    cents: int


class DesignOut(Schema):
    settings: dict[str, Any]
    arms: list[ArmPart]
    cells: list[CellPart]
    laid_out: list[Layout]


class CellsIn(Schema):
    arms: list[ArmPart] = Field(min_length=1)
    cells: list[CellPart] = Field(min_length=1)


class WageOut(Schema):
    """Cents an hour at the quartiles of the time that a HIT is estimated to take."""

    quick: int
    median: int
    slow: int
    floor: int


class PriceOut(Schema):
    """The most that the design costs. missing_cents: what the budget lacks; fair_cents: the least fair reward."""

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    total_cents: int
    missing_cents: int
    wage: WageOut | None
    minutes: float | None
    fair_cents: int | None


class PrecisionOut(Schema):
    """Half-widths of 95 % intervals of HUSE and HUSE-Q by simulation, or the difference in accuracy that is seen."""

    huse: float | None
    huse_q: float | None
    pilot: str
    difference: float | None
    evaluators: int | None


class LaidOut(Schema):
    """What was laid out, and the most it can cost."""

    hits: int
    assignments: int
    cells: int
    reward_cents: int
    fee_cents: int
    total_cents: int


class WordingOut(Schema):
    version: int
    digest: str
    body: dict[str, Any]


@router.get("/studies/{study}/design", response=gives(DesignOut), summary="The design")
def show_design(request: HttpRequest, study: UUID) -> dict[str, Any]:
    return _design(study_for(request, study))


@router.patch("/studies/{study}/design", response=gives(DesignOut), summary="Change settings of a draft")
def change_design(request: HttpRequest, study: UUID, given: SettingsIn) -> dict[str, Any]:
    found = study_for(request, study, Role.EDITOR)
    configure(found, _changes(given), actor=caller(request).get_username(), now=timezone.now())
    return _design(found)


def _changes(given: SettingsIn) -> dict[str, Any]:
    told = given.dict(exclude_unset=True)
    return {name: value for name, value in told.items() if value is not None or name in MAY_BE_NULL}


def _design(study: Study) -> dict[str, Any]:
    cells = Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk")
    pays = {one.arm.training: one.reward_cents for one in cells}
    return {
        "settings": {name: getattr(study, name) for name in SettingsIn.model_fields},
        "arms": [{"training": name, "reward_cents": cents} for name, cents in pays.items()],
        "cells": [
            {
                "training": one.arm.training,
                "domain": one.domain,
                "generator": one.generator.name if one.generator else "",
            }
            for one in cells
        ],
        "laid_out": queries.laid_out(study),
    }


@router.put("/studies/{study}/cells", response=gives(DesignOut), summary="Set arms and cells of a draft")
def set_cells(request: HttpRequest, study: UUID, given: CellsIn) -> dict[str, Any]:
    found = study_for(request, study, Role.EDITOR)
    arms = [ArmPlan(**one.dict()) for one in given.arms]
    cells = [CellPlan(**one.dict()) for one in given.cells]
    arrange(found, arms, cells, actor=caller(request).get_username(), now=timezone.now())
    return _design(found)


@router.get("/studies/{study}/wording", response=gives(WordingOut), summary="The words of the pages")
def show_wording(request: HttpRequest, study: UUID) -> Any:
    return _wording(study_for(request, study))


@router.put("/studies/{study}/wording", response=gives(WordingOut), summary="Change the words of the pages")
def change_wording(request: HttpRequest, study: UUID, given: Body[dict[str, Any]]) -> Any:
    """The whole body as it was read, with its schema_version; it becomes a new version."""
    found = study_for(request, study, Role.EDITOR)
    return reword(found, from_json(given), actor=caller(request).get_username(), now=timezone.now())


def _wording(study: Study) -> Any:
    found = study.wordings.last()
    if found is None:
        raise StateError(f"The study {study.name} has no wording yet.")
    return found


@router.get("/studies/{study}/price", response=gives(PriceOut), summary="What the design costs, as it is stored")
def show_price(request: HttpRequest, study: UUID) -> Any:
    return bills.of(study_for(request, study)).estimate


@router.post("/studies/{study}/price", response=gives(PriceOut), summary="What the design would cost")
def try_price(request: HttpRequest, study: UUID, given: SettingsIn) -> Any:
    """With these settings in place of the stored ones; nothing is changed."""
    found = study_for(request, study, Role.EDITOR)
    for name, value in _changes(given).items():
        setattr(found, name, value)
    return bills.of(found).estimate


@router.get("/studies/{study}/precision", response=gives(PrecisionOut), summary="How exact the study will be")
def show_precision(request: HttpRequest, study: UUID) -> Any:
    """Simulated from a pilot of the same kind, for the design as it is stored; all null where nothing can be said."""
    found = study_for(request, study)
    bill = bills.of(found)
    return bills.precision(
        found, contexts=min(bill.contexts, 2_000), raters=bill.raters, per_hit=bill.per_hit, evaluators=bill.evaluators
    )


@router.get("/studies/{study}/layout", response=gives(Paged[Layout]), summary="HITs as laid out, cell by cell")
def show_layout(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(queries.laid_out(study_for(request, study)), page)


@router.post(
    "/studies/{study}/layout", response={**gives(LaidOut, 201), 202: JobOut}, summary="Deal the texts into HITs"
)
def lay_out(request: HttpRequest, study: UUID) -> Status[Any]:
    """Of more than 2,000 texts by a job, which is answered instead (202)."""
    found = study_for(request, study, Role.EDITOR)
    if takes_long(found):
        return Status(202, ask(Job.Kind.LAY_OUT, by=caller(request), now=timezone.now(), study=found))
    return Status(201, design(found, actor=caller(request).get_username(), now=timezone.now()))


@router.delete("/studies/{study}/layout", response=gives(None, 204), summary="Take the layout of a draft back")
def take_layout_back(request: HttpRequest, study: UUID) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    clear_design(found, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)
