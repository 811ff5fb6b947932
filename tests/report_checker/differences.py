"""HUSE of the generators of several studies and their differences, counted anew from the rows.

Values are exact where all texts have as many ratings, else the mean over draws of this module's own. Limits are by
half-samples that this module draws: both must be as far from the difference, and their distance within `NEAR` of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tests.report_checker.intervals import Spread, huse_of, quantile, raised
from tests.report_checker.recount import Rows

TITLES = ("HUSE", "HUSE-Q", "HUSE-D")
NEAR = 0.3  # share of a half-width, by which other draws change it
HALVES, SPLITS, DRAWS = 100, 100, 100
INNER = 2  # draws of ratings in each half
FEWEST_RATERS = 4
SURE = 5  # standard errors of a mean over draws
Text = tuple[str, str]  # study and key


@dataclass(frozen=True, slots=True)
class System:
    """One generator of a study with its references. ratings: of each text, (rater, code). contexts: one for each text,
    the same for texts that follow the same words in any study; None where the design is not paired."""

    study: str
    side: str
    texts: tuple[Text, ...]
    reference: np.ndarray
    rates: np.ndarray
    ratings: tuple[tuple[tuple[str, float], ...], ...]
    contexts: tuple[str, ...] | None

    @property
    def raters(self) -> list[str]:
        return sorted({rater for held in self.ratings for rater, _ in held})

    def measures(self, hj: np.ndarray, chosen: np.ndarray, k: int) -> np.ndarray:
        """HUSE, HUSE-Q and HUSE-D of the chosen texts."""
        sides, ours = self.reference[chosen], hj[chosen]
        both, quality = (huse_of(ours, rates, sides, k) for rates in (self.rates[chosen], np.zeros(len(ours))))
        return np.array([both, quality, 1 + both - quality])

    def hj(self, number: int | None = None, rng: np.random.Generator | None = None) -> np.ndarray:
        """Mean rating of each text; of so many of its ratings where a number is drawn."""
        codes = [np.array([code for _, code in held]) for held in self.ratings]
        if number is None or rng is None:
            return np.array([held.mean() for held in codes])
        return np.array([rng.permutation(held)[:number].mean() for held in codes])


def systems_of(studies: dict[str, Rows]) -> list[System]:
    """Every generator of a study that asked how typical a text is."""
    return [
        _system(name, rows, side)
        for name, rows in studies.items()
        if rows.study["task"] == "typicality"
        for side in sorted({side for side in rows.sides.values() if side})
    ]


def _system(study: str, rows: Rows, side: str) -> System:
    held: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for answer in rows.used:
        held[answer.text].append((answer.rater, float(answer.code)))
    keys = [key for key, of in rows.sides.items() if of in ("", side) and key in held]
    reference = np.array([rows.sides[key] == "" for key in keys])
    known = rows.likelihoods
    rates = np.array([known[side, key][0] / known[side, key][1] for key in keys])
    contexts = tuple(rows.contexts.get(key, "") for key in keys)
    of_sides = [sorted(c for c, ref in zip(contexts, reference, strict=True) if ref == is_ref) for is_ref in (1, 0)]
    paired = "" not in contexts and of_sides[0] == of_sides[1]
    ratings = tuple(tuple(held[key]) for key in keys)
    return System(
        study, side, tuple((study, key) for key in keys), reference, rates, ratings, contexts if paired else None
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """value: of a measure; noise: by how much other draws of ratings change it. half: of its interval; None: none."""

    value: float
    noise: float
    half: float | None


@dataclass
class Joint:
    """All systems of a comparison, drawn together."""

    systems: Sequence[System]
    k: int
    level: float
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(20261128))

    @cached_property
    def fewest(self) -> int:
        """Fewest ratings of a text."""
        return min((len(held) for system in self.systems for held in system.ratings), default=0)

    @cached_property
    def equalised(self) -> bool:
        return any(len(held) > self.fewest for system in self.systems for held in system.ratings)

    @cached_property
    def draws(self) -> dict[int, np.ndarray]:
        """(draws, 3) by system: the three measures of all texts."""
        out = {}
        for at, system in enumerate(self.systems):
            everything = np.arange(len(system.texts))
            hjs = [system.hj(self.fewest, self.rng) for _ in range(DRAWS)] if self.equalised else [system.hj()]
            out[at] = np.array([system.measures(hj, everything, self.k) for hj in hjs])
        return out

    @cached_property
    def groups(self) -> list[list[list[Text]]]:
        """Units (texts that are drawn together), by the systems and the side that they belong to."""
        loose = {system.study for system in self.systems if system.contexts is None}
        texts: defaultdict[tuple[object, ...], dict[Text, None]] = defaultdict(dict)
        models: defaultdict[tuple[object, ...], set[int]] = defaultdict(set)
        sides: dict[tuple[object, ...], object] = {}
        for at, system in enumerate(self.systems):
            for place, text in enumerate(system.texts):
                alone = system.study in loose or system.contexts is None
                unit: tuple[object, ...] = text if alone else ("context", system.contexts[place])  # type: ignore[index]
                texts[unit][text] = None
                models[unit].add(at)
                sides[unit] = bool(system.reference[place]) if alone else None
        strata: defaultdict[object, list[list[Text]]] = defaultdict(list)
        for unit, members in texts.items():
            strata[frozenset(models[unit]), sides[unit]].append(list(members))
        largest = max(strata.values(), key=len)
        single = [unit for units in strata.values() if len(units) == 1 and units is not largest for unit in units]
        return [largest + single, *(units for units in strata.values() if len(units) > 1 and units is not largest)]

    @cached_property
    def places(self) -> dict[Text, int]:
        """A number of each text."""
        return {text: at for at, text in enumerate(dict.fromkeys(t for system in self.systems for t in system.texts))}

    def halves(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Two halves of every group, none in both: which texts each holds."""
        groups = [[[self.places[text] for text in unit] for unit in units] for units in self.groups]
        for _ in range(HALVES):
            pair = np.zeros((2, len(self.places)), dtype=bool)
            for units in groups:
                order, size = self.rng.permutation(len(units)), len(units) // 2
                for half, chosen in zip(pair, (order[:size], order[size : 2 * size]), strict=True):
                    half[[text for at in chosen for text in units[at]]] = True
            yield pair[0], pair[1]

    @cached_property
    def contrasts(self) -> np.ndarray | None:
        """(systems, halves, inner draws, 3): each measure in one half less that in the other; None: too few texts."""
        near, inner = max(1, round(self.k / math.sqrt(2))), INNER if self.equalised else 1
        out = np.empty((len(self.systems), HALVES, inner, 3))
        if min(map(len, self.groups)) < 2:
            return None
        known = [system.hj() for system in self.systems]
        places = [np.array([self.places[text] for text in system.texts]) for system in self.systems]
        for number, pair in enumerate(self.halves()):
            for at, system in enumerate(self.systems):
                chosen = [np.flatnonzero(half[places[at]]) for half in pair]
                if min(map(len, chosen)) <= self.k:
                    return None
                for draw in range(inner):
                    hjs = [system.hj(self.fewest, self.rng) if self.equalised else known[at] for _ in range(2)]
                    values = [system.measures(hj, part, near) for hj, part in zip(hjs, chosen, strict=True)]
                    out[at, number, draw] = values[0] - values[1]
        return out

    @cached_property
    def raters(self) -> dict[int, np.ndarray | None]:
        """Standard errors by which other raters would move the measures of a system; None where they are not known."""
        return {at: self._raters_part(system) for at, system in enumerate(self.systems)}

    def _raters_part(self, system: System) -> np.ndarray | None:
        if len(system.raters) < FEWEST_RATERS:
            return None
        near, tables = max(1, round(self.k / math.sqrt(2))), []
        units: defaultdict[object, list[int]] = defaultdict(list)
        for place, text in enumerate(system.texts):
            units[(bool(system.reference[place]), text) if system.contexts is None else system.contexts[place]].append(
                place
            )
        for _ in range(SPLITS):
            people = self._halved(self._seen_by(system))
            places = self._halved(self._strata(system, units))
            hjs, rated = [], np.ones(len(system.texts), dtype=bool)
            for half in people:
                codes = [[code for rater, code in held if rater in half] for held in system.ratings]
                rated &= np.array([bool(held) for held in codes])
                hjs.append(np.array([np.mean(held) if held else 0.0 for held in codes]))
            whole = [unit for unit, members in units.items() if rated[members].all()]
            chosen = [
                np.array(sorted(place for unit in whole if unit in half for place in units[unit]), dtype=int)
                for half in places
            ]
            if all(len(part) > near and 0 < system.reference[part].sum() < len(part) for part in chosen):
                tables.append([[system.measures(hj, part, near) for hj in hjs] for part in chosen])
        if len(tables) < SPLITS / 2:
            return None
        values = np.array(tables)  # splits, halves of texts, halves of raters, measures
        between = values[:, :, 0] - values[:, :, 1]
        main, both = between.mean(axis=1), (between[:, 0] - between[:, 1]) / 2
        return np.sqrt(np.maximum((main**2).mean(axis=0) - (both**2).mean(axis=0), 0)) / 2

    def _halved(self, groups: Sequence[Sequence[object]]) -> tuple[set[object], set[object]]:
        """Each group in two halves; an odd one out falls on either side by lot."""
        halves: tuple[set[object], set[object]] = (set(), set())
        for members in groups:
            order = self.rng.permutation(len(members))
            size = (len(members) + int(self.rng.integers(2))) // 2
            halves[0].update(members[at] for at in order[:size])
            halves[1].update(members[at] for at in order[size:])
        return halves

    @staticmethod
    def _seen_by(system: System) -> list[list[object]]:
        """Raters by whether they saw references, texts of the generator, or both."""
        seen: defaultdict[str, set[bool]] = defaultdict(set)
        for held, reference in zip(system.ratings, system.reference, strict=True):
            for rater, _ in held:
                seen[rater].add(bool(reference))
        kinds: defaultdict[frozenset[bool], list[object]] = defaultdict(list)
        for rater, sides in sorted(seen.items()):
            kinds[frozenset(sides)].append(rater)
        return list(kinds.values())

    @staticmethod
    def _strata(system: System, units: dict[object, list[int]]) -> list[list[object]]:
        """Contexts; or texts side by side."""
        if system.contexts is not None:
            return [list(units)]
        return [[unit for unit in units if unit[0] is side] for side in (True, False)]  # type: ignore[index]

    def across(self, first: int, second: int) -> bool:
        """Whether two systems are of different studies."""
        return self.systems[first].study != self.systems[second].study

    def without_raters(self) -> bool:
        """Whether a difference between studies omits what other raters would move."""
        pairs = [(a, b) for b in range(len(self.systems)) for a in range(b) if self.across(a, b)]
        return any(self.raters[a] is None or self.raters[b] is None for a, b in pairs)

    def value(self, at: int, measure: int) -> tuple[float, float]:
        """A measure of a system, and by how much other draws of ratings change it."""
        drawn = self.draws[at][:, measure]
        noise = SURE * float(drawn.std()) * math.sqrt(2 / len(drawn)) if self.equalised else 0.0
        return float(drawn.mean()), noise

    @cached_property
    def spreads(self) -> list[Spread] | None:
        """Of each system at the number of ratings of all, over new contexts with these raters; None: no intervals."""
        if self.contrasts is None:
            return None
        errors = []
        for at in self.draws:
            slower = raised(self.value(at, 1)[0])
            parts = [math.sqrt(self._texts_part(self.contrasts[at, :, :, i])) for i in range(3)]
            errors.append((parts[0], parts[1] * slower, parts[2] * slower))
        return [Spread(each, len(system.texts), slack=NEAR) for each, system in zip(errors, self.systems, strict=True)]

    def _texts_part(self, gaps: np.ndarray) -> float:
        """The variance that new texts make, from (halves, inner draws); the noise of the draws of ratings is off."""
        square = float((gaps.mean(axis=1) ** 2).mean())
        if self.equalised:
            square = max(0.0, square - float(gaps.var(axis=1, ddof=1).mean()) / INNER)
        drawn, total = sum(len(units) // 2 for units in self.groups), sum(map(len, self.groups))
        return drawn / total * square / 2

    def widened(self, at: int, spread: Spread) -> Spread:
        """The spread of a system in its own study, with what other raters would move."""
        part, (texts, people) = self.raters[at], (spread.texts // 2 - 1, len(self.systems[at].raters) - 2)
        if part is None:
            return spread
        variances, more = np.array(spread.errors) ** 2, part**2
        sizes = variances**2 / max(1, texts) + more**2 / max(1, people)
        freedom = (variances + more) ** 2 / sizes
        both = np.sqrt(variances + more)
        return Spread(tuple(map(float, both)), spread.texts, tuple(map(float, freedom)), NEAR)  # type: ignore[arg-type]

    def difference(self, first: int, second: int, measure: int) -> Difference:
        (one, noise), (other, more) = self.value(first, measure), self.value(second, measure)
        return Difference(one - other, math.hypot(noise, more), self._half(first, second, measure, one - other))

    def _half(self, first: int, second: int, measure: int, value: float) -> float | None:
        if self.contrasts is None:
            return None
        of_texts = self._texts_part((self.contrasts[first] - self.contrasts[second])[:, :, measure])
        if measure:
            of_texts *= (sum(raised(self.value(at, 1)[0]) for at in (first, second)) / 2) ** 2
        smallest = min(len(system.texts) for system in self.systems)
        # As if one text more were judged right, and one wrong.
        rate = min((abs(value) * smallest / 2 + 1) / (smallest + 2), 1.0)
        floor = 4 * rate * (1 - rate) / (smallest + 2)
        texts, freedom = max(of_texts, floor), max(1, smallest // 2 - 1)
        parts = [(texts, freedom)]
        errors = [(at, error) for at in (first, second) if (error := self.raters[at]) is not None]
        if self.across(first, second) and len(errors) == 2:
            parts += [(float(error[measure]) ** 2, max(1, len(self.systems[at].raters) - 2)) for at, error in errors]
        variance = sum(part for part, _ in parts)
        df = variance**2 / sum(part**2 / of for part, of in parts)
        return quantile(self.level, df) * math.sqrt(variance)
