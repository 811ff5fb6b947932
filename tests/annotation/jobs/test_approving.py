"""Many submissions are approved by a job: exactly those that were confirmed, once, wholly or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import queue, run
from annotation.jobs.run import run_due
from annotation.models import AuditEvent, Decision, Intent, Job, Membership, Study, Submission
from annotation.review import approve, assignment
from tests.annotation.api.conftest import Caller
from tests.annotation.review.factories import NOW, make, member

pytestmark = [pytest.mark.django_db, pytest.mark.database]
WORKERS = 5


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study with more submissions that wait than a request may approve."""
    monkeypatch.setattr(approve, "MAX_AT_ONCE", WORKERS - 1)
    return make(workers=WORKERS, hits=1, texts=2, straight=0, now=timezone.now())


def shown(study: Study) -> str:
    return assignment.preview_of(study, Submission.objects.all()).shown


def request_approval(study: Study) -> Job:
    settings = {"shown": shown(study)}
    return queue.ask(Job.Kind.APPROVE, by=member(study, "reviewer", "rita"), now=NOW, study=study, settings=settings)


def problem_of(job: Job) -> str:
    run_due()
    job.refresh_from_db()
    return job.problem


def nothing_is_approved(study: Study) -> bool:
    return not (Decision.objects.exists() or Intent.objects.exists() or study.audit.filter(verb="approve").exists())


def test_two_clicks_start_one_job_which_approves_what_was_confirmed_and_can_be_undone(study: Study) -> None:
    client, confirm = Client(), reverse("console:progress-approve", args=[study.uuid])
    client.force_login(member(study, "reviewer", "rita"))
    addresses = {client.post(confirm, {"shown": shown(study)}).url for _ in range(2)}
    assert nothing_is_approved(study)
    progress = reverse("console:progress", args=[study.uuid])
    assert "Submissions are being approved." in client.get(progress).content.decode()
    run_due()
    job = Job.objects.get()
    assert (job.state, addresses) == ("done", {reverse("console:job", args=[job.uuid])})
    assert Decision.objects.filter(matter="payment", verdict="approve", actor__username="rita").count() == WORKERS
    assert Intent.objects.filter(kind="approve", state="waiting").count() == WORKERS
    assert study.audit.get(verb="approve").actor == "rita"
    assert f"{WORKERS} submissions approved. You can undo this until" in client.get(addresses.pop()).content.decode()
    client.post(reverse("console:progress-undo", args=[study.uuid]))
    assert not Decision.objects.exists()


def test_by_the_api_a_job_is_the_answer_and_leaves_out_with_the_reason(study: Study) -> None:
    rita, at = Caller("rita", study, "reviewer"), f"/studies/{study.uuid}/approvals"
    body = {"dry_run": False, "shown": rita("post", at, {}).json()["shown"], "leave_out": "A pilot."}
    answer = rita("post", at, body)
    assert (answer.status_code, answer.json()["kind"]) == (202, "approve")
    run_due()
    done = rita("get", f"/jobs/{answer.json()['uuid']}").json()
    assert (done["state"], done["outcome"]["decided"]) == ("done", WORKERS)
    assert Decision.objects.filter(matter="analysis", verdict="exclude", reason="A pilot.").count() == WORKERS


def test_what_has_changed_since_it_was_confirmed_is_not_approved(study: Study) -> None:
    job = request_approval(study)
    late = Submission.objects.latest("pk")
    approve.approve(study, Submission.objects.filter(pk=late.pk), actor=None, now=NOW)
    decisions = Decision.objects.count()
    assert problem_of(job).startswith("Nothing was approved: what waits has changed since it was shown.")
    assert Decision.objects.count() == decisions


def test_who_is_no_reviewer_any_more_when_the_job_begins_approves_nothing(study: Study) -> None:
    job = request_approval(study)
    Membership.objects.update(role="viewer")
    assert "who asked for this is not a reviewer" in problem_of(job)
    assert nothing_is_approved(study)


def cancel_job(job: Job) -> None:
    queue.cancel(Job.objects.get(pk=job.pk), actor="rita", now=NOW)


def take_job_over(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(attempts=2)


@pytest.mark.parametrize("interrupt", [cancel_job, take_job_over])
def test_a_job_that_is_canceled_or_taken_over_before_it_stores_approves_nothing(
    study: Study, interrupt: Callable[[Job], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = request_approval(study)

    def interrupted(*rows: Any, **options: Any) -> Any:
        interrupt(job)
        return approve.approve(*rows, **options)

    monkeypatch.setattr(run, "approve", interrupted)
    problem_of(job)
    assert job.state in {"failed", "running"}
    assert nothing_is_approved(study)


def test_a_fault_in_the_middle_approves_nothing_and_the_job_says_so(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    job = request_approval(study)
    monkeypatch.setattr(AuditEvent.objects, "record", fail)
    assert problem_of(job) == "Internal error; see the server log. Nothing was changed."
    assert nothing_is_approved(study)
