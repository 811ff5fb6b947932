"""A study that repeats another one: which, and who may take part."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class Replication(models.Model):
    """content_sha256: of the snapshot whose tasks the study repeats. anchors: contexts drawn from it; null: all."""

    class People(models.TextChoices):
        ANYONE = "anyone", "anyone"
        OTHERS = "others", "other people only"
        SAME = "same", "the same people only"

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="replication")
    original = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="replications")
    content_sha256 = models.CharField(max_length=64)
    people = models.CharField(max_length=6, choices=People.choices)
    anchors = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.study} repeats {self.original}"
