"""Many tests at once: a family declared before its results, and p-values adjusted for it (method, 2.11).

Bonferroni and Holm (1979) keep the chance of any false rejection at alpha, Benjamini and Hochberg (1995) the expected
share of false ones among the rejected. A family counted afterwards proves nothing, so its members are named first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from metrics.errors import BadInput, join_names
from metrics.inference.distributions import check_alpha

Method = Literal["bonferroni", "holm", "bh"]
METHODS: tuple[Method, ...] = ("bonferroni", "holm", "bh")
UNDEFINED = "undefined_p"


@dataclass(frozen=True, slots=True)
class Family:
    """Hypotheses tested together, named before any result is seen. alpha: error rate of the whole family.

    Raises BadInput for an empty family, a blank or repeated name, an alpha outside (0, 1).
    """

    name: str
    hypotheses: tuple[str, ...]
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        if not self.hypotheses:
            raise BadInput("a family names at least one hypothesis", where=f"family {self.name}")
        if not all(name.strip() for name in self.hypotheses):
            raise BadInput("a hypothesis has a name", where=f"family {self.name}")
        twice = [name for name in dict.fromkeys(self.hypotheses) if self.hypotheses.count(name) > 1]
        if twice:
            raise BadInput(
                f"a hypothesis is named once, and {join_names(twice)} more often", where=f"family {self.name}"
            )

    def describe(self, kind: str = "") -> str:
        """`Family of 6 tests: pairs of conditions, alpha 0.05.` kind: of the tests, such as "declared"."""
        size = len(self.hypotheses)
        tests = " ".join(filter(None, (str(size), kind, "test" if size == 1 else "tests")))
        return f"Family of {tests}: {self.name}, alpha {self.alpha:g}."

    @property
    def bonferroni_alpha(self) -> float:
        """What one p-value must stay below by Bonferroni: alpha / size."""
        return self.alpha / len(self.hypotheses)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Adjusted p-values of a whole family, in its order; rejected where one is at most the family's alpha.

    A test without a p-value stays in the family as if its p were 1; its own adjusted p is None (flag `undefined_p`).
    """

    family: Family
    method: Method
    p: Mapping[str, float | None]
    rejected: tuple[str, ...]
    flags: tuple[str, ...]


def adjust(family: Family, p: Mapping[str, float | None], method: Method = "holm") -> Adjusted:
    """Adjust the p-values of every declared hypothesis; all of them and no other, or BadInput.

    p: in [0, 1], or None where a test has none (zero variance).
    """
    if method not in METHODS:
        raise BadInput("a method is 'bonferroni', 'holm' or 'bh'", column="method")
    _check_members(family, p)
    listed = [p[name] for name in family.hypotheses]
    raw = [1.0 if value is None else value for value in listed]
    adjusted_p = {"bonferroni": _bonferroni, "holm": _holm, "bh": _bh}[method](raw)
    adjusted = {
        name: None if raw_p is None else value
        for name, raw_p, value in zip(family.hypotheses, listed, adjusted_p, strict=True)
    }
    rejected = tuple(name for name, value in adjusted.items() if value is not None and value <= family.alpha)
    return Adjusted(family, method, adjusted, rejected, (UNDEFINED,) if None in listed else ())


def _check_members(family: Family, p: Mapping[str, float | None]) -> None:
    where = f"family {family.name}"
    if unknown := [name for name in p if name not in family.hypotheses]:
        raise BadInput(f"{join_names(unknown)} was not declared", where=where)
    if absent := [name for name in family.hypotheses if name not in p]:
        raise BadInput(f"{join_names(absent)} was declared and has no result", where=where)
    for name, value in p.items():
        if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
            raise BadInput(f"the p-value of {name} must lie between 0 and 1", where=where)


def _bonferroni(p: Sequence[float]) -> list[float]:
    return [min(1.0, len(p) * value) for value in p]


def _holm(p: Sequence[float]) -> list[float]:
    """The smallest times m, the next times m - 1 ..., never below the one before."""
    adjusted, largest = [0.0] * len(p), 0.0
    for place, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = largest
    return adjusted


def _bh(p: Sequence[float]) -> list[float]:
    """The largest as it is, the one before times m / (m - 1) ..., never above the one after."""
    adjusted, smallest = [0.0] * len(p), 1.0
    order = sorted(range(len(p)), key=p.__getitem__)
    for place in range(len(p), 0, -1):
        i = order[place - 1]
        smallest = min(smallest, len(p) / place * p[i])
        adjusted[i] = smallest
    return adjusted
