"""Blocks: the last means, told to the marketplace in the right order whatever comes between."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.collecting.collect import collect
from annotation.exceptions import StateError
from annotation.marketplace.models import WorkerBlock
from annotation.models import AuditEvent, Intent, Study, Worker
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.review.block import block, unblock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
REASON = "Pastes the text as the reason, after two holds."


@pytest.fixture
def worker(study: Study, market: Market, everybody_rates: Callable[..., None]) -> Worker:
    publish(study, actor="ada", now=timezone.now())
    carry_out(market)
    everybody_rates("ann")
    collect(study, market=market, now=timezone.now())
    return Worker.objects.get()


def carry_out(market: Market) -> None:
    assert work(Q(), market=market, clock=timezone.now).failed == 0


def block_ann(study: Study, worker: Worker) -> None:
    block(study, worker, reason=REASON, actor="ada", now=timezone.now())


def let_in(study: Study, worker: Worker) -> None:
    unblock(study, worker, actor="ada", now=timezone.now())


def test_a_block_stands_on_the_marketplace_until_it_is_ended(study: Study, worker: Worker, market: Market) -> None:
    block_ann(study, worker)
    carry_out(market)
    assert WorkerBlock.objects.get().reason == REASON
    let_in(study, worker)
    carry_out(market)
    assert not WorkerBlock.objects.exists()
    block_ann(study, worker)
    carry_out(market)
    assert WorkerBlock.objects.count() == 1


def test_a_block_that_is_ended_before_anybody_was_told_is_never_told(
    study: Study, worker: Worker, market: Market
) -> None:
    block_ann(study, worker)
    let_in(study, worker)
    assert list(Intent.objects.filter(kind__in=["block", "unblock"]).values_list("state", flat=True)) == ["dropped"]


def test_a_block_that_may_have_been_told_is_ended_on_the_marketplace_too(
    study: Study, worker: Worker, market: Market
) -> None:
    block_ann(study, worker)
    Intent.objects.filter(kind="block").update(first_called_at=timezone.now())
    let_in(study, worker)
    assert Intent.objects.get(kind="unblock").state == "waiting"


def test_while_the_marketplace_is_being_told_nothing_is_turned(study: Study, worker: Worker) -> None:
    block_ann(study, worker)
    Intent.objects.filter(kind="block").update(state="taken", taken_at=timezone.now())
    with pytest.raises(StateError, match="Try again in a minute"):
        let_in(study, worker)


def test_nobody_is_blocked_twice_or_let_in_twice(study: Study, worker: Worker) -> None:
    with pytest.raises(StateError, match="not blocked"):
        let_in(study, worker)
    block_ann(study, worker)
    with pytest.raises(StateError, match="blocked already"):
        block_ann(study, worker)


def test_a_block_needs_a_reason_that_says_something(study: Study, worker: Worker) -> None:
    with pytest.raises(StateError, match="20 to 1024 characters; not 4"):
        block(study, worker, reason="Bad.", actor="ada", now=timezone.now())


def test_the_log_names_the_pseudonym(study: Study, worker: Worker) -> None:
    block_ann(study, worker)
    assert AuditEvent.objects.get(verb="block").facts == {"worker": worker.pseudonym, "reason": REASON}
