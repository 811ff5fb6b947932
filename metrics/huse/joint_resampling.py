"""Several models' studies resampled together: contexts once for all models that share them, ratings to one number.

Models of one block were judged with the same references; models of different blocks share contexts at most. A context
is a unit where its block is paired, else each text is one; units are halved among those in the same models'
studies, so that every model's study is halved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.items import Table
from metrics.errors import InsufficientData
from metrics.huse.ratings_by_text import lay_out
from metrics.huse.subsampling import SHARE, context_numbers, neighbours_in, split_units, units_in_draw
from metrics.huse.subsets import Study, diversity
from metrics.types import Item, Rating, Source

FEWEST_RATINGS = 5
EQUALISED_DRAWS = 200  # draws of ratings behind a value
INNER_DRAWS = 4  # draws of ratings in each half of the contexts; their own noise is taken off the variance

Unit = tuple[str, str]  # "context" or "text", and its name
Stratum = tuple[frozenset[str], Source | None]  # models in whose studies a unit is; the source of an unpaired text


@dataclass(frozen=True, slots=True)
class Common:
    """Ratings per text after equalising (None: not known), and whether ratings must be drawn for it."""

    ratings: int | None
    equalised: bool


class Arm:
    """One model's study: the places of its texts among all texts, and its arrays."""

    def __init__(self, table: Table, places: Mapping[str, int], k: int):
        self.at = np.array([places[item.id] for item in table.items], dtype=np.int64)
        arrays = table.hj_integers, table.q, table.z
        self.study, self.half = Study(*arrays, k), Study(*arrays, neighbours_in(SHARE, k))

    def values(self, chosen: Bools, sums: Ints | None, study: Study) -> Floats:
        """(rows, 3): HUSE, HUSE-Q and HUSE-D of the chosen ones of all texts, HJ as given or from drawn sums."""
        chosen_texts = chosen[:, self.at]
        sizes = chosen_texts.sum(axis=1)
        out = np.empty((len(chosen_texts), 2))
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            subsets = np.nonzero(chosen_texts[rows])[1].reshape(-1, size)
            out[rows] = np.transpose(
                study.huse_and_q(subsets) if sums is None else study.rated(sums[np.ix_(rows, self.at)], subsets)
            )
        return np.column_stack((out, diversity(out[:, 0], out[:, 1])))


class JointDraws:
    """All texts of all models once: their ratings, and how subsamples of them are drawn.

    tables: validated items by model. block_of: the block of each model. Raises InsufficientData where texts have
    different numbers of ratings and these cannot be equalised.
    """

    def __init__(
        self, tables: Mapping[str, Table], ratings: Sequence[Rating] | None, k: int, block_of: Mapping[str, str]
    ):
        texts = {item.id: item for table in tables.values() for item in table.items}
        self.common = _common_ratings(list(texts.values()), ratings)
        self.rated = lay_out(list(texts.values()), ratings or ()) if self.common.equalised else None
        places = {name: i for i, name in enumerate(texts)}
        self.arms = {name: Arm(table, places, k) for name, table in tables.items()}
        self.texts, self.k = len(texts), k
        self.smallest = min(len(table) for table in tables.values())
        loose = {block_of[name] for name, table in tables.items() if _numbers(table) is None}
        self.paired = not loose
        self.groups = _groups(tables, places, {name for name in tables if block_of[name] in loose})

    def draw(self, rng: np.random.Generator, pairs: int) -> Bools:
        """(2 x pairs, texts): half of each group of units, and for row i another half in row i + pairs."""
        chosen = np.zeros((2 * pairs, self.texts), dtype=np.bool_)
        for group in self.groups:
            chosen |= split_units(rng, pairs, int(group.max()) + 1)[:, group] & (group >= 0)
        return chosen

    def half_share(self) -> float:
        """Share of the units in a half: a half, or a little less where their number is odd."""
        units = [int(group.max()) + 1 for group in self.groups]
        return sum(units_in_draw(group_units, SHARE) for group_units in units) / sum(units)

    def sums(self, rng: np.random.Generator, draws: int) -> Ints | None:
        """Sums of drawn ratings of all texts; None where all have as many."""
        if self.rated is None or self.common.ratings is None:
            return None
        return self.rated.drawn_sums(self.common.ratings, rng, draws)

    def values(self, rng: np.random.Generator) -> dict[str, Floats]:
        """HUSE, HUSE-Q and HUSE-D by model, mean over the draws of ratings."""
        draws = EQUALISED_DRAWS if self.common.equalised else 1
        sums = self.sums(rng, draws)
        everything = np.ones((draws, self.texts), dtype=np.bool_)
        return {name: arm.values(everything, sums, arm.study).mean(axis=0) for name, arm in self.arms.items()}

    def subsampled(self, rng: np.random.Generator, draws: int) -> dict[str, Floats] | None:
        """(inner draws, 2 x pairs, 3) by model, or None where a half leaves too few texts."""
        if min(int(group.max()) + 1 for group in self.groups) < 2:
            return None
        chosen = self.draw(rng, max(1, draws // 2))
        if min(int(chosen[:, arm.at].sum(axis=1).min()) for arm in self.arms.values()) <= self.k:
            return None
        inner = INNER_DRAWS if self.common.equalised else 1
        by_model: dict[str, list[Floats]] = {name: [] for name in self.arms}
        for _ in range(inner):
            sums = self.sums(rng, len(chosen))
            for name, arm in self.arms.items():
                by_model[name].append(arm.values(chosen, sums, arm.half))
        return {name: np.stack(parts) for name, parts in by_model.items()}


def _numbers(table: Table) -> Ints | None:
    return context_numbers([item.context for item in table.items], table.z)


def _groups(tables: Mapping[str, Table], places: Mapping[str, int], loose: set[str]) -> list[Ints]:
    """Unit numbers of the texts (-1 elsewhere), one array for each set of units that is halved separately.

    loose: models of a block that is not paired. Units that are alone in their set join the largest set.
    """
    texts: dict[Unit, list[int]] = {}
    models: defaultdict[Unit, set[str]] = defaultdict(set)
    source: dict[Unit, Source | None] = {}
    for name, table in tables.items():
        for item in table.items:
            unit = ("text", item.id) if name in loose else ("context", str(item.context))
            source[unit] = item.source if name in loose else None
            if not models[unit] or places[item.id] not in texts[unit]:
                texts.setdefault(unit, []).append(places[item.id])
            models[unit].add(name)
    sets: dict[Stratum, list[Unit]] = {}
    for unit in texts:
        sets.setdefault((frozenset(models[unit]), source[unit]), []).append(unit)
    return [_numbered(units, texts, len(places)) for units in _joined(list(sets.values()))]


def _joined(sets: list[list[Unit]]) -> list[list[Unit]]:
    largest = max(sets, key=len)
    alone = [unit for units in sets if len(units) < 2 and units is not largest for unit in units]
    return [units + alone if units is largest else units for units in sets if len(units) > 1 or units is largest]


def _numbered(units: Sequence[Unit], texts: Mapping[Unit, Sequence[int]], size: int) -> Ints:
    group = np.full(size, -1, dtype=np.int64)
    for number, unit in enumerate(units):
        group[list(texts[unit])] = number
    return group


def _common_ratings(texts: Sequence[Item], ratings: Sequence[Rating] | None) -> Common:
    counts = {item.ratings for item in texts}
    if len(counts) == 1:
        return Common(counts.pop() or None, False)
    if ratings is None:
        raise InsufficientData(
            f"Texts have from {min(counts)} to {max(counts)} ratings, and HUSE depends on that number: models are "
            "compared only after equalizing, which needs the ratings."
        )
    if min(counts) < FEWEST_RATINGS:
        raise InsufficientData(
            f"A text has {min(counts)} rating(s). Equalizing needs at least {FEWEST_RATINGS} ratings of each text."
        )
    return Common(min(counts), True)
