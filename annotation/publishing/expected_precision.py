"""How exact a study of some size will be. HUSE's precision is simulated, by a job, and stored with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.accounts.models import User
from annotation.design.kinds import asks, is_for_huse
from annotation.models import Job, Study
from annotation.texts import pile as texts_pile
from metrics.data.answer_types import AnswerType
from metrics.errors import MetricsError
from metrics.inference.power import accuracy_difference, minimum_effect
from metrics.planning import expected_precision, known_pilots, prior_pilot
from metrics.planning.decisions import FEWEST, LARGEST, Assumed, Decision, detectable
from metrics.planning.rating_power import spreads_of_pilot
from metrics.planning.study_size import StudySize
from metrics.version import __version__

SIMULATED = 100
MANY_RATINGS = 5000  # of a generator, beyond which the differences a study can show are scaled from a smaller one
POWER, DIFFERENCE = 0.8, 0.1  # that a study is usually asked for: of HUSE-Q
STEPS = 3

Tell = Callable[[str, int, int], object]


@dataclass(frozen=True, slots=True)
class Reach:
    """What a larger study of the same raters a text must be to find `difference` of HUSE-Q with the usual power.

    contexts: that it needs; None: more than 5,000. cents: its cost, in proportion to its tasks; over: what of it passes
    the budget (0 without one). enough: whether the study at hand finds it.
    """

    difference: float
    enough: bool
    contexts: int | None
    cents: int | None
    over: int


@dataclass(frozen=True, slots=True)
class ExpectedPrecision:
    """How exact a study will be, in one of two ways: HUSE's half-width, or the difference in accuracy it can see.

    shown_q, shown_rating: the smallest differences of HUSE-Q and of mean rating between two generators (with one: of
    mean rating from the references) found with a power of `power`; None: none is.
    """

    huse: float | None = None
    huse_q: float | None = None
    pilot: str = ""
    difference: float | None = None
    evaluators: int | None = None
    shown_q: float | None = None
    shown_rating: float | None = None
    power: float = POWER
    generators: int = 1
    reach: Reach | None = None


def size_to_simulate(study: Study, *, contexts: int, raters: int, per_hit: int) -> StudySize | None:
    """The size that a job simulates for this study; None where its precision is known without a simulation."""
    if not is_for_huse(study.task) or not contexts:
        return None
    return StudySize(contexts, raters, per_hit, max(1, len(texts_pile.pile(study).generators)))


def request_of(size: StudySize) -> dict[str, Any]:
    """What a job is asked for: the size, and the version that simulates it."""
    return {
        "contexts": size.contexts,
        "raters": size.raters,
        "per_hit": size.per_hit,
        "generators": size.generators,
        "version": __version__,
    }


def simulation_of(study: Study, size: StudySize) -> Job | None:
    """The study's latest simulation of this size, under way or ended."""
    request = request_of(size)
    jobs = study.jobs.filter(kind=Job.Kind.PRECISION).order_by("-created_at", "-pk")
    return next((job for job in jobs[:100] if job.settings == request), None)


def superseded_simulations(study: Study, size: StudySize, *, by: User) -> list[Job]:
    """Open simulations of other sizes that the same person requested: the design was changed since."""
    request = request_of(size)
    open_jobs = study.jobs.filter(kind=Job.Kind.PRECISION, state__in=["waiting", "running"], asked_by=by)
    return [job for job in open_jobs if job.settings != request]


def simulate(request: Mapping[str, Any], *, tell: Tell) -> dict[str, Any]:
    """Half-widths and detectable differences of a study of the requested size; {} of one that cannot be simulated.

    tell: called before each step, with how many are done.
    """
    name = next(iter(known_pilots()))
    size = StudySize(request["contexts"], request["raters"], request["per_hit"], request["generators"])
    pilot = prior_pilot(name)
    try:
        tell("Simulating HUSE", 0, STEPS)
        expected = expected_precision(
            pilot, texts=2 * size.contexts, raters=size.raters, per_hit=size.per_hit, studies=SIMULATED
        )
        assumed = Assumed(pilot, spreads_of_pilot(pilot), SIMULATED)
        tell("Simulating differences in HUSE-Q", 1, STEPS)
        shown_q, needed = _differences_of_huse_q(assumed, size)
        tell("Simulating differences in mean rating", 2, STEPS)
        shown_rating = detectable(Decision("ratings", DIFFERENCE, POWER), assumed, size) if size.people > 1 else None
    except MetricsError:
        return {}
    return {
        "huse": expected.half_width("huse"),
        "huse_q": expected.half_width("huse_q"),
        "pilot": name,
        "shown_q": shown_q,
        "shown_rating": shown_rating,
        "needed_contexts": needed,
    }


def _differences_of_huse_q(assumed: Assumed, size: StudySize) -> tuple[float | None, int | None]:
    """The smallest difference that is found, and the contexts that finding `DIFFERENCE` needs; None: none, too many."""
    contexts = max(FEWEST, min(size.contexts, max(2 * FEWEST, MANY_RATINGS // size.raters)))
    detected = detectable(Decision("huse_q", DIFFERENCE, POWER), assumed, replace(size, contexts=contexts))
    if detected is None:
        return None, None
    # The spread of a difference goes with 1 / root of contexts: what one size finds says what another must be.
    needed = max(FEWEST, math.ceil(contexts * (detected / DIFFERENCE) ** 2))
    # Of so few contexts no interval is stated.
    shown_q = None if size.contexts < FEWEST else detected * math.sqrt(contexts / size.contexts)
    return shown_q, needed if needed <= LARGEST else None


def precision_from(
    outcome: Mapping[str, Any], size: StudySize, *, cents: int = 0, budget: int | None = None
) -> ExpectedPrecision:
    """Expected precision by what a job simulated. cents: the study's cost, to price a larger one."""
    if not outcome:
        return ExpectedPrecision()
    simulated = dict(outcome)
    needed = simulated.pop("needed_contexts")
    enough = simulated["shown_q"] is not None and simulated["shown_q"] <= DIFFERENCE
    cost = -(-cents * replace(size, contexts=needed).pages // size.pages) if needed is not None and cents else None
    over = max(0, cost - budget) if cost is not None and budget is not None else 0
    return ExpectedPrecision(
        **simulated, generators=size.generators, reach=Reach(DIFFERENCE, enough, needed, cost, over)
    )


def precision_of_accuracy(study: Study, *, per_hit: int, evaluators: int | None) -> ExpectedPrecision:
    """The difference in accuracy that a study of human or machine can see; all empty where nothing can be said."""
    try:
        if asks(study.task, AnswerType.TWO_SIDED) and evaluators:
            effect = minimum_effect(evaluators)
            return ExpectedPrecision(difference=accuracy_difference(effect, per_hit), evaluators=evaluators)
    except MetricsError:
        pass
    return ExpectedPrecision()
