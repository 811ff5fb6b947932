"""Who takes part in which arm: one arm per person and study, for ever."""

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
