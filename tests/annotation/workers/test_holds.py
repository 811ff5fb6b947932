"""People on hold: kept out of studies made meanwhile, told kindly, let in again when it is over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.accounts.models import User
from annotation.jobs import celery_tasks as tasks
from annotation.models import Hold, Intent, Study, Submission, Worker
from annotation.mturk.client import HELD_BACK, Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.rehearsal.crowd.browser import Browser
from annotation.workers import hold as verbs
from tests.annotation.conftest import told

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def held(site: str) -> tuple[Worker, str]:
    """Ann is on hold when the study is made; and the link by which she enters."""
    ann, now = told("create_worker", "ann"), timezone.now()
    worker = Worker.objects.known_as("test", ann["worker_id"])
    made = verbs.hold(
        worker, reason="Too fast twice.", until=now.date() + timedelta(days=30), actor=User.objects.create_user("ada"),
        now=now,
    )  # fmt: skip
    Hold.objects.filter(pk=made.pk).update(since=now - timedelta(days=60))
    return worker, ann["sign_in_url"]


def published(study: Study, market: Market) -> Study:
    publish(study, actor="ada", now=timezone.now())
    assert work(Q(), market=market, clock=timezone.now).failed == 0
    return study


def test_who_is_on_hold_meets_no_hit_that_may_be_accepted_and_reads_why(
    held: tuple[Worker, str], study: Study, market: Market, site: str
) -> None:
    published(study, market)
    market_id = study.hits.first().market_id
    with Browser(held[1]) as browser:
        page = browser._get(f"{site}/hits/{market_id}/")
        assert HELD_BACK in page.text
        assert "Accept this task" not in page.text


def test_others_are_let_in_and_the_work_loop_opens_when_a_hold_ends(
    held: tuple[Worker, str], study: Study, market: Market, everybody_rates: Callable[..., None], site: str
) -> None:
    published(study, market)
    everybody_rates("bob")
    assert verbs.open_again(now=timezone.now()) == 0
    later = timezone.now() + timedelta(days=31)
    assert [verbs.open_again(now=later), verbs.open_again(now=later)] == [1, 0]
    assert work(Q(kind=Intent.Kind.REVOKE), market=market, clock=timezone.now).done == 1
    with Browser(held[1]) as browser:
        assert "Accept this task" in browser._get(f"{site}/hits/{study.hits.first().market_id}/").text


def test_the_scheduler_opens_too_when_the_last_day_is_over(
    held: tuple[Worker, str], study: Study, market: Market, site: str, settings: Any, tmp_path: Path
) -> None:
    settings.VAR, now = tmp_path, timezone.now()
    Study.objects.filter(pk=study.pk).update(created_at=now - timedelta(days=10))
    study.refresh_from_db()
    published(study, market)
    tasks.keep_house()
    assert not Intent.objects.filter(kind=Intent.Kind.REVOKE).exists()
    Hold.objects.update(until=(now - timedelta(days=1)).date())
    tasks.keep_house()
    assert work(Q(kind=Intent.Kind.REVOKE), market=market, clock=timezone.now).done == 1
    with Browser(held[1]) as browser:
        assert "Accept this task" in browser._get(f"{site}/hits/{study.hits.first().market_id}/").text


def test_lifting_a_hold_opens_too(held: tuple[Worker, str], study: Study, market: Market) -> None:
    published(study, market)
    verbs.lift_hold(held[0], actor=User.objects.get(username="ada"), now=timezone.now())
    assert verbs.open_again(now=timezone.now()) == 1


def test_a_study_made_before_the_hold_stays_open(study: Study, market: Market, site: str) -> None:
    ann = told("create_worker", "ann")
    worker = Worker.objects.known_as("test", ann["worker_id"])
    until = timezone.now().date() + timedelta(days=30)
    verbs.hold(worker, reason="Late.", until=until, actor=User.objects.create_user("ada"), now=timezone.now())
    published(study, market)
    with Browser(ann["sign_in_url"]) as browser:
        assert "Accept this task" in browser._get(f"{site}/hits/{study.hits.first().market_id}/").text
    assert not Submission.objects.exists()
