"""What pages read from a stored report."""

from __future__ import annotations

from datetime import UTC, datetime

from annotation.models import Result
from annotation.reports.measures import answer_of
from metrics.report.build import build_report
from metrics.report.formats.json import payload
from tests.metrics.report.samples import rated


def test_the_sentence_of_a_stored_report_is_that_of_its_answer() -> None:
    report = build_report(rated({"a": 1.0, "b": 0.0}))
    document = payload(report, now=datetime(2026, 11, 25, tzinfo=UTC))
    assert answer_of(Result(numbers=document)) == report.verdicts[0]
    assert answer_of(Result(numbers={"results": []})) == ""
