"""HITs as we publish them, and the texts each holds."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.study import Cell, Study
from annotation.models.text import Text
from annotation.models.wording import StudyWording


class Hit(models.Model):
    """A page of texts put before `max_assignments` workers. `slot` numbers the HITs of a study."""

    # The marketplace's status of a HIT that no worker can accept or has open.
    LEFT = ("Reviewable", "Reviewing")
    DISPOSED = "Disposed"
    OVER = (*LEFT, DISPOSED)

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="hits")
    cell = models.ForeignKey(Cell, on_delete=models.PROTECT, related_name="hits")
    slot = models.PositiveIntegerField()
    wording = models.ForeignKey(StudyWording, on_delete=models.PROTECT, null=True, blank=True, related_name="hits")
    # HITs of one page hold the same texts: the parts of a page split for the fee.
    page = models.PositiveIntegerField(null=True, blank=True)
    max_assignments = models.PositiveIntegerField()
    # The fee rules of its marketplace when it was published (`none`, `mturk`); empty before.
    fees = models.CharField(max_length=10, blank=True, default="")
    # Null until published, so that the constraint below holds among published HITs only.
    market_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001
    # As the marketplace last reported (`seen_at`, its own time): never the sole basis of a decision.
    market_status = models.CharField(max_length=20, blank=True)
    inside = models.PositiveIntegerField(default=0, help_text="People at work in it when it was last seen.")
    free = models.PositiveIntegerField(default=0, help_text="Places on offer when it was last seen.")
    expires_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    # Running sums, changed with the rows that they count.
    collected = models.PositiveIntegerField(default=0, help_text="Submissions stored.")
    judged = models.PositiveIntegerField(default=0, help_text="Judgments read from them.")
    texts: models.ManyToManyField[Text, HitItem] = models.ManyToManyField(
        Text, through="HitItem", through_fields=("hit", "text"), related_name="hits"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "slot"], name="slot_unique_in_study"),
            # Within a study only: one batch may be imported again under another name.
            models.UniqueConstraint(fields=["study", "market_id"], name="market_id_unique_in_study"),
            models.CheckConstraint(condition=Q(max_assignments__gte=1), name="hit_has_assignments"),
        ]

    def __str__(self) -> str:
        return f"{self.study} HIT {self.slot}"


class ItemRole(models.TextChoices):
    """Why a text is in a HIT; only `item` counts for the study's measures."""

    ITEM = "item", "to be judged"
    GOLD = "gold", "with a known answer"
    REPEAT = "repeat", "shown a second time"


class HitItem(models.Model):
    """The place of a text (of a pair: of its first text) in a HIT, position from 0."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="items")
    text = models.ForeignKey(Text, on_delete=models.PROTECT, related_name="places")
    partner = models.ForeignKey(Text, on_delete=models.PROTECT, null=True, blank=True, related_name="partner_places")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=ItemRole.choices, default=ItemRole.ITEM)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "position"], name="position_unique_in_hit"),
            models.UniqueConstraint(fields=["hit", "text", "role"], name="text_once_in_hit_by_role"),
            models.CheckConstraint(condition=Q(role__in=ItemRole.values), name="item_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.hit}[{self.position}]"


class AttentionCheck(models.Model):
    """A line in a HIT that asks for one label, whatever a reader thinks of anything (position as of items)."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="checks")
    position = models.PositiveIntegerField()
    expected = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hit", "position"], name="check_position_unique_in_hit")]

    def __str__(self) -> str:
        return f"{self.hit} asks for {self.expected}"
