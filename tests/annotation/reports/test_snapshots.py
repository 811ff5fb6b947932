"""Who looks at results gets a snapshot; the report is a function of it, and a withdrawal deletes older contents."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from annotation.collecting.withdraw import withdraw
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Snapshot, SnapshotContent, Study, Submission
from annotation.readers.report_file import read_report
from annotation.reports import take_snapshot
from annotation.reports.gather import score
from annotation.reports.take_snapshot import open_results, stored_snapshot, take, take_after_withdrawal
from annotation.review.exclude import exclude_submissions
from annotation.studies.blinding import seen_at
from metrics.__main__ import main
from metrics.errors import InsufficientData
from metrics.report.records import ReportInput
from metrics.report.snapshot import read_snapshot, sha256_of
from tests.annotation.review.factories import make

pytestmark = [pytest.mark.database, pytest.mark.django_db]

NOW = datetime(2026, 11, 24, 1, 2, 3, tzinfo=UTC)


def looked(study: Study, **more: object) -> Snapshot:
    take(study, **{"actor": "ada", "reason": "report", "now": NOW, **more})
    return study.snapshots.order_by("number").last()


def test_a_look_unblinds_and_is_numbered_with_who_when_and_why() -> None:
    study = make(workers=3)
    assert seen_at(study) is None
    first = looked(study)
    assert seen_at(study) == NOW
    assert (first.number, first.actor, first.reason, first.created_at) == (1, "ada", "report", NOW)
    assert first.content_sha256 == sha256_of(first.content.bytes)
    assert looked(study, actor="bob").number == 2


def test_data_that_did_not_change_are_stored_once() -> None:
    study = make(workers=3)
    first, second = looked(study), looked(study, command="another")
    assert first.content_sha256 == second.content_sha256
    assert first.header_sha256 != second.header_sha256
    assert SnapshotContent.objects.count() == 1
    first_work = Submission.objects.earliest("pk")
    exclude_submissions(study, Submission.objects.filter(pk=first_work.pk), reason="Too quick.", actor=None, now=NOW)
    assert looked(study).content_sha256 != first.content_sha256
    assert SnapshotContent.objects.count() == 2


def test_a_look_that_shows_nothing_stores_nothing_and_stays_blind() -> None:
    study = make(workers=2)
    exclude_submissions(study, Submission.objects.all(), reason="All copied.", actor=None, now=NOW)
    with pytest.raises(InsufficientData):
        take(study, actor="ada", reason="report", now=NOW)
    assert not study.snapshots.exists()
    assert not AuditEvent.objects.filter(study=study, verb="unblind").exists()


def test_opening_the_results_writes_the_record_and_the_snapshot_together(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make(workers=3)
    assert open_results(study, actor="ada", now=NOW)
    assert [(one.number, one.actor, one.reason) for one in study.snapshots.all()] == [(1, "ada", "unblinded")]
    assert seen_at(study) == NOW
    assert not open_results(study, actor="bob", now=NOW)
    assert study.snapshots.count() == 1


def test_a_snapshot_that_cannot_be_stored_leaves_the_results_blinded(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError("the disk is full")

    study = make(workers=3)
    monkeypatch.setattr(take_snapshot, "_store", fail)
    with pytest.raises(OSError, match="full"):
        open_results(study, actor="ada", now=NOW)
    assert seen_at(study) is None


def test_a_first_look_at_data_without_a_report_is_logged_alone() -> None:
    study = make(workers=2)
    exclude_submissions(study, Submission.objects.all(), reason="All copied.", actor=None, now=NOW)
    assert open_results(study, actor="ada", now=NOW)
    assert seen_at(study) == NOW
    assert not study.snapshots.exists()


@pytest.mark.parametrize(
    ("command", "options", "reason"),
    [("unblind", [], "unblinded"), ("exclusions", ["--draws", "2"], "sensitivity to exclusions")],
)
def test_each_command_that_shows_results_takes_a_snapshot(command: str, options: list[str], reason: str) -> None:
    study = make(workers=4, texts=10)
    with contextlib.suppress(CommandError):  # too few texts for HUSE
        call_command(command, study.name, *options)
    assert {one.reason for one in study.snapshots.all()} == {reason}


def test_a_stored_snapshot_is_read_as_it_was() -> None:
    study = make(workers=3)
    result = take(study, actor="ada", reason="report", now=NOW)
    again = stored_snapshot(study, 1)
    assert again == result
    assert read_snapshot(again.document()) == result
    with pytest.raises(StateError, match="no snapshot 7"):
        stored_snapshot(study, 7)


def test_a_withdrawal_deletes_the_contents_and_keeps_number_hash_and_reason() -> None:
    study = make(workers=3)
    first = looked(study)
    withdraw(study, [Submission.objects.first().market_id], actor="ada", now=NOW)
    left = study.snapshots.get()
    assert (left.number, left.content_sha256, left.reason) == (1, first.content_sha256, "report")
    assert left.content is None
    assert not SnapshotContent.objects.exists()
    with pytest.raises(StateError, match="was deleted, because answers in it were withdrawn"):
        stored_snapshot(study, 1)
    take_after_withdrawal(study, actor="ada", now=NOW)
    second = study.snapshots.get(number=2)
    assert second.reason == "withdrawal of answers"
    assert second.content_sha256 != first.content_sha256


def test_a_withdrawal_before_any_look_takes_no_snapshot() -> None:
    study = make(workers=3)
    withdraw(study, [Submission.objects.first().market_id], actor="ada", now=NOW)
    assert take_after_withdrawal(study, actor="ada", now=NOW) is None


def test_the_command_line_gives_the_bytes_of_the_console_from_the_snapshot(tmp_path: Path, settings: Any) -> None:
    settings.CHROMIUM = ""  # neither has a browser
    study = make(workers=4, texts=10, reasons=True)
    here, there = tmp_path / "console", tmp_path / "alone"
    call_command("report", study.name, out=here, seed=3, level=0.9, raters="these", format="html,json,csv,latex,zip")
    options = ["--format", "html,json,csv,latex,zip"]  # seed, level and raters are in the command that it names
    assert main(["report", str(here / "snapshot.json"), "--out", str(there), *options]) == 0
    written = {path.name: path.read_bytes() for path in here.iterdir() if path.name != "snapshot.json"}
    assert {path.name: path.read_bytes() for path in there.iterdir()} == written
    named = ["report", str(here / "snapshot.json"), "--out", str(there), "--format", "json", "--seed", "4"]
    assert main(named) == 0
    assert '"seed": 4,' in (there / "report.json").read_text(encoding="utf-8")
    read_back = [read_report(here / name).report_input for name in ("snapshot.json", "report.json")]
    assert read_back[0] == read_back[1]
    assert study.snapshots.get().content_sha256 in (here / "report.html").read_text(encoding="utf-8")


@pytest.mark.django_db(transaction=True)
def test_everything_of_a_look_is_read_in_one_transaction_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make(workers=2)
    levels: list[str] = []

    def gather(study: Study, **more: Any) -> ReportInput:
        assert connection.in_atomic_block
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SHOW transaction_isolation")
                levels.append(cursor.fetchone()[0])
        return score(study, **more)

    monkeypatch.setattr(take_snapshot, "score", gather)
    looked(study)
    assert levels in ([], ["repeatable read"])
    assert bool(levels) is (connection.vendor == "postgresql")
