"""A worker takes the answers back: erased on both sides, paid, and said in the report."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.db.models import Q

from annotation import ledger
from annotation.collecting import counts
from annotation.collecting import ratings as selectors
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.collecting.withdraw import withdraw, withdrawn_on
from annotation.exceptions import StateError
from annotation.models import (
    AuditEvent,
    Decision,
    Flag,
    Judgment,
    Parse,
    Presentation,
    Study,
    Submission,
    Worker,
    WorkerIdentity,
)
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.rehearsal.crowd.browser import Browser
from annotation.reports import study_facts as facts
from annotation.review.approve import approve
from annotation.workers.retention import forget
from tests.annotation.conftest import NOW, told
from tests.marketplace.people import enter

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rated(study: Study, market: Market, everybody_rates: Callable[..., None]) -> Study:
    """Two workers have done both HITs of the study; nothing is collected yet."""
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    everybody_rates("ann", "bob")
    return study


def take_back(name: str) -> None:
    """On the worker site, as the worker `name` would."""
    with httpx.Client(trust_env=False, follow_redirects=True) as site:
        page = enter(site, told("create_worker", name)["sign_in_url"])
        origin = f"{page.url.scheme}://{page.url.netloc.decode()}"
        token = site.get(f"{origin}/hits/your-data/").text.split('name="token" value="')[1].split('"')[0]
        fields = {"token": token, "sure": "1", "csrfmiddlewaretoken": site.cookies["csrftoken"]}
        assert "erased" in site.post(f"{origin}/hits/withdraw/", data=fields).text


def gathered(study: Study, market: Market) -> None:
    collect(study, market=market, now=NOW)
    read(study, now=NOW)


@pytest.mark.database
def test_what_was_collected_is_erased_and_what_was_paid_stays_paid(rated: Study, market: Market) -> None:
    gathered(rated, market)
    approve(rated, Submission.objects.all(), actor=None, now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    spent = ledger.money_spent(rated)
    take_back("ann")
    named = withdrawn_on(rated, market=market)
    done = withdraw(rated, named, actor="marketplace", now=NOW)
    assert (done.submissions, done.judgments, done.unknown) == (2, 8, 0)
    assert sorted(Submission.objects.values_list("raw_format", "raw"))[-2:] == [("withdrawn", "")] * 2
    assert (Judgment.objects.count(), Presentation.objects.count()) == (8, 8)
    assert (
        sorted(Parse.objects.values_list("active_ms", "submission__raw_format"), key=str)[2:]
        == [(None, "withdrawn")] * 2
    )
    assert ledger.money_spent(rated) == spent
    assert {row.count for row in selectors.rating_sums(rated).values()} == {1}
    erased = Submission.objects.filter(raw_format="withdrawn")
    for relation in Submission._meta.related_objects:
        kept = relation.related_model.objects.filter(**{f"{relation.field.name}__in": erased})
        assert kept.exists() == (relation.related_model in {Parse, Decision}), relation
    event = AuditEvent.objects.filter(verb="withdraw").get()
    assert event.facts == {"submissions": 2, "judgments": 8}
    assert AuditEvent.objects.first_broken(rated) is None


@pytest.mark.database
def test_it_is_done_once_and_later_passes_leave_it_erased(rated: Study, market: Market) -> None:
    gathered(rated, market)
    take_back("ann")
    withdraw(rated, withdrawn_on(rated, market=market), actor="marketplace", now=NOW)
    assert withdrawn_on(rated, market=market) == ()
    named = Submission.objects.filter(raw_format="withdrawn").values_list("market_id", flat=True)
    again = withdraw(rated, [*named, "3UNKNOWN"], actor="ada", now=NOW)
    assert (again.submissions, again.judgments, again.unknown) == (0, 0, 1)
    gathered(rated, market)
    assert (Judgment.objects.count(), Flag.objects.count()) == (8, 0)


@pytest.mark.database
def test_answers_taken_back_before_we_saw_them_are_never_stored(rated: Study, market: Market) -> None:
    take_back("ann")
    gathered(rated, market)
    assert Submission.objects.filter(raw_format="withdrawn", raw="").count() == 2
    assert (Judgment.objects.count(), Flag.objects.count()) == (8, 0)


@pytest.mark.database
def test_a_report_says_how_many_were_withdrawn(rated: Study, market: Market) -> None:
    gathered(rated, market)
    assert facts.crowd_warnings(rated, counts.crowd_counts(rated)) == []
    take_back("ann")
    withdraw(rated, withdrawn_on(rated, market=market), actor="marketplace", now=NOW)
    (warned,) = facts.crowd_warnings(rated, counts.crowd_counts(rated))
    assert warned.sentence.startswith("2 of 4 submissions were withdrawn by their workers")


@pytest.mark.database
@pytest.mark.parametrize(
    "change",
    [
        {"raw": "", "raw_format": "mturk-xml"},
        {"raw": "<x/>", "raw_format": "withdrawn"},
        {"raw": "", "raw_format": "withdrawn", "work_seconds": 86_399},
        {"raw": "", "raw_format": "withdrawn", "market_id": "3B"},
        {"raw": "", "raw_format": "withdrawn", "received_at": NOW + timedelta(days=1)},
    ],
)
def test_the_database_lets_nothing_but_the_erasure_through(
    rated: Study, market: Market, change: dict[str, object]
) -> None:
    gathered(rated, market)
    row = Submission.objects.order_by("pk").first()
    assert row is not None
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        Submission.objects.filter(pk=row.pk).update(**change)


@pytest.mark.database
def test_an_erased_submission_cannot_be_written_again(rated: Study, market: Market) -> None:
    gathered(rated, market)
    row = Submission.objects.order_by("pk").first()
    assert row is not None
    withdraw(rated, [row.market_id], actor="ada", now=NOW)
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        Submission.objects.filter(pk=row.pk).update(raw=row.raw, raw_format="mturk-xml")


def test_a_study_by_invitation_is_shown_to_no_account(study: Study, market: Market, site: str) -> None:
    publish(study, actor="ada", now=NOW, by_invitation=True)
    work(Q(), market=market, clock=lambda: NOW)
    assert study.channel_tag.startswith("headlines-")
    with Browser(told("create_worker", "ann")["sign_in_url"]) as browser:
        assert list(browser.offers()) == []
    out = io.StringIO()
    call_command("invite", "create", "class", "--requester", "lab", "--study", study.channel_tag, stdout=out)
    with httpx.Client(trust_env=False) as guest:
        assert "welcome" in guest.get(json.loads(out.getvalue())["link"]).text


def test_a_study_published_to_everybody_cannot_become_by_invitation(rated: Study) -> None:
    with pytest.raises(StateError, match="published to everybody"):
        publish(rated, actor="ada", now=NOW, by_invitation=True)


def test_workers_are_forgotten_when_all_their_studies_are_past_their_date(rated: Study, market: Market) -> None:
    gathered(rated, market)
    assert forget(now=NOW, dry_run=False).workers == 0
    Study.objects.update(retain_until=datetime(2027, 6, 30, tzinfo=UTC))
    late = datetime(2027, 7, 1, tzinfo=UTC)
    assert forget(now=NOW, dry_run=False).workers == 0
    found = forget(now=late, dry_run=True)
    assert (found.workers, found.studies, WorkerIdentity.objects.count()) == (2, ("headlines",), 2)
    forget(now=late, dry_run=False)
    assert (WorkerIdentity.objects.count(), Worker.objects.count(), Judgment.objects.count()) == (0, 2, 16)
    assert AuditEvent.objects.get(verb="forget").facts == {"workers": 2}
    assert AuditEvent.objects.first_broken(rated) is None
    assert forget(now=late, dry_run=False).workers == 0


def test_a_worker_of_a_study_that_still_runs_is_remembered(rated: Study, market: Market) -> None:
    gathered(rated, market)
    other = Study.objects.create(name="other", mode="rehearsal", scale=rated.scale)
    arm = other.arms.create(training="none")
    worker = Worker.objects.order_by("pk").first()
    other.participations.create(worker=worker, arm=arm, since=NOW)
    Study.objects.filter(pk=rated.pk).update(retain_until=NOW)
    forget(now=NOW + timedelta(days=1), dry_run=False)
    assert WorkerIdentity.objects.get().worker == worker


def test_who_comes_back_after_the_retention_date_is_somebody_new(rated: Study, market: Market) -> None:
    gathered(rated, market)
    before = {one.external_id: one.worker.pseudonym for one in WorkerIdentity.objects.select_related("worker")}
    assert len(before) == 2
    Study.objects.update(retain_until=NOW)
    forget(now=NOW + timedelta(days=1), dry_run=False)
    after = Worker.objects.known_all(market.provider, before)
    assert set(before.values()).isdisjoint(one.pseudonym for one in after.values())
    assert (
        Worker.objects.count(),
        Judgment.objects.filter(presentation__submission__worker__in=after.values()).count(),
    ) == (4, 0)


def test_nothing_that_is_kept_leads_from_an_id_to_a_pseudonym_that_was_forgotten(rated: Study, market: Market) -> None:
    """Not even for who has the key: whatever it makes of the id stands in no table any more."""
    gathered(rated, market)
    identity = WorkerIdentity.objects.select_related("worker").first()
    assert identity is not None
    message = f"{identity.provider}\0{identity.external_id}".encode()
    hashed = hmac.new(settings.PSEUDONYM_KEY.encode(), message, hashlib.sha256).hexdigest()
    assert identity.look_up == hashed
    Study.objects.update(retain_until=NOW)
    forget(now=NOW + timedelta(days=1), dry_run=False)
    models = apps.get_app_config("annotation").get_models()
    stored = json.dumps([list(model._default_manager.values()) for model in models], default=str)
    assert identity.worker.pseudonym in stored
    assert hashed[:16] not in stored
