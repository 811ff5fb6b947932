"""Celery's doors: they wake the work loops. Without a broker, `manage.py work` is the same loops."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.flows.score_chunks import ChunksScored, score_chunks
from annotation.flows.work import work
from annotation.models import ScoringChunk
from metrics.likelihood import LogProbs
from metrics.likelihood.opening import Opening

# Tasks that wake scoring workers: each takes a chunk and comes back while there are others.
MOST_WAKES = 16
SOONEST = 1.0


@shared_task(name="annotation.work", ignore_result=True)
def work_off(study_pk: int) -> None:
    """Carry out what is due for one study."""
    work(Q(study_id=study_pk), market=Market(conf.endpoint()), clock=timezone.now)


@shared_task(name="annotation.score", ignore_result=True)
def score_off(job_pk: int) -> None:
    """Score one chunk of a job that is due, and come back while there are others."""
    try:
        left = score_due(Q(job_id=job_pk), at_most=1)
    except Exception:
        # A fault of ours: the chunk comes back after its lease, and is given up after some such attempts.
        score_off.apply_async([job_pk], countdown=settings.SCORING_LEASE_SECONDS + SOONEST)
        raise
    if left.next_in is not None:
        score_off.apply_async([job_pk], countdown=max(left.next_in, SOONEST) if left.next_in else None)


def score_due(
    chunks_of: Q, *, at_most: int | None = None, progress: Callable[[ScoringChunk], None] | None = None
) -> ChunksScored:
    """Score what is due, by the model that this process holds."""
    lease = timedelta(seconds=settings.SCORING_LEASE_SECONDS)
    return score_chunks(
        chunks_of, open_backend=held_model, clock=timezone.now, lease=lease, at_most=at_most, progress=progress
    )


@lru_cache(maxsize=1)
def held_model(opening: Opening) -> LogProbs:
    """The model; a process keeps the last one that it opened."""
    return opening.open()


def wake(study_pk: int) -> bool:
    """Ask a Celery worker to look at the study's intents; False where no broker is set."""
    if not settings.CELERY_BROKER_URL:
        return False
    work_off.delay(study_pk)
    return True


def wake_scoring(job_pk: int, *, chunks: int) -> bool:
    """Ask scoring workers to look at a job's chunks; False where no broker is set."""
    if not settings.CELERY_BROKER_URL:
        return False
    for _ in range(min(chunks, MOST_WAKES)):
        score_off.delay(job_pk)
    return True


@worker_ready.connect
def resume_scoring(**_: object) -> None:
    """A worker that starts asks for what the rows say is open: messages may have been lost with another worker."""
    still = [ScoringChunk.State.WAITING, ScoringChunk.State.TAKEN]
    jobs = ScoringChunk.objects.filter(state__in=still).values_list("job_id").annotate(n=Count("pk")).order_by("job_id")
    for job_pk, chunks in jobs:
        wake_scoring(job_pk, chunks=chunks)
