"""What stands beside the headline interval: the part of the raters, and the binomial part, each named as a part.

The headline interval draws texts; the raters stay. It already holds the noise of single ratings. What it cannot see is
that other raters would have shifted many texts together. Half-samples of whole workers show that part. It is added to
the interval where the design confounds it with the source: where most raters saw one source only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from metrics.arrays import Bools, Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.huse import MODES, Settings, evaluate
from metrics.rated import Rated, lay_out, with_means
from metrics.resampling import context_numbers, normal_quantile
from metrics.subsets import Study
from metrics.types import Estimate, HuseResult, Interval, Item, Missing, Mode, Rating, Setting, VoteTie
from metrics.validation import check_items
from metrics.version import __version__

RATERS = "half-samples of workers (a component)"
BINOMIAL = "binomial, too narrow"
WITH_RATERS = "subsamples and raters"
ONE_SOURCE = "raters_saw_one_source"
FEWEST_RATERS = 4
CELLS = 1 << 22  # ratings held at once


@dataclass(frozen=True, slots=True)
class RaterComponent:
    """Spread of HUSE, HUSE-Q and HUSE-D over half-samples of whole workers: standard errors, a part of the whole.

    mean_huse, mean_huse_q: over the half-samples; above the study's values, because fewer raters make noisier HJ.
    raters: workers; one_source_share: share of the ratings given by workers who rated one source only, in [0, 1].
    unusable: half-samples that left too few texts. texts_lost: mean number of texts without a rating in a half-sample.
    """

    huse: float
    huse_q: float
    huse_d: float
    mean_huse: float
    mean_huse_q: float
    raters: int
    one_source_share: float
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
    """Standard errors over half-samples of the workers, each with all of his or her ratings.

    items: as for `evaluate`; HJ may be None. A text that a half-sample leaves without a rating is out of it, and in a
    paired design its whole context. Exact ties, vote ties to the reference.
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
    values, lost = half_samples(rated, table.q, table.z, np.random.default_rng(seed), draws, k=k, context=context)
    unusable = draws - len(values)
    if len(values) < max(2, draws // 2):
        raise InsufficientData("Half of the workers leave too few texts with a rating in most draws.")
    share = _one_source_share(rated, table.z)
    huse, quality, diversity = (float(sd) for sd in component_errors(values))
    settings: dict[str, Setting] = {"k": k, "draws": draws, "seed": seed, "mode": "exact"}
    return RaterComponent(
        huse=huse,
        huse_q=quality,
        huse_d=diversity,
        mean_huse=float(values[:, 0].mean()),
        mean_huse_q=float(values[:, 1].mean()),
        raters=rated.raters,
        one_source_share=share,
        draws=draws,
        unusable=unusable,
        texts_lost=lost,
        n=len(table),
        settings=settings,
        flags=(*table.flags, *((ONE_SOURCE,) if share > 1 / 2 else ())),
        signature=f"rater_component|n:{len(table)}|raters:{rated.raters}|k:{k}|draws:{draws}|seed:{seed}|v:{__version__}",
    )


def evaluate_rated(
    items: Sequence[Item],
    ratings: Sequence[Rating],
    modes: Sequence[Mode] = MODES,
    *,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    vote_tie: VoteTie = "reference",
    missing: Missing = "error",
) -> dict[Mode, HuseResult]:
    """`evaluate` with HJ from the ratings, and intervals that know who rated what.

    Where more than half of the ratings come from workers who saw one source only, texts drawn anew cannot show that
    other workers would have moved a whole source. There the intervals hold the raters' component as well (method
    `subsamples and raters`, flag `raters_saw_one_source`). Elsewhere the result is `evaluate`'s.
    """
    judged = with_means(items, ratings)
    results = evaluate(judged, modes, k=k, seed=seed, level=level, draws=draws, vote_tie=vote_tie, missing=missing)
    one_source = _one_source_share(lay_out(judged, ratings), np.array([item.source == "reference" for item in judged]))
    if one_source <= 1 / 2:
        return results
    part = rater_component(judged, ratings, k=k, draws=draws, seed=seed, missing=missing) if draws else None
    return {mode: _widened(result, part, one_source) for mode, result in results.items()}


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


def half_samples(
    rated: Rated,
    q: Floats,
    z: Bools,
    rng: np.random.Generator,
    draws: int,
    *,
    k: int = 16,
    context: Ints | None = None,
) -> tuple[Floats, float]:
    """HUSE and HUSE-Q (usable draws, 2) over half of the workers each, and how many texts have no rating on average.

    Arrays as for `subsample_sd`, for simulation: nothing is validated.
    """
    study, found, lost = Study(rated.means(), q, z, k), [np.empty((0, 2))], 0
    step = max(1, CELLS // rated.values.size)
    for begin in range(0, draws, step):
        means, counts = rated.means_of(rng, min(step, draws - begin))
        whole = (counts > 0).all(axis=1)
        lost += int((counts == 0).sum())
        if whole.any():
            found.append(np.column_stack(study.rated(means[whole])))
        for i in np.flatnonzero(~whole):
            kept = _whole_contexts(context, counts[i] > 0)
            found.append(_of_some(means[i, kept], q[kept], z[kept], k))
    return np.concatenate(found), lost / draws


def component_errors(values: Floats) -> Floats:
    """Standard errors of HUSE, HUSE-Q and HUSE-D from half-samples: half of the workers, so the factor is 1."""
    three = np.column_stack((values, 1 + values[:, 0] - values[:, 1]))
    return np.asarray(three.std(axis=0, ddof=1))


def _of_some(means: Floats, q: Floats, z: Bools, k: int) -> Floats:
    """One row where enough texts are left, else none."""
    if len(z) <= k or z.sum() < 2 or (~z).sum() < 2:
        return np.empty((0, 2))
    return np.column_stack(Study(means, q, z, k).huse_and_q(np.arange(len(z))[None, :]))


def _whole_contexts(context: Ints | None, rated: Bools) -> Bools:
    if context is None:
        return rated
    broken = np.bincount(context, ~rated) > 0
    return np.asarray(~broken[context])


def _one_source_share(rated: Rated, z: Bools) -> float:
    """Share of the ratings whose rater rated one source only (and more than one text)."""
    given = rated.rater >= 0
    rater = rated.rater[given]
    reference = np.broadcast_to(z[:, None], rated.rater.shape)[given]
    total: Ints = np.bincount(rater, minlength=rated.raters)
    references = np.bincount(rater, reference, minlength=rated.raters)
    one = ((references == 0) | (references == total)) & (total > 1)
    return float(total[one].sum() / total.sum())


def _widened(result: HuseResult, part: RaterComponent | None, share: float) -> HuseResult:
    def widen(name: str, estimate: Estimate) -> Estimate:
        settings = dict(estimate.settings) | {"one_source_share": share}
        flags = (*estimate.flags, ONE_SOURCE)
        own = estimate.interval
        if part is None or own is None or estimate.value is None or name == "log_prob_only":
            return replace(estimate, settings=settings, flags=flags)
        sd = float(getattr(part, name))
        half = math.hypot((own.high - own.low) / 2, normal_quantile(own.level) * sd)
        wide = Interval(estimate.value - half, estimate.value + half, own.level, WITH_RATERS)
        return replace(estimate, interval=wide, settings=settings | {"rater_sd": sd}, flags=flags)

    return HuseResult(**{field.name: widen(field.name, getattr(result, field.name)) for field in fields(result)})
