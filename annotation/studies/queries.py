"""Reads of the console: what its pages show of studies, each in as few queries as it takes."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet, Sum

from annotation.common.queries import count_of
from annotation.models import AuditEvent, Hit, Study, Text


def with_counts(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Newest first, each with text_count, wanted (assignments) and submitted, from running sums of the HITs."""
    return studies.annotate(
        text_count=count_of(Text.objects.filter(left_out=""), "study"),
        wanted=count_of(Hit.objects.all(), "study", what=Sum("max_assignments")),
        submitted=count_of(Hit.objects.all(), "study", what=Sum("collected")),
    ).order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class Counts:
    """How far a study is: texts, HITs, places for workers, work handed in, cents spent."""

    texts: int
    generators: int
    hits: int
    wanted: int
    submitted: int
    spent_cents: int


def free_name(stem: str) -> str:
    """The stem, or the stem with the first number that no study's name has: "summeval", "summeval-2", ..."""
    names = set(Study.objects.filter(name__startswith=stem).values_list("name", flat=True))
    return (
        stem
        if stem not in names
        else next(name for n in range(2, len(names) + 3) if (name := f"{stem}-{n}") not in names)
    )


def counts(study: Study) -> Counts:
    """One row of counts."""
    row = with_counts(Study.objects.filter(pk=study.pk)).get()
    return Counts(
        texts=row.text_count,  # type: ignore[attr-defined]
        generators=study.generators.count(),
        hits=study.hits.count(),
        wanted=row.wanted,  # type: ignore[attr-defined]
        submitted=row.submitted,  # type: ignore[attr-defined]
        spent_cents=row.spent_cents,
    )


def deeds(study: Study) -> QuerySet[AuditEvent]:
    """What was done to the study, newest first."""
    return AuditEvent.objects.filter(study=study).order_by("-number")


def everywhere(studies: QuerySet[Study]) -> QuerySet[AuditEvent]:
    """What was done to any of these studies, newest first."""
    return AuditEvent.objects.filter(study__in=studies.values("pk")).select_related("study").order_by("-at", "-pk")
