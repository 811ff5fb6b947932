"""HITs as we publish them, and the texts each holds."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.study import Cell, Study
from annotation.models.text import Text


class Hit(models.Model):
    """A page of texts put before `max_assignments` workers. `slot` numbers the HITs of a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="hits")
    cell = models.ForeignKey(Cell, on_delete=models.PROTECT, related_name="hits")
    slot = models.PositiveIntegerField()
    max_assignments = models.PositiveIntegerField()
    # Null until published, so that the constraint below holds among published HITs only.
    market_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001
    texts: models.ManyToManyField[Text, HitItem] = models.ManyToManyField(Text, through="HitItem", related_name="hits")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "slot"], name="slot_unique_in_study"),
            # Within a study only: one batch may be imported again under another name.
            models.UniqueConstraint(fields=["study", "market_id"], name="market_id_unique_in_study"),
            models.CheckConstraint(condition=Q(max_assignments__gte=1), name="hit_has_assignments"),
        ]

    def __str__(self) -> str:
        return f"{self.study} HIT {self.slot}"


class HitItem(models.Model):
    """The place of a text in a HIT (position from 0)."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="items")
    text = models.ForeignKey(Text, on_delete=models.PROTECT, related_name="places")
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "position"], name="position_unique_in_hit"),
            models.UniqueConstraint(fields=["hit", "text"], name="text_once_in_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.hit}[{self.position}]"
