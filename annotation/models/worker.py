"""Workers by pseudonym; their real ids stand in one table only."""

from __future__ import annotations

from django.db import models


class Worker(models.Model):
    """A person who judged, under a pseudonym. Everything else refers to this row."""

    pseudonym = models.CharField(max_length=40, unique=True)

    def __str__(self) -> str:
        return self.pseudonym


class WorkerIdentity(models.Model):
    """The vault: which marketplace id a pseudonym stands for. Deleting the row makes the person unknown."""

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="identity")
    provider = models.CharField(max_length=60)
    external_id = models.CharField(max_length=100)

    class Meta:
        verbose_name_plural = "worker identities"
        constraints = [
            models.UniqueConstraint(fields=["provider", "external_id"], name="one_worker_per_external_id"),
        ]
        permissions = [("see_worker_ids", "Can see worker ids")]

    def __str__(self) -> str:
        return f"identity of {self.worker}"
