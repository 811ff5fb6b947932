"""Pieces of queries that several subjects use."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce


def count_of(rows: QuerySet[Any], of: str, *, what: Count | Sum | None = None) -> Coalesce:
    """For annotations: how many `rows` (or their sum) lead to each by the key `of`. Joins would multiply each other."""
    counts = rows.filter(**{of: OuterRef("pk")}).order_by().values(of).annotate(n=what or Count("pk")).values("n")
    return Coalesce(Subquery(counts, output_field=IntegerField()), Value(0))
