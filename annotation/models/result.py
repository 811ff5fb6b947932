"""Numbers that were reported, with what made them."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class Result(models.Model):
    """A report's numbers as they were written (the JSON of the report) and the hash of the data behind them."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="results")
    made_at = models.DateTimeField()
    data_sha256 = models.CharField(max_length=64)
    numbers = models.JSONField()
    # The first of its measures, for lists of studies; null for none, and where it was made before this was kept.
    headline = models.JSONField(null=True)

    def __str__(self) -> str:
        return f"{self.study} {self.made_at:%Y-%m-%d %H:%M}"
