"""The loop that scores what is on the queue: any number of workers, each chunk in one worker's hands at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from annotation.exceptions import AssayError
from annotation.models import Scoring, ScoringChunk, ScoringJob, Text
from annotation.texts.log_probs import store
from metrics.errors import MetricsError
from metrics.likelihood import LogProbs, Scored
from metrics.likelihood.errors import OutOfMemory, ServerFailed
from metrics.likelihood.opening import Opening, opening_of

LEASE = timedelta(minutes=10)
# Pairs scored between two writes; each write renews the lease.
PART = 16
MAX_ATTEMPTS = 5
# What may pass when the same is tried again.
PASSING = (ServerFailed, OutOfMemory)

State = ScoringChunk.State
Open = Callable[[Opening], LogProbs]


class LostError(AssayError):
    """Another worker holds the chunk now: these scores are not written."""


@dataclass(frozen=True, slots=True)
class ChunksScored:
    """What one pass did; open: chunks left (waiting for their time, or in other hands).

    next_in: seconds until one of these may be taken; None where none is left.
    """

    done: int
    failed: int
    put_off: int
    open: int
    next_in: float | None


def score_chunks(
    chunks_of: Q,
    *,
    open_backend: Open,
    clock: Callable[[], datetime],
    lease: timedelta = LEASE,
    max_chunks: int | None = None,
    progress: Callable[[ScoringChunk], None] | None = None,
) -> ChunksScored:
    """Take due chunks that match `chunks_of`, oldest first, and score them, at most `max_chunks` of them.

    open_backend: gives the model that an `Opening` names; it should keep the last one.
    """
    tally = {State.DONE: 0, State.FAILED: 0, State.WAITING: 0, State.CLAIMED: 0}
    while max_chunks is None or sum(tally.values()) < max_chunks:
        chunk = _next_due(chunks_of, now=clock(), lease=lease)
        if chunk is None:
            break
        # Opening a model may take longer than a lease: it is opened before the chunk is taken.
        backend = _open_model(chunk, open_backend)
        if not _take(chunk, now=clock()):
            continue
        tally[_carry_out(chunk, backend, clock=clock)] += 1
        if progress:
            progress(chunk)
    left = ScoringChunk.objects.filter(chunks_of, state__in=[State.WAITING, State.CLAIMED])
    times = [
        (chunk.not_before if chunk.state == State.WAITING else (chunk.taken_at or clock()) + lease) for chunk in left
    ]
    now = clock()
    next_in = min((max(0.0, ((at or now) - now).total_seconds()) for at in times), default=None)
    return ChunksScored(tally[State.DONE], tally[State.FAILED], tally[State.WAITING], len(times), next_in)


def _next_due(chunks_of: Q, *, now: datetime, lease: timedelta) -> ScoringChunk | None:
    """The oldest due chunk; None when none is due. One that was taken too often is given up on the way."""
    due = Q(state=State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
    left_behind = Q(state=State.CLAIMED, taken_at__lt=now - lease)
    candidates = (
        ScoringChunk.objects.filter(chunks_of).filter(due | left_behind).select_related("job__generator__study")
    )
    while chunk := candidates.order_by("pk").first():
        if chunk.state != State.CLAIMED or chunk.attempts < MAX_ATTEMPTS:
            return chunk
        sentence = f"Given up: {chunk.attempts} workers took these texts and stopped without a result."
        _unchanged_rows(chunk).update(state=State.FAILED, outcome=sentence, finished_at=now, taken_at=None)
    return None


def _unchanged_rows(chunk: ScoringChunk) -> QuerySet[ScoringChunk]:
    """The chunk's row as long as it is unchanged since it was read."""
    return ScoringChunk.objects.filter(pk=chunk.pk, state=chunk.state, attempts=chunk.attempts, taken_at=chunk.taken_at)


def _take(chunk: ScoringChunk, *, now: datetime) -> bool:
    """Take the chunk by compare-and-set; False where another worker was faster."""
    if not _unchanged_rows(chunk).update(state=State.CLAIMED, taken_at=now, attempts=F("attempts") + 1):
        return False
    chunk.refresh_from_db(fields=["state", "attempts", "taken_at", "scored", "reused", "kept"])
    return True


def _open_model(chunk: ScoringChunk, open_backend: Open) -> LogProbs | MetricsError:
    try:
        return open_backend(opening_of(chunk.job.opening))
    except MetricsError as error:
        return error


def _carry_out(chunk: ScoringChunk, backend: LogProbs | MetricsError, *, clock: Callable[[], datetime]) -> State:
    """Score the chunk's texts without a score; the state it is left in (TAKEN: it is another's now)."""
    if isinstance(backend, MetricsError):
        return _note_failure(chunk, backend, now=clock())
    try:
        _score_chunk(chunk, backend, clock=clock)
        is_still_held = _held_rows(chunk).update(state=State.DONE, finished_at=clock(), taken_at=None, outcome="")
    except LostError:
        return State.CLAIMED
    except (MetricsError, AssayError) as error:
        return _note_failure(chunk, error, now=clock())
    return State.DONE if is_still_held else State.CLAIMED


def _score_chunk(chunk: ScoringChunk, backend: LogProbs, *, clock: Callable[[], datetime]) -> None:
    job = chunk.job
    if not job.replace:
        store.check_unmixed(job.generator, backend.card.signature)
    scoring = store.ensure_scoring(job.generator, backend.card, now=clock())
    ScoringJob.objects.filter(pk=job.pk, signature="").update(signature=scoring.signature)
    texts = list(Text.objects.filter(pk__in=chunk.texts).select_related("context").order_by("pk"))
    had = store.scored_already(texts, scoring)
    todo = [text for text in texts if text.pk not in had]
    known = store.known_content(todo, scoring)
    before = chunk.scored + chunk.reused
    _write_part(chunk, known, scoring, now=clock(), reused=len(known), kept=max(0, len(had) - before) - chunk.kept)

    def keep(part: Mapping[Text, Scored]) -> None:
        _write_part(chunk, part, scoring, now=clock(), scored=len(part))

    store.score_in_parts([text for text in todo if text not in known], backend, size=PART, keep=keep)


def _write_part(
    chunk: ScoringChunk, part: Mapping[Text, Scored], scoring: Scoring, *, now: datetime, **counts: int
) -> None:
    """Write scores and renew the lease, both or neither. Raises LostError where the chunk is another's."""
    with transaction.atomic():
        changed = {name: F(name) + count for name, count in counts.items()}
        if not _held_rows(chunk).update(taken_at=now, **changed):
            raise LostError(f"The chunk {chunk} is another worker's now.")
        store.write_scores(part, scoring)


def _held_rows(chunk: ScoringChunk) -> QuerySet[ScoringChunk]:
    """The chunk's row as long as this worker holds it."""
    return ScoringChunk.objects.filter(pk=chunk.pk, state=State.CLAIMED, attempts=chunk.attempts)


def _note_failure(chunk: ScoringChunk, error: Exception, *, now: datetime) -> State:
    """Put off what may pass (twice as long each time); give up on what will not."""
    passing = isinstance(error, PASSING) and chunk.attempts < MAX_ATTEMPTS
    state = State.WAITING if passing else State.FAILED
    _held_rows(chunk).update(
        state=state,
        not_before=now + timedelta(seconds=2**chunk.attempts) if passing else None,
        finished_at=None if passing else now,
        outcome=str(error),
        taken_at=None,
    )
    return state
