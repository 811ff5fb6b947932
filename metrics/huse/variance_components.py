"""Parts of the uncertainty that the headline interval does not hold: the raters' part and the binomial part.

The headline interval draws texts; the raters stay. It already holds the noise of single ratings. What it cannot see is
that other raters would have shifted many texts together. Splitting texts and whole workers into halves at once shows
that part: a two-way table of four studies of half the texts by half the workers, whose main effect of workers, less
the interaction, is what other workers would move. It is added to the interval where the design confounds it with the
source: where references and model texts were rated by different workers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from metrics.data.arrays import Bools, Ints
from metrics.data.csv_files import read_items, read_ratings
from metrics.data.frames import Frame, check_records, is_frame
from metrics.data.items import check_items
from metrics.errors import BadInput, InsufficientData
from metrics.huse.estimate import MODES, STANDARD_ERROR, Settings, evaluate
from metrics.huse.rater_variance import MUCH_DIFFERENT, half_means, rater_errors, source_difference
from metrics.huse.ratings_by_text import Rated, lay_out, with_means
from metrics.huse.subsampling import context_numbers
from metrics.inference.error_rate_intervals import degrees_of_freedom, normal_quantile, subsample_interval
from metrics.types import ByMode, Estimate, HuseResult, Interval, Item, Missing, Mode, Rating, Setting, VoteTie
from metrics.version import __version__

RATERS = "half-samples of workers (a component)"
BINOMIAL = "binomial, too narrow"
WITH_RATERS = "half-samples of texts and of raters"
TARGET = "expectation of the estimator at this number of texts and ratings, over new texts and other raters"
THESE = "expectation of the estimator at this number of texts and ratings, over new texts, with these raters"
SINGLE_SOURCE = "raters_saw_one_source"
DIFFERENT = "raters_differ_by_source"
NO_RATERS = "interval_without_raters"
FEWEST_RATERS = 4


@dataclass(frozen=True, slots=True)
class RaterComponent:
    """What other workers would move: standard errors of HUSE, HUSE-Q and HUSE-D, a part of the whole.

    The noise of single ratings is taken off, since the interval over texts holds it; nothing left is 0.
    mean_huse, mean_huse_q: over halves of the workers; above the study's values, because fewer raters make noisier HJ.
    raters: workers; single_source_share: share of the ratings given by workers who rated one source only, in [0, 1].
    source_difference: share of the ratings of one source that would have to be given by other workers for both sources
    to be rated by the same ones alike, in [0, 1]. draws: half-samples, two of each split. unusable: those that left
    too few texts. texts_lost: mean number of texts without a rating in a half-sample.
    """

    huse: float
    huse_q: float
    huse_d: float
    mean_huse: float
    mean_huse_q: float
    raters: int
    single_source_share: float
    source_difference: float
    draws: int
    unusable: int
    texts_lost: float
    n: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str

    def interval(self, measure: str, value: float, level: float = 0.95) -> Interval:
        """value -+ z * this component: not the interval of the measure. measure: huse, huse_q or huse_d."""
        if measure not in ("huse", "huse_q", "huse_d"):
            raise BadInput("measure must be huse, huse_q or huse_d", column="measure")
        half = normal_quantile(level) * float(getattr(self, measure))
        return Interval(value - half, value + half, level, RATERS)


def rater_component(
    items: Sequence[Item],
    ratings: Sequence[Rating],
    *,
    k: int = 16,
    draws: int = 400,
    seed: int = 0,
    missing: Missing = "error",
) -> RaterComponent:
    """Standard errors from halves of the workers, each with all ratings of his or hers, crossed with halves of texts.

    items: as for `evaluate`; HJ may be None. A text that one half of the workers leaves without a rating is out of that
    split, and in a paired design its whole context. Exact ties, vote ties to the reference.
    Raises as `evaluate` and `lay_out`, and InsufficientData below 4 workers or where half-samples leave too few texts.
    """
    Settings(k, "reference", seed, 0.95, draws).check(())
    table = check_items(with_means(items, ratings), k=k, missing=missing)
    rated = lay_out(table.items, ratings)
    if rated.raters < FEWEST_RATERS or draws < 2:
        raise InsufficientData(
            f"The raters' component needs {FEWEST_RATERS} workers and 2 draws; there are {rated.raters} workers and "
            f"{draws} draws."
        )
    context = context_numbers([item.context for item in table.items], table.z)
    rng = np.random.default_rng(seed)
    components = rater_errors(rated, table.q, table.z, rng, draws, k=k, context=context)
    means = half_means(rated, table.q, table.z, rng, draws, k=k, context=context)
    if components.usable < max(1, draws // 4) or math.isnan(means[0]):
        raise InsufficientData("Half of the workers leave too few texts with a rating in most draws.")
    share = _single_source_share(rated, table.z)
    huse, quality, diversity = (float(sd) for sd in components.errors)
    settings: dict[str, Setting] = {"k": k, "draws": draws, "seed": seed, "mode": "exact"}
    return RaterComponent(
        huse=huse,
        huse_q=quality,
        huse_d=diversity,
        mean_huse=means[0],
        mean_huse_q=means[1],
        raters=rated.raters,
        single_source_share=share,
        source_difference=source_difference(rated, table.z),
        draws=draws,
        unusable=2 * (max(1, draws // 2) - components.usable),
        texts_lost=components.texts_lost,
        n=len(table),
        settings=settings,
        flags=(*table.flags, *((SINGLE_SOURCE,) if share > 1 / 2 else ())),
        signature=f"rater_component|n:{len(table)}|raters:{rated.raters}|k:{k}|draws:{draws}|seed:{seed}|v:{__version__}",
    )


def evaluate_rated(
    items: Sequence[Item] | Frame,
    ratings: Sequence[Rating] | Frame,
    modes: Sequence[Mode] = MODES,
    *,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    vote_tie: VoteTie = "reference",
    missing: Missing = "error",
    these_raters: bool = False,
) -> ByMode:
    """Compute HUSE with HJ from single ratings, and intervals that know who rated what.

    Where references and model texts were rated by different workers (a quarter of the ratings of one source would have
    to be by others to make them alike), texts drawn again cannot show that other workers would have moved a whole
    source. There the intervals hold the raters' component too: method `half-samples of texts and of raters`, flag
    `raters_differ_by_source`, and `raters_saw_one_source` where more than half of the ratings are by workers of one
    source. Where the component is undefined (fewer than 4 workers, too few texts in a half) the interval over texts
    stays and the flag `interval_without_raters` says that it is too narrow. Elsewhere the result is that of `evaluate`.

    Args:
        items: judged texts of one generator and their references, at least 2 of each source and k + 1 in all; or a
            DataFrame with the columns `id`, `log_prob`, `length`, `source` (optional `context`), as are the ratings.
        ratings: at most one by each rater of each item; ratings of other items are not used. Of a DataFrame the columns
            `item`, `rater`, `value`, and each item is one of the items.
        modes: `exact` and `paper`, as in `evaluate`.
        k: neighbours that set the cut, at least 1 and less than the number of items; all tied with the k-th vote.
        seed: seed of the half-samples, at least 0.
        level: of every interval, in (0, 1).
        draws: half-samples behind an interval, at least 2; 0 for no interval.
        vote_tie: who gets an equal vote, `reference` or `model`; `half` counts half an error.
        missing: what items without log p do, as in `evaluate`.
        these_raters: intervals are for new texts with these raters, so that nothing is added for others.

    Returns:
        A `HuseResult` for each mode. An item with neither HJ nor a rating is dropped and flagged.

    Raises:
        BadInput: a setting, an item or a rating breaks a rule, or an HJ is not the mean of its ratings.
        MissingHJ: an item has an HJ and no rating.
        MissingLogProb: items have no log p and `missing` is `error`.
        SingleSource: all items are of one source.
        InsufficientData: fewer than k + 1 items, or fewer than 2 of a source.

    Source:
        Hashimoto, Zhang and Liang (2019), section 3.2 and equations 2, 8 and 9; intervals: docs/huse-interval.md.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Item, Rating, evaluate_rated
        >>> items = [Item(f"r{i}", "reference", None, -20.0 - i % 7, 10) for i in range(20)]
        >>> items += [Item(f"m{i}", "model", None, -14.0 - i % 9, 10) for i in range(20)]
        >>> ratings = [Rating(item.id, f"w{w}", Fraction(len(item.id) + w % 2)) for item in items for w in range(4)]
        >>> result = evaluate_rated(items, ratings, modes=["exact"], k=5, draws=20)["exact"]
        >>> result.huse.n, result.huse.settings["ratings_min"]
        (40, 4)
    """
    if is_frame(items) or is_frame(ratings):
        items, ratings = _read_frames(items, ratings)
    else:
        items, ratings = check_records(items, Item, "items"), check_records(ratings, Rating, "ratings")
    rated_ids = {rating.item for rating in ratings}
    bare = {item.id for item in items if item.hj is None and item.id not in rated_ids}
    judged = with_means([item for item in items if item.id not in bare], ratings)
    all_items = [*judged, *(item for item in items if item.id in bare)]
    results = evaluate(all_items, modes, k=k, seed=seed, level=level, draws=draws, vote_tie=vote_tie, missing=missing)
    rated, z = lay_out(judged, ratings), np.array([item.source == "reference" for item in judged])
    difference = source_difference(rated, z)
    if difference <= MUCH_DIFFERENT:
        return results
    settings: dict[str, Setting] = {"one_source_share": _single_source_share(rated, z), "source_difference": difference}
    if these_raters:
        return ByMode({mode: _as_they_are(result, settings) for mode, result in results.items()})
    part = _component_or_none(judged, ratings, k, draws, seed, missing)
    return ByMode({mode: _widened(result, part, settings, rated.raters) for mode, result in results.items()})


def _read_frames(items: Sequence[Item] | Frame, ratings: Sequence[Rating] | Frame) -> tuple[list[Item], list[Rating]]:
    if not (is_frame(items) and is_frame(ratings)):
        raise BadInput("items and ratings are either both DataFrames or both records")
    listed = read_items(items, ratings)
    return listed, read_ratings(ratings, [item.id for item in listed])


def _component_or_none(
    items: Sequence[Item], ratings: Sequence[Rating], k: int, draws: int, seed: int, missing: Missing
) -> RaterComponent | None:
    if missing == "quality_only" and any(item.log_prob is None for item in items):
        items = [replace(item, log_prob=0.0 if item.log_prob is None else item.log_prob) for item in items]
    try:
        return rater_component(items, ratings, k=k, draws=draws, seed=seed, missing=missing) if draws else None
    except InsufficientData:
        return None


def binomial_component(value: float, n: int, level: float = 0.90) -> Interval:
    """Wilson's interval of an error rate over n texts, doubled: too narrow for HUSE, and called so.

    It takes the n held-out predictions for independent. value: HUSE or HUSE-Q, twice an error rate, in [0, 2].
    """
    if not (0 <= value <= 2 and n >= 1 and 0 < level < 1):
        raise BadInput("value lies in [0, 2], n is at least 1 and level lies between 0 and 1", column="value")
    z, rate = normal_quantile(level), value / 2
    spread = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    middle, below = rate + z * z / (2 * n), 1 + z * z / n
    return Interval(2 * max(0.0, (middle - spread) / below), 2 * min(1.0, (middle + spread) / below), level, BINOMIAL)


def _single_source_share(rated: Rated, z: Bools) -> float:
    """Share of the ratings whose rater rated one source only (and more than one text)."""
    has_rating = rated.rater >= 0
    rater = rated.rater[has_rating]
    reference = np.broadcast_to(z[:, None], rated.rater.shape)[has_rating]
    total: Ints = np.bincount(rater, minlength=rated.raters)
    references = np.bincount(rater, reference, minlength=rated.raters)
    saw_single_source = ((references == 0) | (references == total)) & (total > 1)
    return float(total[saw_single_source].sum() / total.sum())


def _as_they_are(result: HuseResult, more_settings: Mapping[str, Setting]) -> HuseResult:
    """The same intervals, which say that they are for these raters."""

    def named(estimate: Estimate) -> Estimate:
        interval = replace(estimate.interval, target=THESE) if estimate.interval else None
        settings = {**estimate.settings, **more_settings}
        return replace(estimate, interval=interval, settings=settings, flags=(*estimate.flags, DIFFERENT))

    return HuseResult(**{field.name: named(getattr(result, field.name)) for field in fields(result)})


def _widened(
    result: HuseResult, part: RaterComponent | None, more_settings: Mapping[str, Setting], raters: int
) -> HuseResult:
    share_flag = (SINGLE_SOURCE,) if float(more_settings["one_source_share"] or 0) > 1 / 2 else ()

    def widen(name: str, estimate: Estimate) -> Estimate:
        """Return the estimate with the raters' part in its interval, or a flag if there is none."""
        flags = (*estimate.flags, DIFFERENT, *share_flag)
        settings = {**estimate.settings, **more_settings}
        text_interval = estimate.interval
        if text_interval is None or estimate.value is None or name == "log_prob_only":
            return replace(estimate, settings=settings, flags=flags)
        if part is None:
            return replace(estimate, settings=settings, flags=(*flags, NO_RATERS))
        sd = float(getattr(part, name))
        of_texts = float(settings[STANDARD_ERROR] or 0)
        level, difference = text_interval.level, name == "huse_d"
        wide = joint_interval(estimate.value, of_texts, sd, estimate.n, raters, level, difference=difference)
        return replace(estimate, interval=wide, settings={**settings, "rater_sd": sd}, flags=flags)

    return HuseResult(**{field.name: widen(field.name, getattr(result, field.name)) for field in fields(result)})


def joint_interval(
    value: float, text_sd: float, rater_sd: float, texts: int, raters: int, level: float, *, difference: bool = False
) -> Interval:
    """`subsample_interval` with the part of the raters in it.

    text_sd, rater_sd: both standard errors. texts, raters: how many of each; degrees of freedom of both together by
    Satterthwaite, from contexts - 1 and raters - 2. difference: the value is a HUSE-D.
    """
    text_variance, others = text_sd**2, rater_sd**2
    of_texts, of_raters = degrees_of_freedom(texts), max(1, raters - 2)
    sizes = text_variance**2 / of_texts + others**2 / of_raters
    freedom = (text_variance + others) ** 2 / sizes if sizes > 0 else of_texts
    wide = subsample_interval(value, math.sqrt(text_variance + others), texts, level, difference, freedom)
    return replace(wide, method=WITH_RATERS, target=TARGET)
