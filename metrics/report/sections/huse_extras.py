"""What belongs around HUSE: the null, curves over ratings and texts, other choices, examples, pairs, exclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from metrics.errors import MetricsError
from metrics.huse.curves import Curve, replicate_curve, size_curve
from metrics.huse.examples import Examples, find_examples
from metrics.huse.model_differences import Comparison, compare_models
from metrics.huse.permutation_test import PermutationTest, permutation_test
from metrics.huse.sensitivity import Sensitivity, sensitivity_table
from metrics.huse.variance_components import evaluate_rated
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.types import HuseResult, Item, Rating

CRITERION = "typicality"
FEW = 1000  # texts up to which everything is drawn as often as alone
PERMUTATIONS, FEWER = 999, 199
DRAWS, MIN_DRAWS, TEXTS_DRAWN = 100, 10, 20_000
PLACES = (1, 2, 3, 5, 8, 10, 12, 15, 17, 20, 25, 30, 40)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HuseExtras:
    """What was found for one generator; None where it has no answer, and `why` says so by the part's name.

    everything: the results with the excluded judgments; None where none was excluded.
    """

    name: str
    null: PermutationTest | None
    ratings: Curve | None
    texts: Curve | None
    choices: Sensitivity | None
    examples: Examples | None
    everything: HuseResult | None
    why: tuple[tuple[str, str], ...]


def compute_extras(facts: GeneratorFacts, report_input: ReportInput, *, k: int, seed: int, level: float) -> HuseExtras:
    """Compute all extras of one generator's HUSE; `why` has the reason for each part that cannot be computed."""
    items = facts.items
    included, every = (
        _of_items(items, report_input.ratings, included_only=True),
        _of_items(items, report_input.ratings, included_only=False),
    )
    many = len(items) > FEW
    draws = max(MIN_DRAWS, min(DRAWS, TEXTS_DRAWN // max(1, len(items))))
    attempt = _Attempts()
    return HuseExtras(
        name=facts.name,
        null=attempt(
            "Null p-value of HUSE",
            lambda: permutation_test(
                items, hits=_hits(items, included), k=k, permutations=FEWER if many else PERMUTATIONS, seed=seed
            ),
        ),
        ratings=attempt(
            "Curve over ratings",
            lambda: replicate_curve(items, included, _places(included), k=k, draws=draws, seed=seed),
        ),
        texts=attempt("Curve over texts", lambda: size_curve(items, k=k, draws=draws, seed=seed)),
        choices=attempt("Sensitivity to k, ties and length", lambda: sensitivity_table(items, k=k)),
        examples=attempt("Examples", lambda: find_examples(items, k=k)),
        everything=None
        if len(included) == len(every)
        else attempt("Results without exclusions", lambda: _full_result(items, every, k, seed, level)),
        why=attempt.why,
    )


def compare_generators(report_input: ReportInput, *, k: int, seed: int, level: float) -> tuple[Comparison | None, str]:
    """Differences of the generators on their common references, and why there are none ("" where there are)."""
    if len(report_input.generators) < 2:
        return None, "there is one generator only"
    studies = {facts.name: facts.items for facts in report_input.generators}
    texts = {item.id for items in studies.values() for item in items}
    counts = Counter(rating.text for rating in report_input.ratings if rating.kept and rating.criterion == CRITERION)
    unequal = len({counts[text] for text in texts}) > 1
    compared_items = [item for items in studies.values() for item in items]
    try:
        ratings = _of_items(compared_items, report_input.ratings, included_only=True) if unequal else None
        return compare_models(studies, ratings, k=k, seed=seed, level=level), ""
    except MetricsError as error:
        return None, str(error)


class _Attempts:
    """Computes, or remembers in a sentence why not."""

    def __init__(self) -> None:
        self._why: list[tuple[str, str]] = []

    def __call__(self, part: str, compute: Callable[[], T]) -> T | None:
        try:
            return compute()
        except MetricsError as error:
            self._why.append((part, str(error)))
            return None

    @property
    def why(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._why)


def _of_items(items: Sequence[Item], ratings: Sequence[RatingRow], *, included_only: bool) -> list[Rating]:
    texts = {item.id for item in items}
    return [
        Rating(rating.text, rating.rater, Fraction(rating.value), rating.hit or "")
        for rating in ratings
        if rating.criterion == CRITERION and rating.text in texts and (rating.kept or not included_only)
    ]


def _hits(items: Sequence[Item], ratings: Sequence[Rating]) -> Mapping[str, str] | None:
    """The HIT of each text; None where one is not known, or a text stood in several."""
    units: dict[str, set[str]] = {}
    for rating in ratings:
        units.setdefault(rating.item, set()).add(rating.unit)
    hits = {text: next(iter(names)) for text, names in units.items() if len(names) == 1 and "" not in names}
    return hits if all(item.id in hits for item in items) else None


def _places(ratings: Sequence[Rating]) -> list[int]:
    fewest = min(Counter(rating.item for rating in ratings).values(), default=1)
    return sorted({*(place for place in PLACES if place < fewest), fewest})


def _full_result(items: Sequence[Item], every: Sequence[Rating], k: int, seed: int, level: float) -> HuseResult:
    bare = [replace(item, hj=None, ratings=0) for item in items]
    return evaluate_rated(bare, every, ["exact"], k=k, seed=seed, level=level)["exact"]
