"""Snapshots of a study: who looked at which data, when and why; and the data, once for each content."""

from __future__ import annotations

import zlib

from django.db import models

from annotation.models.study import Study


class SnapshotContent(models.Model):
    """The canonical bytes of a study's data (`metrics.report.snapshot`), compressed. A withdrawal deletes them."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshot_contents")
    sha256 = models.CharField(max_length=64, help_text="Of the bytes before compression.")
    compressed = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "sha256"], name="snapshot_content_once")]

    def __str__(self) -> str:
        return self.sha256

    @property
    def bytes(self) -> bytes:
        return zlib.decompress(self.compressed)


class Snapshot(models.Model):
    """One look at the results: never changed. content: empty once a withdrawal has deleted it.

    header: canonical bytes as text, with what took the snapshot.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    reason = models.CharField(max_length=200)
    header = models.TextField()
    header_sha256 = models.CharField(max_length=64)
    content_sha256 = models.CharField(max_length=64)
    content = models.ForeignKey(
        SnapshotContent, on_delete=models.SET_NULL, null=True, blank=True, related_name="snapshots"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="snapshot_number_unique_in_study")]

    def __str__(self) -> str:
        return f"snapshot {self.number} of {self.study}"
