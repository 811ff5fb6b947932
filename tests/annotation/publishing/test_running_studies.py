"""A study that runs: paused, resumed, ended, closed, topped up, heard and polled, compared and mended."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.db.models import Q

from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.collecting.receive_events import receive_from_queue
from annotation.collecting.reconcile import adopt, close_ghost, compare, write_off
from annotation.collecting.reparse import reparse
from annotation.design.stopping_rule import raters_for
from annotation.exceptions import MarketError, StateError
from annotation.jobs import celery_tasks as tasks
from annotation.jobs.celery_tasks import look_after
from annotation.models import (
    AuditEvent,
    Decision,
    Evidence,
    Hit,
    Intent,
    Judgment,
    MarketplaceEvent,
    Membership,
    Study,
    Submission,
    Worker,
)
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.end import close, expire_now
from annotation.publishing.pause import pause, resume
from annotation.publishing.publish import publish
from annotation.publishing.top_up import declare_width, top_up
from annotation.rehearsal.crowd.browser import Answer, Browser, RefusedError
from annotation.review.approve import approve
from annotation.review.reject import confirm_rejection, propose_rejection
from annotation.review.warn_deadlines import warn
from annotation.studies.audit_check import prove
from tests.annotation.conftest import NOW, told

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("mturk_fees")]

Rates = Callable[..., None]


def go(study: Study, market: Market, queue: str = "") -> None:
    done = work(Q(study=study), market=market, clock=lambda: NOW, queue=queue)
    failed = list(study.intents.exclude(state="done").values_list("kind", "outcome"))
    assert (done.failed, done.put_off) == (0, 0), failed


@pytest.fixture
def out(study: Study, market: Market) -> Study:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    return study


def free_places(market: Market) -> int:
    return sum(hit.free for hit in market.hits())


@pytest.mark.database
def test_a_pause_lets_nobody_in_and_who_is_inside_finishes(out: Study, market: Market, site: str) -> None:
    with Browser(told("create_worker", "bea")["sign_in_url"]) as bea:
        offer, other = bea.offers()
        sheet = bea.accept(offer)
        pause(out, actor="ada", now=NOW)
        go(out, market)
        assert free_places(market) == 0
        with pytest.raises(RefusedError):
            bea.accept(other)
        bea.hand_in(sheet, [Answer("Typical", 1000)] * len(sheet.fields))
    assert collect(out, market=market, now=NOW).new == 1
    resume(out, actor="ada", now=NOW)
    go(out, market)
    assert free_places(market) == 3


@pytest.mark.database
def test_what_was_not_created_before_a_pause_waits_for_its_end(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    pause(study, actor="ada", now=NOW)
    go(study, market)
    assert list(market.hits()) == []
    resume(study, actor="ada", now=NOW)
    go(study, market)
    assert free_places(market) == 4


def test_an_ended_study_is_closed_when_all_is_decided_and_gives_its_money_back(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea")
    expire_now(out, actor="ada", now=NOW)
    with pytest.raises(StateError, match="people inside"):
        close(out, actor="ada", now=NOW)
    go(out, market)
    collect(out, market=market, now=NOW)
    with pytest.raises(StateError, match="2 submissions wait for a decision"):
        close(out, actor="ada", now=NOW)
    approve(out, Submission.objects.all(), actor=None, now=NOW)
    go(out, market)
    # Of four places two were filled; two of 60 cents come back.
    assert close(out, actor="ada", now=NOW).released_cents == 120
    go(out, market)
    out.refresh_from_db()
    assert (out.status, out.spent_cents, out.reserved_cents) == ("closed", 120, 0)
    assert list(market.hits()) == []


def test_the_end_drops_what_had_not_begun(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    ended = expire_now(study, actor="ada", now=NOW)
    assert (ended.dropped, ended.released_cents) == (2, 240)
    go(study, market)
    assert list(market.hits()) == []


def test_left_out_work_is_replaced_by_other_people_until_every_text_has_its_raters(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea", "cy")
    collect(out, market=market, now=NOW)
    read(out, now=NOW)
    assert top_up(out, actor="ada", now=NOW).pages == 0
    left_out = Submission.objects.order_by("pk")[0]
    Decision.objects.create(submission=left_out, matter="analysis", verdict="exclude", reason="asleep", at=NOW)
    first, again = (top_up(out, actor="ada", now=NOW) for _ in range(2))
    assert (first.places, first.reserved_cents, again.places) == (1, 60, 0)
    go(out, market)
    everybody_rates("bea", "cy", "dee")
    assert collect(out, market=market, now=NOW).new == 1
    assert Submission.objects.filter(hit=left_out.hit).values("worker").distinct().count() == 3
    read(out, now=NOW)
    assert top_up(out, actor="ada", now=NOW).pages == 0


def test_a_study_that_is_kept_topped_up_replaces_left_out_work_by_itself(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea", "cy")
    look_after(out, market)
    read(out, now=NOW)
    call_command("top_up", out.name, "--always", "yes", stdout=io.StringIO())
    out.refresh_from_db()
    left_out = Submission.objects.order_by("pk")[0]
    Decision.objects.create(submission=left_out, matter="analysis", verdict="exclude", reason="asleep", at=NOW)
    look_after(out, market)
    look_after(out, market)
    added = Intent.objects.filter(kind="add_places")
    assert [(one.subject, one.details["places"]) for one in added] == [(left_out.hit_id, 1)]
    events = AuditEvent.objects.filter(study=out, verb__in=["keep_topped_up", "top_up"]).order_by("number")
    assert [(event.verb, event.facts.get("on")) for event in events] == [("keep_topped_up", True), ("top_up", None)]


def test_a_study_that_is_no_longer_kept_topped_up_is_left_alone(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea", "cy")
    look_after(out, market)
    read(out, now=NOW)
    for always in ("yes", "no"):
        call_command("top_up", out.name, "--always", always, stdout=io.StringIO())
    out.refresh_from_db()
    Decision.objects.create(
        submission=Submission.objects.all()[0], matter="analysis", verdict="exclude", reason="asleep", at=NOW
    )
    look_after(out, market)
    assert not Intent.objects.filter(kind="add_places").exists()


def test_a_study_that_somebody_ends_meanwhile_is_looked_after_all_the_same(out: Study, market: Market) -> None:
    Study.objects.filter(pk=out.pk).update(auto_top_up=True)
    seen_before = Study.objects.get(pk=out.pk)
    expire_now(out, actor="ada", now=NOW)
    assert look_after(seen_before, market).new == 0


def test_the_scheduler_also_wakes_what_a_closed_study_has_left_to_do(
    out: Study, market: Market, everybody_rates: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_rates("bea", "cy")
    collect(out, market=market, now=NOW)
    approve(out, Submission.objects.all(), actor=None, now=NOW)
    go(out, market)
    expire_now(out, actor="ada", now=NOW)
    go(out, market)
    collect(out, market=market, now=NOW)
    close(out, actor="ada", now=NOW)
    woken: list[int] = []
    monkeypatch.setattr(tasks.work_off, "delay", woken.append)
    tasks.poll_all()
    assert woken == [out.pk]
    go(out, market)
    tasks.poll_all()
    assert woken == [out.pk]


def test_evidence_is_measured_as_work_comes_in_but_not_at_every_look(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    assert not tasks.measure(out, now=NOW)
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    read(out, now=NOW)
    assert tasks.measure(out, now=NOW)
    assert Evidence.objects.count() == 2
    everybody_rates("cy")
    collect(out, market=market, now=NOW)
    read(out, now=NOW + timedelta(minutes=1))
    assert not tasks.measure(out, now=NOW + timedelta(minutes=1))
    later = NOW + tasks.MEASURED_EVERY
    assert tasks.measure(out, now=later)
    assert Evidence.objects.count() == 4
    assert not tasks.measure(out, now=later + tasks.MEASURED_EVERY)


def test_work_that_nobody_can_read_is_measured_without_a_fault(
    out: Study, market: Market, everybody_rates: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    monkeypatch.setattr("annotation.collecting.parse_submissions.read_answers", lambda raw: {})
    assert read(out, now=NOW).unreadable == 2
    assert tasks.measure(out, now=NOW)


def test_the_work_loop_measures_what_it_has_collected(
    out: Study, market: Market, everybody_rates: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_rates("bea")
    monkeypatch.setattr("annotation.management.commands.work.Market", lambda _: market)
    call_command("work", "--study", out.name, "--collect", stdout=io.StringIO())
    assert Evidence.objects.count() == 2


def test_a_page_that_is_full_at_nine_goes_on_in_a_hit_that_keeps_its_people_out(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea", "cy")
    collect(out, market=market, now=NOW)
    read(out, now=NOW)
    for hit in out.hits.all():
        # As if seven more had rated: HITs stay below ten places.
        Hit.objects.filter(pk=hit.pk).update(max_assignments=9, collected=9)
    collect(out, market=market, now=NOW, only=set(out.hits.values_list("market_id", flat=True)))
    found = top_up(out, actor="ada", now=NOW)
    assert (found.new_hits, found.places) == (2, 14)
    go(out, market)
    assert free_places(market) == 14
    with pytest.raises(RefusedError, match="offers no place"):
        everybody_rates("bea")
    everybody_rates("dee")
    assert collect(out, market=market, now=NOW).new == 2


def test_an_interval_that_is_too_wide_asks_for_more_raters(out: Study, market: Market, everybody_rates: Rates) -> None:
    declare_width(out, width=3.0, max_raters=5, actor="ada", now=NOW)
    out.refresh_from_db()
    everybody_rates("bea", label="Typical")
    everybody_rates("cy", label="Rare")
    collect(out, market=market, now=NOW)
    read(out, now=NOW)
    codes = [float(code) for code in Judgment.objects.values_list("label__code", flat=True).distinct()]
    # Two ratings a and b have the standard deviation |a - b| / sqrt(2).
    wanted = min(5, raters_for(abs(codes[0] - codes[1]) / 2**0.5, 3.0))
    assert top_up(out, actor="ada", now=NOW).places == 2 * (wanted - 2) > 0
    with pytest.raises(StateError, match="declared before"):
        declare_width(out, width=1.0, max_raters=9, actor="ada", now=NOW)


def test_notifications_alone_find_all_work_and_the_same_message_twice_adds_nothing(
    study: Study, market: Market, everybody_rates: Rates
) -> None:
    queue = told("notification_endpoint", "queue", "events", "--requester", "lab")["url"]
    publish(study, actor="ada", now=NOW)
    go(study, market, queue)
    everybody_rates("bea", "cy")
    heard = receive_from_queue(market=market, queue=queue, now=NOW)
    assert heard.new >= 4
    assert collect(study, market=market, now=NOW, only=heard.hits).new == 4
    assert not MarketplaceEvent.objects.filter(looked_at=None).exists()
    MarketplaceEvent.objects.update(looked_at=None)
    assert collect(study, market=market, now=NOW, only=heard.hits).new == 0
    assert receive_from_queue(market=market, queue=queue, now=NOW).messages == 0


def test_work_that_the_clock_approved_is_booked_as_the_marketplace_booked_it(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    for submission in Submission.objects.all():
        market.approve(submission.market_id)
    Study.objects.filter(pk=out.pk).update(auto_approval_seconds=0)
    out.refresh_from_db()
    assert collect(out, market=market, now=NOW).decided_elsewhere == 2
    go(out, market)
    out.refresh_from_db()
    # The two places that are still free are held by the marketplace, and set aside here.
    assert (out.spent_cents, out.reserved_cents, market.balance_cents()) == (120, 120, 10_000 - 240)


def test_a_refusal_that_the_clock_overtook_is_paid_and_told_so(
    out: Study, market: Market, everybody_rates: Rates, django_user_model: type[User]
) -> None:
    """The marketplace approves between our decision and its telling: the books and the log follow it."""
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))
    one = Submission.objects.order_by("pk")[0]
    early = one.submitted_at
    propose_rejection(out, one, reason="One label was given for all of the texts.", actor=ada, now=early)
    confirm_rejection(out, one, actor=bob, now=early, window=timedelta(0), beyond_guard=True)
    market.approve(one.market_id)
    go(out, market)
    decision = Decision.objects.get(submission=one, matter="payment")
    assert (decision.verdict, decision.reason.startswith("The marketplace auto-approved it")) == ("approve", True)
    out.refresh_from_db()
    assert out.spent_cents == 60
    assert prove(out).faults == ()


def test_a_parser_that_failed_loses_nothing(
    out: Study, market: Market, everybody_rates: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr("annotation.collecting.parse_submissions.read_answers", lambda raw: {})
        assert read(out, now=NOW).unreadable == 2
    assert reparse(out, everything=False, actor="ada", now=NOW).submissions == 2
    assert (read(out, now=NOW).judgments, read(out, now=NOW).submissions) == (8, 0)
    assert reparse(out, everything=True, actor="ada", now=NOW).judgments == 8
    assert sum(out.hits.values_list("judged", flat=True)) == 0


def test_each_difference_has_a_reason_and_a_mend(out: Study, market: Market, everybody_rates: Rates) -> None:
    assert compare(out, market=market).differences == ()
    everybody_rates("bea")
    assert {one.mend for one in compare(out, market=market).differences} == {"collect"}
    collect(out, market=market, now=NOW)
    assert compare(out, market=market).differences == ()
    Hit.objects.filter(slot=0).update(market_id=None)
    assert [(one.hit, one.mend) for one in compare(out, market=market).differences] == [(1, "adopt")]
    assert adopt(out, market=market, actor="ada", now=NOW) == 1
    assert compare(out, market=market).differences == ()


def test_a_hit_that_is_gone_there_holds_up_no_other_and_is_written_off_by_a_person(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    everybody_rates("bea", "cy")
    lost = out.hits.order_by("slot")[0]
    Hit.objects.filter(pk=lost.pk).update(market_id="3GONE")
    found = collect(out, market=market, now=NOW)
    assert (found.new, found.open_hits) == (2, 1)
    (difference,) = [one for one in compare(out, market=market).differences if one.market_id == "3GONE"]
    assert difference.mend == "write off"
    assert write_off(out, market=market, actor="ada", now=NOW) == 1
    assert write_off(out, market=market, actor="ada", now=NOW) == 0
    approve(out, Submission.objects.all(), actor=None, now=NOW)
    go(out, market)
    expire_now(out, actor="ada", now=NOW)
    go(out, market)
    close(out, actor="ada", now=NOW)
    out.refresh_from_db()
    assert (out.status, out.reserved_cents) == ("closed", 0)


def test_a_ghost_is_found_and_closed(out: Study, market: Market) -> None:
    hit = out.hits.get(slot=1)
    Intent.objects.filter(subject=hit.pk).update(key="of another database")
    Hit.objects.filter(pk=hit.pk).update(market_id=None)
    (ghost,) = [one for one in compare(out, market=market).differences if one.hit is None]
    assert ghost.mend == "close ghost"
    close_ghost(out, ghost.market_id, market=market, actor="ada", now=NOW)
    work(Q(study=out), market=market, clock=lambda: NOW)
    assert market.hit(ghost.market_id).free == 0
    with pytest.raises(StateError, match="not a ghost"):
        close_ghost(out, str(out.hits.get(slot=0).market_id), market=market, actor="ada", now=NOW)


def test_people_are_written_to_once_before_work_is_approved_unseen(
    out: Study, market: Market, everybody_rates: Rates
) -> None:
    ada = User.objects.create_user("ada", email="ada@example.org")
    Membership.objects.create(study=out, user=ada, role="owner")
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    now = market.now()
    assert warn(out, now=now).addresses == 0
    late = now + timedelta(seconds=out.auto_approval_seconds - 3600)
    assert [warn(out, now=late).addresses for _ in range(2)] == [1, 0]
    assert "2 submissions will be approved unseen" in mail.outbox[0].subject


def test_a_qualification_and_a_notice_reach_the_worker(out: Study, market: Market, everybody_rates: Rates) -> None:
    everybody_rates("bea")
    collect(out, market=market, now=NOW)
    approve(out, Submission.objects.all(), actor=None, now=NOW)
    bea = Worker.objects.get()
    kind = market.once_pass("Assay: a test")
    Intent.of(out, Intent.Kind.GRANT, bea.pk, slot=bea.pseudonym, details={"type": kind}).save()
    words = {"subject": "Thank you", "text": "We learned much."}
    Intent.of(out, Intent.Kind.NOTIFY, bea.pk, slot=bea.pseudonym, details=words).save()
    go(out, market)
    held = market._pages("list_workers_with_qualification_type", "Qualifications", QualificationTypeId=kind)
    assert [row["IntegerValue"] for row in held] == [1]
    with pytest.raises(MarketError, match="was not written to"):
        market.notify("A2NOBODYATALL", subject="Hello", text="Who are you?")
