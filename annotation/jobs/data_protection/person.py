"""One person on both sides: who they are here, and every record that is stored of them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.management import CommandError, call_command
from django.db.models import Q, QuerySet

from annotation.accounts.models import User
from annotation.accounts.stored_rows import Rows, rows_below
from annotation.exceptions import StateError
from annotation.models import (
    AuditEvent,
    DrawRecord,
    Intent,
    Look,
    PersonRequest,
    Study,
    Submission,
    Worker,
)
from annotation.models.worker import look_up_hash

# Intents whose subject is a worker; of all others about people it is a submission.
ABOUT_WORKERS = (Intent.Kind.NOTIFY, Intent.Kind.GRANT, Intent.Kind.REVOKE, Intent.Kind.BLOCK, Intent.Kind.UNBLOCK)
ABOUT_WORK = (Intent.Kind.APPROVE, Intent.Kind.REJECT, Intent.Kind.BONUS)


@dataclass(frozen=True)
class DataSubject:
    """Who goes by a name: their pseudonyms here, and all names by which either side knows them."""

    workers: tuple[Worker, ...]
    names: tuple[str, ...] = field(repr=False)

    @property
    def studies(self) -> QuerySet[Study]:
        """All studies for which they did something."""
        mine = Q(participations__worker__in=self.workers) | Q(hits__submissions__worker__in=self.workers)
        return Study.objects.filter(mine).distinct().order_by("name")


@dataclass(frozen=True)
class StoredOfPerson:
    """All rows of both sides by table, the person's studies, and whether anything is stored at all."""

    person: DataSubject = field(repr=False)
    requester: Rows = field(repr=False)
    marketplace: Rows = field(repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """Records by table, without their content."""
        return {table: len(rows) for side in (self.requester, self.marketplace) for table, rows in side.items()}

    def document(self, *, now: datetime) -> bytes:
        """What the person is given: one JSON file."""
        content = {
            "schema": "assay-person",
            "schema_version": 1,
            "created_at": now.isoformat(timespec="seconds"),
            "known_as": list(self.person.names),
            "studies": list(self.person.studies.values_list("name", flat=True)),
            "requester": self.requester,
            "marketplace": self.marketplace,
        }
        return (json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n").encode()


def require_operator(actor: User | None) -> None:
    """Raise StateError for a user who is no administrator. None: the command line of the machine itself."""
    if actor is not None and not actor.is_superuser:
        raise StateError("Only an administrator of this installation can see and erase all that is stored of a person.")


def call_marketplace(action: str, name: str, **options: Any) -> dict[str, Any]:
    """The marketplace's answer, by its command's name: this side does not import it. Raises StateError."""
    out = io.StringIO()
    try:
        call_command("marketplace_person", action, name, stdout=out, **options)
    except CommandError as error:
        raise StateError(str(error)) from None
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def find_person(name: str) -> tuple[DataSubject, Rows]:
    """The person of a worker ID, panel ID, email address, code or pseudonym, and the marketplace's rows of them.

    Raises StateError where neither side knows the name.
    """
    if not name.strip():
        raise StateError("Enter a worker ID, a panel's ID, an email address, a completion code or a pseudonym.").at(
            "name"
        )
    names = {name.strip()}
    external = Worker.objects.filter(pseudonym__in=names, identity__isnull=False).values_list(
        "identity__external_id", flat=True
    )
    names |= set(external)
    rows: Rows = {}
    for known in sorted(names):
        answer = call_marketplace("show", known)
        names |= set(answer["names"])
        rows = answer["rows"] or rows
    workers = Worker.objects.filter(Q(identity__external_id__in=names) | Q(pseudonym__in=names)).distinct()
    person = DataSubject(tuple(workers.order_by("pk")), tuple(sorted(names)))
    if not person.workers and not rows:
        raise StateError(
            "Neither side stores anybody by this name. Check it, or try another of the person's names."
        ).at("name")
    return person, rows


def show_person(name: str, *, reason: str, actor: User | None, actor_name: str, now: datetime) -> StoredOfPerson:
    """All that is stored of a person; the look is logged, with the reason. Raises StateError."""
    require_operator(actor)
    if not reason.strip():
        raise StateError("Enter the reason, such as a request by the person.").at("reason")
    person, marketplace = find_person(name)
    stored = StoredOfPerson(person, _requester_rows(person), marketplace)
    if actor is not None:
        Look.objects.bulk_create(
            Look(worker=worker, user=actor, reason=reason.strip()[:200], at=now) for worker in person.workers
        )
    PersonRequest.objects.create(
        kind=PersonRequest.Kind.ACCESS,
        actor=actor_name,
        reason=reason.strip()[:200],
        at=now,
        counts={"studies": person.studies.count(), "records": sum(stored.counts.values())},
    )
    return stored


def intents_about(workers: Sequence[Worker]) -> QuerySet[Intent]:
    """Marketplace actions about the workers or their submissions, which no reference leads to."""
    work = Submission.objects.filter(worker__in=workers).values("pk")
    about_people = Q(kind__in=ABOUT_WORKERS, subject__in=[worker.pk for worker in workers])
    return Intent.objects.filter(about_people | Q(kind__in=ABOUT_WORK, subject__in=work))


def draws_of(person: DataSubject) -> QuerySet[DrawRecord]:
    """Lines of the draw that carry the hash of one of the person's names."""
    providers = {worker.identity.provider for worker in _known(person)}
    hashes = [look_up_hash(provider, name)[:16] for provider in providers for name in person.names]
    return DrawRecord.objects.filter(person__in=hashes)


def _known(person: DataSubject) -> QuerySet[Worker]:
    keys = [worker.pk for worker in person.workers]
    return Worker.objects.filter(pk__in=keys, identity__isnull=False).select_related("identity")


def _requester_rows(person: DataSubject) -> Rows:
    logged = Q(pk=None)
    for worker in person.workers:
        logged |= Q(facts__icontains=worker.pseudonym)
    separate = [*intents_about(person.workers), *draws_of(person), *AuditEvent.objects.filter(logged)]
    return rows_below([*person.workers, *separate])
