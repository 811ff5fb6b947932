"""Results are unblinded by a job: once, wholly or not at all, and only for who may look at them."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.exceptions import StateError
from annotation.jobs import queue
from annotation.jobs.run import run, run_due
from annotation.models import AuditEvent, Job, Membership, Snapshot, Study
from annotation.reports import take_snapshot
from annotation.reports.gather import score
from annotation.studies.blinding import seen_at
from tests.annotation.review.factories import NOW, make, member

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def request_unblinding(study: Study) -> Job:
    return queue.ask(Job.Kind.UNBLIND, by=member(study, "reviewer"), now=NOW, study=study)


def is_blinded(study: Study) -> bool:
    """Whether nothing of a look is stored: neither its record nor what it showed."""
    looks = AuditEvent.objects.filter(study=study, verb="unblind").exists()
    return seen_at(study) is None and not looks and not Snapshot.objects.exists()


def ended(job: Job) -> tuple[str, str]:
    job.refresh_from_db()
    return job.state, job.problem


def test_two_clicks_start_one_job_and_its_end_unblinds_in_the_name_of_who_clicked() -> None:
    study = make(workers=3)
    client, reveal = Client(), reverse("console:results-reveal", args=[study.uuid])
    client.force_login(member(study, "reviewer", "rita"))
    assert client.post(reveal).url == client.post(reveal).url
    assert is_blinded(study)
    waiting = client.get(reverse("console:results", args=[study.uuid])).content.decode()
    assert "They stay blinded until all answers are read" in waiting
    assert '<button class="danger">' not in waiting
    run_due()
    job = Job.objects.get()
    assert (*ended(job), job.outcome) == ("done", "", {"first": True})
    assert study.audit.get(verb="unblind").actor == "rita"
    assert [(look.actor, look.reason) for look in study.snapshots.all()] == [("rita", "unblinded")]
    page = client.get(reverse("console:job", args=[job.uuid])).content.decode()
    assert "Results unblinded." in page
    assert client.post(reveal).url == reverse("console:results", args=[study.uuid])
    assert Job.objects.count() == 1


def test_a_job_that_was_canceled_before_it_began_leaves_results_blinded() -> None:
    study = make(workers=3)
    job = request_unblinding(study)
    queue.cancel(job, actor="rita", now=NOW)
    run_due()
    assert ended(job) == ("failed", "Canceled by rita.")
    assert is_blinded(study)


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_canceled_while_it_reads_leaves_results_blinded(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("While a job reads, SQLite lets nobody else write: a cancel waits until it has ended.")
    study = make(workers=3)
    job = request_unblinding(study)

    def cancel() -> None:
        queue.cancel(Job.objects.get(pk=job.pk), actor="rita", now=NOW)
        connection.close()

    def gather(study: Study, **more: Any) -> Any:
        elsewhere = Thread(target=cancel)
        elsewhere.start()
        elsewhere.join()
        return score(study, **more)

    monkeypatch.setattr(take_snapshot, "score", gather)
    run_due()
    assert ended(job) == ("failed", "Canceled by rita.")
    assert is_blinded(study)


@pytest.mark.parametrize("step", ["score", "_store"])
def test_a_fault_in_the_middle_leaves_nothing_half_done(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError("the disk is full")

    study = make(workers=3)
    job = request_unblinding(study)
    with monkeypatch.context() as broken:
        broken.setattr(take_snapshot, step, fail)
        run_due()
    assert ended(job)[0] == "failed"
    assert is_blinded(study)
    assert take_snapshot.open_results(study, actor="rita", now=NOW)


def test_a_job_that_another_worker_took_over_stores_nothing() -> None:
    study = make(workers=3)
    request_unblinding(study)
    silent = queue.take(now=NOW)
    assert silent is not None
    Job.objects.update(attempts=2)
    with pytest.raises(StateError, match="taken over"):
        queue.tell(silent, "late", 0, 0, now=NOW)
    run(silent, clock=lambda: NOW)
    assert Job.objects.get().state == "running"
    assert is_blinded(study)


@pytest.mark.parametrize("kind", [Job.Kind.UNBLIND, Job.Kind.REPORT])
def test_who_lost_the_role_before_the_job_began_unblinds_nothing(kind: Job.Kind) -> None:
    study = make(workers=3)
    job = queue.ask(kind, by=member(study, "reviewer"), now=NOW, study=study)
    Membership.objects.update(role="viewer")
    run_due()
    assert ended(job) == ("failed", "Who asked for this may not look at the results of this study any more.")
    assert is_blinded(study)
