"""What the marketplace's log says of who was assigned to which condition."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Cell, Study


class DrawRecord(models.Model):
    """One line: somebody was assigned to a condition, left with nothing submitted, or came back.

    person: a keyed hash of the marketplace's id. Most who leave never submit anything, so no identity is stored.
    """

    class Kind(models.TextChoices):
        DRAWN = "drawn"
        LEFT = "left"
        REJOINED = "came back"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="draws")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    person = models.CharField(max_length=16)
    cell = models.ForeignKey(Cell, on_delete=models.CASCADE, related_name="draws")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="draw_record_once")]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind}"
