"""Crossed mixed model: rating ~ fixed effects + (1 | item) + (1 | rater), and a slope by rater where asked; REML.

Baayen, Davidson and Bates (2008). Ratings of one text share its quality, ratings of one person share their severity:
an interval that takes ratings for independent is too narrow. Found by profiled restricted likelihood with block
elimination (`metrics.inference.reml_blocks`); where that has no sound answer, least squares with a cluster bootstrap
(`metrics.inference.pigeonhole_bootstrap`) is shown instead, and a flag and a sentence say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.compiled.threads import single_thread
from metrics.data.arrays import Floats
from metrics.data.ratings import Names, Ratings, in_content_order, lay_out
from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.inference.pigeonhole_bootstrap import resample_pigeonhole
from metrics.inference.reml_blocks import WIDEST, Design, Solution, build_design, solve_blocks
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

SMALLEST = 5
SINGULAR = 1e-4  # relative standard deviations below this are none
STATIONARY = 1e-3  # largest slope of the criterion, per level, that counts as none
INTERCEPT = "intercept"
INSTEAD = "least squares with a cluster bootstrap are shown instead"


@dataclass(frozen=True, slots=True)
class MixedModel:
    """What was fitted.

    effects: `intercept` and each fixed effect, in units of the ratings per unit of the column.
    variances: `item`, `rater`, `residual` (and `rater_slope`, `rater_covariance`), in squared units of the ratings;
    empty where no random effect was fitted. standard_errors: of the effects, by REML; empty likewise.
    flags: `singular_fit`, `not_converged`, `few_items`, `few_raters`, `too_many_levels`, `no_variation`.
    note: a sentence for the reader where flags are set.
    """

    effects: Mapping[str, Estimate]
    standard_errors: Mapping[str, float]
    variances: Mapping[str, float]
    flags: tuple[str, ...]
    note: str

    @property
    def is_fitted(self) -> bool:
        """Whether the effects are those of the mixed model, and not of least squares instead."""
        return bool(self.standard_errors)


@dataclass(frozen=True, slots=True)
class _Problem:
    ratings: Ratings
    y: Floats
    x: Floats
    names: tuple[str, ...]
    slope: int | None
    level: float
    draws: int
    seed: int


def mixed_model(
    value: Names,
    item: Names,
    rater: Names,
    fixed: Mapping[str, ArrayLike] | None = None,
    *,
    slope: str | None = None,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    smallest: int = SMALLEST,
) -> MixedModel:
    """Fit a linear mixed model of ratings with crossed random effects of items and raters.

    Args:
        value: (N,) finite numbers, the ratings.
        item: (N,) names of the items.
        rater: (N,) names of the raters; a rater may rate an item more than once.
        fixed: columns (N,) of numbers by name, such as the source as 0 and 1; None: the intercept alone.
        slope: the fixed effect that may differ from rater to rater, and correlate with the rater's intercept; None:
            none.
        level: of the intervals, in (0, 1).
        draws: of the cluster bootstrap, where it is needed.
        seed: of the cluster bootstrap, at least 0. Its samples depend on neither raters' names nor the order of rows.
        smallest: items and raters below which no random effect is fitted (flag `few_items` or `few_raters`).

    Returns:
        Effects in units of the ratings, and variances in squared units. Intervals are by t with as many degrees of
        freedom as the side with fewer levels has levels, less the fixed effects, which errs on the wide side. With a
        variance of 0 (`singular_fit`) or an optimizer that does not settle (`not_converged`), effects and intervals are
        those of least squares with a cluster bootstrap.

    Raises:
        InsufficientData: no rating, fewer than 2 items, or no more ratings than effects.
        DegenerateInput: fixed effects that are linearly dependent.
        BadInput: columns or settings that break a rule.

    Source:
        Baayen, Davidson and Bates (2008).

    Example:
        >>> from metrics import mixed_model
        >>> item, rater = [i for i in range(8) for _ in range(8)], list(range(8)) * 8
        >>> value = [3 + (i >= 4) + (i % 2) / 4 + (r % 3) / 5 + (i * r % 5) / 7 for i, r in zip(item, rater)]
        >>> model = mixed_model(value, item, rater, {"machine": [float(i >= 4) for i in item]})
        >>> round(model.effects["machine"].value, 2), sorted(model.variances)
        (1.01, ['item', 'rater', 'residual'])
    """
    problem = _check(lay_out(item, rater, value, repeats=True), fixed or {}, slope, level, draws, seed)
    flags = _refusals(problem, smallest)
    if flags:
        return _bootstrap(problem, flags, _because(problem, flags, smallest), {}, {})
    scale = float(np.abs(problem.y - problem.y.mean()).max())
    data, swapped = _design(problem, (problem.y - problem.y.mean()) / scale)
    with single_thread():
        theta, solution, converged = _fit(data)
    variances = _variances(theta, solution.residual * scale**2, swapped)
    if not converged:
        note = f"The optimizer did not settle: {INSTEAD}."
        return _bootstrap(problem, ("not_converged",), note, {}, variances)
    if _singular(theta):
        note = f"A variance was estimated as 0 (or a correlation as 1): {INSTEAD}."
        return _bootstrap(problem, ("singular_fit",), note, {}, variances)
    return _report(problem, solution, scale, variances)


def _check(
    ratings: Ratings, fixed: Mapping[str, ArrayLike], slope: str | None, level: float, draws: int, seed: int
) -> _Problem:
    if not 0 < level < 1 or draws < 2 or seed < 0:
        raise BadInput("a level lies between 0 and 1, draws are at least 2, a seed is at least 0")
    if INTERCEPT in fixed:
        raise BadInput("the model has an intercept of its own", column=INTERCEPT)
    if slope is not None and slope not in fixed:
        raise BadInput("a slope belongs to one of the fixed effects", column=slope)
    n, names = len(ratings), (INTERCEPT, *fixed)
    x = np.column_stack([np.ones(n), *(_column(name, column, n) for name, column in fixed.items())])
    if len(ratings.items) < 2 or n <= len(names):
        raise InsufficientData(
            "A mixed model needs 2 items and more ratings than effects; here are "
            f"effects: {len(names)}, items: {len(ratings.items)}, ratings: {n}."
        )
    if np.linalg.matrix_rank(x / np.abs(x).max(axis=0).clip(1e-300)) < len(names):
        raise DegenerateInput(
            f"The effects {', '.join(names)} cannot be estimated separately: one of them is the same for every "
            "rating, or is a sum of others."
        )
    at = None if slope is None else names.index(slope)
    return _Problem(ratings, ratings.value.astype(np.float64), x, names, at, level, draws, seed)


def _column(name: str, column: ArrayLike, n: int) -> Floats:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("a fixed effect is a column of numbers (code categories as 0 and 1)", column=name) from None
    if numbers.shape != (n,):
        raise BadInput(f"the column needs one number for each of the {n} ratings", column=name)
    if (bad := ~(np.abs(numbers) <= 1e100)).any():
        raise BadInput("a fixed effect is a finite number", row=int(np.argmax(bad)) + 1, column=name)
    return numbers


def _refusals(problem: _Problem, smallest: int) -> tuple[str, ...]:
    items, raters = len(problem.ratings.items), len(problem.ratings.raters)
    width = min(items, raters) if problem.slope is None else 2 * raters
    named = {
        "few_items": items < smallest,
        "few_raters": raters < smallest,
        "too_many_levels": width > WIDEST,
        "no_variation": bool((problem.y == problem.y[0]).all()),
    }
    return tuple(name for name, holds in named.items() if holds)


def _because(problem: _Problem, flags: tuple[str, ...], smallest: int) -> str:
    items, raters = len(problem.ratings.items), len(problem.ratings.raters)
    reasons = {
        "few_items": f"a random effect of items needs {smallest} items, and there are {items}",
        "few_raters": f"a random effect of raters needs {smallest} raters, and there are {raters}",
        "too_many_levels": f"{items} items and {raters} raters are more than the mixed model holds",
        "no_variation": "all values are equal",
    }
    text = "; ".join(reasons[flag] for flag in flags)
    return f"{text[0].upper()}{text[1:]}: {INSTEAD}."


def _design(problem: _Problem, y: Floats) -> tuple[Design, bool]:
    """Cross-products, the side with more levels as the diagonal one; with a slope that is the items' side."""
    ratings = problem.ratings
    swapped = problem.slope is None and len(ratings.raters) > len(ratings.items)
    diagonal, dense = (ratings.rater, ratings.item) if swapped else (ratings.item, ratings.rater)
    x = problem.x / np.abs(problem.x).max(axis=0)
    slope = None if problem.slope is None else x[:, problem.slope]
    return build_design(y, x, diagonal, dense, slope), swapped


def _fit(data: Design) -> tuple[Floats, Solution, bool]:
    """Relative factors at the smallest criterion, the solution there, and whether the optimiser settled."""
    from scipy.optimize import minimize

    units = len(data.counts) + data.levels  # a criterion per level has curvatures near 1, whatever the size

    def criterion(theta: Floats) -> float:
        solved = solve_blocks(data, theta)
        return solved.criterion / units if solved is not None else 1e10

    start = np.array([1.0, 1.0] if data.slopes == 1 else [1.0, 1.0, 0.0, 1.0])
    best = minimize(criterion, start, method="BFGS", options={"gtol": 1e-7})
    if not _settled(criterion, best.x):
        second = minimize(
            criterion, best.x, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 500}
        )
        best = second if second.fun <= best.fun else best
    solution = solve_blocks(data, best.x)
    if solution is None:
        raise DegenerateInput("The fixed effects cannot be separated from the random effects.")
    return best.x, solution, _settled(criterion, best.x)


def _settled(criterion: Callable[[Floats], float], theta: Floats) -> bool:
    """Central differences of the criterion are next to 0, and no parameter has run away."""
    moves = np.eye(len(theta)) * 1e-4
    slopes: list[float] = [(criterion(theta + move) - criterion(theta - move)) / 2e-4 for move in moves]
    return bool(np.abs(theta).max() < 1e4) and max(map(abs, slopes)) < STATIONARY


def _singular(theta: Floats) -> bool:
    diagonal = [abs(theta[0]), abs(theta[1])] + ([abs(theta[3])] if len(theta) > 2 else [])
    return bool(min(diagonal) < SINGULAR)


def _variances(theta: Floats, residual: float, swapped: bool) -> dict[str, float]:
    triangle = np.zeros((1, 1) if len(theta) == 2 else (2, 2))
    triangle[np.tril_indices(len(triangle))] = theta[1:]
    dense = residual * triangle @ triangle.T
    names = ("rater", "item") if swapped else ("item", "rater")
    variances = {names[0]: residual * float(theta[0]) ** 2, names[1]: float(dense[0, 0])}
    if len(dense) == 2:
        variances |= {"rater_slope": float(dense[1, 1]), "rater_covariance": float(dense[1, 0])}
    return variances | {"residual": residual}


def _report(problem: _Problem, solution: Solution, scale: float, variances: dict[str, float]) -> MixedModel:
    from scipy.special import stdtrit

    largest = np.abs(problem.x).max(axis=0)
    effects = solution.effects * scale / largest
    effects[0] += problem.y.mean()
    errors = np.sqrt(solution.residual * np.diag(solution.covariance)) * scale / largest
    levels = min(len(problem.ratings.items), len(problem.ratings.raters))
    df = max(1, levels - len(problem.names))
    half = float(stdtrit(df, (1 + problem.level) / 2)) * errors
    intervals = [
        Interval(float(b - h), float(b + h), problem.level, f"REML, t with {df} degrees of freedom")
        for b, h in zip(effects, half, strict=True)
    ]
    named = dict(zip(problem.names, errors.tolist(), strict=True))
    return MixedModel(_estimates(problem, effects, intervals, "reml", ()), named, variances, (), "")


def _bootstrap(
    problem: _Problem, flags: tuple[str, ...], note: str, errors: dict[str, float], variances: dict[str, float]
) -> MixedModel:
    rng = np.random.default_rng(problem.seed)
    largest = np.abs(problem.x).max(axis=0)
    centre = problem.y.mean()
    ratings, order = in_content_order(problem.ratings, *problem.x[:, 1:].T)
    y, x = problem.y[order] - centre, problem.x[order] / largest
    drawn = resample_pigeonhole(y, x, ratings.item, ratings.rater, problem.draws, rng)
    shift = np.eye(len(largest))[0] * centre
    effects = drawn.effects / largest + shift
    intervals: list[Interval | None] = [None] * len(effects)
    if "no_variation" not in flags and len(drawn.draws) > 1:
        limits = drawn.limits(problem.level) / largest + shift
        intervals = [Interval(float(a), float(b), problem.level, drawn.method) for a, b in limits.T]
    if drawn.lost:
        flags = (*flags, "resamples_lost")
    return MixedModel(_estimates(problem, effects, intervals, "bootstrap", flags), errors, variances, flags, note)


def _estimates(
    problem: _Problem,
    effects: Floats,
    intervals: list[Interval] | list[Interval | None],
    method: str,
    flags: tuple[str, ...],
) -> dict[str, Estimate]:
    n, items, raters = len(problem.ratings), len(problem.ratings.items), len(problem.ratings.raters)
    slope = None if problem.slope is None else problem.names[problem.slope]
    settings: dict[str, Setting] = {"items": items, "raters": raters, "method": method, "slope_by_rater": slope}
    if method == "bootstrap":
        settings |= {"draws": problem.draws, "seed": problem.seed}
    tail = f"n:{n}|items:{items}|raters:{raters}|{method}|v:{__version__}"
    return {
        name: Estimate(float(value), n, interval, settings, flags, f"effect_{name}|{tail}")
        for name, value, interval in zip(problem.names, effects, intervals, strict=True)
    }
