"""What belongs around HUSE: the null, curves over ratings and texts, other choices, examples, pairs, exclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from metrics.data.criterion_names import TYPICAL
from metrics.errors import MetricsError
from metrics.huse.curves import Curve, replicate_curve, size_curve
from metrics.huse.examples import Examples, find_examples
from metrics.huse.model_differences import Comparison, compare_models
from metrics.huse.permutation_test import PermutationTest, permutation_test
from metrics.huse.sensitivity import Sensitivity, sensitivity_table
from metrics.huse.variance_components import evaluate_rated
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.section_kind import Options
from metrics.types import HuseResult, Item, Rating

CRITERION = TYPICAL
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


def typicality_ratings(rows: Sequence[RatingRow], *, included_only: bool = True) -> tuple[Rating, ...]:
    """The ratings that HUSE is of; equal numbers are one object, as there may be a million ratings."""
    fractions = {value: Fraction(value) for value in {row.value for row in rows}}
    return tuple(
        Rating(row.text, row.rater, fractions[row.value], row.hit or "")
        for row in rows
        if row.criterion == CRITERION and (row.kept or not included_only)
    )


def compute_extras(
    facts: GeneratorFacts,
    report_input: ReportInput,
    ratings: Sequence[Rating],
    options: Options,
) -> HuseExtras:
    """Compute all extras of one generator's HUSE; `why` has the reason for each part that cannot be computed.

    ratings: those of the study that count, as `typicality_ratings` gives them.
    """
    items, k, seed = facts.items, options.k, options.seed
    included = _of_items(items, ratings)
    excluded = _of_items(
        items, typicality_ratings([row for row in report_input.ratings if not row.kept], included_only=False)
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
        choices=attempt("Sensitivity to k, ties and length", lambda: sensitivity_table(items, k=k, seed=seed)),
        examples=attempt("Examples", lambda: find_examples(items, k=k)),
        everything=attempt("Results without exclusions", lambda: _full_result(items, report_input.ratings, options))
        if excluded
        else None,
        why=attempt.why,
    )


def compare_generators(
    report_input: ReportInput, ratings: Sequence[Rating], *, k: int, seed: int, level: float
) -> tuple[Comparison | None, str]:
    """Differences of the generators on their common references, and why there are none ("" where there are).

    ratings: as for `compute_extras`.
    """
    if len(report_input.generators) < 2:
        return None, "there is one generator only"
    studies = {facts.name: facts.items for facts in report_input.generators}
    texts = {item.id for items in studies.values() for item in items}
    counts = Counter(rating.item for rating in ratings)
    unequal = len({counts[text] for text in texts}) > 1
    compared_items = [item for items in studies.values() for item in items]
    try:
        equalized = _of_items(compared_items, ratings) if unequal else None
        return compare_models(studies, equalized, k=k, seed=seed, level=level), ""
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


def _of_items(items: Sequence[Item], ratings: Sequence[Rating]) -> Sequence[Rating]:
    """The ratings of these items; the same ratings, where all are."""
    texts = {item.id for item in items}
    if all(rating.item in texts for rating in ratings):
        return ratings
    return [rating for rating in ratings if rating.item in texts]


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


def _full_result(items: Sequence[Item], rows: Sequence[RatingRow], options: Options) -> HuseResult:
    bare = [replace(item, hj=None, ratings=0) for item in items]
    every = _of_items(items, typicality_ratings(rows, included_only=False))
    results = evaluate_rated(
        bare,
        every,
        ["exact"],
        k=options.k,
        seed=options.seed,
        level=options.level,
        these_raters=options.these_raters,
    )
    return results["exact"]
