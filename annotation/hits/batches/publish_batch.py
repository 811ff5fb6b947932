"""Publish a batch: each row becomes a HIT once, also when publishing is broken off and begun again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from annotation.exceptions import BudgetError, MarketError, StateError
from annotation.hits.batches.queries import price
from annotation.hits.batches.template import page_of
from annotation.ledger import endpoint_fees
from annotation.models import Batch, BatchEvent, BatchHit
from annotation.mturk.client import Market
from annotation.mturk.question_xml import html_question
from annotation.mturk.records import HitOrder
from annotation.pricing.currency import format_money

# A marketplace knows a token for a day.
TOKEN_LIFE = timedelta(hours=23)
CANCELED = "The batch was canceled while it was being published. No further task was created."
State = Batch.State
Tell = Callable[[str, int, int], None]


def publish_batch(batch: Batch, *, market: Market, clock: Callable[[], datetime], tell: Tell, actor: str) -> int:
    """Create the HITs that are not there yet; return how many the batch has.

    Raises BudgetError where the account does not hold the price of those that are missing, StateError (also where the
    batch is canceled meanwhile), MarketError.
    """
    _open(batch, market, now=clock(), actor=actor)
    waiting = list(batch.hits.filter(market_id="").values_list("pk", flat=True))
    total = batch.hits.count()
    for done, pk in enumerate(waiting, total - len(waiting)):
        tell("Publishing", done, total)
        # Row by row: an open cursor would hold up what is stored meanwhile (SQLite).
        _publish_row(batch, batch.hits.get(pk=pk), market, now=clock())
    Batch.objects.filter(pk=batch.pk, state=State.PUBLISHING).update(state=State.PUBLISHED, published_at=clock())
    return total


def _open(batch: Batch, market: Market, *, now: datetime, actor: str) -> None:
    missing = batch.hits.filter(market_id="").count()
    cost, balance = price(batch, endpoint_fees(), hits=missing).total_cents, market.balance_cents()
    if balance < cost:
        raise BudgetError(
            f"The account holds {format_money(balance, 'USD')}, and the batch costs {format_money(cost, 'USD')}.",
            missing_cents=cost - balance,
        )
    may_begin = Batch.objects.filter(pk=batch.pk, state__in=[State.DRAFT, State.PUBLISHING])
    with transaction.atomic():
        if not may_begin.update(state=State.PUBLISHING):
            raise StateError("This batch is published already, or it was canceled.")
        BatchEvent.objects.record(batch, "publish_batch", actor=actor, now=now, tasks=missing, cost_cents=cost)


def _publish_row(batch: Batch, hit: BatchHit, market: Market, *, now: datetime) -> None:
    if hit.called_at is not None and now - hit.called_at > TOKEN_LIFE:
        raise StateError(
            f"Row {hit.line} was sent at {hit.called_at:%Y-%m-%d %H:%M} UTC, and no answer was stored. "
            "After a day it is not known whether its HIT exists: look for it under “HITs of programs”, and make a new "
            "batch of the rows that are missing."
        )
    if not _is_publishing(batch):
        raise StateError(CANCELED)
    BatchHit.objects.filter(pk=hit.pk, called_at=None).update(called_at=now)
    try:
        market_id = market.create_hit(_order(batch, hit))
    except MarketError as error:
        if error.permanent:  # it was not created
            BatchHit.objects.filter(pk=hit.pk).update(called_at=None)
            if not batch.hits.exclude(market_id="").exists():
                Batch.objects.filter(pk=batch.pk, state=State.PUBLISHING).update(state=State.DRAFT)
        raise MarketError(f"Row {hit.line}: {error}", code=error.code, permanent=error.permanent) from error
    BatchHit.objects.filter(pk=hit.pk).update(market_id=market_id)
    if not _is_publishing(batch):  # whoever canceled it did not know of this HIT yet
        market.expire(market_id)
        raise StateError(CANCELED)


def _is_publishing(batch: Batch) -> bool:
    return Batch.objects.filter(pk=batch.pk, state=State.PUBLISHING).exists()


def _order(batch: Batch, hit: BatchHit) -> HitOrder:
    return HitOrder(
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        reward_cents=batch.reward_cents,
        max_assignments=batch.max_assignments,
        assignment_seconds=batch.assignment_seconds,
        lifetime_seconds=batch.lifetime_seconds,
        auto_approval_seconds=batch.auto_approval_seconds,
        question=html_question(page_of(batch.template, hit.cells, title=batch.title)),
        annotation=batch.annotation,
        token=hit.token,
    )


def cancel_batch(batch: Batch, *, actor: str, now: datetime) -> bool:
    """Stop publishing the batch; whether it may have tasks that `end_tasks` ends. A draft is deleted."""
    with transaction.atomic():
        # Taken out of the hands of whoever begins to publish it at the same moment.
        if Batch.objects.filter(pk=batch.pk, state=State.DRAFT).update(state=State.CANCELED):
            BatchEvent.objects.record(batch, "delete_draft", actor=actor, now=now)
            batch.delete()
            return False
        if Batch.objects.filter(pk=batch.pk).exclude(state=State.CANCELED).update(state=State.CANCELED):
            published = batch.hits.exclude(market_id="").count()
            BatchEvent.objects.record(batch, "cancel_batch", actor=actor, now=now, tasks=published)
    return True


def end_tasks(batch: Batch, *, market: Market, tell: Tell) -> int:
    """Let nobody new begin; open assignments can still be submitted, and answers stay. Return the HITs that ended.

    Again, it ends what an earlier try did not reach. Raises MarketError.
    """
    published = list(batch.hits.exclude(market_id="").values_list("market_id", flat=True))
    for done, market_id in enumerate(published):
        tell("Ending tasks", done, len(published))
        market.expire(market_id)
    return len(published)
