"""Long work is done by one, once, and its end is told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

import pytest

from annotation.exceptions import StateError
from annotation.jobs import queue as jobs
from annotation.jobs import run as running
from annotation.models import Job, Study
from annotation.studies.create import Plan, create

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def study() -> Study:
    return create("headlines", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)


def test_a_job_is_taken_once(study: Study) -> None:
    asked = jobs.ask("report", by=None, now=NOW, study=study)
    assert [jobs.take(now=NOW), jobs.take(now=NOW)] == [asked, None]


def test_asking_again_while_it_is_open_gives_the_same_job(study: Study) -> None:
    first = jobs.ask("report", by=None, now=NOW, study=study, settings={"seed": 1})
    assert jobs.ask("report", by=None, now=NOW, study=study, settings={"seed": 1}) == first
    assert jobs.ask("report", by=None, now=NOW, study=study, settings={"seed": 2}) != first


def test_a_job_whose_taker_fell_silent_is_taken_again_and_the_silent_one_is_told(study: Study) -> None:
    jobs.ask("report", by=None, now=NOW, study=study)
    first = jobs.take(now=NOW)
    assert jobs.take(now=NOW + jobs.SILENCE - timedelta(seconds=1)) is None
    second = jobs.take(now=NOW + jobs.SILENCE)
    assert (first, second and second.attempts) == (second, 2)
    with pytest.raises(StateError, match="has taken over this job"):
        jobs.tell(first, "late", 1, 2, now=NOW)
    assert not jobs.finish(first, {}, now=NOW)
    assert jobs.finish(second, {"result": 7}, now=NOW)
    assert Job.objects.get().outcome == {"result": 7}


def test_a_job_that_kills_its_takers_is_given_up_with_a_sentence(study: Study) -> None:
    jobs.ask("report", by=None, now=NOW, study=study)
    at = NOW
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.take(now=at)
        at += jobs.SILENCE
    assert jobs.take(now=at) is None
    assert "three times" in Job.objects.get(state="failed").problem


def test_how_far_it_is_in_per_cent(study: Study) -> None:
    job = jobs.ask("report", by=None, now=NOW, study=study)
    taken = jobs.take(now=NOW)
    jobs.tell(taken, "HUSE of tiny", 1, 3, now=NOW)
    job.refresh_from_db()
    assert (job.step, job.percent, job.open) == ("HUSE of tiny", 33, True)


def running_as(work: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, kind: str = "report") -> None:
    monkeypatch.setitem(running.RUNS, Job.Kind(kind), work)


def test_a_job_past_its_limit_ends_when_it_next_says_how_far_it_is(
    study: Study, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.JOB_SECONDS = 3600
    times = iter([NOW, NOW, NOW, NOW + timedelta(seconds=3600), NOW + timedelta(seconds=3601)])
    running_as(lambda job, tell, now: tell("Reading", 1, 2), monkeypatch)
    job = jobs.ask("report", by=None, now=NOW, study=study)
    assert running.run_due(clock=lambda: next(times), max_jobs=1) == 1
    job.refresh_from_db()
    assert (job.state, "after 3,600 seconds, the limit for one job (JOB_SECONDS)" in job.problem) == ("failed", True)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("kind", "again"), [("check_texts", "Ask for less"), ("detect", "continues where it stopped")])
def test_a_job_that_says_nothing_ends_at_its_limit_too(
    kind: str, again: str, study: Study, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def endless(*_: object) -> NoReturn:
        while True:
            with suppress(Exception):
                sum(range(1000))

    settings.JOB_SECONDS = 0.2
    running_as(endless, monkeypatch, kind)
    job = jobs.ask(kind, by=None, now=NOW, study=study)
    running.run_due(clock=lambda: NOW, max_jobs=1)
    job.refresh_from_db()
    assert (job.state, again in job.problem) == ("failed", True)


def test_a_job_is_canceled_while_it_waits_or_runs_and_stores_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = jobs.ask("report", by=None, now=NOW, study=study)
    jobs.cancel(waits, actor="ada", now=NOW)
    assert jobs.take(now=NOW) is None

    def canceled_meanwhile(job: Job, tell: Callable[..., None], now: datetime) -> NoReturn:
        jobs.cancel(Job.objects.get(pk=job.pk), actor="ada", now=NOW)
        tell("Writing", 1, 1)
        raise AssertionError("it went on")

    running_as(canceled_meanwhile, monkeypatch)
    runs = jobs.ask("report", by=None, now=NOW, study=study)
    running.run_due(clock=lambda: NOW)
    runs.refresh_from_db()
    assert [(one.state, one.problem) for one in (waits, runs)] == [("failed", "Canceled by ada.")] * 2
    with pytest.raises(StateError, match="it has ended"):
        jobs.cancel(runs, actor="ada", now=NOW)


@pytest.mark.parametrize("kind", ["import_batch", "import_ratings", "crowd"])
def test_a_job_that_is_storing_cannot_be_canceled(kind: str, study: Study) -> None:
    taken = jobs.ask(kind, by=None, now=NOW, study=study)
    jobs.take(now=NOW)
    with pytest.raises(StateError, match="storing its work already"):
        jobs.cancel(taken, actor="ada", now=NOW)
    assert Job.objects.get().state == "running"


def test_a_file_is_taken_while_a_report_waits_before_it(study: Study) -> None:
    report = jobs.ask(Job.Kind.REPORT, by=None, now=NOW, study=study)
    file = jobs.ask(Job.Kind.CHECK_TEXTS, by=None, now=NOW + timedelta(seconds=1), study=study)
    assert jobs.take(now=NOW, files=True) == file
    assert jobs.take(now=NOW, files=True) is None
    assert jobs.take(now=NOW, files=False) == report


def test_a_job_that_takes_too_much_memory_fails_with_a_sentence(
    study: Study, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.JOB_MB = 64
    running_as(lambda job, tell, now: ({"bytes": len(bytearray(1 << 28))}, None), monkeypatch)
    job = jobs.ask("report", by=None, now=NOW, study=study)
    running.run_due(clock=lambda: NOW, max_jobs=1)
    job.refresh_from_db()
    assert (job.state, job.outcome) == (Job.State.FAILED, {})
    assert job.problem == "It was stopped: it needs more than 64 MB of memory, the limit for one job (JOB_MB)."
