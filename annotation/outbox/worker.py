"""The work loop: carries out what was intended, each effect once, whatever crashes in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from annotation.exceptions import AssayError
from annotation.models import Intent
from annotation.mturk.client import Market
from annotation.outbox import queue as outbox
from annotation.outbox.effects import hits, prolific, workers
from annotation.outbox.effects.context import Context

Kind = Intent.Kind
State = Intent.State
EFFECTS: dict[str, Callable[[Intent, Context], None]] = {
    Kind.CREATE_HIT: hits.create,
    Kind.ADD_PLACES: hits.add_places,
    Kind.PROLONG: hits.prolong,
    Kind.EXPIRE: hits.expire,
    Kind.DELETE_HIT: hits.delete,
    Kind.APPROVE: workers.approve,
    Kind.REJECT: workers.reject,
    Kind.BONUS: workers.bonus,
    Kind.GRANT: workers.grant,
    Kind.REVOKE: workers.revoke,
    Kind.NOTIFY: workers.notify,
    Kind.BLOCK: workers.block,
    Kind.UNBLOCK: workers.unblock,
    Kind.RECRUIT: prolific.recruit,
}


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
    queue: str = "",
    lease: timedelta = outbox.LEASE,
    progress: Callable[[int], None] | None = None,
) -> Work:
    """Carry out every due intent that matches `intents_of`, oldest first; several workers may run at once.

    queue: where the marketplace shall tell what happens to new HITs. lease: after so long a row in other hands comes
    back, because its worker must be dead.
    """
    tally: dict[str, int] = {State.DONE: 0, State.FAILED: 0, State.WAITING: 0}
    while intent := outbox.take(intents_of, now=clock(), lease=lease):
        tally[_carry_out(intent, market=market, clock=clock, queue=queue)] += 1
        if progress:
            progress(sum(tally.values()))
    open_states = [State.WAITING, State.CLAIMED]
    waiting = Intent.objects.filter(intents_of, state__in=open_states).count()
    return Work(tally[State.DONE], tally[State.FAILED], tally[State.WAITING], waiting)


def _carry_out(intent: Intent, *, market: Market, clock: Callable[[], datetime], queue: str) -> str:
    """Call the marketplace and write the outcome once."""
    try:
        called_before = outbox.note_first_call(intent, now=market.now())
        EFFECTS[intent.kind](intent, Context(market, clock, queue, called_before))
    except AssayError as error:
        return outbox.put_off(intent, error, now=clock())
    if intent.refusals:  # the marketplace is well again
        outbox.hasten(intent.study_id, now=clock())
    return State.DONE
