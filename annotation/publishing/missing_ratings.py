"""Ratings that texts still need."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, Q

from annotation.collecting.ratings import excluded, exclusions, judgments
from annotation.models import HitItem, ItemRole, Study, Submission


def valid_submissions(study: Study) -> dict[int, int]:
    """By HIT (primary key): submissions that count, or may once they are read. Not: unreadable, left out, withdrawn."""
    rows = (
        Submission.objects.filter(hit__study=study)
        .exclude(raw_format=Submission.WITHDRAWN)
        .filter(Q(parse=None) | Q(parse__problem=""))
        .filter(~Exists(exclusions().filter(submission=OuterRef("pk"))))
    )
    return dict(rows.order_by().values_list("hit").annotate(n=Count("pk")))


def texts_by_hit(study: Study) -> dict[int, list[int]]:
    """The texts (primary keys) of each HIT that count."""
    by_hit: defaultdict[int, list[int]] = defaultdict(list)
    rows = HitItem.objects.filter(hit__study=study, role=ItemRole.ITEM).order_by("hit", "position")
    for hit, text in rows.values_list("hit", "text"):
        by_hit[hit].append(text)
    return dict(by_hit)


def text_spreads(study: Study) -> dict[int, tuple[int, float]]:
    """Kept ratings of each text and their standard deviation (n - 1), from one aggregate by text and code."""
    rows = (
        judgments(study)
        .filter(~excluded())
        .values_list("presentation__text_id", "label__code")
        .annotate(n=Count("pk"))
        .order_by()
    )
    sums: defaultdict[int, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
    for text, code, n in rows:
        value = Fraction(code)
        sums[text] = [a + b for a, b in zip(sums[text], (Fraction(n), n * value, n * value * value), strict=True)]
    return {text: (int(n), _deviation(n, total, squares)) for text, (n, total, squares) in sums.items()}


def _deviation(n: Fraction, total: Fraction, squares: Fraction) -> float:
    return math.sqrt((squares - total * total / n) / (n - 1)) if n > 1 else 0.0
