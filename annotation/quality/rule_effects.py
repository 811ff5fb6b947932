"""The work tables on which exclusion rules are tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Q, QuerySet

from annotation.models import Cell, HitItem, ItemRole, Presentation, Study, Text
from annotation.quality.rules import Tabulated, tabulate
from annotation.quality.thinned_texts import answered, readers_by_hit


@dataclass(frozen=True, slots=True)
class Tables:
    """What excluding submissions removes from each source and each condition."""

    by_source: Tabulated
    by_condition: Tabulated


def tables(study: Study, left_out: set[int], *, readers: Mapping[int, int] | None = None) -> Tables:
    """Tabulate judged texts (no gold, no repeats) of excluded submissions by source and by condition, with tests.

    readers: `readers_by_hit`, where the caller has counted them.
    """
    if study.mode == Study.Mode.IMPORTED:
        alike = _imported(study, left_out)
    else:
        alike = _by_hit(study, left_out, readers_by_hit(study) if readers is None else readers)
    named = {pk: " × ".join(part for part in parts if part) for pk, *parts in _cells(study)}
    conditions = sorted({named[group.cell] for group in alike})
    met = np.array([(group.references, group.generated) for group in alike], dtype=np.float64).reshape(-1, 2)
    of = np.array([conditions.index(named[group.cell]) for group in alike], dtype=np.int64)
    by_condition = met.sum(axis=1, keepdims=True) * (of[:, None] == np.arange(len(conditions)))
    # Who submitted the same texts may change places: first those excluded, then the others.
    rows = np.repeat(np.arange(len(alike)), np.array([group.handed_in for group in alike], dtype=np.int64))
    excluded = np.array([at < group.left_out for group in alike for at in range(group.handed_in)], dtype=np.bool_)
    sources = [str(Text.Source.REFERENCE), str(Text.Source.MODEL)]
    return Tables(tabulate(sources, met[rows], excluded), tabulate(conditions, by_condition[rows], excluded))


@dataclass(frozen=True, slots=True)
class _AlikeSubmissions:
    """Submissions of one condition with the same numbers of references and model texts, and how many are excluded."""

    cell: int
    references: int
    generated: int
    handed_in: int
    left_out: int


def _cells(study: Study) -> QuerySet[Any, Any]:
    return Cell.objects.filter(arm__study=study).values_list("pk", "arm__training", "domain", "generator__name")


def _imported(study: Study, left_out: set[int]) -> list[_AlikeSubmissions]:
    """Return each submission alone, by what it shows."""
    generated = Count("pk", filter=Q(text__source=Text.Source.MODEL))
    shown = Presentation.objects.filter(role=ItemRole.ITEM, submission__hit__study=study).order_by()
    met = shown.values_list("submission_id", "submission__hit__cell_id").annotate(n=Count("pk"), m=generated)
    return [_AlikeSubmissions(cell, n - m, m, 1, int(pk in left_out)) for pk, cell, n, m in met]


def _by_hit(study: Study, left_out: set[int], readers: Mapping[int, int]) -> list[_AlikeSubmissions]:
    """Count by HIT: its workers meet all of its texts, and there are far fewer HITs than texts shown."""
    generated = Count("pk", filter=Q(text__source=Text.Source.MODEL))
    laid_out = HitItem.objects.filter(role=ItemRole.ITEM, hit__study=study).order_by().values_list("hit_id")
    met = {hit: (n - m, m) for hit, n, m in laid_out.annotate(n=Count("pk"), m=generated)}
    excluded = Counter(answered(study).filter(pk__in=left_out).values_list("hit_id", flat=True))
    cells = study.hits.order_by("pk").values_list("pk", "cell_id")
    return [
        _AlikeSubmissions(cell, *met[hit], readers[hit], excluded[hit])
        for hit, cell in cells
        if hit in met and hit in readers
    ]
