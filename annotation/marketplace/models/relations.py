"""Between a requester and a worker: blocks and messages."""

from __future__ import annotations

from django.db import models

from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.workers import WorkerAccount


class WorkerBlock(models.Model):
    """A worker who may not accept the HITs of a requester. The worker is not told the reason."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField()
    blocked_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "worker"], name="marketplace_blocked_once")]
        indexes = [models.Index(fields=["requester", "id"], name="marketplace_block_own")]

    def __str__(self) -> str:
        return f"{self.requester_id} blocks {self.worker_id}"


class WorkerMessage(models.Model):
    """What a requester wrote to a worker: shown on the worker's page, and mailed where an address is known."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="messages")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()
    mailed = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["worker", "id"], name="marketplace_message_worker")]

    def __str__(self) -> str:
        return self.subject
