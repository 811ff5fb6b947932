"""Large studies are duplicated by jobs, which belong to who asks and store a whole study or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.jobs import copy_runs, queue
from annotation.jobs.run import run_due
from annotation.models import Job, Membership, Study
from annotation.studies import duplicate
from tests.annotation.api.conftest import Caller
from tests.annotation.review.factories import NOW, make, member

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TEXTS = 4
FORM = {"copy_name": "second", "with_texts": "on", "keep_seed": "on"}


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study with more texts than a request may copy."""
    monkeypatch.setattr(duplicate, "MAX_AT_ONCE", TEXTS - 1)
    return make(workers=1, hits=1, texts=TEXTS, straight=0)


def client_of(study: Study, name: str) -> Client:
    client = Client()
    client.force_login(member(study, "viewer", name))
    return client


def request_copy(study: Study) -> Job:
    settings = {"name": "second", "with_texts": True, "keep_seed": False, "studies": [str(study.uuid)]}
    return queue.ask(Job.Kind.DUPLICATE, by=member(study, "viewer", "vera"), now=NOW, settings=settings)


def problem_of(job: Job) -> str:
    run_due()
    job.refresh_from_db()
    return job.problem


def test_two_clicks_start_one_job_whose_study_belongs_to_who_asked(study: Study) -> None:
    vera, page = client_of(study, "vera"), reverse("console:manage-copy", args=[study.uuid])
    addresses = {vera.post(page, FORM).url for _ in range(2)}
    job = Job.objects.get()
    assert addresses == {reverse("console:job", args=[job.uuid])}
    queued = vera.get(addresses.copy().pop()).content.decode()
    assert ["Name of the new study: second" in queued, "Queued" in queued] == [True, True]
    assert client_of(study, "eve").get(addresses.copy().pop()).status_code == 404
    run_due()
    copy = Study.objects.get(name="second")
    assert (copy.texts.count(), copy.seed) == (TEXTS, study.seed)
    assert list(copy.memberships.values_list("user__username", "role")) == [("vera", "owner")]
    shown = vera.get(addresses.pop()).content.decode()
    assert f"Study duplicated, with {TEXTS} texts. You own the copy." in shown
    assert reverse("console:overview", args=[copy.uuid]) in shown


def test_a_name_that_cannot_be_used_and_a_copy_without_texts_start_no_job(study: Study) -> None:
    vera, page = client_of(study, "vera"), reverse("console:manage-copy", args=[study.uuid])
    assert vera.post(page, {**FORM, "copy_name": study.name}).status_code == 422
    assert vera.post(page, {"copy_name": "second"}).url == reverse(
        "console:overview", args=[Study.objects.get(name="second").uuid]
    )
    assert not Job.objects.exists()


def test_a_program_gets_the_job_of_a_copy_and_cancels_its_own(study: Study) -> None:
    vera = Caller("vera", study, "viewer")
    canceled = vera("post", f"/studies/{study.uuid}/copies", {"name": "never"})
    assert vera("post", f"/jobs/{canceled.json()['uuid']}/cancel").json()["state"] == "failed"
    copy = vera("post", f"/studies/{study.uuid}/copies", {"name": "second"})
    assert vera("post", f"/studies/{study.uuid}/copies", {"name": "no name"}).status_code == 409
    assert (copy.status_code, copy.json()["kind"]) == (202, "duplicate")
    run_due()
    outcome = vera("get", f"/jobs/{copy.json()['uuid']}").json()["outcome"]
    assert (outcome["texts"], outcome["study"]) == (TEXTS, str(Study.objects.get(name="second").uuid))
    assert not Study.objects.filter(name="never").exists()


def test_who_has_no_role_on_the_study_any_more_when_the_job_begins_gets_no_copy(study: Study) -> None:
    job = request_copy(study)
    Membership.objects.filter(study=study).delete()
    assert problem_of(job) == "Nothing was copied: who asked for this may not copy this study any more."
    assert Study.objects.get() == study


def cancel_job(job: Job) -> None:
    queue.cancel(Job.objects.get(pk=job.pk), actor="vera", now=NOW)


def take_job_over(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(attempts=2)


@pytest.mark.parametrize("interrupt", [cancel_job, take_job_over])
def test_a_job_that_is_canceled_or_taken_over_before_it_stores_leaves_no_study(
    study: Study, interrupt: Callable[[Job], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = request_copy(study)

    def interrupted(*rows: Any, **options: Any) -> Any:
        interrupt(job)
        return duplicate.duplicate(*rows, **options)

    monkeypatch.setattr(copy_runs, "duplicate", interrupted)
    problem_of(job)
    assert job.state in {"failed", "running"}
    assert Study.objects.get() == study
