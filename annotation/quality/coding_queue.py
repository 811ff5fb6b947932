"""Explanations that await a code, and those on which coders differ."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from annotation.accounts.models import User
from annotation.models import Coding, Remark, Study


def to_code(study: Study, book: Any, user: User) -> QuerySet[Remark]:
    """Explanations that this person can code: those that wait for a second coder first."""
    mine = Coding.objects.filter(remark=OuterRef("pk"), codebook=book, coder=user, adjudicated=False)
    coded = Count("codings", filter=Q(codings__codebook=book, codings__adjudicated=False))
    rows = Remark.objects.filter(presentation__submission__hit__study=study).exclude(Exists(mine))
    return rows.annotate(coded=coded).filter(coded__lt=2).order_by("-coded", "pk").select_related("presentation__text")


def last_coded(book: Any, user: User) -> Coding | None:
    """What this person coded last, which can be changed."""
    mine = Coding.objects.filter(codebook=book, coder=user, adjudicated=False)
    return mine.select_related("remark__presentation__text").order_by("-at", "-pk").first()


def to_settle(study: Study, book: Any) -> list[Remark]:
    """Return explanations that two people coded differently and that are not settled, with their codings."""
    rows = (
        Remark.objects.filter(presentation__submission__hit__study=study)
        .annotate(
            coded=Count("codings", filter=Q(codings__codebook=book, codings__adjudicated=False)),
            settled=Count("codings", filter=Q(codings__codebook=book, codings__adjudicated=True)),
        )
        .filter(coded=2, settled=0)
        .select_related("presentation__text")
        .prefetch_related(Prefetch("codings", Coding.objects.filter(codebook=book).select_related("coder")))
        .order_by("pk")
    )
    return [row for row in rows if len({frozenset(coding.codes) for coding in row.codings.all()}) > 1]
