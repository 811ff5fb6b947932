"""The facts of an imported report that no other table holds."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class ImportedReport(models.Model):
    """The report's facts as JSON, byte for byte as stored: a database would put an object's keys in another order."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="told")
    document = models.TextField()
    made_at = models.DateTimeField()

    class Meta:
        db_table = "annotation_told"

    def __str__(self) -> str:
        return f"imported report of {self.study}"
