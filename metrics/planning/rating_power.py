"""Power of the difference of two generators' mean ratings: paired by context, contexts and raters crossed.

A rating is mean of the generator + context + text + severity of the rater + what the rater thinks of the generator +
noise. The difference of two means is tested as `metrics.inference.cluster_variances` does for new items and new raters,
with t of one degree of freedom less than the fewer of contexts and people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats, Ints
from metrics.data.columns import check_column
from metrics.data.ratings import Names, encode_names
from metrics.errors import BadInput, InsufficientData
from metrics.inference.distributions import check_alpha, find_root, noncentral_t_below, t_quantile
from metrics.planning.pilot import Pilot
from metrics.planning.study_size import StudySize

LARGEST = 1e3  # differences, in standard errors
FEWEST_CONTEXTS, FEWEST_RATERS = 5, 3


@dataclass(frozen=True, slots=True)
class RatingSpreads:
    """Standard deviations in units of the rating.

    text: of a generator's texts within their contexts. slope: between raters, of what they think of one generator and
    not of the others. severity: between raters, of all their ratings. noise: of a single rating.
    """

    text: float
    slope: float
    severity: float
    noise: float

    def check(self) -> None:
        """Raise BadInput for a spread below 0, or none at all."""
        spreads = (self.text, self.slope, self.severity, self.noise)
        if not all(math.isfinite(spread) and spread >= 0 for spread in spreads) or max(self.text, self.noise) == 0:
            raise BadInput("standard deviations are at least 0, and not both of texts and of ratings 0", column="noise")


def rating_error(size: StudySize, spreads: RatingSpreads) -> float:
    """Return the standard error of a difference of two generators' mean ratings in a study of this size.

    Raises BadInput.
    """
    size.check()
    spreads.check()
    ratings = size.contexts * size.raters
    variance = 2 * (spreads.text**2 / size.contexts + spreads.noise**2 / ratings)
    if size.mixed:
        # A task that cannot hold as many texts of each leaves a rater one text of the difference, on average.
        uneven = size.pages * size.raters / ratings**2
        variance += 2 * spreads.slope**2 / size.people + spreads.severity**2 * uneven
    else:
        of_source = max(2.0, size.people / size.sources)
        variance += 2 * (spreads.slope**2 + spreads.severity**2) / of_source
    return math.sqrt(variance)


def rating_power(size: StudySize, spreads: RatingSpreads, difference: float, *, alpha: float = 0.05) -> float:
    """Chance in [0, 1] that the difference of two generators' mean ratings is found.

    Args:
        size: of the study; contexts are rated for both generators.
        spreads: of texts, raters and ratings.
        difference: to find, in units of the rating.
        alpha: of the two-sided test, in (0, 1).

    Returns:
        The power; both tails count.

    Raises:
        BadInput: a number that is not allowed.

    Source:
        Cameron, Gelbach and Miller (2011) for the test; the noncentral t for its power.

    Example:
        >>> from metrics.planning.rating_power import RatingSpreads, rating_power
        >>> from metrics.planning.study_size import StudySize
        >>> spreads = RatingSpreads(text=0.8, slope=0.2, severity=0.5, noise=1.0)
        >>> small, large = (rating_power(StudySize(contexts, 10), spreads, 0.3) for contexts in (30, 200))
        >>> small < 0.5 < large
        True
    """
    check_alpha(alpha)
    if not math.isfinite(difference):
        raise BadInput("a difference is a number", column="difference")
    error = rating_error(size, spreads)
    return _power(abs(difference) / error, _freedom(size), alpha, _stated_error(size, spreads) / error)


def detectable_rating_difference(
    size: StudySize, spreads: RatingSpreads, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest difference of mean ratings that is found with this power. Raises BadInput."""
    check_alpha(alpha)
    if not alpha < power < 1:
        raise BadInput("a power lies between alpha and 1", column="power")
    freedom = _freedom(size)
    error = rating_error(size, spreads)
    stated = _stated_error(size, spreads) / error
    return error * find_root(lambda d: _power(d, freedom, alpha, stated) - power, 0.0, LARGEST)


def _stated_error(size: StudySize, spreads: RatingSpreads) -> float:
    """The standard error that such studies state, on average: each way of clustering has its factor m / (m - 1)."""
    variance = rating_error(size, spreads) ** 2
    single = 2 * (spreads.text**2 + spreads.noise**2) / (size.contexts * size.raters)  # of a cell: a text by a rater
    by_item = 2 * (spreads.text**2 / size.contexts + spreads.noise**2 / (size.contexts * size.raters))
    by_rater = variance - by_item + single
    return math.sqrt(variance + by_item / (size.contexts - 1) + by_rater / (size.people - 1))


def _freedom(size: StudySize) -> int:
    size.check()
    if (smaller := min(size.contexts, size.people)) < 2:
        raise BadInput("a difference needs at least 2 contexts and 2 raters", column="raters")
    return smaller - 1


def _power(noncentrality: float, freedom: int, alpha: float, stated: float) -> float:
    """stated: the standard error that is stated, over the true one."""
    critical = t_quantile(1 - alpha / 2, freedom) * stated
    inside = noncentral_t_below(critical, freedom, noncentrality) - noncentral_t_below(
        -critical, freedom, noncentrality
    )
    return min(1.0, max(0.0, 1 - inside))


def spreads_of_pilot(pilot: Pilot, *, slope: float = 0.0) -> RatingSpreads:
    """Return the spreads that a pilot of one generator shows. What raters think of one generator alone must be stated.

    Raises BadInput.
    """
    within = pilot.rating_variance()
    spreads = RatingSpreads(
        pilot.label_sd * math.sqrt(1 - max(0.0, pilot.texts.alike)),
        slope,
        math.sqrt(within * pilot.rater_share),
        math.sqrt(within * (1 - pilot.rater_share)),
    )
    spreads.check()
    return spreads


def fit_spreads(context: Names, rater: Names, source: Names, value: ArrayLike) -> RatingSpreads:
    """Estimate the spreads from a pilot's ratings of two sources or more, by products of residuals.

    Two ratings of one text share context and text, of two texts of a context the context alone; two of a rater share
    his severity, and what he thinks of a generator where both are of it. Estimates below 0 are 0.

    Args:
        context: (N,) names of the contexts, each with a text of several sources.
        rater: (N,) names of the raters.
        source: (N,) names of the sources.
        value: (N,) ratings.

    Returns:
        Standard deviations in units of the rating.

    Raises:
        BadInput: columns of different lengths, a rating that is not a number.
        InsufficientData: fewer than 5 contexts or 3 raters, one source, or no text or rater with two ratings.

    Source:
        Henderson's products of residuals (1953), without their loss of degrees of freedom but for m / (m - 1).

    Example:
        >>> import numpy as np
        >>> from metrics.planning.rating_power import fit_spreads
        >>> rng = np.random.default_rng(0)
        >>> c, g, r = (column.ravel() for column in np.mgrid[:60, :2, :20])
        >>> value = rng.normal(size=(60, 2))[c, g] * 0.7 + rng.normal(size=20)[r] * 0.5 + rng.normal(size=len(c))
        >>> spreads = fit_spreads(c, r, g, value)
        >>> round(spreads.text, 1), round(spreads.noise, 1)
        (0.7, 1.0)
    """
    values = check_column(value, "value")
    if not len(context) == len(rater) == len(source) == len(values):
        raise BadInput("each rating needs a context, a rater and a source", column="value")
    (c, contexts), (r, raters), (g, sources) = (encode_names(names) for names in (context, rater, source))
    if len(contexts) < FEWEST_CONTEXTS or len(raters) < FEWEST_RATERS or len(sources) < 2:
        raise InsufficientData(
            f"Spreads need ratings of {FEWEST_CONTEXTS} contexts by {FEWEST_RATERS} raters, and of 2 sources."
        )
    left = values - (np.bincount(g, values) / np.bincount(g))[g]
    text, of_source = c * len(sources) + g, r * len(sources) + g
    same_text, texts = _products(text, left)
    same_context, in_contexts = _products(c, left)
    same_rater, in_raters = _products(r, left)
    same_side, in_sides = _products(of_source, left)
    cell, in_cells = _products(c * len(raters) + r, left)
    if min(texts, in_contexts - texts, in_sides, in_raters - in_sides) <= 0:
        raise InsufficientData("Spreads need several ratings of each text, and of each rater for each source.")
    items, people = len(contexts) / (len(contexts) - 1), len(raters) / (len(raters) - 1)
    shared = items * _mean(same_context - same_text - cell, in_contexts - texts - in_cells)
    within = items * _mean(same_text, texts)
    severity = people * _mean(same_rater - same_side - cell, in_raters - in_sides - in_cells)
    leaning = people * _mean(same_side, in_sides)
    total = float((left**2).sum()) / (len(left) - len(sources))
    slope, text_variance = max(0.0, leaning - severity), max(0.0, within - shared)
    noise = total - max(0.0, shared) - text_variance - max(0.0, severity) - slope
    spreads = (text_variance, slope, max(0.0, severity), max(0.0, noise))
    return RatingSpreads(*(math.sqrt(spread) for spread in spreads))


def _products(code: Ints, left: Floats) -> tuple[float, float]:
    """Sum of the products of all pairs within a group, and how many pairs there are."""
    total, square, count = np.bincount(code, left), np.bincount(code, left**2), np.bincount(code)
    return float((total**2 - square).sum()) / 2, float((count * (count - 1)).sum()) / 2


def _mean(total: float, pairs: float) -> float:
    return total / pairs if pairs > 0 else 0.0
