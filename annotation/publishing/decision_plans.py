"""Plan a study that decides as often as wanted, at a study's reward and fees: at once, or by a job that simulates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from annotation import ledger
from annotation.exceptions import DesignError
from annotation.models import Job, Study
from annotation.pricing.decision_plan import plan_decision
from annotation.pricing.fees import Fees
from annotation.pricing.quotes import Terms
from annotation.publishing.expected_precision import SIMULATED
from metrics.errors import MetricsError
from metrics.planning import known_pilots, prior_pilot
from metrics.planning.decisions import FEWEST, Assumed, Decision
from metrics.planning.rating_power import RatingSpreads, spreads_of_pilot
from metrics.planning.study_size import StudySize
from metrics.version import __version__

NO_SPREADS = dict.fromkeys(("text", "slope", "severity", "noise"), 0.0)


def request_of(study: Study, goal: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a plan depends on: what is wanted, and the study's terms.

    goal: decision, difference, power, comparisons, raters, generators, spreads, budget_cents. Raises DesignError for
    a decision that is none.
    """
    budget = goal["budget_cents"]
    request = {
        **goal,
        "raters": list(goal["raters"]),
        "budget_cents": study.budget_cents if budget is None else budget,
        "reward_cents": study.reward_cents,
        "texts_per_hit": study.texts_per_hit,
        "in_nines": study.in_nines,
        "fees": str(ledger.endpoint_fees()),
        "version": __version__,
    }
    try:
        _decision(request).check()
    except MetricsError as error:
        raise DesignError(str(error)) from None
    return request


def is_simulated(request: Mapping[str, Any]) -> bool:
    """Whether a plan takes a simulation; power for ratings is a formula."""
    return bool(request["decision"] != "ratings")


def latest_job(study: Study, request: Mapping[str, Any]) -> Job | None:
    """The study's latest job for this plan, under way or ended."""
    jobs = study.jobs.filter(kind=Job.Kind.PLAN_DECISION).order_by("-created_at", "-pk")
    return next((job for job in jobs[:100] if job.settings == request), None)


def find(request: Mapping[str, Any], *, progress: Callable[[int, int], object] | None = None) -> dict[str, Any]:
    """The cheapest studies that decide as often as wanted, and what is missing in the budget. Raises DesignError.

    progress: called with how many of how many numbers of raters were tried.
    """
    pilot = prior_pilot(next(iter(known_pilots())))
    size = StudySize(FEWEST, 2, request["texts_per_hit"], request["generators"])
    terms = Terms(request["reward_cents"], Fees(request["fees"]), in_nines=request["in_nines"])
    try:
        spreads = request["spreads"]
        stated = RatingSpreads(**{**NO_SPREADS, **spreads}) if spreads else spreads_of_pilot(pilot)
        plan = plan_decision(
            _decision(request),
            Assumed(pilot, stated, SIMULATED),
            terms,
            size,
            raters=request["raters"],
            budget=request["budget_cents"],
            progress=progress,
        )
    except MetricsError as error:
        raise DesignError(str(error)) from None
    return {
        "reaching": [asdict(planned) for planned in plan.reaching],
        "within": asdict(plan.within) if plan.within else None,
        "budget": plan.budget,
        "missing": plan.missing,
    }


def _decision(request: Mapping[str, Any]) -> Decision:
    return Decision(request["decision"], request["difference"], request["power"], comparisons=request["comparisons"])
