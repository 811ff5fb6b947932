"""Queries of judgments and ratings, each in as few statements as possible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db import connection
from django.db.models import (
    Count,
    Exists,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.functions import Collate

from annotation.design.kinds import labels_of
from annotation.design.wording import from_json
from annotation.models import (
    Decision,
    ItemRole,
    Judgment,
    Scale,
    ScaleLabel,
    Study,
    Text,
)
from metrics.data.criterion_names import TYPICAL

CRITERION = TYPICAL


def by_code_point(field: str) -> Collate:
    """Order by a field of text that is the same in every database, whatever language PostgreSQL was set up for."""
    return Collate(field, "C" if connection.vendor == "postgresql" else "BINARY")


def excluded() -> Exists:
    """Whether a judgment's submission is excluded from the analysis; to filter judgments by."""
    return Exists(exclusions().filter(submission=OuterRef("presentation__submission")))


def exclusions() -> QuerySet[Decision]:
    """Return the decisions that exclude a submission from the analysis."""
    return Decision.objects.filter(matter=Decision.Matter.ANALYSIS, verdict=Decision.Verdict.EXCLUDE)


def every_judgment(study: Study) -> QuerySet[Judgment]:
    """Every judgment of a text that counts (no gold, no repeats), on every criterion, the excluded ones among them."""
    return Judgment.objects.filter(presentation__submission__hit__study=study, presentation__role=ItemRole.ITEM)


def judgments(study: Study) -> QuerySet[Judgment]:
    """Those of how typical a text is."""
    return every_judgment(study).filter(criterion=CRITERION)


@dataclass(frozen=True, slots=True)
class RatingSum:
    """Included ratings of a text: how many, and the exact sum of their codes."""

    count: int
    total: Fraction


def rating_sums(study: Study) -> dict[int, RatingSum]:
    """Sum included ratings by text (primary key): one aggregate over all, less the (few) excluded ratings."""
    counted = rated(study)
    labels = _used_labels(study)
    sums = _sum_ratings(counted, labels)
    if not exclusions().filter(submission__hit__study=study).exists():
        return sums
    for text, excluded_sum in _sum_ratings(excluded_ratings(study), labels).items():
        sums[text] = RatingSum(sums[text].count - excluded_sum.count, sums[text].total - excluded_sum.total)
    return {text: rating_sum for text, rating_sum in sums.items() if rating_sum.count}


def rated(study: Study) -> QuerySet[Judgment]:
    """Ratings by their text, the excluded ones among them: one stretch of an index where the study's texts are one."""
    ratings = Judgment.objects.filter(criterion=CRITERION)
    mine = Text.objects.filter(study=study)
    span = mine.aggregate(first=Min("pk"), last=Max("pk"), n=Count("pk"))
    # Texts whose keys follow each other without a gap leave no room for another study's.
    if span["n"] and span["last"] - span["first"] + 1 == span["n"]:
        return ratings.filter(text__gte=span["first"], text__lte=span["last"])
    return ratings.filter(text__in=mine.values("pk"))


def excluded_ratings(study: Study) -> QuerySet[Judgment]:
    """Return the excluded ratings, found from their submissions, as these are few."""
    left_out = exclusions().filter(submission__hit__study=study).values("submission")
    return Judgment.objects.filter(criterion=CRITERION, text__isnull=False, presentation__submission__in=left_out)


def summed_keys(counted: QuerySet[Judgment]) -> list[tuple[int, int, int]]:
    """(text, number of ratings, sum of their labels' keys): the aggregate, its rows as the database gives them."""
    rows = counted.values_list("text_id").annotate(n=Count("*"), keys=Sum("label_id")).order_by()
    with connection.cursor() as cursor:
        cursor.execute(*rows.query.sql_with_params())
        return cursor.fetchall()


def _used_labels(study: Study) -> list[tuple[int, Fraction]]:
    """Key and code of every label that raters of the study could choose for the criterion that counts."""
    wordings = [from_json(stored.body) for stored in study.wordings.all()]
    names = {
        name
        for wording in wordings
        for criterion in wording.criteria
        if criterion.name == CRITERION
        for name in Scale.objects.names(criterion.scale, labels_of(wording, criterion))
    }
    labels = ScaleLabel.objects.filter(Q(scale=study.scale_id) | Q(scale__name__in=names)).order_by("pk")
    used = labels.filter(Exists(Judgment.objects.filter(label=OuterRef("pk"))))
    return [(pk, Fraction(code)) for pk, code in used.values_list("pk", "code")]


def _sum_ratings(counted: QuerySet[Judgment], labels: Sequence[tuple[int, Fraction]]) -> dict[int, RatingSum]:
    """Count and exact sum of codes by text.

    Where the codes are evenly spaced in the order of their labels' keys, as those of nearly all scales are, the sum of
    the keys gives the sum of the codes; else labels are counted one by one.
    """
    line = _fit_line(labels)
    if line is None:
        return _sum_by_label(counted)
    step, start = line
    are_integers = step.denominator == start.denominator == 1
    # Whole numbers stay whole: half of the time would go into fractions.
    a, b = (int(step), int(start)) if are_integers else (step, start)
    (low, _), (high, _) = labels[0], labels[-1]
    # PostgreSQL sums big integers to decimals.
    sums = [(text, n, int(keys)) for text, n, keys in summed_keys(counted)]
    if any(not low * n <= keys <= high * n for _, n, keys in sums):
        return _sum_by_label(counted)
    return {text: RatingSum(n, Fraction(a * keys + b * n)) for text, n, keys in sums}


def _fit_line(labels: Sequence[tuple[int, Fraction]]) -> tuple[Fraction, Fraction] | None:
    """(step, start) with code = step * key + start for every label; None where there is none."""
    if not labels:
        return None
    (first, code), (last, end) = labels[0], labels[-1]
    step = (end - code) / (last - first) if last > first else Fraction(0)
    start = code - step * first
    return (step, start) if all(value == step * key + start for key, value in labels) else None


def _sum_by_label(counted: QuerySet[Judgment]) -> dict[int, RatingSum]:
    counts: defaultdict[int, int] = defaultdict(int)
    totals: defaultdict[int, Fraction] = defaultdict(Fraction)
    for text, code, n in counted.values_list("text_id", "label__code").annotate(n=Count("pk")).order_by():
        counts[text] += n
        totals[text] += n * Fraction(code)
    return {text: RatingSum(counts[text], totals[text]) for text in counts}


@dataclass(frozen=True, slots=True)
class RatingLine:
    """One judgment, for an export. `position` is counted from 0."""

    text: str
    rater: str
    label: str
    code: str
    hit: str | None
    position: int
    included: bool
    criterion: str = CRITERION
    cell: int | None = None
    partner: str | None = None
    turned: bool | None = None


def rating_lines(study: Study) -> Iterator[RatingLine]:
    """Every judgment by HIT, rater and position, streamed; raters by pseudonym.

    A HIT is named by its number from 1, which a rehearsal repeats; an imported one by the id in its file.
    """
    imported = study.mode == Study.Mode.IMPORTED
    rows = (
        every_judgment(study)
        .annotate(left_out=excluded())
        .order_by(
            "presentation__submission__hit__slot",
            by_code_point("presentation__submission__worker__pseudonym"),
            "presentation__position",
            by_code_point("criterion"),
            "label__code",
        )
        .values_list(
            "presentation__text__key",
            "presentation__submission__worker__pseudonym",
            "label__label",
            "label__code",
            "presentation__submission__hit__market_id",
            "presentation__submission__hit__slot",
            "presentation__position",
            "left_out",
            "criterion",
            "presentation__submission__hit__cell",
            "presentation__partner__key",
            "presentation__sides_changed",
        )
    )
    for (
        text,
        rater,
        label,
        code,
        market_id,
        slot,
        position,
        left_out,
        criterion,
        cell,
        partner,
        turned,
    ) in rows.iterator(chunk_size=5000):
        hit = market_id if imported else f"HIT {slot + 1}"
        sides = turned if partner is not None else None
        yield RatingLine(text, rater, label, code, hit, position, not left_out, criterion, cell, partner, sides)
