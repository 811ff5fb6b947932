"""The verb that makes near-negative tests of what people judged in a study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from annotation.collecting import ratings
from annotation.exceptions import DesignError, StateError
from annotation.models import HitItem, ItemRole, Study, Text
from annotation.texts import queries
from metrics.nnd.build import Options
from metrics.nnd.from_study import Labelled, StudyText, by_labels, by_majorities, by_means
from metrics.nnd.orders import Order, PartialOrder, best_above_others
from metrics.nnd.records import TestSet
from metrics.types import Rating

NO_CONTEXT = "texts_without_a_context"
EXCLUDED = "judgments_left_out_of_the_analysis"
EVERYWHERE = "(no context)"


@dataclass(frozen=True, slots=True)
class Rule:
    """What makes one text of a context better than another.

    kind: `mean` (of the labels' codes), `majority` (more than half chose `best`), `labels` (most frequent label).
    best: a label; for a majority the one of the highest code where none is named, for labels the one without error.
    better: pairs (better label, worse label) instead of `best` above all others.
    minimum_gap: of two means. minimum_ratings: texts with fewer are excluded. pool_without_context: texts
    without a context count as written for the same one. pool_by_hit: they do where the same HITs held them, so that
    the same people rated both, and HITs are the contexts. Otherwise they are excluded.
    """

    kind: Literal["mean", "majority", "labels"] = "mean"
    best: str | None = None
    better: tuple[tuple[str, str], ...] = ()
    minimum_gap: Fraction = Fraction(0)
    minimum_ratings: int = 1
    pool_without_context: bool = False
    pool_by_hit: bool = False


def make_tests(study: Study, *, rule: Rule | None = None) -> TestSet:
    """All pairs of a context's texts of which people found one better, with counts of what was skipped and why.

    Raises StateError for a study without judgments, DesignError for a label that is not on its scale or a rule that
    needs one, BadInput and InsufficientData where no pair makes a test.
    """
    how = rule or Rule()
    codes = {label.label: Fraction(label.code) for label in study.scale.labels.all()}
    _check(study, how, codes)
    texts = list(queries.texts(study).filter(known_label=""))
    pooled_in = _hits(study) if how.pool_by_hit else {}
    pooled = how.pool_by_hit or how.pool_without_context
    usable = [_text(text, pooled_in.get(text.pk, EVERYWHERE)) for text in texts if text.context or pooled]
    lines = list(ratings.rating_lines(study))
    if not lines:
        raise StateError(f"The study {study} has no judgments yet, so there is nothing to make tests of.")
    ids = {text.id for text in usable}
    mine = [line for line in lines if line.included and line.text in ids]
    tests = _build_tests(usable, mine, codes, how)
    skipped = {NO_CONTEXT: len(texts) - len(usable), EXCLUDED: sum(not line.included for line in lines)}
    counts = {name: count for name, count in skipped.items() if count} | dict(tests.skipped)
    settings = {**tests.settings, "study": str(study), **({"pooled": "by HIT"} if how.pool_by_hit else {})}
    return replace(tests, source=f"study {study}", skipped=counts, settings=settings)


def _check(study: Study, how: Rule, codes: dict[str, Fraction]) -> None:
    named = [*([how.best] if how.best else []), *(label for pair in how.better for label in pair)]
    strange = [label for label in named if label not in codes]
    if strange:
        raise DesignError(f"The scale of {study} has no label {strange[0]!r}; it has {', '.join(codes)}.")
    if how.kind == "labels" and not (how.best or how.better):
        raise DesignError("Name the label of a text without error, or which labels are better than which.")


def _hits(study: Study) -> dict[int, str]:
    """By text, the HITs that held it, in words."""
    slots: dict[int, list[str]] = {}
    places = HitItem.objects.filter(hit__study=study, role=ItemRole.ITEM).order_by("hit__slot")
    for text, slot in places.values_list("text", "hit__slot"):
        slots.setdefault(text, []).append(str(slot + 1))
    return {text: f"(HIT {', '.join(numbers)})" for text, numbers in slots.items()}


def _text(text: Text, pooled_in: str) -> StudyText:
    return StudyText(
        text.key,
        text.context.key if text.context else pooled_in,
        text.context.body if text.context else "",
        text.body,
        text.generator.name if text.generator else Text.Source.REFERENCE.value,
    )


def _build_tests(
    texts: list[StudyText], lines: list[ratings.RatingLine], codes: dict[str, Fraction], how: Rule
) -> TestSet:
    if how.kind == "labels":
        labelled = [Labelled(line.text, line.rater, line.label) for line in lines]
        return by_labels(texts, labelled, _order(codes, how), minimum_ratings=how.minimum_ratings)
    coded_ratings = [Rating(line.text, line.rater, codes[line.label]) for line in lines]
    if how.kind == "majority":
        top = codes[how.best] if how.best else max(codes.values())
        return by_majorities(texts, coded_ratings, top, minimum_ratings=how.minimum_ratings)
    return by_means(
        texts, coded_ratings, minimum_gap=how.minimum_gap, minimum_ratings=how.minimum_ratings, options=Options()
    )


def _order(codes: dict[str, Fraction], how: Rule) -> Order:
    if how.better:
        return PartialOrder(how.better)
    best = how.best or ""
    return best_above_others(best, [label for label in codes if label != best])
