"""The permutation test of the hypothesis that the sources do not differ (HUSE = 1).

Features and neighbours stay; the labels reference and model are exchanged within blocks in which they were exchangeable
by design, and the leave-one-out error is counted again. Error rates move in steps, and many labellings tie with the one
observed; counting them all makes the test keep its level, a little below it (mid-p counts half of them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.data.arrays import Bools, Ints
from metrics.data.items import Table, check_items, leave_out_log_prob
from metrics.errors import BadInput
from metrics.huse.classifier import HJ, LOG_PROB, Classifier
from metrics.huse.estimate import Settings
from metrics.huse.subsampling import context_numbers
from metrics.types import Item, Missing, Setting
from metrics.version import __version__

Measure = Literal["huse", "huse_q", "log_prob_only"]
Scheme = Literal["within contexts", "within HITs", "free"]

FEATURES: dict[Measure, tuple[str, ...]] = {"huse": (HJ, LOG_PROB), "huse_q": (HJ,), "log_prob_only": (LOG_PROB,)}
SINGLE_SOURCE_HITS = "one_source_hits"
CELLS = 1 << 20  # labels held at once; several arrays of eight bytes each go with them


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A one-sided test: small p where the sources are separated better than exchanged labels allow.

    measure: what was tested; value: its value, as `evaluate` gives it in exact mode.
    p: (1 + labellings not above the value) / (permutations + 1), in (0, 1]. mid_p: with ties counted half.
    scheme: within what labels were exchanged. null_mean, null_sd: of the measure over the exchanged labellings.
    note: what the p cannot say, or an empty text. n: items.
    """

    measure: Measure
    value: float
    p: float
    mid_p: float
    permutations: int
    scheme: Scheme
    null_mean: float
    null_sd: float
    note: str
    n: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


def permutation_test(
    items: Sequence[Item],
    measure: Measure = "huse",
    *,
    hits: Mapping[str, str] | None = None,
    k: int = 16,
    permutations: int = 999,
    seed: int = 0,
    missing: Missing = "error",
) -> PermutationTest:
    """Test that HUSE (or HUSE-Q, or log p alone) is 1, in exact mode with vote ties to the reference.

    Labels are exchanged within contexts where each holds both sources equally often, else within HITs where `hits`
    (item id to HIT) names one for every item, else freely. Where HITs hold one source each, a difference between
    HITs or their workers looks like one between sources: the result is flagged `one_source_hits` and its note says so
    (and labels are exchanged freely, because within such HITs nothing can be exchanged).
    missing: as for `evaluate`; `quality_only` lets HUSE-Q be tested without log p. Raises as `evaluate`.
    """
    _check(measure, permutations, seed)
    if measure == "huse_q" and missing == "quality_only":
        items = leave_out_log_prob(items)
    table = check_items(items, k=k, missing=missing)
    blocks, scheme = _blocks(table, hits)
    single_source = _texts_in_single_source_hits(table, hits)
    rng = np.random.default_rng(seed)
    observed = _halves(table, measure, k, table.sign[:, None])[0]
    step = max(1, CELLS // len(table))
    sizes = [min(step, permutations - begin) for begin in range(0, permutations, step)]
    null = np.concatenate([_halves(table, measure, k, _exchanged(table, blocks, size, rng)) for size in sizes])
    flags = (*table.flags, *((SINGLE_SOURCE_HITS,) if single_source > len(table) / 2 else ()))
    settings: dict[str, Setting] = {"k": k, "seed": seed, "texts_in_one_source_hits": single_source, "mode": "exact"}
    signature = f"permutation:{measure}|n:{len(table)}|k:{k}|B:{permutations}|{scheme}|seed:{seed}|v:{__version__}"
    unit = 2 * table.sizes[0] * table.sizes[1]
    less, equal = int((null < observed).sum()), int((null == observed).sum())
    return PermutationTest(
        measure=measure,
        value=float(observed / unit),
        p=(1 + less + equal) / (permutations + 1),
        mid_p=(less + (1 + equal) / 2) / (permutations + 1),
        permutations=permutations,
        scheme=scheme,
        null_mean=float(null.mean() / unit),
        null_sd=float(null.std() / unit),
        note=_note(single_source, len(table)),
        n=len(table),
        settings=settings,
        flags=flags,
        signature=signature,
    )


def _check(measure: str, permutations: int, seed: int) -> None:
    if measure not in FEATURES:
        raise BadInput(f"measure must be one of {', '.join(FEATURES)}", column="measure")
    if permutations < 1:
        raise BadInput("permutations must be a whole number of at least 1", column="permutations")
    Settings(16, "reference", seed, 0.95, 0).check(())


def _blocks(table: Table, hits: Mapping[str, str] | None) -> tuple[Ints, Scheme]:
    """A block number for each item, and what the blocks are."""
    contexts = context_numbers([item.context for item in table.items], table.z)
    if contexts is not None:
        return contexts, "within contexts"
    named = _hit_numbers(table, hits)
    if named is not None and _mixed(named, table.z).any():
        return named, "within HITs"
    return np.zeros(len(table), dtype=np.int64), "free"


def _hit_numbers(table: Table, hits: Mapping[str, str] | None) -> Ints | None:
    """Numbers of the HITs, where every item has one."""
    if not hits or any(item.id not in hits for item in table.items):
        return None
    numbers = {hit: i for i, hit in enumerate(dict.fromkeys(hits[item.id] for item in table.items))}
    return np.array([numbers[hits[item.id]] for item in table.items], dtype=np.int64)


def _mixed(block: Ints, z: Bools) -> Bools:
    """Per item: its block holds both sources."""
    both = (np.bincount(block, z) > 0) & (np.bincount(block, ~z) > 0)
    return np.asarray(both[block])


def _texts_in_single_source_hits(table: Table, hits: Mapping[str, str] | None) -> int:
    """Items in HITs of two items or more that hold one source only."""
    if not hits:
        return 0
    seen: Counter[str] = Counter(hits[item.id] for item in table.items if item.id in hits)
    sources = {(hits[item.id], item.source) for item in table.items if item.id in hits}
    kinds = Counter(hit for hit, _ in sources)
    return sum(count for hit, count in seen.items() if count > 1 and kinds[hit] == 1)


def _note(single_source: int, n: int) -> str:
    if single_source <= n / 2:
        return ""
    return (
        f"{single_source} of {n} texts were rated in HITs of one source only: p cannot separate a difference between "
        "sources from one between HITs or the workers who took them."
    )


def _exchanged(table: Table, blocks: Ints, times: int, rng: np.random.Generator) -> Ints:
    """Labels exchanged within blocks: (items, times)."""
    by_block = np.argsort(blocks, kind="stable")
    signs = np.empty((len(table), times), dtype=np.int64)
    np.put_along_axis(
        signs.T, _orders(blocks, times, rng), np.broadcast_to(table.sign[by_block], signs.T.shape), axis=1
    )
    return signs


def _orders(blocks: Ints, times: int, rng: np.random.Generator) -> Ints:
    """Orders of the items, at random within each block, blocks one after the other: (times, items)."""
    draws = rng.random((times, len(blocks)))
    draws /= 2  # in place: each array is large
    draws += blocks
    return np.argsort(draws, axis=1)


def _halves(table: Table, measure: Measure, k: int, signs: Ints) -> Ints:
    """The measure of each labelling (column of `signs`), as whole numbers over 2 * references * models."""
    classifier = Classifier(table, "exact", k, signs)
    n_ref, n_model = table.sizes
    useful = [feature for feature in FEATURES[measure] if classifier.varies(feature)]
    if not useful:
        return np.full(signs.shape[1], 2 * n_ref * n_model)
    predicted = np.where(classifier.votes(useful).weighed(n_ref, n_model) >= 0, 1, -1)
    wrong = predicted != signs
    missed = (wrong & (signs > 0)).sum(axis=0)
    halves = 2 * (missed * n_model + (wrong.sum(axis=0) - missed) * n_ref)
    if LOG_PROB in useful and table.any_infinite:
        agree = (table.infinite[:, None] == (signs > 0)).sum(axis=0)
        halves[(agree == 0) | (agree == len(table))] = 0
    return np.asarray(halves)
