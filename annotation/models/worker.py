"""Workers by pseudonym; their real ids are in one table only."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db import models, transaction

MANY = 5000  # ids in one query; SQLite rejects long lists


class WorkerManager(models.Manager["Worker"]):
    def known_as(self, provider: str, external_id: str) -> Worker:
        """The worker behind a provider's id, made on first sight."""
        return self.known_all(provider, [external_id])[external_id]

    def known_all(self, provider: str, external_ids: Iterable[str]) -> dict[str, Worker]:
        """The workers behind a provider's ids: id -> worker; whoever is not known gets a row and a random pseudonym."""
        ids = list(dict.fromkeys(external_ids))
        named = {external_id: new_pseudonym(provider, external_id) for external_id in ids}
        with transaction.atomic():
            parts = [self._known_few(provider, ids[i : i + MANY], named) for i in range(0, len(ids), MANY)]
        return {external_id: worker for part in parts for external_id, worker in part.items()}

    def _known_few(self, provider: str, ids: list[str], named: Mapping[str, str]) -> dict[str, Worker]:
        known = _behind(provider, ids)
        unknown = [external_id for external_id in ids if external_id not in known]
        if not unknown:
            return known
        created = self.bulk_create(Worker(pseudonym=named[external_id]) for external_id in unknown)
        WorkerIdentity.objects.bulk_create(
            (
                WorkerIdentity.of(worker, provider, external_id)
                for worker, external_id in zip(created, unknown, strict=True)
            ),
            ignore_conflicts=True,
        )
        # Of two processes that meet an id at the same moment one has stored it; the other's worker is deleted.
        self.filter(pk__in=[worker.pk for worker in created], identity=None).delete()
        return known | _behind(provider, unknown)


def _behind(provider: str, external_ids: list[str]) -> dict[str, Worker]:
    """Those of the ids that are known: id -> worker. Rows of an earlier PSEUDONYM_KEY are found by the id, and take
    the present key's hash."""
    hashes = {look_up_hash(provider, external_id): external_id for external_id in external_ids}
    identities = WorkerIdentity.objects.select_related("worker")
    known = {hashes[row.look_up]: row.worker for row in identities.filter(look_up__in=hashes)}
    missing = [external_id for external_id in external_ids if external_id not in known]
    outdated = list(identities.filter(provider=provider, external_id__in=missing)) if missing else []
    for row in outdated:
        row.look_up = look_up_hash(provider, row.external_id)
        known[row.external_id] = row.worker
    if outdated:
        WorkerIdentity.objects.bulk_update(outdated, ["look_up"], batch_size=500)
    return known


def new_pseudonym(provider: str, external_id: str) -> str:
    """w and 16 hexadecimal digits, drawn at random: nothing leads from an id to them, with or without the key.

    A rehearsal, whose raters are simulated, sets PSEUDONYM_SEED for its own process: the same seed then gives the same
    names, and so the same report.
    """
    if settings.PSEUDONYM_SEED:
        message = f"{provider}\0{external_id}".encode()
        return "w" + hmac.new(settings.PSEUDONYM_SEED.encode(), message, hashlib.sha256).hexdigest()[:16]
    return "w" + secrets.token_hex(8)


def look_up_hash(provider: str, external_id: str) -> str:
    """HMAC-SHA256 of a provider's id under PSEUDONYM_KEY, by which its row is looked up."""
    message = f"{provider}\0{external_id}".encode()
    return hmac.new(settings.PSEUDONYM_KEY.encode(), message, hashlib.sha256).hexdigest()


class Worker(models.Model):
    """A person who judged, under a pseudonym. Everything else refers to this row."""

    pseudonym = models.CharField(max_length=40, unique=True)

    objects = WorkerManager()

    def __str__(self) -> str:
        return self.pseudonym


class WorkerIdentity(models.Model):
    """The marketplace id behind each pseudonym.

    Deleting the row makes the person unknown: neither the id nor the key leads to the pseudonym any more, and who
    comes back under the same id is somebody new.
    """

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="identity")
    provider = models.CharField(max_length=60)
    external_id = models.CharField(max_length=100)
    look_up = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name_plural = "worker identities"
        constraints = [
            models.UniqueConstraint(fields=["provider", "external_id"], name="one_worker_per_external_id"),
        ]
        permissions = [("see_worker_ids", "Can see worker ids")]

    def __str__(self) -> str:
        return f"identity of {self.worker}"

    @classmethod
    def of(cls, worker: Worker, provider: str, external_id: str) -> WorkerIdentity:
        """A row that is not stored yet, with the hash by which it is looked up."""
        hashed = look_up_hash(provider, external_id)
        return cls(worker=worker, provider=provider, external_id=external_id, look_up=hashed)
