"""Recruit on Prolific: the draft, its price, publishing with the money reserved, more places, pause, stop, settle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet, Sum

from annotation import ledger
from annotation.exceptions import ChangedError, StateError
from annotation.models import AuditEvent, Intent, LedgerEntry, Study, Submission
from annotation.mturk import channels, prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ProlificDraft, ProlificQuote, ProlificStudyRecord, ProlificSubmissionRecord
from annotation.pricing.currency import format_money
from annotation.recruiting.queries import channel_of
from annotation.recruiting.study_tag import require_recruitable

DEEDS: dict[str, Callable[[Market, str], ProlificStudyRecord]] = {
    "pause": prolific.pause_study,
    "start": prolific.start_study,
    "stop": prolific.stop_study,
    "retry": prolific.retry_actions,
}


def require_prolific(study: Study, channel_id: str, market: Market) -> None:
    """Raises StateError where the study has no such channel, or one of another kind."""
    if channel_of(study, channel_id, market).kind != channels.PROLIFIC:
        raise StateError("This channel does not recruit on Prolific.")


def set_draft(
    study: Study, channel_id: str, draft: ProlificDraft, *, market: Market, actor: str, now: datetime
) -> ProlificStudyRecord:
    """Set what `draft` names. Raises StateError, naming the field that is at fault, and MarketError."""
    require_prolific(study, channel_id, market)
    changed = prolific.set_draft(market, channel_id, draft)
    facts = {"channel": channel_id, "set": sorted(draft.members())}
    AuditEvent.objects.record(study, "set_prolific_draft", actor=actor, now=now, **facts)
    return changed


def is_publishing(study: Study, channel_id: str) -> bool:
    """Whether publication is intended and the marketplace has not been asked yet."""
    return _intents(study, channel_id).filter(state__in=[Intent.State.WAITING, Intent.State.CLAIMED]).exists()


def publish_on_prolific(
    study: Study, channel_id: str, *, total_minor: int, market: Market, actor: str, now: datetime
) -> int:
    """Intend publication for the total that was shown, its money reserved; return the cents reserved in addition.

    The rewards of the study's tasks are reserved already; added is what Prolific's total and the bonuses of better
    paid conditions come to beyond them. The same call again intends nothing more.

    Raises ChangedError where Prolific's total is another by now; BudgetError; StateError; MarketError.
    """
    require_recruitable(study)
    if study.status == Study.Status.DRAFT:
        raise StateError("Publish the study first: people from Prolific would find no tasks.")
    _require_payable(quote := quote_on_prolific(study, channel_id, market), total_minor)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _drop_failed(locked, channel_id, now=now)
        if _intents(locked, channel_id).exists():
            return 0
        intent = _intend(locked, {"channel": channel_id, "total_minor": total_minor})
        added = max(0, quote.reserved_minor - _reserved_for_tasks(locked))
        ledger.reserve(locked, [(intent, added)], now=now)
        facts = {"channel": channel_id, "total_minor": total_minor, "reserved_cents": added}
        AuditEvent.objects.record(locked, "publish_on_prolific", actor=actor, now=now, **facts)
    return added


def quote_on_prolific(study: Study, channel_id: str, market: Market) -> ProlificQuote:
    """What recruiting costs, and what prevents publishing: also a study that is planned in another currency.

    Raises StateError where the study has no such channel; MarketError.
    """
    require_prolific(study, channel_id, market)
    quote = prolific.quote_study(market, channel_id)
    if quote.currency == study.currency:
        return quote
    problem = (
        f"Prolific pays in {quote.currency}, and this study is planned in {study.currency}. Nothing is converted: "
        f"duplicate the study and set its currency to {quote.currency}."
    )
    return replace(quote, problems=(problem, *quote.problems))


def _require_payable(quote: ProlificQuote, total_minor: int) -> None:
    if quote.problems:
        raise StateError(quote.problems[0])
    if quote.total_minor != total_minor:
        raise ChangedError(
            f"Prolific's total is {format_money(quote.total_minor, quote.currency)} by now, not "
            f"{format_money(total_minor, quote.currency)}. Read it, then publish."
        )


def _reserved_for_tasks(study: Study) -> int:
    kinds = (Intent.Kind.CREATE_HIT, Intent.Kind.ADD_PLACES)
    rows = LedgerEntry.objects.filter(study=study, intent__kind__in=kinds, kind=LedgerEntry.Kind.HOLD)
    return sum(rows.values_list("cents", flat=True))


def _intents(study: Study, channel_id: str) -> QuerySet[Intent]:
    rows = study.intents.filter(kind=Intent.Kind.RECRUIT, details__channel=channel_id)
    return rows.exclude(state=Intent.State.DROPPED)


def failed_recruiting(study: Study, channel_id: str) -> str:
    """Why the last publication or addition of places failed; "" where it did not."""
    last = _intents(study, channel_id).order_by("-pk").first()
    return last.outcome if last is not None and last.state == Intent.State.FAILED else ""


def _drop_failed(study: Study, channel_id: str, *, now: datetime) -> None:
    """What failed is asked for anew: its money is free (the study must be locked)."""
    for intent in _intents(study, channel_id).filter(state=Intent.State.FAILED):
        ledger.give_back(intent, ledger.reserved_by(intent), now=now)
        Intent.objects.filter(pk=intent.pk).update(state=Intent.State.DROPPED)


def _intend(study: Study, details: dict[str, object]) -> Intent:
    number = study.intents.filter(kind=Intent.Kind.RECRUIT).count()
    slot = str(details["channel"])
    intent = Intent.of(study, Intent.Kind.RECRUIT, study.pk, slot=slot, number=number, details=details)
    intent.save()
    return intent


def add_places(study: Study, channel_id: str, places: int, *, market: Market, actor: str, now: datetime) -> int:
    """Intend more places on Prolific, a new total; return the cents reserved for them at the price of the others.

    Raises StateError at `places` for a number that is not larger; BudgetError; MarketError.
    """
    require_prolific(study, channel_id, market)
    known = prolific.get_study(market, channel_id)
    if known.status == prolific.DRAFT:
        raise StateError("This study is a draft on Prolific: change its places there.").at("places")
    present = known.places or 1
    if places <= present:
        raise StateError(f"Places can only grow after publishing: enter more than {present}.").at("places")
    # Rounded up: Prolific rounds fee and tax of the sum, which is at most this.
    added = -(-known.total_minor * (places - present) // present)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _drop_failed(locked, channel_id, now=now)
        intent = _intend(locked, {"channel": channel_id, "places": places})
        ledger.reserve(locked, [(intent, added)], now=now)
        facts = {"channel": channel_id, "places": places, "reserved_cents": added}
        AuditEvent.objects.record(locked, "add_prolific_places", actor=actor, now=now, **facts)
    return added


def change_recruitment(
    study: Study, channel_id: str, deed: str, *, market: Market, actor: str, now: datetime
) -> ProlificStudyRecord:
    """Pause, start or stop recruitment, or retry failed actions, as `deed` says; who is inside can finish."""
    require_prolific(study, channel_id, market)
    changed = DEEDS[deed](market, channel_id)
    AuditEvent.objects.record(study, f"{deed}_prolific", actor=actor, now=now, channel=channel_id)
    return changed


def settle_batch(
    study: Study, channel_id: str, batch_id: str, *, outcome: str, market: Market, actor: str, now: datetime
) -> ProlificStudyRecord:
    """Say whether bonuses whose payment was not answered are paid; what is not paid is sent again.

    Raises StateError for an outcome that Prolific's numbers contradict.
    """
    require_prolific(study, channel_id, market)
    if outcome not in (prolific.PAID, prolific.NOT_PAID):
        raise StateError(f"Choose {prolific.PAID} or {prolific.NOT_PAID}.").at("outcome")
    settled = prolific.settle_batch(market, channel_id, batch_id, outcome=outcome)
    facts = {"channel": channel_id, "batch": batch_id, "outcome": outcome}
    AuditEvent.objects.record(study, "settle_prolific_batch", actor=actor, now=now, **facts)
    return settled


def settle_costs(study: Study, channel_id: str, *, market: Market, actor: str, now: datetime) -> int:
    """Book Prolific's fees and release the rest of what was reserved; return the cents released.

    Raises StateError while Prolific still recruits, reviews or pays.
    """
    require_prolific(study, channel_id, market)
    known = prolific.get_study(market, channel_id)
    waits = {action.kind for action in known.waiting}
    if known.status != prolific.COMPLETED or waits - {prolific.COST} or known.unknown_batches:
        raise StateError("Stop recruitment on Prolific and decide on all submissions first.")
    if waits:
        raise StateError("The cost that Prolific shows does not hold all bonuses. Book the fees in some minutes.")
    submissions = prolific.list_submissions(market, channel_id)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        rows = list(_intents(locked, channel_id).exclude(ledger__kind=LedgerEntry.Kind.RELEASE).order_by("pk"))
        unpaid = _booked_unpaid(locked, submissions)
        released, fee = 0, max(0, known.fees_minor - unpaid)
        booked = fee
        for intent in rows:
            released += ledger.spend_fee(intent, fee, now=now, keep=unpaid, channel=channel_id)
            fee = unpaid = 0
        facts = {"channel": channel_id, "fee_cents": booked, "released_cents": released}
        if rows:
            AuditEvent.objects.record(locked, "settle_prolific", actor=actor, now=now, **facts)
    return released


def _booked_unpaid(study: Study, submissions: Sequence[ProlificSubmissionRecord]) -> int:
    """The cents booked as rewards of people who had returned on Prolific a moment before, where nothing paid them.

    They are taken off the fee: what is booked in all is what Prolific took.
    """
    left = [key for row in submissions if row.has_left for key in row.assignment_ids]
    works = Submission.objects.filter(hit__study=study, market_id__in=left).values("pk")
    rewards = LedgerEntry.objects.filter(
        study=study, kind=LedgerEntry.Kind.REWARD, intent__kind=Intent.Kind.APPROVE, intent__subject__in=works
    )
    return int(rewards.aggregate(sum=Sum("cents", default=0))["sum"])


def unsettled_channels(study: Study) -> int:
    """How many intents on Prolific hold money that is not settled."""
    rows = study.intents.filter(kind=Intent.Kind.RECRUIT).exclude(state=Intent.State.DROPPED)
    return rows.exclude(ledger__kind=LedgerEntry.Kind.RELEASE).count()
