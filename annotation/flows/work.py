"""The work loop: carries out what was intended, each effect once, whatever crashes in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from annotation.crowd.client import Market
from annotation.exceptions import AssayError, MarketError
from annotation.models import Hit, Intent, LedgerEntry, OncePass, Submission
from annotation.orders import hit_order
from annotation.pricing.fees import fee_cents

# A worker that took a row and died gives it back after this long.
LEASE = timedelta(minutes=5)
# A marketplace forgets a UniqueRequestToken after 24 hours; from here on we look before we create.
TOKEN_LIFE = timedelta(hours=23)
MOST_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Work:
    """What one pass did, and how many intents still wait (for their time, or in other hands)."""

    done: int
    failed: int
    put_off: int
    waiting: int


def work(
    intents_of: Q,
    *,
    market: Market,
    clock: Callable[[], datetime],
    progress: Callable[[int], None] | None = None,
) -> Work:
    """Carry out every due intent that matches `intents_of`, oldest first; several workers may run at once."""
    tally = {Intent.State.DONE: 0, Intent.State.FAILED: 0, Intent.State.WAITING: 0}
    while intent := _take(intents_of, now=clock()):
        tally[_carry_out(intent, market=market, clock=clock)] += 1
        if progress:
            progress(sum(tally.values()))
    open_states = [Intent.State.WAITING, Intent.State.TAKEN]
    waiting = Intent.objects.filter(intents_of, state__in=open_states).count()
    return Work(tally[Intent.State.DONE], tally[Intent.State.FAILED], tally[Intent.State.WAITING], waiting)


def _take(intents_of: Q, *, now: datetime) -> Intent | None:
    """Take the oldest due row by compare-and-set; None when none is due."""
    due = Q(state=Intent.State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
    left_behind = Q(state=Intent.State.TAKEN, taken_at__lt=now - LEASE)
    while True:
        intent = Intent.objects.filter(intents_of).filter(due | left_behind).order_by("pk").first()
        if intent is None:
            return None
        mine = Intent.objects.filter(pk=intent.pk, state=intent.state, attempts=intent.attempts).update(
            state=Intent.State.TAKEN, taken_at=now, attempts=F("attempts") + 1
        )
        if mine:
            intent.refresh_from_db()
            return intent


def _carry_out(intent: Intent, *, market: Market, clock: Callable[[], datetime]) -> Intent.State:
    """Call the marketplace and write the outcome once."""
    try:
        called_before = _note_first_call(intent, now=market.now())
        if intent.kind == Intent.Kind.CREATE_HIT:
            _create_hit(intent, market=market, clock=clock, called_before=called_before)
        else:
            _decide(intent, market=market, clock=clock)
    except AssayError as error:
        return _fail(intent, error, now=clock())
    return Intent.State.DONE


def _note_first_call(intent: Intent, *, now: datetime) -> datetime | None:
    """Remember, in the market's time, when the token was first used; returns that time if it was used before."""
    if intent.first_called_at is None:
        Intent.objects.filter(pk=intent.pk, first_called_at=None).update(first_called_at=now)
    return intent.first_called_at


def _create_hit(
    intent: Intent, *, market: Market, clock: Callable[[], datetime], called_before: datetime | None
) -> None:
    hit = Hit.objects.select_related("study__group", "cell__arm__study", "wording").get(pk=intent.subject)
    market_id = None
    if called_before and market.now() - called_before > TOKEN_LIFE:
        market_id = market.find_hit(intent.key)
    if market_id is None:
        market_id = market.create_hit(hit_order(hit, token=intent.key, passes=_passes(hit, market)))
    with transaction.atomic():
        if _finish(intent, outcome=market_id, now=clock()):
            Hit.objects.filter(pk=hit.pk).update(market_id=market_id)


def _passes(hit: Hit, market: Market) -> tuple[str, ...]:
    """Qualification types that keep people apart: once in a group of studies, once on a page split over HITs."""
    scopes = []
    if hit.study.once:
        group = hit.study.group
        scopes.append(f"group {group.uuid if group else hit.study.uuid}")
    if hit.page is not None and Hit.objects.filter(study=hit.study, page=hit.page).exclude(pk=hit.pk).exists():
        scopes.append(f"page {hit.study.uuid} {hit.page}")
    return tuple(_pass(scope, market) for scope in scopes)


def _pass(scope: str, market: Market) -> str:
    known = OncePass.objects.filter(endpoint=market.url, scope=scope).first()
    if known:
        return known.type_id
    type_id = market.once_pass(f"Assay: {scope}")
    return OncePass.objects.get_or_create(endpoint=market.url, scope=scope, defaults={"type_id": type_id})[0].type_id


def _decide(intent: Intent, *, market: Market, clock: Callable[[], datetime]) -> None:
    submission = Submission.objects.select_related("hit__study", "hit__cell__arm__study").get(pk=intent.subject)
    reason = submission.decisions.get(matter="payment").reason
    if intent.kind == Intent.Kind.REJECT:
        market.reject(submission.market_id, feedback=reason)
    else:
        market.approve(submission.market_id, feedback=reason)
    with transaction.atomic():
        now = clock()
        if _finish(intent, outcome=intent.kind, now=now) and intent.kind == Intent.Kind.APPROVE:
            _pay(intent, submission.hit, now=now)


def _pay(intent: Intent, hit: Hit, *, now: datetime) -> None:
    reward = hit.cell.reward_cents
    fee = fee_cents(reward, max_assignments=hit.max_assignments)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study=hit.study, intent=intent, kind=kind, cents=cents, at=now)
        for kind, cents in ((LedgerEntry.Kind.REWARD, reward), (LedgerEntry.Kind.FEE, fee))
    )


def _finish(intent: Intent, *, outcome: str, now: datetime) -> bool:
    """Write the outcome unless somebody else has; True when it was us."""
    return bool(
        Intent.objects.filter(pk=intent.pk)
        .exclude(state=Intent.State.DONE)
        .update(state=Intent.State.DONE, outcome=outcome, finished_at=now, taken_at=None)
    )


def _fail(intent: Intent, error: AssayError, *, now: datetime) -> Intent.State:
    """Put off what may pass (twice as long each time); give up on what will not."""
    passing = isinstance(error, MarketError) and not error.permanent and intent.attempts < MOST_ATTEMPTS
    state = Intent.State.WAITING if passing else Intent.State.FAILED
    not_before = now + timedelta(seconds=2**intent.attempts) if passing else None
    Intent.objects.filter(pk=intent.pk, state=Intent.State.TAKEN, attempts=intent.attempts).update(
        state=state, not_before=not_before, outcome=str(error), taken_at=None
    )
    return state
