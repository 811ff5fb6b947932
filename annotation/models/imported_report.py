"""A study that was loaded from another's report: its snapshot stands in place of rows."""

from __future__ import annotations

from django.db import models

from annotation.models.snapshot import SnapshotContent
from annotation.models.study import Study


class ImportedReport(models.Model):
    """The content that every report of the study is made from, and the header of the snapshot that was loaded.

    content: null where an earlier version of Assay imported the report, which stored it as rows. header: canonical
    bytes as text; "" where the file was a report.json, which has none.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="imported_report")
    content = models.ForeignKey(SnapshotContent, on_delete=models.SET_NULL, null=True, related_name="+")
    header = models.TextField(blank=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"imported report of {self.study}"
