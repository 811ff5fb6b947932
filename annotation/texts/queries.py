"""Reads of texts: their rows, log-probabilities, HITs, selection and origins."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.models import AuditEvent, HitItem, ItemRole, Likelihood, Selection, Study, Text


def texts(study: Study) -> QuerySet[Text]:
    """The study's texts that are judged, in the order in which they came, with context and generator."""
    return study.texts.judged().select_related("context", "generator").order_by("pk")


def likelihoods(study: Study) -> dict[int, dict[int, Likelihood]]:
    """Likelihood by generator, then by text (primary keys)."""
    by_generator: defaultdict[int, dict[int, Likelihood]] = defaultdict(dict)
    for likelihood in Likelihood.objects.filter(text__study=study).select_related("scoring").iterator(chunk_size=5000):
        by_generator[likelihood.generator_id][likelihood.text_id] = likelihood
    return by_generator


def hit_sources(study: Study) -> list[tuple[int, int]]:
    """Return (references, model texts) of each HIT, in slot order, without gold and repeated texts."""
    judged = Q(role=ItemRole.ITEM)
    rows = (
        HitItem.objects.filter(hit__study=study)
        .values("hit__slot")
        .annotate(
            references=Count("pk", filter=judged & Q(text__source=Text.Source.REFERENCE)),
            models=Count("pk", filter=judged & Q(text__source=Text.Source.MODEL)),
        )
        .order_by("hit__slot")
    )
    return [(row["references"], row["models"]) for row in rows]


def selection(study: Study) -> Selection | None:
    """The selection that holds: the latest."""
    return Selection.objects.filter(study=study).order_by("-number").first()


def origins(study: Study) -> list[dict[str, Any]]:
    """What the audit says of the files that the study's texts and ratings came from, oldest first."""
    events = AuditEvent.objects.filter(study=study, verb__in=["add_texts", "import_work"]).order_by("number")
    return list(events.values_list("facts", flat=True))
