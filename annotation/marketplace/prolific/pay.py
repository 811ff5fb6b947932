"""Bonuses to people at Prolific, in batches. The call that pays is not repeatable: it is noted before it is made.

A batch whose payment was not answered stops all further bonuses of its study until Prolific's own record shows the
payment, or a person says how it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Sum

from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import (
    Assignment,
    BonusPayment,
    ProlificBonusBatch,
    ProlificBonusLine,
    ProlificStudy,
    ProlificSubmission,
)
from annotation.marketplace.prolific import actions
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.follow import APPROVED, AWAITING, LEFT, PARTLY, REJECTED, SCREENED
from annotation.marketplace.prolific.records import BonusBatchRecord, BonusLine, Minor

State = ProlificBonusBatch.State
PAYABLE = (APPROVED, AWAITING, PARTLY)
OVER = (REJECTED, *LEFT, SCREENED)
MAX_LINES = 200
# Of a batch that was paid before, perhaps: what was paid is read.
CONFLICT = 409
# Prolific may pay later than it answers. After this time its cost is taken as it is.
CHARGED_WITHIN = timedelta(days=1)
PAID, NOT_PAID = "paid", "not-paid"


@transaction.atomic
def queue_bonuses(study: ProlificStudy, *, now: datetime) -> None:
    """Write a line for each bonus that has none, and put open lines into a batch, where none is under way."""
    ProlificStudy.objects.select_for_update().get(pk=study.pk)
    _add_sent_bonuses(study)
    _add_arm_bonuses(study)
    if ProlificBonusBatch.objects.filter(study=study, state__in=ProlificBonusBatch.OPEN).exists():
        return
    rows = ProlificBonusLine.objects.filter(submission__study=study, batch=None).exclude(submission__identity=None)
    lines = list(rows.filter(submission__status__in=PAYABLE).order_by("pk")[:MAX_LINES])
    if not lines:
        # By themselves: whether Prolific pays people who returned or were rejected it says when it is asked.
        lines = list(rows.filter(submission__status__in=OVER).order_by("pk")[:MAX_LINES])
    if lines:
        amount = sum(line.amount_minor for line in lines)
        batch = ProlificBonusBatch.objects.create(study=study, amount_minor=amount, due_at=now, created_at=now)
        ProlificBonusLine.objects.filter(pk__in=[line.pk for line in lines]).update(batch=batch)


def _add_sent_bonuses(study: ProlificStudy) -> None:
    """Lines for what SendBonus has booked."""
    rows = BonusPayment.objects.filter(assignment__worker__channel=study.channel_id, prolific_line=None)
    for bonus in rows.select_related("assignment").order_by("pk"):
        submission = _submission_of(study, bonus.assignment.worker_id)
        if submission is not None:
            ProlificBonusLine.objects.create(submission=submission, bonus=bonus, amount_minor=bonus.amount_cents)


def _add_arm_bonuses(study: ProlificStudy) -> None:
    """Lines for what people's arms pay above the reward that Prolific has paid: what they were shown is paid."""
    shown = (
        Assignment.objects.filter(worker__channel=study.channel_id, state=Assignment.State.APPROVED)
        .order_by()
        .values("worker")
        .annotate(total=Sum("shown_reward_cents"))
        .filter(total__gt=study.reward_minor or 0)
    )
    done = set(
        ProlificBonusLine.objects.filter(submission__study=study, bonus=None).values_list(
            "submission__participant__worker", flat=True
        )
    )
    for row in shown:
        if row["worker"] in done:
            continue
        submission = _submission_of(study, row["worker"])
        if submission is not None and submission.status == APPROVED:
            amount = row["total"] - (study.reward_minor or 0)
            ProlificBonusLine.objects.create(submission=submission, amount_minor=amount)


def _submission_of(study: ProlificStudy, worker: Any) -> ProlificSubmission | None:
    rows = ProlificSubmission.objects.filter(study=study, participant__worker=worker)
    return rows.order_by("-pk").first()


def work_on_batch(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    """Carry the study's open batch on by what is due of it. Failures are noted on the batch."""
    rows = ProlificBonusBatch.objects.filter(study=study, state__in=ProlificBonusBatch.OPEN, due_at__lte=now)
    batch = rows.select_related("study").first()
    if batch is None:
        return
    try:
        if batch.state == State.PREPARED:
            _create(batch, client, now=now)
        if batch.state == State.CREATED:
            _pay(batch, client, now=now)
        elif batch.state == State.SENT:
            # Another process may be waiting for the answer until the lease ends, which is when this is due.
            _note_unknown(batch, "The program was interrupted before Prolific answered.", now=now)
        if batch.state == State.UNKNOWN:
            read_unknown(batch, client, now=now)
    except ProlificError as error:
        _note_failure(batch, error, now=now)


def _create(batch: ProlificBonusBatch, client: Client, *, now: datetime) -> None:
    """Have Prolific know the bonuses. Interrupted and repeated it leaves a batch there that nobody pays."""
    if not _take(batch, now=now):
        return
    sums: dict[str, int] = defaultdict(int)
    for line in _lines(batch):
        sums[line.submission.identity.session_id] += line.amount_minor
    rows = [BonusLine(session, Minor(amount)) for session, amount in sums.items()]
    record = client.create_bonuses(batch.study.prolific_id, rows, batch.study.currency)
    if record.amount.units != batch.amount_minor:
        raise ProlificError(
            f"Prolific understands the bonuses as {record.amount.units} minor units, not {batch.amount_minor}. "
            "Nothing was paid."
        )
    _store_batch(batch, record, now=now)


def _lines(batch: ProlificBonusBatch) -> list[ProlificBonusLine]:
    return list(batch.lines.select_related("submission__identity").order_by("pk"))


def _read_paid(lines: Iterable[ProlificBonusLine], client: Client) -> dict[int, int]:
    """What Prolific has paid as bonuses, by submission."""
    submissions = {line.submission_id: line.submission.identity.session_id for line in lines}
    paid = {}
    for key, session in submissions.items():
        bonuses = client.get_submission(session).bonuses
        if bonuses is None:
            raise ProlificError("What Prolific says of the bonuses that it has paid cannot be read.", later=True)
        paid[key] = bonuses.units
    return paid


def _store_batch(batch: ProlificBonusBatch, record: BonusBatchRecord, *, now: datetime) -> None:
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.PREPARED, attempts=batch.attempts)
    changed = rows.update(
        state=State.CREATED, prolific_id=record.batch_id, fees_minor=record.fees.units, due_at=now, error=""
    )
    batch.refresh_from_db()
    if not changed:
        raise ProlificError("Another process works on this batch.", later=True)


def _pay(batch: ProlificBonusBatch, client: Client, *, now: datetime) -> None:
    """Read what was paid until now, note that the payment is sent, commit, send it, note the answer."""
    if not _note_sent(batch, _read_paid(_lines(batch), client), now=now):
        return
    try:
        client.pay_bonuses(batch.prolific_id)
    except ProlificError as error:
        _note_pay_failure(batch, error, now=now)
    else:
        _note_answer(batch, now=now)


@transaction.atomic
def _note_sent(batch: ProlificBonusBatch, paid: Mapping[int, int], *, now: datetime) -> bool:
    """Note the payment as sent, with what each person had been paid before; False where another process has."""
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.CREATED)
    if rows.update(state=State.SENT, sent_at=now, due_at=now + actions.lease()):
        for line in batch.lines.all():
            ProlificBonusLine.objects.filter(pk=line.pk).update(paid_before_minor=paid[line.submission_id])
        batch.refresh_from_db()
        return True
    batch.refresh_from_db()
    return False


def _note_answer(batch: ProlificBonusBatch, *, now: datetime) -> None:
    open_states = [State.SENT, State.UNKNOWN]
    ProlificBonusBatch.objects.filter(pk=batch.pk, state__in=open_states).update(state=State.KNOWN, error="")
    # Also of a study that is over, which is read once an hour otherwise: its cost has changed.
    ProlificStudy.objects.filter(pk=batch.study_id, state=ProlificStudy.State.PUBLISHED).update(sync_due_at=now)
    batch.refresh_from_db()


def read_sums(study: ProlificStudy) -> tuple[int, int]:
    """Minor units that Prolific has paid to people, as far as it is known: as rewards, and as bonuses."""
    rewards = ProlificSubmission.objects.filter(study=study).aggregate(sum=Sum("paid_minor"))["sum"] or 0
    known = ProlificBonusLine.objects.filter(submission__study=study, batch__state=State.KNOWN)
    return rewards, known.aggregate(sum=Sum("amount_minor"))["sum"] or 0


def uncharged_since(study: ProlificStudy, *, now: datetime) -> datetime | None:
    """When the last bonuses were sent, if the cost that was read last does not hold all that was paid; else None."""
    batches = ProlificBonusBatch.objects.filter(study=study, state=State.KNOWN, sent_at__gt=now - CHARGED_WITHIN)
    sent: datetime | None = batches.aggregate(at=Max("sent_at"))["at"]
    return sent if sent and study.spent_minor < sum(read_sums(study)) else None


def _note_pay_failure(batch: ProlificBonusBatch, error: ProlificError, *, now: datetime) -> None:
    """What was refused was not paid; of what was not answered that is not known."""
    if error.unanswered or error.status == CONFLICT:
        _note_unknown(batch, str(error), now=now)
        return
    # Too many calls, no connection: it did not get there, and is sent again. Another refusal waits for a person too.
    wait = actions.pause(batch.attempts, error) if error.later else actions.LONGEST_PAUSE
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.SENT)
    rows.update(state=State.CREATED, sent_at=None, error=str(error), due_at=now + wait, attempts=F("attempts") + 1)
    batch.refresh_from_db()


def _note_unknown(batch: ProlificBonusBatch, sentence: str, *, now: datetime) -> None:
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.SENT)
    rows.update(state=State.UNKNOWN, error=sentence, due_at=now)
    batch.refresh_from_db()


def _note_failure(batch: ProlificBonusBatch, error: ProlificError, *, now: datetime) -> None:
    wait = actions.pause(batch.attempts, error) if error.later else actions.LONGEST_PAUSE
    ProlificBonusBatch.objects.filter(pk=batch.pk).update(error=str(error), due_at=now + wait)


def _take(batch: ProlificBonusBatch, *, now: datetime) -> bool:
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.PREPARED, attempts=batch.attempts)
    if not rows.update(attempts=F("attempts") + 1, due_at=now + actions.lease()):
        return False
    batch.attempts += 1
    return True


def read_unknown(batch: ProlificBonusBatch, client: Client, *, now: datetime) -> list[ProlificBonusLine]:
    """The lines of an unknown batch that Prolific's record does not show as paid exactly; with none it is known.

    Raises ProlificError.
    """
    lines = _lines(batch)
    paid, sums = _read_paid(lines, client), dict[int, int]()
    for line in lines:
        sums[line.submission_id] = sums.get(line.submission_id, 0) + line.amount_minor
    more = {line.submission_id: paid[line.submission_id] - line.paid_before_minor for line in lines}
    # Another amount than this batch's was paid on Prolific's own site: what that means a person says.
    unpaid = [line for line in lines if more[line.submission_id] != sums[line.submission_id]]
    if not unpaid:
        _note_answer(batch, now=now)
    else:
        shown = sum(min(max(0, more[key]), amount) for key, amount in sums.items())
        rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.UNKNOWN)
        rows.update(due_at=now + timedelta(minutes=1), shown_paid_minor=shown)
    return unpaid


def settle_unknown(batch: ProlificBonusBatch, outcome: str, client: Client, *, now: datetime) -> None:
    """A person says how an unanswered payment was. "not-paid" sends again what Prolific's record does not show.

    Raises InvalidParameterError, RequestRefusedError (the batch is not unknown), ProlificError.
    """
    if outcome not in (PAID, NOT_PAID):
        raise InvalidParameterError(f"Outcome is {PAID} or {NOT_PAID}, not {outcome!r}.").at("Outcome")
    if batch.state != State.UNKNOWN:
        raise RequestRefusedError("ProlificBatchState", "Of this batch it is known whether it was paid.")
    unpaid = read_unknown(batch, client, now=now)
    if outcome == PAID or not unpaid:
        _note_answer(batch, now=now)
        return
    _release(batch, unpaid)


@transaction.atomic
def _release(batch: ProlificBonusBatch, unpaid: list[ProlificBonusLine]) -> None:
    """Let these lines go into another batch; what is left of this one was paid."""
    total = sum(line.amount_minor for line in unpaid)
    left = batch.lines.exclude(pk__in=[line.pk for line in unpaid]).exists()
    rows = ProlificBonusBatch.objects.filter(pk=batch.pk, state=State.UNKNOWN)
    if rows.update(state=State.KNOWN if left else State.RELEASED, amount_minor=F("amount_minor") - total, error=""):
        ProlificBonusLine.objects.filter(pk__in=[line.pk for line in unpaid], batch=batch).update(batch=None)
