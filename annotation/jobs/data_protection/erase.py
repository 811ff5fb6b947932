"""Erasure: one person, over all studies and both sides. Money stays in the books, under a name that leads nowhere."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.db.models import Q

from annotation.accounts.models import User
from annotation.collecting.withdraw import withdraw
from annotation.exceptions import StateError
from annotation.jobs import shared_files
from annotation.jobs.data_protection.person import (
    ABOUT_WORKERS,
    DataSubject,
    call_marketplace,
    draws_of,
    find_person,
    intents_about,
    require_operator,
)
from annotation.models import (
    AuditEvent,
    Device,
    Hold,
    Intent,
    PersonRequest,
    Remark,
    Reply,
    Study,
    Submission,
    Worker,
    WorkerIdentity,
)
from annotation.reports.take_snapshot import take_after_withdrawal
from annotation.workers.retention import forget_draws

# Which persons were erased, outside the database: a backup that is restored does not know of later erasures.
LIST = "erasures.jsonl"
# A name of fewer characters occurs in texts that are about somebody else.
SHORTEST_NAME = 6
OPEN = (Intent.State.WAITING, Intent.State.CLAIMED, Intent.State.FAILED)
ERASED_DETAILS = {"erased": True}


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """What was erased, and what stays. left: places that still contain one of the person's names, with counts.

    comments: free texts by the person that stay with their answers.
    """

    studies: tuple[str, ...]
    workers: int
    identities: int
    accounts: int
    submissions: int
    comments: int
    left: dict[str, int]


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """with_answers: answers go too; else they stay, under a pseudonym that leads to nobody. unpaid: although the
    person is owed something, which can then not be paid."""

    with_answers: bool
    reason: str
    unpaid: bool = False


def erase_person(
    name: str, request: ErasureRequest, *, actor: User | None, actor_name: str, now: datetime
) -> ErasedPerson:
    """Erase a person, all or nothing. Raises StateError where a bonus is open, or the marketplace refuses.

    What stays: pseudonyms, payments, the log of each study, and with `with_answers=False` the answers.
    """
    require_operator(actor)
    if not request.reason.strip():
        raise StateError("Enter the reason, such as a request by the person.").at("reason")
    with transaction.atomic():
        person, _ = find_person(name)
        _require_no_bonus(person)
        studies = list(person.studies)
        submissions = _erase_work(person, studies, request, actor_name, now)
        comments = Remark.objects.filter(presentation__submission__worker__in=person.workers).count()
        external = [row.external_id for row in WorkerIdentity.objects.filter(worker__in=person.workers)]
        _erase_identity(person)
        options = {"answers": request.with_answers, "unpaid": request.unpaid}
        answers = [call_marketplace("erase", known, **options) for known in external or [name.strip()]]
        erased = [answer["erased"] for answer in answers]
        result = ErasedPerson(
            studies=tuple(study.name for study in studies),
            workers=len(person.workers),
            identities=len(external) + sum(side["identities"] for side in erased),
            accounts=sum(side["accounts"] for side in erased),
            submissions=submissions or sum(side["submissions"] for side in erased),
            comments=comments,
            left=places_of(person.names),
        )
        PersonRequest.objects.create(
            kind=PersonRequest.Kind.ERASURE,
            actor=actor_name,
            reason=request.reason.strip()[:200],
            at=now,
            counts={
                "studies": len(studies),
                "identities": result.identities,
                "accounts": result.accounts,
                "submissions": result.submissions,
            },
        )
        transaction.on_commit(lambda: _note(person, request, now))
    return result


def _require_no_bonus(person: DataSubject) -> None:
    if intents_about(person.workers).filter(kind=Intent.Kind.BONUS, state__in=OPEN).exists():
        raise StateError("A bonus to this person is not paid yet. Wait for it or discard it. Nothing was erased.")


def _erase_work(
    person: DataSubject, studies: Sequence[Study], request: ErasureRequest, actor_name: str, now: datetime
) -> int:
    """What hangs on the submissions of each study; how many submissions lost their answers."""
    erased = 0
    for study in studies:
        mine = Submission.objects.filter(hit__study=study, worker__in=person.workers)
        due = list(mine.exclude(raw_format=Submission.WITHDRAWN).values_list("market_id", flat=True))
        if request.with_answers and due:
            withdraw(study, due, actor=actor_name, now=now)
            take_after_withdrawal(study, actor=actor_name, now=now)
            erased += len(due)
        Device.objects.filter(submission__in=mine).delete()
        Reply.objects.filter(submission__in=mine).delete()
        names = sorted({row.worker.pseudonym for row in mine.select_related("worker")})
        facts = {"workers": names, "submissions": mine.count(), "answers_erased": request.with_answers}
        AuditEvent.objects.record(study, "erase_person", actor=actor_name, now=now, **facts)
    return erased


def _erase_identity(person: DataSubject) -> None:
    """The id, what was written to and about the person, and the hash by which the draw's log knows them."""
    forget_draws(draws_of(person))
    about = intents_about(person.workers)
    about.filter(kind__in=ABOUT_WORKERS, state__in=OPEN).update(state=Intent.State.DROPPED, details=ERASED_DETAILS)
    about.filter(kind__in=[Intent.Kind.NOTIFY, Intent.Kind.BLOCK, Intent.Kind.UNBLOCK]).update(details=ERASED_DETAILS)
    Hold.objects.filter(worker__in=person.workers).delete()
    WorkerIdentity.objects.filter(worker__in=person.workers).delete()


def places_of(names: Sequence[str]) -> dict[str, int]:
    """Where one of the names still occurs: columns of this side's tables and files below VAR, with counts.

    Names of fewer than six characters are not searched for.
    """
    known = [name for name in names if len(name) >= SHORTEST_NAME]
    if not known:
        return {}
    places = {}
    for model in apps.get_app_config("annotation").get_models():
        for column in model._meta.concrete_fields:
            if isinstance(column, models.CharField | models.TextField | models.JSONField):
                mentions = Q()
                for name in known:
                    mentions |= Q(**{f"{column.name}__icontains": name})
                if number := model._default_manager.filter(mentions).count():
                    places[f"{model._meta.db_table}.{column.name}"] = number
    for file, content in _files():
        if any(name.lower().encode() in content.lower() for name in known):
            places[file] = 1
    return places


def _files() -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files below VAR, and of those that several machines share."""
    for folder in ("uploads", "jobs", "reports"):
        for file in sorted((settings.VAR / folder).rglob("*")):
            if file.is_file():
                yield file.relative_to(settings.VAR).as_posix(), file.read_bytes()
        for name in shared_files.stored_names(folder):
            with shared_files.open_file(settings.VAR / name) or io.BytesIO() as content:
                yield name, content.read()


def _note(person: DataSubject, request: ErasureRequest, now: datetime) -> None:
    """Pseudonyms alone: from them nobody learns who it was."""
    entry = {
        "at": now.isoformat(timespec="seconds"),
        "pseudonyms": [worker.pseudonym for worker in person.workers],
        "with_answers": request.with_answers,
    }
    settings.VAR.mkdir(parents=True, exist_ok=True)
    with (settings.VAR / LIST).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def repeat_erasures(*, now: datetime) -> int:
    """Erase again who a restored backup knows although they were erased after it was made; how many.

    Read from the list of this machine's VAR folder. People who never submitted anything are not in it.
    """
    path = settings.VAR / LIST
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    repeated = 0
    for entry in entries:
        back = Worker.objects.filter(pseudonym__in=entry["pseudonyms"], identity__isnull=False)
        for worker in back.order_by("pk"):
            request = ErasureRequest(entry["with_answers"], "erased before; the backup was older", unpaid=True)
            erase_person(worker.pseudonym, request, actor=None, actor_name="restore", now=now)
            repeated += 1
    return repeated
