"""Long work is done by one, once, and its end is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from annotation.exceptions import StateError
from annotation.flows import jobs
from annotation.flows.create import Plan, create
from annotation.models import Job, Study

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
    with pytest.raises(StateError, match="taken by somebody else"):
        jobs.tell(first, "late", 1, 2, now=NOW)
    assert not jobs.finish(first, {}, now=NOW)
    assert jobs.finish(second, {"result": 7}, now=NOW)
    assert Job.objects.get().outcome == {"result": 7}


def test_a_job_that_kills_its_takers_is_given_up_with_a_sentence(study: Study) -> None:
    jobs.ask("report", by=None, now=NOW, study=study)
    at = NOW
    for _ in range(jobs.MOST_ATTEMPTS):
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
