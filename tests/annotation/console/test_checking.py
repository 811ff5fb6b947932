"""The check before publishing: work that can be left and found again, and that holds while the study stays the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.design.configure import configure
from annotation.design.discard_layout import clear_design
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.jobs.run import run_due
from annotation.models import Intent, Job, Study
from annotation.mturk.client import Market
from annotation.publishing import preflight_result as prechecked
from annotation.readers.records import TextRecord
from annotation.studies.create import reword
from annotation.studies.members import enrol
from tests.annotation.console.conftest import NOW

pytestmark = pytest.mark.django_db
MARKET = "http://market.example/mturk/"


def texts(prefix: str) -> list[TextRecord]:
    return [TextRecord(f"{prefix}{i}", f"Text {prefix}{i}", "reference") for i in range(25)]


@pytest.fixture
def laid_out(study: Study) -> Study:
    add_texts(study, texts("r"), actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)
    return study


@pytest.fixture(autouse=True)
def rich(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """A marketplace where an account holds so many cents (the last of the list)."""
    cents = [100_000]
    settings.MTURK_ENDPOINT_URL, settings.VAR = MARKET, tmp_path
    monkeypatch.setattr(Market, "balance_cents", lambda *_: cents[-1])
    return cents


def page(client: Client, study: Study, place: str = "publish") -> str:
    return client.get(reverse(f"console:{place}", args=[study.uuid])).content.decode()


def checked(client: Client, study: Study) -> str:
    client.post(reverse("console:publish-recheck", args=[study.uuid]))
    run_due(clock=timezone.now)
    return page(client, study)


def publish(client: Client, study: Study) -> int:
    return client.post(reverse("console:publish-confirm", args=[study.uuid]), {"name": study.name}).status_code


def test_the_page_waits_for_the_work_loop_and_then_tells(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    assert "has not been checked in its current state" in page(owner, laid_out)
    owner.post(reverse("console:publish-recheck", args=[laid_out.uuid]))
    assert "Queued" in page(owner, laid_out)
    assert "Check before publishing" in page(owner, laid_out, "overview")
    run_due(clock=timezone.now)
    # 25 texts, 20 raters each: one HIT of 20 places at $1.00, and no fee.
    assert "$20.00 at most" in page(owner, laid_out)
    assert Job.objects.get(kind="preflight").outcome["assignments"] == 20


def test_a_job_that_nobody_takes_up_says_what_must_run(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    owner.post(reverse("console:publish-recheck", args=[laid_out.uuid]))
    assert "make serve" not in page(owner, laid_out)
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert "make serve" in page(owner, laid_out)


def test_a_job_that_fell_silent_says_since_when(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    owner.post(reverse("console:publish-recheck", args=[laid_out.uuid]))
    Job.objects.update(state="running", beat_at=timezone.now())
    assert "Nothing was heard" not in page(owner, laid_out)
    Job.objects.update(beat_at=timezone.now() - timedelta(minutes=5, seconds=30))
    assert "No progress for 5\xa0minutes" in page(owner, laid_out)


def test_asking_twice_is_one_check(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    for _ in range(2):
        owner.post(reverse("console:publish-recheck", args=[laid_out.uuid]))
    assert Job.objects.filter(kind="preflight").count() == 1


def test_nothing_is_published_that_was_not_checked(laid_out: Study, person: Callable[..., Client]) -> None:
    assert publish(person("owner"), laid_out) == 409
    assert not Intent.objects.exists()


def test_what_was_checked_is_published(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    checked(owner, laid_out)
    assert publish(owner, laid_out) == 302
    assert Intent.objects.count() == 1


def budget(study: Study) -> None:
    configure(study, {"budget_cents": 5000}, actor="ada", now=NOW)


def more_texts(study: Study) -> None:
    clear_design(study, actor="ada", now=NOW)
    add_texts(study, texts("m"), actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)


def other_words(study: Study) -> None:
    reword(study, replace(default_wording("typicality"), heading="How usual?"), now=NOW)


@pytest.mark.parametrize("change", [budget, more_texts, other_words])
def test_a_change_makes_the_check_stale(
    laid_out: Study, person: Callable[..., Client], change: Callable[[Study], None]
) -> None:
    owner = person("owner")
    checked(owner, laid_out)
    change(laid_out)
    assert "has not been checked in its current state" in page(owner, laid_out)
    assert publish(owner, laid_out) == 409
    assert not Intent.objects.exists()


def test_another_endpoint_or_a_day_makes_it_stale(laid_out: Study, person: Callable[..., Client]) -> None:
    checked(person("owner"), laid_out)
    now = timezone.now()
    assert prechecked.passed(laid_out, endpoint=MARKET, now=now) is not None
    assert prechecked.passed(laid_out, endpoint="http://other.example/", now=now) is None
    assert prechecked.passed(laid_out, endpoint=MARKET, now=now + timedelta(hours=25)) is None


def test_who_works_here_does_not_make_it_stale(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    checked(owner, laid_out)
    enrol(laid_out, laid_out.memberships.get().user, "owner", actor="ada", now=NOW)
    assert "The study has not changed since" in page(owner, laid_out)


def test_money_that_went_meanwhile_stops_it(laid_out: Study, person: Callable[..., Client], rich: list[int]) -> None:
    owner = person("owner")
    checked(owner, laid_out)
    rich.append(1999)
    answer = owner.post(reverse("console:publish-confirm", args=[laid_out.uuid]), {"name": laid_out.name})
    assert "$0.01 are missing" in answer.content.decode()
    assert not Intent.objects.exists()


def test_an_error_stops_it_and_is_shown(laid_out: Study, person: Callable[..., Client]) -> None:
    owner = person("owner")
    configure(laid_out, {"budget_cents": 1200}, actor="ada", now=NOW)
    shown = checked(owner, laid_out)
    assert "Fix before publishing" in shown
    assert "$8.00 are missing" in shown
    assert publish(owner, laid_out) == 409


def test_amazons_host_explains_the_closure(laid_out: Study, person: Callable[..., Client], settings: Any) -> None:
    settings.MTURK_ENDPOINT_URL = "https://mturk-requester.us-east-1.amazonaws.com"
    shown = checked(person("owner"), laid_out)
    assert "closed on 30 September 2026" in shown
    assert "What will be created" in shown


def test_a_viewer_sees_what_was_found_and_starts_nothing(laid_out: Study, person: Callable[..., Client]) -> None:
    viewer = person("viewer")
    assert viewer.post(reverse("console:publish-recheck", args=[laid_out.uuid])).status_code == 403
    checked(person("owner"), laid_out)
    assert "Check results" in page(viewer, laid_out)


def test_a_fault_of_ours_is_said_and_the_check_can_be_asked_for_again(
    laid_out: Study, person: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = person("owner")
    with monkeypatch.context() as broken:
        broken.setattr("annotation.publishing.preflight.try_page", lambda *_: 1 / 0)
        assert "The check did not finish" in checked(owner, laid_out)
    assert "Check results" in checked(owner, laid_out)
