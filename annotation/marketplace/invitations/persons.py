"""All that the marketplace stores of one person, and its erasure: for the operator of the installation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.accounts.stored_rows import Rows, rows_below
from annotation.marketplace.channels import tokens
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.ids import worker_id
from annotation.marketplace.invitations import withdrawal
from annotation.marketplace.invitations.admission import PROLIFIC_MAIL
from annotation.marketplace.invitations.retention import forget_browsers
from annotation.marketplace.invitations.sealed_ids import seal_ids
from annotation.marketplace.models import (
    Assignment,
    Link,
    OneTimeLink,
    Participant,
    ParticipantIdentity,
    PayoutFile,
    ProlificIdentity,
    Registration,
    Requester,
    SealedId,
    TestAttempt,
    WithdrawalKey,
    WorkerAccount,
    WorkerMessage,
    WorkerSession,
)
from annotation.marketplace.workers import close_account
from annotation.marketplace.workers.settlements import VOLUNTEER, Scope, list_owed

# How long a session that Prolific goes on listing is known as that of an erased person.
ERASED = timedelta(days=730)


@dataclass(frozen=True)
class PersonRecords:
    """Who goes by a name here: participants, workers (theirs and accounts), and all the names by which they are known.

    Of the names those that lead somewhere else too (worker ids) come first.
    """

    participants: tuple[Participant, ...] = ()
    workers: tuple[WorkerAccount, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)

    @property
    def worker_ids(self) -> list[str]:
        return [worker.worker_id for worker in self.workers]


def find_person(name: str) -> PersonRecords:
    """The person of a worker id, an id of a panel, a session there, an email address or a code of ours.

    What is found leads on: who is known by an address in one channel and by it with an id in another is one person.
    """
    names, participants, workers = {name.strip()}, set[Participant](), set[WorkerAccount]()
    while True:
        known = (len(names), len(participants), len(workers))
        participants |= set(_participants(names, workers))
        workers |= {person.worker for person in participants if person.worker is not None}
        workers |= set(_accounts(names))
        names |= set(_names_of(participants, workers))
        if known == (len(names), len(participants), len(workers)):
            break
    ordered_workers = tuple(sorted(workers, key=lambda worker: worker.pk))
    return PersonRecords(
        tuple(sorted(participants, key=lambda person: person.pk)),
        ordered_workers,
        tuple(dict.fromkeys((*(worker.worker_id for worker in ordered_workers), *sorted(names))))
        if workers or participants
        else (),
    )


def _participants(names: Iterable[str], workers: Iterable[WorkerAccount]) -> QuerySet[Participant]:
    ids = sorted(names)
    mails = [name for name in ids if "@" in name]
    by_mail = Q(identity__email__in=mails)
    for mail in mails:
        by_mail |= Q(identity__email__iexact=mail)
    return (
        Participant.objects.select_related("worker", "channel__requester")
        .filter(
            Q(identity__external_id__in=ids)
            | by_mail
            | Q(participant_id__in=ids)
            | Q(prolific_submissions__identity__session_id__in=ids)
            | Q(code__in=[tokens.as_written(name) for name in ids if 8 <= len(name) <= 20])
            | Q(worker__in=[worker.pk for worker in workers])
        )
        .distinct()
    )


def _accounts(names: Iterable[str]) -> QuerySet[WorkerAccount]:
    ids = sorted(names)
    mails = [name for name in ids if "@" in name]
    by_mail = Q(pk=None)
    for mail in mails:
        by_mail |= Q(email__iexact=mail)
    return WorkerAccount.objects.filter(Q(worker_id__in=ids) | Q(name__in=ids, channel=None) | by_mail)


def _names_of(participants: Iterable[Participant], workers: Iterable[WorkerAccount]) -> Iterable[str]:
    """By what else the person is known. A name of a person is none of these: others are called so, too."""
    people = [person.pk for person in participants]
    at_prolific = set(
        ProlificIdentity.objects.filter(submission__participant__in=people).values_list(
            "submission__participant", flat=True
        )
    )
    for identity in ParticipantIdentity.objects.filter(participant__in=people):
        yield from {identity.external_id, identity.email.lower()} - {""}
        if identity.email.lower().endswith(PROLIFIC_MAIL):
            yield identity.email[: -len(PROLIFIC_MAIL)]
        if identity.external_id and identity.participant_id in at_prolific:
            yield f"{identity.external_id}{PROLIFIC_MAIL}"
    sessions = ProlificIdentity.objects.filter(submission__participant__in=people)
    yield from sessions.values_list("session_id", flat=True)
    for worker in workers:
        yield worker.worker_id
        if worker.email:
            yield worker.email.lower()


def stored_of(person: PersonRecords) -> Rows:
    """Every row that is stored of the person, by table. Hashes of secrets are not shown."""
    return rows_below([*person.participants, *person.workers])


@dataclass(frozen=True)
class Erased:
    """What was erased: identities, accounts that were closed, submissions whose answers are gone."""

    identities: int
    accounts: int
    submissions: int


@transaction.atomic
def erase_person(person: PersonRecords, *, with_answers: bool, unpaid: bool, now: datetime) -> Erased:
    """Erase who the person is; with_answers: what they submitted, too. Ledger and payouts stay, under a new random id.

    Raises RequestRefusedError while they hold a task, and, unless `unpaid`, while they are owed something or are in an
    open payout file.
    """
    if not unpaid:
        _require_settled(person)
    submissions = sum(_withdraw(worker, now=now) for worker in person.workers) if with_answers else 0
    for worker in person.workers:
        if close_account.farewell(worker).held:
            raise RequestRefusedError("HoldsATask", "The person holds a task. Wait until it is submitted or returned.")
    identities = _erase_participants(person.participants, now=now)
    accounts = sum(_erase_account(worker, now=now) for worker in person.workers)
    _erase_traces(person.names)
    return Erased(identities, accounts, submissions)


def _withdraw(worker: WorkerAccount, *, now: datetime) -> int:
    """As by the person's own code, toward every requester."""
    requesters = Requester.objects.filter(hits__assignments__worker=worker).distinct().order_by("pk")
    erased = 0
    for requester in requesters:
        withdrawal.withdrawal_code(worker, requester)
        key = WithdrawalKey.objects.get(worker=worker, requester=requester)
        erased += withdrawal.withdraw(key, now=now).erased
    TestAttempt.objects.filter(worker=worker).update(answer="")
    return erased


def _require_settled(person: PersonRecords) -> None:
    """Without a name and an address nobody can be paid. Raises RequestRefusedError for what is not paid yet."""
    workers = {worker.pk: worker for worker in person.workers}
    undecided = Assignment.objects.filter(worker__in=workers, state=Assignment.State.SUBMITTED)
    waiting = [row for row in undecided.select_related("hit__requester", "worker__channel") if _is_paid(row)]
    if waiting:
        raise _debt(f"{len(waiting)} submissions of this person are not decided yet")
    for requester in Requester.objects.filter(hits__assignments__worker__in=workers).distinct():
        for owed in list_owed(Scope(requester)):
            if owed.worker_key in workers:
                raise _debt(f"The person is owed {owed.amount_minor} minor units of {owed.currency}")
    if PayoutFile.objects.filter(state=PayoutFile.State.OPEN, settlements__worker__in=workers).exists():
        raise _debt("The person is in a payout file that is not marked as sent")
    for worker in workers.values():
        leaving = close_account.farewell(worker)
        for currency, amount in (*leaving.owed, *leaving.sent):
            raise _debt(f"The person has earned {amount} minor units of {currency} that are not paid out")


def _is_paid(assignment: Assignment) -> bool:
    channel = assignment.worker.channel
    return ((channel.pays if channel else "") or assignment.hit.requester.pays) != VOLUNTEER


def _debt(sentence: str) -> RequestRefusedError:
    why = "Pay first: afterwards no name or address is known to pay them by. Nothing was erased."
    return RequestRefusedError("PayoutsOwed", f"{sentence}. {why}")


def _erase_participants(people: Sequence[Participant], *, now: datetime) -> int:
    keys = [person.pk for person in people]
    sessions = ProlificIdentity.objects.filter(submission__participant__in=keys)
    for session_id, requester, study in sessions.values_list(
        "session_id", "submission__participant__channel__requester", "submission__participant__channel__study"
    ):
        seal_ids(requester, study, [session_id], purpose=SealedId.Purpose.ERASED, until=now + ERASED)
    sessions.delete()
    identities = ParticipantIdentity.objects.filter(participant__in=keys)
    number = identities.count()
    identities.delete()
    for person in Participant.objects.filter(pk__in=keys):
        changes: dict[str, Any] = {"link": None}
        if person.code:
            changes["code"] = tokens.new_code()
        Participant.objects.filter(pk=person.pk).update(**changes)
    Link.objects.filter(participant__in=keys).delete()
    forget_browsers(Participant.objects.filter(pk__in=keys))
    return number


def _erase_account(worker: WorkerAccount, *, now: datetime) -> bool:
    """Close it as its owner could, and let nothing lead from its earlier id to its work."""
    WithdrawalKey.objects.filter(worker=worker).delete()
    WorkerSession.objects.filter(worker=worker).delete()
    OneTimeLink.objects.filter(worker=worker).delete()
    WorkerMessage.objects.filter(worker=worker).delete()
    Assignment.objects.filter(worker=worker).update(feedback="")
    worker.blocks.all().delete()
    is_account = worker.channel_id is None and worker.closed_at is None
    if is_account:
        close_account.close(worker, now=now)
    new_id = worker_id()
    name = f"closed {new_id}" if worker.channel_id is None else f"invited {new_id}"
    WorkerAccount.objects.filter(pk=worker.pk).update(worker_id=new_id, name=name, payee="")
    return is_account


def _erase_traces(names: Sequence[str]) -> None:
    """What is kept of attempts to sign in and to register."""
    for name in names:
        Registration.objects.filter(email__iexact=name).delete()
        for model in (AccessAttempt, AccessLog, AccessFailureLog):
            model.objects.filter(username__iexact=name).delete()
