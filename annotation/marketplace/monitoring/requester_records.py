"""How requesters decide and pay, from the marketplace's own records of the last 90 days: counted once a day for all.

`marketplace_sweep` counts. Pages read the stored rows, so that a list of tasks scans nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, DurationField, ExpressionWrapper, F, OuterRef, Q, Subquery

from annotation.marketplace.models import Assignment, Requester, RequesterRecord

WINDOW_DAYS = 90
EVERY = timedelta(days=1)
State = Assignment.State


class _Median(Subquery):
    """The median of the only column, `length`, of a query; null without rows."""

    template = (
        "(SELECT AVG(ranked.length) FROM (SELECT length, ROW_NUMBER() OVER (ORDER BY length) AS place, "
        "COUNT(*) OVER () AS number FROM (%(subquery)s) lengths) ranked "
        "WHERE 2 * ranked.place BETWEEN ranked.number AND ranked.number + 2)"
    )
    output_field = DurationField()


def count_if_due(now: datetime) -> int:
    """Count anew where the last count is a day old or lies in the future; the number of requesters, 0 if not due."""
    last = RequesterRecord.objects.order_by("-computed_at").values_list("computed_at", flat=True).first()
    return count_records(now) if last is None or not now - EVERY < last <= now else 0


@transaction.atomic
def count_records(now: datetime) -> int:
    """Store the record of each requester whose last decisions, one for each assignment, fell into the 90 days to `now`.

    A rejection that was turned into an approval counts as an approval, at that time, and as a reversed rejection.
    Returns the number of requesters; the rows of others are deleted.
    """
    since = now - timedelta(days=WINDOW_DAYS)
    approved = Q(state=State.APPROVED, approved_at__gt=since, approved_at__lte=now)
    rejected = Q(state=State.REJECTED, rejected_at__gt=since, rejected_at__lte=now)
    reversed_ = Q(state=State.APPROVED, rejected_at__isnull=False)
    rows = Assignment.objects.filter(approved | rejected).order_by().values("hit__requester")
    counts = rows.annotate(
        decided=Count("pk"),
        rejected_count=Count("pk", filter=Q(state=State.REJECTED)),
        reversed_count=Count("pk", filter=reversed_),
        replies=Count("reply"),
        reversed_replies=Count("reply", filter=reversed_),
    )
    medians = _median_approval_times(approved)
    records = [
        RequesterRecord(
            requester_id=row["hit__requester"],
            computed_at=now,
            decided=row["decided"],
            rejected=row["rejected_count"],
            reversed=row["reversed_count"],
            replies=row["replies"],
            reversed_replies=row["reversed_replies"],
        )
        for row in counts
    ]
    for record in records:
        median = medians.get(record.requester_id)
        record.median_approval_seconds = None if median is None else round(median.total_seconds())
    RequesterRecord.objects.exclude(requester__in=[record.requester_id for record in records]).delete()
    RequesterRecord.objects.bulk_create(
        records,
        update_conflicts=True,
        unique_fields=["requester"],
        update_fields=[field.name for field in RequesterRecord._meta.fields if field.name not in {"id", "requester"}],
    )
    return len(records)


def _median_approval_times(approved: Q) -> dict[int, timedelta]:
    """By requester (primary key) the median time from submission to approval, whoever or whatever approved."""
    length = ExpressionWrapper(F("approved_at") - F("submitted_at"), output_field=DurationField())
    lengths = Assignment.objects.filter(approved, hit__requester=OuterRef("pk")).order_by().annotate(length=length)
    rows = Requester.objects.annotate(median=_Median(lengths.values("length")))
    return {pk: median for pk, median in rows.values_list("pk", "median") if median is not None}
