"""Workers by pseudonym; their real ids stand in one table only."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db import models, transaction

MANY = 5000  # ids in one query; SQLite refuses long lists


class WorkerManager(models.Manager["Worker"]):
    def known_as(self, provider: str, external_id: str) -> Worker:
        """The worker behind a provider's id, made on first sight.

        The pseudonym is keyed by the installation's PSEUDONYM_KEY: the same everywhere in it, and not to be
        guessed from the id by anybody without the key.
        """
        identity = WorkerIdentity.objects.select_related("worker").filter(provider=provider, external_id=external_id)
        found = identity.first()
        if found:
            return found.worker
        with transaction.atomic():
            worker, _ = self.get_or_create(pseudonym=pseudonym_of(provider, external_id))
            WorkerIdentity.objects.get_or_create(
                provider=provider, external_id=external_id, defaults={"worker": worker}
            )
        return worker

    def known_all(self, provider: str, external_ids: Iterable[str], *, in_order: bool = False) -> dict[str, Worker]:
        """As known_as for many ids at once: id -> worker.

        in_order: ids that nobody has seen get pseudonyms in their own order, so that whatever goes by the order of
        names comes out the same. Of a provider whose ids all come at once.
        """
        wanted = list(dict.fromkeys(external_ids))
        names = [pseudonym_of(provider, one) for one in wanted]
        named = dict(zip(sorted(wanted), sorted(names), strict=True) if in_order else zip(wanted, names, strict=True))
        with transaction.atomic():
            parts = [self._known_few(provider, wanted[i : i + MANY], named) for i in range(0, len(wanted), MANY)]
        return {external_id: worker for part in parts for external_id, worker in part.items()}

    def _known_few(self, provider: str, wanted: list[str], named: Mapping[str, str]) -> dict[str, Worker]:
        with transaction.atomic():
            found = self._behind(provider, wanted)
            new = {external_id: named[external_id] for external_id in wanted if external_id not in found}
            self.bulk_create((Worker(pseudonym=name) for name in new.values()), ignore_conflicts=True)
            workers = {worker.pseudonym: worker for worker in self.filter(pseudonym__in=list(new.values()))}
            WorkerIdentity.objects.bulk_create(
                (
                    WorkerIdentity(worker=workers[name], provider=provider, external_id=external_id)
                    for external_id, name in new.items()
                ),
                ignore_conflicts=True,
            )
            return self._behind(provider, wanted)

    def _behind(self, provider: str, external_ids: list[str]) -> dict[str, Worker]:
        known = WorkerIdentity.objects.select_related("worker").filter(provider=provider, external_id__in=external_ids)
        return {identity.external_id: identity.worker for identity in known}


def pseudonym_of(provider: str, external_id: str) -> str:
    """A keyed pseudonym: w and 16 hexadecimal digits."""
    told = f"{provider}\0{external_id}".encode()
    return "w" + hmac.new(settings.PSEUDONYM_KEY.encode(), told, hashlib.sha256).hexdigest()[:16]


class Worker(models.Model):
    """A person who judged, under a pseudonym. Everything else refers to this row."""

    pseudonym = models.CharField(max_length=40, unique=True)

    objects = WorkerManager()

    def __str__(self) -> str:
        return self.pseudonym


class WorkerIdentity(models.Model):
    """The vault: which marketplace id a pseudonym stands for. Deleting the row makes the person unknown."""

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="identity")
    provider = models.CharField(max_length=60)
    external_id = models.CharField(max_length=100)

    class Meta:
        verbose_name_plural = "worker identities"
        constraints = [
            models.UniqueConstraint(fields=["provider", "external_id"], name="one_worker_per_external_id"),
        ]
        permissions = [("see_worker_ids", "Can see worker ids")]

    def __str__(self) -> str:
        return f"identity of {self.worker}"
