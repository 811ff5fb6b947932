"""Who takes part in which arm: one arm per person and study, permanently."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Arm, Study
from annotation.models.worker import Worker


class Participation(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participations")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="participations")
    arm = models.ForeignKey(Arm, on_delete=models.PROTECT, related_name="participations")
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "worker"], name="one_arm_per_person")]

    def __str__(self) -> str:
        return f"{self.worker} in {self.arm}"


class WayIn(models.Model):
    """A way by which people came to a study, as the marketplace reported it with their work; stored once.

    kind: of the channel. pays: `ledger` (by the marketplace), `voucher`, `credit`, `volunteer` or `elsewhere`.
    consent: whether the marketplace asked for it before the first task.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="ways_in")
    kind = models.CharField(max_length=20)
    pays = models.CharField(max_length=9)
    pay_words = models.CharField(max_length=300, blank=True)
    consent = models.BooleanField()

    class Meta:
        verbose_name_plural = "ways in"
        constraints = [
            models.UniqueConstraint(fields=["study", "kind", "pays", "pay_words", "consent"], name="way_in_once")
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.kind}"
