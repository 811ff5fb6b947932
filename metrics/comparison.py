"""Comparing models on the same contexts: intervals of differences, never a ranking across unequal numbers of ratings.

The interval of a difference is value -+ t * sd over halves of the contexts drawn once for all models, so that what the
models share (contexts, references, their raters) cancels as it does in the study; the rule is that of
`metrics.resampling`. HUSE falls as raters are added; therefore every text is first brought to the smallest number of
ratings any text has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metrics.arrays import Bools, Floats, Ints
from metrics.distributions import t_quantile
from metrics.error_rates import degrees, error_floor
from metrics.errors import BadInput, InsufficientData, some
from metrics.huse import Settings
from metrics.rated import lay_out, with_means
from metrics.resampling import SHARE, context_numbers, kept_of, neighbours_in, split_units
from metrics.subsets import Study
from metrics.types import MODEL, REFERENCE, Estimate, Interval, Item, Missing, Rating, Setting
from metrics.validation import Table, check_items
from metrics.version import __version__

METHOD = "paired half-samples"
TARGET = "difference of the estimators' expectations at this number of texts and ratings, over new contexts"
MEASURES = ("huse", "huse_q", "huse_d")
FEWEST_RATINGS = 5
EQUALISED_DRAWS = 200  # draws of ratings behind a value
INNER_DRAWS = 4  # draws of ratings in each half of the contexts; their own noise is taken off the variance


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
    """Models compared at one number of ratings a text.

    values: (HUSE, HUSE-Q, HUSE-D) by model, at `ratings` ratings a text (None: not known). order: models by HUSE,
    highest first; ties by name. differences: every pair, in the order given. paired: contexts are drawn as a whole.
    """

    values: Mapping[str, tuple[float, float, float]]
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
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    missing: Missing = "error",
) -> Comparison:
    """Differences of HUSE, HUSE-Q and HUSE-D between models judged beside the same references.

    studies: items of each model and of the references, by model; the reference items have the same ids, contexts and
    HJ in each, and log p under that model. ratings: of all texts; needed where texts have different numbers of
    ratings: then each value is the mean over 200 draws of the smallest number (flag `equalised`), which must be at
    least 5. Exact ties, vote ties to the reference. The interval is for the difference of the estimators' expectations
    at this number of texts and ratings; it draws contexts, not raters. Raises as `evaluate`, BadInput where the
    references differ, InsufficientData where ratings cannot be equalised.
    """
    Settings(k, "reference", seed, level, draws).check(())
    if len(studies) < 2:
        raise InsufficientData("A comparison needs at least two models.")
    if draws < 2:
        raise BadInput("draws must be at least 2", column="draws")
    tables = {
        name: check_items(with_means(items, ratings) if ratings is not None else items, k=k, missing=missing)
        for name, items in studies.items()
    }
    _check_references(tables)
    design = _Design(tables, ratings, k)
    rng = np.random.default_rng(seed)
    values, drawn = design.values(rng), design.subsampled(rng, draws)
    base = _base(tables, design, {"k": k, "seed": seed, "draws": draws, "mode": "exact"}, drawn is None)
    differences = []
    for pair in combinations(tables, 2):
        errors = None if drawn is None else _standard_errors(drawn[pair[0]] - drawn[pair[1]], design.kept())
        n = sum(len(tables[name]) for name in pair) - tables[pair[0]].sizes[0]
        differences.append(_difference(pair, values, errors, level, replace(base, n=n), design.smallest))
    return Comparison(
        values={name: (float(v[0]), float(v[1]), float(v[2])) for name, v in values.items()},
        order=tuple(sorted(values, key=lambda name: (-float(values[name][0]), name))),
        differences=tuple(differences),
        ratings=design.common.ratings,
        paired=design.paired,
        n=design.texts,
        settings=base.settings,
        flags=base.flags,
        signature=f"compare|models:{len(tables)}|{base.signature}",
    )


def _base(tables: Mapping[str, Table], design: _Design, settings: dict[str, Setting], too_few: bool) -> Estimate:
    """What every difference has in common."""
    told = {
        "equalised": design.common.equalised,
        "unknown_ratings": design.common.ratings is None,
        "too_few_for_interval": too_few,
    }
    flags = dict.fromkeys(flag for table in tables.values() for flag in table.flags)
    flags |= dict.fromkeys(name for name, holds in told.items() if holds)
    settings |= {"ratings": design.common.ratings, "paired": design.paired}
    raters = design.common.ratings or "?"
    k, seed, draws = settings["k"], settings["seed"], settings["draws"]
    signature = f"n:{design.texts}|r:{raters}|k:{k}|ties:exact|draws:{draws}|seed:{seed}|v:{__version__}"
    return Estimate(None, design.texts, None, settings, tuple(flags), signature)


@dataclass(frozen=True, slots=True)
class _Common:
    """Ratings a text after equalising (None: not known), and whether ratings must be drawn for it."""

    ratings: int | None
    equalised: bool


class _Arm:
    """One model's study: where its texts stand among all texts, and its arrays."""

    def __init__(self, table: Table, places: Mapping[str, int], k: int):
        self.at = np.array([places[item.id] for item in table.items], dtype=np.int64)
        arrays = table.hj_whole, table.q, table.z
        self.study, self.half = Study(*arrays, k), Study(*arrays, neighbours_in(SHARE, k))

    def values(self, chosen: Bools, sums: Ints | None, study: Study) -> Floats:
        """(rows, 3): HUSE, HUSE-Q and HUSE-D of the chosen ones of all texts, HJ as given or from drawn sums."""
        own = chosen[:, self.at]
        sizes = own.sum(axis=1)
        out = np.empty((len(own), 2))
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            subsets = np.nonzero(own[rows])[1].reshape(-1, size)
            out[rows] = np.transpose(
                study.huse_and_q(subsets) if sums is None else study.rated(sums[np.ix_(rows, self.at)], subsets)
            )
        return np.column_stack((out, 1 + out[:, 0] - out[:, 1]))


class _Design:
    """All texts of all models once: their ratings, and how subsamples of them are drawn."""

    def __init__(self, tables: Mapping[str, Table], ratings: Sequence[Rating] | None, k: int):
        texts = {item.id: item for table in tables.values() for item in table.items}
        _check_model_texts(tables)
        self.common = _common_ratings(list(texts.values()), ratings)
        self.rated = lay_out(list(texts.values()), ratings or ()) if self.common.equalised else None
        places = {name: i for i, name in enumerate(texts)}
        self.arms = {name: _Arm(table, places, k) for name, table in tables.items()}
        self.texts, self.k = len(texts), k
        self.smallest = min(len(table) for table in tables.values())
        numbers = [context_numbers([item.context for item in t.items], t.z) for t in tables.values()]
        self.paired = all(one is not None for one in numbers)
        self.groups = self._groups(list(texts.values()), tables)

    def _groups(self, texts: Sequence[Item], tables: Mapping[str, Table]) -> list[Ints]:
        """Unit numbers of the texts (-1 elsewhere), one array for each set of units drawn by itself."""
        if self.paired:
            names = {context: i for i, context in enumerate(dict.fromkeys(item.context for item in texts))}
            return [np.array([names[item.context] for item in texts], dtype=np.int64)]
        owners = {item.id: name for name, table in tables.items() for item in table.items if item.source == MODEL}
        owner = np.array([owners.get(item.id, "") for item in texts], dtype=object)
        groups = []
        for name in dict.fromkeys(owner):
            own = owner == name
            groups.append(np.where(own, np.cumsum(own) - 1, -1))
        return groups

    def draw(self, rng: np.random.Generator, pairs: int) -> Bools:
        """(2 x pairs, texts): half of each group of units, and for row i another half in row i + pairs."""
        chosen = np.zeros((2 * pairs, self.texts), dtype=np.bool_)
        for group in self.groups:
            chosen |= split_units(rng, pairs, int(group.max()) + 1)[:, group] & (group >= 0)
        return chosen

    def kept(self) -> float:
        """Share of the units in a half: a half, or a little less where their number is odd."""
        units = [int(group.max()) + 1 for group in self.groups]
        return sum(kept_of(own, SHARE) for own in units) / sum(units)

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
        found: dict[str, list[Floats]] = {name: [] for name in self.arms}
        for _ in range(inner):
            sums = self.sums(rng, len(chosen))
            for name, arm in self.arms.items():
                found[name].append(arm.values(chosen, sums, arm.half))
        return {name: np.stack(parts) for name, parts in found.items()}


def _check_references(tables: Mapping[str, Table]) -> None:
    first_name, first = next(iter(tables.items()))
    known = {item.id: item for item in first.items if item.source == REFERENCE}
    for name, table in tables.items():
        own = {item.id: item for item in table.items if item.source == REFERENCE}
        if apart := sorted(known.keys() ^ own.keys()):
            raise BadInput(f"models {first_name} and {name} need the same references; these differ: {some(apart)}")
        for item in own.values():
            if (item.hj, item.context) != (known[item.id].hj, known[item.id].context):
                raise BadInput(f"HJ and context must be those it has beside {first_name}", where=f"item {item.id}")


def _check_model_texts(tables: Mapping[str, Table]) -> None:
    owner: dict[str, str] = {}
    for name, table in tables.items():
        for item in table.items:
            key = name if item.source == MODEL else ""
            if owner.setdefault(item.id, key) != key:
                raise BadInput("each text of a model needs an id of its own", where=f"item {item.id}", column="id")


def _common_ratings(texts: Sequence[Item], ratings: Sequence[Rating] | None) -> _Common:
    counts = {item.ratings for item in texts}
    if len(counts) == 1:
        return _Common(counts.pop() or None, False)
    if ratings is None:
        raise InsufficientData(
            f"Texts have from {min(counts)} to {max(counts)} ratings, and HUSE falls as ratings are added: models are "
            "compared only after equalising, which needs the ratings."
        )
    if min(counts) < FEWEST_RATINGS:
        raise InsufficientData(
            f"A text has {min(counts)} rating(s), and equalising to fewer than {FEWEST_RATINGS} is refused."
        )
    return _Common(min(counts), True)


def _standard_errors(apart: Floats, kept: float) -> Floats:
    """Of the three differences, from (inner draws, 2 x pairs, 3); the noise of the draws of ratings is taken off."""
    first, second = np.split(apart, 2, axis=1)
    contrast = first - second
    square = (contrast.mean(axis=0) ** 2).mean(axis=0)
    if len(contrast) > 1:
        square = np.maximum(square - contrast.var(axis=0, ddof=1).mean(axis=0) / len(contrast), 0.0)
    return np.asarray(np.sqrt(kept * square / 2))


def _difference(
    pair: tuple[str, str], values: Mapping[str, Floats], errors: Floats | None, level: float, base: Estimate, texts: int
) -> Difference:
    first, second = pair
    found = {}
    for i, name in enumerate(MEASURES):
        value = float(values[first][i] - values[second][i])
        interval = None
        if errors is not None:
            half = t_quantile((1 + level) / 2, degrees(texts)) * max(float(errors[i]), error_floor(abs(value), texts))
            interval = Interval(value - half, value + half, level, METHOD, TARGET)
        signature = f"{name}:{first}-{second}|{base.signature}"
        found[name] = replace(base, value=value, interval=interval, signature=signature)
    return Difference(first, second, **found)
