"""The design: settings, arms and conditions, task text, HITs; cost and expected precision."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
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
from annotation.jobs.celery_tasks import ask, ask_to_simulate
from annotation.models import Cell, Job, Role, Study
from annotation.publishing import cost_estimate, decision_plans, expected_precision
from annotation.studies.create import reword
from annotation.workers.study_retention import market_of_people, set_retention_date

router = Router(tags=["Design"])
ColumnNumber = Field(None, ge=0, le=2_147_483_647)  # what its column counts to
InHit = Field(None, ge=0, le=500)


class SettingsIn(Schema):
    """Settings of a draft; omitted ones stay as they are. Money in minor units of `currency` (cents, yen), also in
    fields named cents; times in seconds. A change of currency needs every amount anew: none is converted."""

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
        None, ge=1, le=49, description="Percentage points around 50% correct that count as chance; human or machine."
    )
    compare_first: str | None = Field(None, max_length=100, description="Main comparison: a generator, or references.")
    compare_second: str | None = Field(None, max_length=100, description="Its second source.")
    compare_criterion: str | None = Field(None, max_length=40, description="Empty: the first that was rated.")
    compare_margin: float | None = Field(
        None, gt=0, description="Difference that counts as none: points of the scale; shares for human or machine."
    )
    compare_family: Literal["", "generators", "sources", "main"] | None = Field(
        None, description="Which comparisons are adjusted together."
    )
    compare_raters: Literal["", "new", "these"] | None = Field(
        None, description="Whom intervals and tests are for where both exist; empty: new raters."
    )
    draw_seed: str | None = Field(
        None, max_length=64, description="Of the draw of conditions. Empty: the marketplace draws one."
    )
    in_nines: bool | None = None
    once: bool | None = None
    currency: str | None = Field(None, min_length=3, max_length=3, description="ISO 4217; fixed once HITs exist.")
    reward_cents: int | None = ColumnNumber
    budget_cents: int | None = Field(None, ge=0, description="Never exceeded; null: no limit.")
    floor_cents: int | None = Field(
        None, ge=0, description="Minimum pay per hour; null: 15 dollars, none in another currency."
    )
    assignment_seconds: int | None = Field(None, ge=30)
    lifetime_seconds: int | None = Field(None, ge=30)
    auto_approval_seconds: int | None = Field(None, ge=0)
    minimum_approved_hits: int | None = Field(
        None, ge=0, le=2_147_483_647, description="Required of accounts; 0 or null: no requirement."
    )
    minimum_percent_approved: int | None = Field(
        None, ge=0, le=100, description="Required of accounts; 0 or null: no requirement."
    )
    country: str | None = Field(None, max_length=2, description="Required of accounts; empty: no requirement.")
    retain_until: datetime | None = Field(
        None,
        description="IDs are deleted from then on. Of a published study an owner sets it, for its channels too.",
    )


# Null is a value of these: there is no such limit.
MAY_BE_NULL = frozenset(
    {
        "evaluators_per_cell",
        "references_per_hit",
        "budget_cents",
        "floor_cents",
        "minimum_approved_hits",
        "minimum_percent_approved",
        "margin_points",
        "compare_margin",
        "retain_until",
    }
)


class ArmPart(Schema):
    """What participants of an arm see before the task, and the reward per HIT."""

    training: Literal["none", "instructions", "examples", "comparison"]
    reward_cents: int = Field(ge=0)


class CellPart(Schema):
    """A condition: training, domain and generator; "": every domain, or every generator."""

    training: Literal["none", "instructions", "examples", "comparison"]
    domain: str = ""
    generator: str = ""


class Layout(Schema):
    """The HITs of a condition, and their maximum cost."""

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
    """Minor units per hour at the quartiles of the estimated time per HIT."""

    quick: int
    median: int
    slow: int
    floor: int | None


class PriceOut(Schema):
    """Maximum cost of the design. missing_cents: amount over budget; fair_cents: the smallest fair reward."""

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    total_cents: int
    missing_cents: int
    wage: WageOut | None
    minutes: float | None
    fair_cents: int | None


class ReachOut(Schema):
    """The study that finds `difference` of HUSE-Q: contexts (null: over 5,000), cost, and cost above the budget."""

    difference: float
    enough: bool
    contexts: int | None
    cents: int | None
    over: int


class PrecisionOut(Schema):
    """Half-widths of 95% intervals of HUSE and HUSE-Q by simulation, or the detectable difference in accuracy.

    shown_q, shown_rating: smallest differences of HUSE-Q and of mean rating that are found with `power`."""

    huse: float | None
    huse_q: float | None
    pilot: str
    difference: float | None
    evaluators: int | None
    shown_q: float | None
    shown_rating: float | None
    power: float
    generators: int
    reach: ReachOut | None


class DecisionIn(Schema):
    """What to decide. difference: to find, of `ratings` in their units or of `huse_q`; null for `huse` below 1.

    spreads: standard deviations that are stated; null: those of the prior study. budget_cents: null: the study's."""

    decision: Literal["ratings", "huse_q", "huse"]
    difference: float | None = Field(None, gt=0, le=1000)
    power: float = Field(0.8, gt=0.05, lt=1)
    comparisons: int = Field(1, ge=1, le=1000)
    raters: list[Annotated[int, Field(ge=1, le=50)]] = Field([5, 10, 20], min_length=1, max_length=4)
    generators: int = Field(2, ge=1, le=50)
    spreads: dict[Literal["text", "slope", "severity", "noise"], float] | None = None
    budget_cents: int | None = Field(None, ge=0)


class PlannedOut(Schema):
    """A study with its cost (at the design's reward per task) and its power. people: different raters."""

    contexts: int
    texts: int
    raters: int
    people: int
    pages: int
    cents: int
    power: float


class DecisionPlanOut(Schema):
    """reaching: the cheapest study first; empty: none of up to 5,000 contexts. missing: its cost above the budget.

    within: where it is above, the study within the budget that has the most power; null: none of 20 contexts is."""

    reaching: list[PlannedOut]
    within: PlannedOut | None
    budget: int | None
    missing: int


class LaidOut(Schema):
    """The created HITs, and their maximum cost."""

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
def change_design(request: HttpRequest, study: UUID, body: SettingsIn) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    changes, actor, now = _changes(body), caller(request).get_username(), timezone.now()
    if study_row.status != Study.Status.DRAFT and "retain_until" in changes:
        study_row = study_for(request, study, Role.OWNER)
        market = market_of_people(study_row)
        set_retention_date(study_row, changes.pop("retain_until"), market=market, actor=actor, now=now)
    configure(study_row, changes, actor=actor, now=now)
    return _design(study_row)


def _changes(settings: SettingsIn) -> dict[str, Any]:
    changes = settings.dict(exclude_unset=True)
    return {name: value for name, value in changes.items() if value is not None or name in MAY_BE_NULL}


def _design(study: Study) -> dict[str, Any]:
    cells = Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk")
    pays = {cell.arm.training: cell.reward_cents for cell in cells}
    return {
        "settings": {name: getattr(study, name) for name in SettingsIn.model_fields},
        "arms": [{"training": name, "reward_cents": cents} for name, cents in pays.items()],
        "cells": [
            {
                "training": cell.arm.training,
                "domain": cell.domain,
                "generator": cell.generator.name if cell.generator else "",
            }
            for cell in cells
        ],
        "laid_out": queries.laid_out(study),
    }


@router.put("/studies/{study}/cells", response=gives(DesignOut), summary="Set arms and conditions of a draft")
def set_cells(request: HttpRequest, study: UUID, body: CellsIn) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    arms = [ArmPlan(**part.dict()) for part in body.arms]
    cells = [CellPlan(**part.dict()) for part in body.cells]
    arrange(study_row, arms, cells, actor=caller(request).get_username(), now=timezone.now())
    return _design(study_row)


@router.get("/studies/{study}/wording", response=gives(WordingOut), summary="The task text")
def show_wording(request: HttpRequest, study: UUID) -> Any:
    return _wording(study_for(request, study))


@router.put("/studies/{study}/wording", response=gives(WordingOut), summary="Change the task text")
def change_wording(request: HttpRequest, study: UUID, body: Body[dict[str, Any]]) -> Any:
    """The complete body as you read it, with its schema_version. It becomes a new version."""
    study_row = study_for(request, study, Role.EDITOR)
    return reword(study_row, from_json(body), actor=caller(request).get_username(), now=timezone.now())


def _wording(study: Study) -> Any:
    wording = study.wordings.last()
    if wording is None:
        raise StateError(f"The study {study.name} has no task text yet.")
    return wording


@router.get("/studies/{study}/price", response=gives(PriceOut), summary="Cost of the stored design")
def show_price(request: HttpRequest, study: UUID) -> Any:
    return cost_estimate.estimate_study(study_for(request, study)).estimate


@router.post("/studies/{study}/price", response=gives(PriceOut), summary="Cost of a changed design")
def try_price(request: HttpRequest, study: UUID, body: SettingsIn) -> Any:
    """With these settings instead of the stored ones; nothing is changed."""
    study_row = study_for(request, study, Role.EDITOR)
    for name, value in _changes(body).items():
        setattr(study_row, name, value)
    return cost_estimate.estimate_study(study_row).estimate


@router.get("/studies/{study}/precision", response={**gives(PrecisionOut), 202: JobOut}, summary="Expected precision")
def show_precision(request: HttpRequest, study: UUID) -> Any:
    """Of the stored design; all null if there is no pilot of its task type. HUSE's precision is simulated by a job,
    which is the answer (202) until it is done."""
    study_row = study_for(request, study)
    bill = cost_estimate.estimate_study(study_row)
    size = expected_precision.size_to_simulate(
        study_row, contexts=min(bill.contexts, 2_000), raters=bill.raters, per_hit=bill.per_hit
    )
    if size is None:
        return expected_precision.precision_of_accuracy(study_row, per_hit=bill.per_hit, evaluators=bill.evaluators)
    job = expected_precision.simulation_of(study_row, size)
    if job is None or job.state == Job.State.FAILED:
        job = ask_to_simulate(study_row, size, by=caller(request), now=timezone.now())
    if job.open:
        return Status(202, job)
    return expected_precision.precision_from(
        job.outcome, size, cents=bill.estimate.total_cents, budget=bill.budget_cents
    )


@router.post(
    "/studies/{study}/plan",
    response={**gives(DecisionPlanOut), 202: JobOut},
    summary="Study that reaches a wanted power",
)
def plan_study(request: HttpRequest, study: UUID, body: DecisionIn) -> Any:
    """With the study's reward, fees and texts per HIT; nothing is changed. Variances are the prior study's.

    Decisions on HUSE are simulated by a job, which is the answer (202) until it is done: send the same again then."""
    study_row = study_for(request, study)
    goal = decision_plans.request_of(study_row, body.dict())
    if not decision_plans.is_simulated(goal):
        return decision_plans.find(goal)
    job = decision_plans.latest_job(study_row, goal)
    if job is None or job.state == Job.State.FAILED:
        job = ask(Job.Kind.PLAN_DECISION, by=caller(request), now=timezone.now(), study=study_row, settings=goal)
    return Status(202, job) if job.open else job.outcome


@router.get("/studies/{study}/layout", response=gives(Paged[Layout]), summary="Created HITs, by condition")
def show_layout(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(queries.laid_out(study_for(request, study)), page)


@router.post(
    "/studies/{study}/layout", response={**gives(LaidOut, 201), 202: JobOut}, summary="Create HITs from the texts"
)
def lay_out(request: HttpRequest, study: UUID) -> Status[Any]:
    """With more than 2,000 texts by a job, which is the answer then (202)."""
    study_row = study_for(request, study, Role.EDITOR)
    if takes_long(study_row):
        return Status(202, ask(Job.Kind.LAY_OUT, by=caller(request), now=timezone.now(), study=study_row))
    return Status(201, design(study_row, actor=caller(request).get_username(), now=timezone.now()))


@router.delete("/studies/{study}/layout", response=gives(None, 204), summary="Discard the HITs of a draft")
def take_layout_back(request: HttpRequest, study: UUID) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    clear_design(study_row, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)
