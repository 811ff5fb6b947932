"""Annotated candidates, and the tests made of them (Laban et al. 2022, section 2.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from metrics.types import Setting


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text with its annotations.

    Args:
        id: names the text in files of scores.
        context_id: the context for which it was written; contexts are what the bootstrap draws.
        context: the context exactly as annotated; None where the file of annotations holds no texts.
        text: the text exactly as annotated; None where the file of annotations holds no texts.
        label: an order of labels says which is better.
        quality: a number, higher is better; None where there is no number.
        marks: the categories of error it carries; empty: its label is the category.
        part: candidates meet only within one part of a context (an attribute, say).
        system: what wrote it.

    Example:
        >>> from metrics import Candidate
        >>> Candidate("a", "q1", "Who wrote Faust?", "Schiller.", "Wrong", marks=("entity",)).categories
        ('entity',)
    """

    id: str
    context_id: str
    context: str | None
    text: str | None
    label: str
    quality: Fraction | None = None
    marks: tuple[str, ...] = ()
    part: str = ""
    system: str = ""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories a test with this as the worse candidate counts in."""
        return self.marks or (self.label,)


@dataclass(frozen=True, slots=True)
class NndTest:
    """A better and a worse candidate of one context; `high_first`: the better one came first in the source."""

    high: Candidate
    low: Candidate
    high_first: bool

    @property
    def context_id(self) -> str:
        """The context both were written for."""
        return self.high.context_id

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories of error of the worse candidate."""
        return self.low.categories

    @property
    def combination(self) -> str:
        """All categories in one name: `semantic_frame + discourse`."""
        return " + ".join(self.categories)


@dataclass(frozen=True)
class TestSet:
    """Tests in the order they were made, and what was excluded and why (counts of pairs, rows or candidates)."""

    __test__ = False  # not a class of tests for pytest

    tests: tuple[NndTest, ...]
    source: str
    contexts: int
    candidates: int
    skipped: Mapping[str, int]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tests)

    @cached_property
    def by_category(self) -> dict[str, int]:
        """Tests of each category, most first; a test with several counts in each."""
        return _counts(name for test in self.tests for name in test.categories)

    @cached_property
    def by_combination(self) -> dict[str, int]:
        """Tests of each combination of categories, most first; these sum to the total."""
        return _counts(test.combination for test in self.tests)


def _counts(names: Iterable[str]) -> dict[str, int]:
    counted = Counter(names)
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
