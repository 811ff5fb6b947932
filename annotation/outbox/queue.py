"""The outbox: intents written with the decision, claimed by compare-and-set, their outcome written once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest

from annotation.exceptions import AssayError, MarketError
from annotation.models import Hit, Intent, Study

# A worker that took a row and died gives it back after this long.
LEASE = timedelta(minutes=10)
MAX_REFUSALS = 10
LONGEST_PAUSE = 300.0
# While the marketplace is away, one action so often finds out whether it is back.
PROBE_EVERY = timedelta(seconds=5)
# An action is tried so often at that pace; then each pause is a tenth longer, up to LONGEST_PAUSE: an action that fails
# for a reason of its own looks like a marketplace that is away.
PROBES_AT_PACE, LONGER = 60, 1.1
PROBES_LOOKED_AT = 200
# A probe without an outcome for so long keeps no other waiting: its worker has died.
PROBE_LEASE = timedelta(minutes=2)
# What is done to one HIT is done in the order in which it was intended.
IN_ORDER = (Intent.Kind.ADD_PLACES, Intent.Kind.PROLONG, Intent.Kind.EXPIRE, Intent.Kind.DELETE_HIT)
# What brings new people in waits while a study is paused.
RECRUITING = (Intent.Kind.CREATE_HIT, Intent.Kind.ADD_PLACES, Intent.Kind.PROLONG)

State = Intent.State
Kind = Intent.Kind


@dataclass(frozen=True, slots=True)
class Backlog:
    """Intents of a study that are not done: waiting or in hands, and failed."""

    waiting: int
    failed: int


def again(study: Study, kind: str, subject: int) -> int:
    """The number of the next intent of this kind for the subject (the study must be locked)."""
    return Intent.objects.filter(study=study, kind=kind, subject=subject).count()


def expiries(study: Study, hits: Iterable[Hit]) -> list[Intent]:
    """Intend that nobody new enters these HITs (the study must be locked)."""
    return Intent.objects.bulk_create(
        Intent.of(study, Kind.EXPIRE, hit.pk, slot=str(hit.slot), number=again(study, Kind.EXPIRE, hit.pk))
        for hit in hits
    )


def prolongations(study: Study, hits: Iterable[Hit]) -> list[Intent]:
    """Intend that these HITs are offered for as long again as new ones are (the study must be locked)."""
    return Intent.objects.bulk_create(
        Intent.of(
            study,
            Kind.PROLONG,
            hit.pk,
            slot=str(hit.slot),
            number=again(study, Kind.PROLONG, hit.pk),
            details={"seconds": study.lifetime_seconds},
        )
        for hit in hits
    )


def take(selection: Q, *, now: datetime, lease: timedelta = LEASE) -> Intent | None:
    """Take the oldest due row by compare-and-set, or where none is due a probe (`_probe`); None without either."""
    due = Q(state=State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
    left_behind = Q(state=State.CLAIMED, taken_at__lt=now - lease)
    held_up = Q(kind__in=RECRUITING, study__status=Study.Status.PAUSED)
    before = Intent.objects.filter(
        study=OuterRef("study"),
        subject=OuterRef("subject"),
        kind__in=[Kind.CREATE_HIT, *IN_ORDER],
        state__in=[State.WAITING, State.CLAIMED],
        pk__lt=OuterRef("pk"),
    )
    out_of_turn = Q(Exists(before), kind__in=IN_ORDER)
    while True:
        allowed = Intent.objects.filter(selection).exclude(held_up).exclude(out_of_turn)
        intent = allowed.filter(due | left_behind).order_by("pk").first() or _probe(allowed, now=now)
        if intent is None:
            return None
        mine = Intent.objects.filter(pk=intent.pk, state=intent.state, attempts=intent.attempts).update(
            state=State.CLAIMED, taken_at=now, attempts=F("attempts") + 1
        )
        if mine:
            intent.refresh_from_db()
            return intent


def _probe(allowed: QuerySet[Intent], *, now: datetime) -> Intent | None:
    """What may be tried before its pause is over, to find out whether a marketplace that was away is back.

    Least recently tried first; none while another probe is under way, or was made less than PROBE_EVERY ago, of any
    study: however many actions wait, a marketplace that hangs gets one call at a time.
    """
    away = Intent.objects.filter(away_at__isnull=False)
    recent = away.filter(away_at__gt=now - PROBE_EVERY, away_at__lte=now)
    under_way = away.filter(state=State.CLAIMED, taken_at__gt=now - PROBE_LEASE, taken_at__lte=now)
    if recent.exists() or under_way.exists():
        return None
    waiting = allowed.filter(state=State.WAITING, away_at__isnull=False, not_before__gt=now).order_by("away_at", "pk")
    return next((row for row in waiting[:PROBES_LOOKED_AT] if row.away_at and row.away_at <= now - _gap(row)), None)


def _gap(intent: Intent) -> timedelta:
    """How long this action waits between two probes; attempts that used up no refusal were probes."""
    slower = min(max(0, intent.attempts - intent.refusals - PROBES_AT_PACE), 100)
    return min(PROBE_EVERY * LONGER**slower, timedelta(seconds=LONGEST_PAUSE))


def studies_with_marketplace_away() -> list[int]:
    """Primary keys of studies with actions whose last attempt found the marketplace away."""
    waiting = Intent.objects.filter(away_at__isnull=False, state=State.WAITING)
    return list(waiting.order_by("study_id").values_list("study_id", flat=True).distinct())


def is_probe(intent: Intent) -> bool:
    """Whether a row in hands was taken before its pause was over."""
    return intent.taken_at is not None and intent.not_before is not None and intent.not_before > intent.taken_at


def note_first_call(intent: Intent, *, now: datetime) -> datetime | None:
    """Remember, in the market's time, when the token was first used; returns that time if it was used before."""
    before = intent.first_called_at
    if before is None:
        Intent.objects.filter(pk=intent.pk, first_called_at=None).update(first_called_at=now)
        intent.first_called_at = now
    return before


@contextmanager
def outcome(intent: Intent, text: str, *, now: datetime) -> Iterator[bool]:
    """One transaction that locks the study and writes the outcome; yields whether nobody had written one before.

    Whatever follows from the outcome (an id, a payment) is written inside.
    """
    with transaction.atomic():
        Study.objects.select_for_update().values_list("pk").get(pk=intent.study_id)
        yield bool(
            Intent.objects.filter(pk=intent.pk)
            .exclude(state__in=[State.DONE, State.DROPPED])
            .update(state=State.DONE, outcome=text, finished_at=now, taken_at=None, away_at=None)
        )


def put_off(intent: Intent, error: AssayError, *, now: datetime) -> str:
    """Put off what may pass (twice as long each time, spread by the row's own key); give up on what will not.

    The pause is 0.5 to 1.5 times 2, 4, 8 ... seconds, five minutes at most; after ten such answers it has failed. A
    probe that fails so has used up none of them, and the pause that it was taken from goes on.
    """
    probe = is_probe(intent)
    refusals = intent.refusals + (not probe)
    passing = isinstance(error, MarketError) and not error.permanent and refusals < MAX_REFUSALS
    state = State.WAITING if passing else State.FAILED
    spread = 0.5 + int(intent.key[:8], 16) / 0xFFFFFFFF
    pause = timedelta(seconds=min(2.0**refusals * spread, LONGEST_PAUSE))
    retry_at = intent.not_before if probe else now + pause
    Intent.objects.filter(pk=intent.pk, state=State.CLAIMED, attempts=intent.attempts).update(
        state=state,
        not_before=retry_at if passing else None,
        outcome=str(error),
        refusals=refusals,
        taken_at=None,
        away_at=now if passing and isinstance(error, MarketError) and error.away else None,
    )
    return state


def hasten(study: int, *, now: datetime) -> int:
    """Let what was put off after a failure be tried again at once: a call has just succeeded that had failed before.

    Returns how many. Without this, each would wait for its own pause of up to five minutes. The extra attempt does not
    count as a refusal: else a marketplace that answers now and then would use up the ten within seconds.
    """
    put_off = Intent.objects.filter(study=study, state=State.WAITING, refusals__gt=0, not_before__gt=now)
    return put_off.update(not_before=now, refusals=Greatest(F("refusals") - 1, 1), away_at=None)


def drop(study: Study, selection: Q) -> list[Intent]:
    """Give up intents that nobody has in hands (the study must be locked); which these are."""
    rows = Intent.objects.filter(selection, study=study, state__in=[State.WAITING, State.FAILED])
    dropped = list(rows.select_for_update())
    Intent.objects.filter(pk__in=[intent.pk for intent in dropped]).update(
        state=State.DROPPED, outcome="not wanted any more"
    )
    return dropped


def backlog(study: Study) -> Backlog:
    """How much of the study's outbox is not done."""
    rows = study.intents
    waiting = rows.filter(state__in=[State.WAITING, State.CLAIMED]).count()
    return Backlog(waiting, rows.filter(state=State.FAILED).count())
