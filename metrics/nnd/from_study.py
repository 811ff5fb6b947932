"""Tests from a study: typicality or quality ratings by their mean or a majority, or labels of errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from metrics.data.human_judgment import sum_ratings
from metrics.errors import BadInput
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import Numbers, Order, Ranks, likert_majority
from metrics.nnd.records import Candidate, TestSet
from metrics.types import Rating, Setting

TOO_FEW = "texts_with_too_few_judgments"
NO_MAJORITY = "texts_without_a_majority_label"
LOWER, HIGH, LOW = "lower_rated", "high", "low"


@dataclass(frozen=True, slots=True)
class StudyText:
    """A judged text of a study: ids, what it was written for, and what wrote it."""

    id: str
    context_id: str
    context: str
    text: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One rater's label of one text."""

    text: str
    rater: str
    label: str


def by_means(
    texts: Sequence[StudyText],
    ratings: Iterable[Rating],
    *,
    minimum_gap: Fraction = Fraction(0),
    minimum_ratings: int = 1,
    options: Options | None = None,
) -> TestSet:
    """The higher mean rating is better, by at least `minimum_gap` (in units of the scale, exactly).

    Texts of fewer ratings are skipped and counted. The category is `lower_rated`. Raises BadInput, InsufficientData.
    """
    _check(texts, minimum_ratings)
    sums = {entry.item: entry for entry in sum_ratings(ratings, [text.id for text in texts])}
    rated_texts = [text for text in texts if sums[text.id].count >= minimum_ratings]
    candidates = [_candidate(text, LOWER, sums[text.id].total / sums[text.id].count) for text in rated_texts]
    settings: dict[str, Setting] = {"rule": "mean", "minimum_gap": str(minimum_gap), "minimum_ratings": minimum_ratings}
    skipped = {TOO_FEW: len(texts) - len(rated_texts)}
    order = Numbers(minimum_gap)
    return build_tests(candidates, order, "study", options=options, skipped=skipped, settings=settings)


def by_majorities(
    texts: Sequence[StudyText],
    ratings: Iterable[Rating],
    top: Fraction,
    *,
    minimum_ratings: int = 1,
    options: Options | None = None,
) -> TestSet:
    """Texts that more than half of their raters gave `top`, against the others (NND's rule for SummEval).

    Texts of fewer ratings are skipped and counted. Raises BadInput, InsufficientData.
    """
    _check(texts, minimum_ratings)
    values: dict[str, list[Fraction]] = {text.id: [] for text in texts}
    for rating in ratings:
        if rating.item not in values:
            raise BadInput(f"no text has the id {rating.item!r}", column="item")
        values[rating.item].append(rating.value)
    rated_texts = [text for text in texts if len(values[text.id]) >= minimum_ratings]
    candidates = [
        _candidate(text, HIGH if likert_majority(map(float, values[text.id]), float(top)) else LOW)
        for text in rated_texts
    ]
    settings: dict[str, Setting] = {"rule": "majority", "top": str(top), "minimum_ratings": minimum_ratings}
    skipped = {TOO_FEW: len(texts) - len(rated_texts)}
    order = Ranks({HIGH: 1, LOW: 0})
    return build_tests(candidates, order, "study", options=options, skipped=skipped, settings=settings)


def by_labels(
    texts: Sequence[StudyText],
    labels: Iterable[Labelled],
    order: Order,
    *,
    minimum_ratings: int = 1,
    options: Options | None = None,
) -> TestSet:
    """Texts by the label most raters gave them, in an order of labels (`best_above_others("No error", ...)`).

    Texts of fewer labels, and those without one most frequent label, are skipped and counted. A rater labels a text
    once. Raises BadInput, InsufficientData.
    """
    _check(texts, minimum_ratings)
    label_counts: dict[str, Counter[str]] = {text.id: Counter() for text in texts}
    seen: set[tuple[str, str]] = set()
    for labelled in labels:
        if labelled.text not in label_counts:
            raise BadInput(f"no text has the id {labelled.text!r}", column="text")
        if (labelled.text, labelled.rater) in seen:
            raise BadInput(f"rater {labelled.rater!r} has labeled text {labelled.text!r} twice", column="rater")
        seen.add((labelled.text, labelled.rater))
        label_counts[labelled.text][labelled.label] += 1
    enough = [text for text in texts if label_counts[text.id].total() >= minimum_ratings]
    chosen = [(text, label) for text in enough if (label := _majority_label(label_counts[text.id])) is not None]
    skipped = {TOO_FEW: len(texts) - len(enough), NO_MAJORITY: len(enough) - len(chosen)}
    settings: dict[str, Setting] = {"rule": "most frequent label", "minimum_ratings": minimum_ratings}
    candidates = [_candidate(text, label) for text, label in chosen]
    return build_tests(candidates, order, "study", options=options, skipped=skipped, settings=settings)


def _majority_label(counts: Counter[str]) -> str | None:
    """The single most frequent label; None where two share the first place."""
    ranked = counts.most_common(2)
    return None if len(ranked) == 2 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def _candidate(text: StudyText, label: str, quality: Fraction | None = None) -> Candidate:
    return Candidate(text.id, text.context_id, text.context, text.text, label, quality, system=text.system)


def _check(texts: Sequence[StudyText], minimum_ratings: int) -> None:
    if minimum_ratings < 1:
        raise BadInput("a text needs at least 1 judgment", column="minimum_ratings")
    twice = [name for name, count in Counter(text.id for text in texts).items() if count > 1]
    if twice:
        raise BadInput(f"the id {twice[0]!r} is used for two texts", column="id")
