"""A study goes out through boto3 and its work comes back, each effect once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import pytest
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.collecting.counts import work_seconds
from annotation.collecting.parse_submissions import read
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.exceptions import MarketError, StateError
from annotation.importing.add_texts import add_texts
from annotation.models import (
    AuditEvent,
    Flag,
    Hit,
    Intent,
    Judgment,
    LedgerEntry,
    Parse,
    Presentation,
    Study,
    Submission,
    Worker,
)
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.review.approve import approve
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("mturk_fees")]

ALL = Q()


def clock() -> datetime:
    return NOW


def unreachable(*_: object, **__: object) -> NoReturn:
    raise MarketError("The marketplace could not be reached.", permanent=False)


def hits_on(market: Market) -> list[dict]:
    return list(market._pages("list_hits", "HITs"))


@pytest.fixture
def published(study: Study, market: Market) -> Study:
    publish(study, actor="ada", now=NOW)
    work(ALL, market=market, clock=clock)
    return study


def test_publishing_creates_each_hit_once_however_often_it_runs(study: Study, market: Market) -> None:
    for _ in range(3):
        publish(study, actor="ada", now=NOW)
        work(ALL, market=market, clock=clock)
    assert len(hits_on(market)) == study.hits.count() == 2
    assert {hit["HITId"] for hit in hits_on(market)} == set(study.hits.values_list("market_id", flat=True))


def test_the_plan_is_kept_in_the_log_once(study: Study) -> None:
    for _ in range(2):
        publish(study, actor="ada", now=NOW)
    (event,) = study.audit.filter(verb="publish")
    assert event.facts["plan"]["settings"]["raters_per_text"] == study.raters_per_text
    assert AuditEvent.objects.first_broken(study) is None


def test_a_crash_after_the_call_leads_to_no_second_hit(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    work(ALL, market=market, clock=clock)
    known = set(study.hits.values_list("market_id", flat=True))
    # The marketplace has the HITs, but we died before we could write so.
    Hit.objects.update(market_id=None)
    Intent.objects.update(state=Intent.State.CLAIMED, taken_at=NOW - timedelta(hours=1), outcome="")
    done = work(ALL, market=market, clock=clock)
    assert (done.done, len(hits_on(market))) == (2, 2)
    assert set(study.hits.values_list("market_id", flat=True)) == known


def test_after_the_token_is_forgotten_the_hit_is_looked_for_before_it_is_created(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    work(ALL, market=market, clock=clock)
    Hit.objects.update(market_id=None)
    Intent.objects.update(state=Intent.State.WAITING, first_called_at=market.now() - timedelta(hours=30))
    order = market.create_hit
    market.create_hit = lambda order: pytest.fail("a second HIT was ordered")  # type: ignore[method-assign]
    work(ALL, market=market, clock=clock)
    market.create_hit = order  # type: ignore[method-assign]
    assert study.hits.filter(market_id=None).count() == 0


def test_a_row_in_other_hands_is_left_alone_until_they_must_be_dead(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    Intent.objects.update(state=Intent.State.CLAIMED, taken_at=NOW - timedelta(seconds=30))
    assert work(ALL, market=market, clock=clock).done == 0
    assert work(ALL, market=market, clock=lambda: NOW + timedelta(minutes=10)).done == 2


def test_a_market_that_cannot_be_reached_is_tried_again_later(study: Study, endpoint: Endpoint) -> None:
    publish(study, actor="ada", now=NOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Market, "_call", unreachable)
        assert work(ALL, market=Market(endpoint), clock=clock).put_off == 2
    assert work(ALL, market=Market(endpoint), clock=clock).done == 0
    assert work(ALL, market=Market(endpoint), clock=lambda: NOW + timedelta(minutes=1)).done == 2


def test_what_was_put_off_goes_on_as_soon_as_a_call_succeeds(study: Study, endpoint: Endpoint) -> None:
    publish(study, actor="ada", now=NOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Market, "_call", unreachable)
        work(ALL, market=Market(endpoint), clock=clock)
    first = Intent.objects.order_by("pk")[0]
    Intent.objects.update(not_before=NOW + timedelta(minutes=5))
    Intent.objects.filter(pk=first.pk).update(not_before=NOW)
    assert work(ALL, market=Market(endpoint), clock=clock).done == 2


def test_a_permanent_refusal_is_kept_with_its_reason(study: Study, endpoint: Endpoint) -> None:
    stranger = Market(Endpoint(endpoint.url, "AKIAUNKNOWN", "secret"))
    publish(study, actor="ada", now=NOW)
    done = work(ALL, market=stranger, clock=clock)
    assert (done.failed, done.waiting) == (2, 0)
    assert all(reason.startswith("Marketplace error: ") for reason in Intent.objects.values_list("outcome", flat=True))


def test_a_study_without_hits_cannot_be_published(db: None) -> None:
    empty = create("empty", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)
    with pytest.raises(StateError, match="has no tasks yet"):
        publish(empty, actor="ada", now=NOW)


def test_a_designed_study_is_not_designed_again(study: Study) -> None:
    with pytest.raises(StateError, match="already has its HITs"):
        design(study, actor="ada", now=NOW)


def test_work_comes_back_as_judgments_with_labels_as_chosen(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea", label="Typical")
    everybody_rates("cy", label="Rare")
    found = collect(published, market=market, now=NOW)
    understood = read(published, now=NOW)
    assert (found.new, found.open_hits, understood.judgments, understood.unreadable) == (4, 0, 16, 0)
    for text in published.texts.all():
        labels = Judgment.objects.filter(presentation__text=text).values_list("label__label", flat=True)
        assert sorted(labels) == ["Rare", "Typical"]
    assert set(Presentation.objects.values_list("active_ms", flat=True)) == {1500}
    assert work_seconds(published) == [6, 6, 6, 6]


def test_collecting_and_reading_twice_adds_nothing(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea")
    for _ in range(2):
        collect(published, market=market, now=NOW)
        read(published, now=NOW)
    assert (Submission.objects.count(), Judgment.objects.count()) == (2, 8)
    assert collect(published, market=market, now=NOW).new == 0


def test_raw_answers_are_stored_before_anything_reads_them(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea")
    collect(published, market=market, now=NOW)
    assert Submission.objects.count() == 2
    assert not Parse.objects.exists()
    assert all("QuestionFormAnswers" in raw for raw in Submission.objects.values_list("raw", flat=True))


def test_an_answer_outside_the_scale_is_flagged_and_the_rest_kept(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea", label="Fabulous")
    collect(published, market=market, now=NOW)
    assert read(published, now=NOW).unreadable == 2
    assert Flag.objects.filter(kind="incomplete").count() == 2
    assert "text 1, 2, 3, 4 of 4" in Flag.objects.first().sentence  # type: ignore[union-attr]
    assert Submission.objects.count() == 2


def test_ratings_without_their_required_reasons_are_flagged_and_kept(
    db: None, market: Market, everybody_rates: Callable[..., None]
) -> None:
    """A page that failed, or a script, submits labels alone: the marketplace takes what is submitted, as MTurk does."""
    made = create(
        "people", mode="rehearsal", plan=Plan(texts_per_hit=2, raters_per_text=1), actor="ada", now=NOW,
        wording=default_wording("human_or_machine"),
    )  # fmt: skip
    add_texts(made, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(2)], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    publish(made, actor="ada", now=NOW)
    work(ALL, market=market, clock=clock)
    everybody_rates("bea", label="Possibly machine-generated")
    collect(made, market=market, now=NOW)
    assert read(made, now=NOW).judgments == 2
    flag = Flag.objects.get(kind="incomplete")
    assert flag.sentence == "The required question 'change' has fewer than 10 characters for text 1, 2 of 2."


def test_approved_work_is_paid_once_to_the_cent(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea", "cy")
    collect(published, market=market, now=NOW)
    for _ in range(2):
        approve(published, Submission.objects.all(), actor=None, now=NOW)
        work(ALL, market=market, clock=clock)
    # 4 assignments at 50 cents and a fee of 10 (20 % below ten assignments)
    assert sum(LedgerEntry.objects.values_list("cents", flat=True)) == 4 * 60
    assert market.balance_cents() == 10_000 - 4 * 60


def test_work_that_the_clock_approved_first_counts_as_approved(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea")
    collect(published, market=market, now=NOW)
    for submission in Submission.objects.all():
        market.approve(submission.market_id)
    approve(published, Submission.objects.all(), actor=None, now=NOW)
    assert work(ALL, market=market, clock=clock).done == 2


def test_worker_ids_stand_in_the_vault_only(
    published: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    everybody_rates("bea")
    collect(published, market=market, now=NOW)
    external = Worker.objects.get().identity.external_id
    for submission in Submission.objects.all():
        assert external not in submission.raw
        assert external not in submission.worker.pseudonym


def test_a_listing_is_read_to_its_last_page(study: Study, market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.mturk.client.PAGE", 1)
    publish(study, actor="ada", now=NOW)
    work(ALL, market=market, clock=clock)
    assert len(hits_on(market)) == 2


def test_market_time_is_that_of_the_last_answer(market: Market) -> None:
    assert abs(market.now() - datetime.now(UTC)) < timedelta(seconds=30)
