"""Comparing models: intervals of differences, never a ranking across unequal numbers of ratings.

The interval of a difference is value -+ t * sd over halves of the contexts drawn once for all models, so that what the
models share (contexts, references, their raters) cancels as it does in the study; the rule is that of
`metrics.huse.subsampling`. HUSE falls as raters are added; therefore every text is first brought to the smallest number
of ratings any text has. Models that were judged in different studies were judged by different raters, whose part
(`metrics.huse.rater_variance`) is added to the interval of their difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.items import Table, check_items
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.huse.estimate import Settings
from metrics.huse.joint_resampling import JointDraws
from metrics.huse.rater_variance import rater_errors
from metrics.huse.ratings_by_text import lay_out, with_means
from metrics.huse.subsampling import context_numbers, slower_decrease
from metrics.inference.distributions import t_quantile
from metrics.inference.error_rate_intervals import degrees_of_freedom, error_floor, subsample_interval
from metrics.types import MODEL, REFERENCE, Estimate, Interval, Item, Missing, Rating, Setting
from metrics.version import __version__

METHOD = "paired half-samples"
WITH_RATERS = "paired half-samples of texts, and half-samples of raters"
TARGET = "difference of the estimators' expectations at this number of texts and ratings, over new contexts"
OTHER_RATERS = f"{TARGET} and other raters"
NO_RATERS = "interval_without_raters"
MEASURES = ("huse", "huse_q", "huse_d")
FEWEST_RATERS = 4
BLOCK = "one study"


@dataclass(frozen=True, slots=True)
class Difference:
    """first - second, measure by measure: huse, huse_q, huse_d, each with the interval of paired half-samples."""

    first: str
    second: str
    huse: Estimate
    huse_q: Estimate
    huse_d: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models compared at one number of ratings per text.

    values: (HUSE, HUSE-Q, HUSE-D) by model, at `ratings` ratings per text (None: not known). estimates: the same by
    model and measure, with the interval of its own half-samples, which draw contexts and not raters. order: models by
    HUSE, highest first; ties by name. differences: every pair, in the order given. paired: contexts are drawn as a
    whole.
    """

    values: Mapping[str, tuple[float, float, float]]
    estimates: Mapping[str, Mapping[str, Estimate]]
    order: tuple[str, ...]
    differences: tuple[Difference, ...]
    ratings: int | None
    paired: bool
    n: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


def compare_models(
    studies: Mapping[str, Sequence[Item]],
    ratings: Sequence[Rating] | None = None,
    *,
    blocks: Mapping[str, str] | None = None,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    missing: Missing = "error",
) -> Comparison:
    """Differences of HUSE, HUSE-Q and HUSE-D between models.

    studies: items of each model and of its references, by model. ratings: of all texts; needed where texts have
    different numbers of ratings: then each value is the mean over 200 draws of the smallest number (flag `equalised`),
    which must be at least 5. blocks: the study that each model was judged in; None: all in one. Models of one block
    have the same references (ids, contexts, HJ), each with log p under that model. Texts of different blocks have
    different ids, and an equal context is the same context, drawn once for all; where two blocks were rated by
    different people, the interval of a difference across them holds the raters' part of both, which needs the ratings
    (else flag `interval_without_raters`). Exact ties, vote ties to the reference. The interval is for the difference of
    the estimators' expectations at this number of texts and ratings; within a block it draws contexts, not raters.
    Raises as `evaluate`, BadInput where the references differ, InsufficientData where ratings cannot be equalised.
    """
    Settings(k, "reference", seed, level, draws).check(())
    block_of = _blocks(studies, blocks, draws)
    tables = {
        name: check_items(with_means(items, ratings) if ratings is not None else items, k=k, missing=missing)
        for name, items in studies.items()
    }
    _check_references(tables, block_of)
    _check_texts(tables, block_of)
    design = JointDraws(tables, ratings, k, block_of)
    rng = np.random.default_rng(seed)
    values, drawn = design.values(rng), design.subsampled(rng, draws)
    settings: dict[str, Setting] = {"k": k, "seed": seed, "draws": draws, "mode": "exact"}
    base = _base(tables, design, settings, len(set(block_of.values())), drawn is None)
    parts = _rater_parts(tables, ratings, block_of, k, seed, draws)
    differences = []
    for pair in combinations(tables, 2):
        pair_base, others = _between(pair, tables, block_of, parts, base)
        errors = None if drawn is None else _standard_errors(drawn[pair[0]] - drawn[pair[1]], design.half_share())
        if errors is not None:
            # As for one model, where judgments hardly separate it from the references (docs/huse-interval.md).
            errors[1:] *= sum(slower_decrease(float(values[name][1])) for name in pair) / len(pair)
        spread = None if errors is None else _Spread(errors, others, design.smallest)
        differences.append(_difference(pair, values, spread, level, pair_base))
    return Comparison(
        values={name: (float(v[0]), float(v[1]), float(v[2])) for name, v in values.items()},
        estimates={
            name: _model_estimates(name, values[name], drawn, design, level=level, tables=tables, base=base)
            for name in tables
        },
        order=tuple(sorted(values, key=lambda name: (-float(values[name][0]), name))),
        differences=tuple(differences),
        ratings=design.common.ratings,
        paired=design.paired,
        n=design.texts,
        settings=base.settings,
        flags=base.flags,
        signature=f"compare|models:{len(tables)}|n:{design.texts}|{base.signature}",
    )


def _blocks(studies: Mapping[str, Sequence[Item]], blocks: Mapping[str, str] | None, draws: int) -> dict[str, str]:
    """The block of each model. Raises InsufficientData, BadInput."""
    if len(studies) < 2:
        raise InsufficientData("A comparison needs at least two models.")
    if draws < 2:
        raise BadInput("draws must be at least 2", column="draws")
    block_of = {name: BLOCK if blocks is None else blocks.get(name, "") for name in studies}
    if "" in block_of.values():
        raise BadInput("every model needs its block", column="blocks")
    return block_of


def _base(
    tables: Mapping[str, Table], design: JointDraws, settings: dict[str, Setting], blocks: int, too_few: bool
) -> Estimate:
    """What every difference has in common. The signature does not say of how many texts, as each has its own n."""
    conditions = {
        "equalised": design.common.equalised,
        "unknown_ratings": design.common.ratings is None,
        "too_few_for_interval": too_few,
    }
    flags = dict.fromkeys(flag for table in tables.values() for flag in table.flags)
    flags |= dict.fromkeys(name for name, holds in conditions.items() if holds)
    settings |= {"ratings": design.common.ratings, "paired": design.paired}
    raters = design.common.ratings or "?"
    k, seed, draws = settings["k"], settings["seed"], settings["draws"]
    several = f"studies:{blocks}|" if blocks > 1 else ""
    signature = f"{several}r:{raters}|k:{k}|ties:exact|draws:{draws}|seed:{seed}|v:{__version__}"
    return Estimate(None, design.texts, None, settings, tuple(flags), signature)


def _check_references(tables: Mapping[str, Table], block_of: Mapping[str, str]) -> None:
    firsts: dict[str, str] = {}
    for name, table in tables.items():
        first = firsts.setdefault(block_of[name], name)
        known = {item.id: item for item in tables[first].items if item.source == REFERENCE}
        references = {item.id: item for item in table.items if item.source == REFERENCE}
        if unmatched := sorted(known.keys() ^ references.keys()):
            raise BadInput(f"models {first} and {name} need the same references; these differ: {join_names(unmatched)}")
        for item in references.values():
            if (item.hj, item.context) != (known[item.id].hj, known[item.id].context):
                raise BadInput(f"HJ and context must be the same as for model {first}", where=f"item {item.id}")


def _check_texts(tables: Mapping[str, Table], block_of: Mapping[str, str]) -> None:
    """A text belongs to one model, or to the references of one block."""
    owner: dict[str, tuple[str, str]] = {}
    for name, table in tables.items():
        for item in table.items:
            key = (block_of[name], name if item.source == MODEL else "")
            if owner.setdefault(item.id, key) != key:
                raise BadInput("each text of a model needs an id of its own", where=f"item {item.id}", column="id")


class _Part(NamedTuple):
    """What other raters would move in one model's study: (3,) standard errors, and how many raters there are."""

    errors: Floats
    raters: int


class _Spread(NamedTuple):
    """What makes a difference uncertain: over texts, over raters where they differ; texts of the smallest study."""

    errors: Floats
    raters: Sequence[_Part]
    texts: int


def _rater_parts(
    tables: Mapping[str, Table],
    ratings: Sequence[Rating] | None,
    block_of: Mapping[str, str],
    k: int,
    seed: int,
    draws: int,
) -> dict[str, _Part | None]:
    """By model; None where it cannot be had, or where all models were judged in one block."""
    if ratings is None or len(set(block_of.values())) < 2:
        return dict.fromkeys(tables)
    by_text: defaultdict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        by_text[rating.item].append(rating)
    return {name: _rater_part(table, by_text, k, seed, draws) for name, table in tables.items()}


def _rater_part(table: Table, by_text: Mapping[str, list[Rating]], k: int, seed: int, draws: int) -> _Part | None:
    rated = lay_out(table.items, [rating for item in table.items for rating in by_text[item.id]])
    if rated.raters < FEWEST_RATERS:
        return None
    context = context_numbers([item.context for item in table.items], table.z)
    rng = np.random.default_rng(seed)
    rater_part = rater_errors(rated, table.q, table.z, rng, draws, k=k, context=context)
    return _Part(rater_part.errors, rated.raters) if rater_part.usable >= max(1, draws // 4) else None


def _standard_errors(unmatched: Floats, half_share: float) -> Floats:
    """Of the three differences, from (inner draws, 2 x pairs, 3); the noise of the draws of ratings is taken off."""
    first, second = np.split(unmatched, 2, axis=1)
    contrast = first - second
    square = (contrast.mean(axis=0) ** 2).mean(axis=0)
    if len(contrast) > 1:
        square = np.maximum(square - contrast.var(axis=0, ddof=1).mean(axis=0) / len(contrast), 0.0)
    return np.asarray(np.sqrt(half_share * square / 2))


def _model_estimates(
    model: str,
    values: Floats,
    drawn: Mapping[str, Floats] | None,
    design: JointDraws,
    *,
    level: float,
    tables: Mapping[str, Table],
    base: Estimate,
) -> dict[str, Estimate]:
    """One model's estimates, at the number of ratings of the comparison."""
    n, estimates = len(tables[model]), {}
    errors = None if drawn is None else _standard_errors(drawn[model], design.half_share())
    if errors is not None:
        errors[1:] *= slower_decrease(float(values[1]))
    for i, name in enumerate(MEASURES):
        value = float(values[i])
        interval = None if errors is None else subsample_interval(value, float(errors[i]), n, level, name == "huse_d")
        signature = f"{name}:{model}|n:{n}|{base.signature}"
        estimates[name] = replace(base, value=value, n=n, interval=interval, signature=signature)
    return estimates


def _between(
    pair: tuple[str, str],
    tables: Mapping[str, Table],
    block_of: Mapping[str, str],
    parts: Mapping[str, _Part | None],
    base: Estimate,
) -> tuple[Estimate, list[_Part]]:
    """Settings with the difference of a pair, and both raters' parts of a pair across blocks, if both are known."""
    n = sum(len(tables[name]) for name in pair)
    if block_of[pair[0]] == block_of[pair[1]]:
        return replace(base, n=n - tables[pair[0]].sizes[0]), []
    others = [part for name in pair if (part := parts[name]) is not None]
    if len(others) < len(pair):
        return replace(base, n=n, flags=(*base.flags, NO_RATERS)), []
    return replace(base, n=n), others


def _difference(
    pair: tuple[str, str], values: Mapping[str, Floats], spread: _Spread | None, level: float, base: Estimate
) -> Difference:
    first, second = pair
    differences = {}
    for i, name in enumerate(MEASURES):
        value = float(values[first][i] - values[second][i])
        interval = None if spread is None else _interval(value, i, spread, level)
        signature = f"{name}:{first}-{second}|n:{base.n}|{base.signature}"
        differences[name] = replace(base, value=value, interval=interval, signature=signature)
    return Difference(first, second, **differences)


def _interval(value: float, measure: int, spread: _Spread, level: float) -> Interval:
    """value -+ t * sd; degrees of freedom of texts and raters together by Satterthwaite."""
    sd = max(float(spread.errors[measure]), error_floor(abs(value), spread.texts))
    of_texts = degrees_of_freedom(spread.texts)
    if not spread.raters:
        half = t_quantile((1 + level) / 2, of_texts) * sd
        return Interval(value - half, value + half, level, METHOD, TARGET)
    parts = [
        (sd**2, of_texts),
        *((float(rater_part.errors[measure]) ** 2, max(1, rater_part.raters - 2)) for rater_part in spread.raters),
    ]
    variance = sum(square for square, _ in parts)
    freedom = variance**2 / sum(square**2 / df for square, df in parts)
    half = t_quantile((1 + level) / 2, freedom) * variance**0.5
    return Interval(value - half, value + half, level, WITH_RATERS, OTHER_RATERS)
