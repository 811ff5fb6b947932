"""What must hold of the way in before a worker is given a HIT."""

from __future__ import annotations

from datetime import datetime

from annotation.marketplace.channels import consent, reach
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Hit, Participant, WorkerAccount

_ENDS = Prepared(
    lambda worker: Participant.objects.filter(worker=worker).values_list("finished_at", "withdrawn_at"), int
)


def check(hit: Hit, *, worker: WorkerAccount, now: datetime) -> None:
    """Raises WorkRefusedError: uninvited, not-yet, closed, finished, consent. `hit` needs its type and requester.

    A HIT that is under no channel, of a requester without a text to agree to, costs a registered account no query.
    """
    check_way_in(hit, worker=worker, now=now)
    if not consent.agreed(worker, consent.terms_for(worker, hit, now)):
        raise WorkRefusedError("consent")


def check_way_in(hit: Hit, *, worker: WorkerAccount, now: datetime) -> None:
    """The same without the consent."""
    if not reach.reaches(worker, hit.hit_type, now):
        if reach.opens_to_accounts_at(worker, hit.hit_type, now) is not None:
            raise WorkRefusedError("not-yet")
        raise WorkRefusedError("closed" if reach.was_open_to_accounts(worker, hit.hit_type, now) else "uninvited")
    if worker.channel_id is not None and over(worker):
        raise WorkRefusedError("finished")


def over(worker: WorkerAccount) -> bool:
    """Whether an invited worker has finished, or has withdrawn their answers."""
    return any(moment for row in _ENDS(worker.pk) for moment in row)
