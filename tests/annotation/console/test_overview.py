"""Where a study stands, and the one thing to do next: read from its page, in each state that a study can be in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation.console import navigation
from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.importing.import_report import import_report
from annotation.models import Decision, Intent, Job, Membership, Result, Role, Study, Submission
from annotation.outbox.retry import drop
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.readers.report_file import read_report
from tests.annotation.review.factories import make
from tests.metrics.report.test_snapshot import KEPT

pytestmark = pytest.mark.django_db

State = Callable[[Study], None]
LATER = datetime(2030, 6, 1, 12, tzinfo=UTC)
EARLIER = datetime(2026, 6, 1, 12, tzinfo=UTC)


def add_some_texts(study: Study) -> None:
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(25)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(25)]
    add_texts(study, texts, actor="ada", now=EARLIER)


def create_some_tasks(study: Study) -> None:
    add_some_texts(study)
    design(study, actor="ada", now=EARLIER)


def create_live_tasks(study: Study) -> None:
    create_some_tasks(study)
    Study.objects.filter(pk=study.pk).update(mode="live")


def begin_to_publish(study: Study) -> None:
    create_some_tasks(study)
    publish(study, actor="ada", now=EARLIER)


def fail_to_publish(study: Study) -> None:
    begin_to_publish(study)
    first = study.intents.order_by("pk")[0]
    Intent.objects.filter(pk=first.pk).update(state="failed", outcome="Marketplace error: too large.")


def discard_what_failed(study: Study) -> None:
    begin_to_publish(study)
    study.intents.update(state="failed", outcome="Marketplace error: too large.")
    drop(study, actor="ada", now=EARLIER)


def put_on_offer(study: Study, *, collected: int, until: datetime) -> None:
    """Live, on the marketplace, with so many of twenty places of one task submitted and approved."""
    create_live_tasks(study)
    Study.objects.filter(pk=study.pk).update(status="published", auto_approval_seconds=30 * 24 * 3600)
    study.hits.exclude(pk=study.hits.order_by("pk")[0].pk).delete()
    study.hits.update(market_id="3HIT", max_assignments=20, collected=collected, free=20 - collected, expires_at=until)


def collect(study: Study) -> None:
    put_on_offer(study, collected=0, until=LATER)


def pause(study: Study) -> None:
    collect(study)
    Study.objects.filter(pk=study.pk).update(status="paused")


def expire(study: Study) -> None:
    put_on_offer(study, collected=12, until=EARLIER)


def spend_the_budget(study: Study) -> None:
    expire(study)
    Study.objects.filter(pk=study.pk).update(spent_cents=1200, budget_cents=1250, reward_cents=100)


def end(study: Study) -> None:
    expire(study)
    Study.objects.filter(pk=study.pk).update(status="ending")


def submit(study: Study) -> None:
    made = make(name="work", mode="live", ages=lambda at: timedelta(hours=at), now=timezone.now())
    Membership.objects.bulk_create(
        Membership(study=made, user=member.user, role=member.role) for member in Membership.objects.filter(study=study)
    )
    Study.objects.filter(pk=study.pk).update(name="other")
    Study.objects.filter(pk=made.pk).update(name="headlines")


def decide(study: Study) -> None:
    submit(study)
    made = Study.objects.get(name="headlines")
    for submission in Submission.objects.filter(hit__study=made):
        Decision.objects.create(submission=submission, matter=Decision.Matter.PAYMENT, verdict="approve", at=EARLIER)


def report(study: Study) -> None:
    decide(study)
    headline = {"measure": "HUSE", "generator": "tiny", "value": 0.53, "low": 0.48, "high": 0.58, "more": 0}
    made = Study.objects.get(name="headlines")
    Result.objects.create(study=made, made_at=LATER, data_sha256="0" * 64, numbers={}, headline=headline)


def report_too_early(study: Study) -> None:
    report(study)
    Result.objects.update(made_at=EARLIER)


def archive(study: Study) -> None:
    report(study)
    Study.objects.update(archived_at=EARLIER)


def fail_a_job(study: Study) -> None:
    Job.objects.create(
        study=study, kind="add_texts", state="failed", problem="Row 3: the text is empty.", created_at=LATER
    )


def add_texts_after_a_job_failed(study: Study) -> None:
    Job.objects.create(
        study=study, kind="add_texts", state="failed", problem="Row 3.", created_at=EARLIER - timedelta(days=1)
    )
    add_some_texts(study)


def wait_for_a_job(study: Study) -> None:
    Job.objects.create(study=study, kind="add_texts", state="running", created_at=EARLIER)


def close_without_a_submission(study: Study) -> None:
    put_on_offer(study, collected=0, until=EARLIER)
    Study.objects.filter(pk=study.pk).update(status="closed")


# The state, its stage, what the page says, and the button ("" where it says that there is nothing to do).
STATES: list[tuple[State, str, str, str]] = [
    (lambda study: None, "Set up", "The study has no texts yet.", "Add texts"),
    (add_some_texts, "Set up", "The texts are not in tasks yet.", "Design the task"),
    (create_live_tasks, "Set up", "To let participants in, open a channel.", "Recruit participants"),
    (create_some_tasks, "Set up", "The tasks are created, and not published yet.", "Check and publish"),
    (wait_for_a_job, "Set up", "Nothing to do until this job has ended: add texts.", ""),
    (fail_a_job, "Set up", "The job “add texts” failed: Row 3: the text is empty.", "View failed job"),
    (add_texts_after_a_job_failed, "Set up", "The texts are not in tasks yet.", "Design the task"),
    (begin_to_publish, "Collecting", "Nothing to do until all tasks are on the marketplace: 0 of", ""),
    (fail_to_publish, "Collecting", "1 marketplace action failed.", "View failed actions"),
    (discard_what_failed, "Deciding", "No task is on the marketplace: the actions", "Archive or duplicate the study"),
    (collect, "Collecting", "Nothing to do until participants submit, or until the tasks expire at 2030-06-01", ""),
    (pause, "Collecting", "The study is paused: no task can be started. 0 of 20", "Resume study"),
    (submit, "Deciding", "16 submissions are to be reviewed. Automatic approval of the first", "Review submissions"),
    (expire, "Deciding", "expired at 2026-06-01 12:00 UTC. 12 of 20 assignments are", "Top up missing ratings"),
    (spend_the_budget, "Deciding", "The budget does not pay for the missing ones.", "Raise the budget"),
    (end, "Deciding", "Recruitment has ended, and no task is in progress", "Close study"),
    (close_without_a_submission, "Deciding", "closed without a submission.", "Archive or duplicate the study"),
    (decide, "Deciding", "No report has been made yet. 16 of 16 assignments are submitted.", "Compute results"),
    (report_too_early, "Deciding", "Submissions or exclusions came after the report", "Compute results again"),
    (report, "Reported", "The report is up to date: nothing was submitted or excluded since.", "View results"),
    (archive, "Reported", "Nothing to do until the study is unarchived.", ""),
]
MAIN = re.compile(r"<main.*?</main>", re.DOTALL)
NEXT = re.compile(r'<section class="next-step".*?</section>', re.DOTALL)
STAGE = re.compile(r'<li class="current" aria-current="step"><h3>([^<]+)')
PRIMARY = re.compile(r'<button(?![^>]*\bclass=)[^>]*>|<(?:a|button)[^>]*class="button"[^>]*>')


@pytest.mark.parametrize(("make_state", "stage", "sentence", "button"), STATES, ids=[row[2][:40] for row in STATES])
def test_one_next_step_or_nothing_to_do_until(
    study: Study, person: Callable[..., Client], make_state: State, stage: str, sentence: str, button: str
) -> None:
    owner = person(Role.OWNER)
    make_state(study)
    study = Study.objects.get(name="headlines")
    shown = owner.get(reverse("console:overview", args=[study.uuid])).content.decode()
    (step,) = NEXT.findall(shown)
    assert STAGE.findall(shown) == [stage]
    assert sentence in html.fromstring(step).text_content()
    assert PRIMARY.findall(shown) == PRIMARY.findall(step)
    assert [re.sub(r"<.*?>", "", one) for one in re.findall(r"<a class=\"button\".*?</a>", step)] == [button] * bool(
        button
    )
    if not button:
        assert re.search(r"<p>Nothing to do until \w", step)
    for address in re.findall(r'<a class="button" href="([^"]+)"', step):
        assert owner.get(address).status_code == 200
    assert pages_with_several_primary_buttons(owner, study) == []


def test_a_loaded_report_has_results_and_its_other_pages_say_what_it_lacks(
    study: Study, person: Callable[..., Client]
) -> None:
    owner = person(Role.OWNER)
    loaded = import_report(read_report(KEPT), name="loaded", actor="ada", now=EARLIER)
    Membership.objects.create(
        study=loaded, user=Membership.objects.get(study=study, role=Role.OWNER).user, role="owner"
    )
    shown = owner.get(reverse("console:overview", args=[loaded.uuid])).content.decode()
    (step,) = NEXT.findall(shown)
    assert "was loaded from a report. No report has been made of it here yet." in step
    assert "Loaded from snapshot 1 of the study headlines, taken at 2026-11-24 00:00 UTC" in shown
    assert PRIMARY.findall(shown) == PRIMARY.findall(step)
    assert pages_with_several_primary_buttons(owner, loaded) == []
    lacking = "its texts, tasks and answers are not in this installation"
    for key, lacks in [
        ("review", True),
        ("texts", True),
        ("workers-payouts", True),
        ("results", False),
        ("log", False),
    ]:
        page = owner.get(reverse(f"console:{key}", args=[loaded.uuid])).content.decode()
        assert (lacking in page) is lacks, key
        assert reverse("console:review", args=[loaded.uuid]) not in page
    assert owner.post(reverse("console:publish-confirm", args=[loaded.uuid])).status_code == 409


def pages_with_several_primary_buttons(owner: Client, study: Study) -> list[tuple[str, int]]:
    counts = []
    for place in (place for group in navigation.GROUPS for place in group.places):
        answer = owner.get(reverse(f"console:{place.key}", args=[study.uuid]))
        assert answer.status_code == 200, place.key
        (main,) = MAIN.findall(answer.content.decode())
        counts.append((place.key, len(PRIMARY.findall(main))))
    return [(key, count) for key, count in counts if count > 1]
