"""Events that a marketplace sent. An event is a reason to look at a HIT, never the truth."""

from __future__ import annotations

from django.db import models

# Our own marketplace's event: a worker answered a rejection.
ANSWERED = "RejectionAnswered"


class MarketplaceEvent(models.Model):
    """One event of a document. Documents come twice and out of order: (doc_id, place) is stored once."""

    doc_id = models.CharField(max_length=64)
    place = models.PositiveIntegerField(help_text="In its document, from 0.")
    kind = models.CharField(max_length=30)
    happened_at = models.DateTimeField()
    market_hit = models.CharField(max_length=64, db_index=True)
    assignment_id = models.CharField(max_length=64, blank=True)
    received_at = models.DateTimeField()
    words = models.TextField(blank=True, help_text="What a worker answered, until it is stored with the assignment.")
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When its HIT was looked at because of it.")

    class Meta:
        db_table = "annotation_heardevent"
        constraints = [models.UniqueConstraint(fields=["doc_id", "place"], name="event_heard_once")]
        indexes = [
            models.Index(fields=["market_hit"], condition=models.Q(looked_at=None), name="annotation_event_waiting")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.assignment_id or self.market_hit}"
