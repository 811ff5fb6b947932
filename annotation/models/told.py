"""What a report told of a study that was read back from it, where no row of ours holds it."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class Told(models.Model):
    """The report's facts as JSON, byte for byte as stored: a database would put an object's keys in another order."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="told")
    document = models.TextField()
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"imported report of {self.study}"
