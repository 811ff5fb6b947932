"""Celery tasks that wake the work loops. Without a broker, `manage.py work` runs the same loops."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.core.management import call_command
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from annotation import settings as conf
from annotation.accounts.models import User
from annotation.collecting.collect import Collected, collect
from annotation.collecting.parse_submissions import read
from annotation.collecting.receive_events import receive_from_queue
from annotation.exceptions import BudgetError, StateError
from annotation.jobs import queue
from annotation.jobs.clean_uploads import tidy, tidy_measures
from annotation.jobs.job_files import jobs_folder
from annotation.models import Evidence, HousekeepingMark, Intent, Job, Parse, ScoringChunk, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox import queue as outbox
from annotation.outbox.worker import Work, work
from annotation.publishing.expected_precision import request_of, superseded_simulations
from annotation.publishing.top_up import top_up
from annotation.quality.assess import assess
from annotation.review.warn_deadlines import warn
from annotation.texts.log_probs.worker import ChunksScored, score_chunks
from annotation.workers.hold import open_again
from annotation.workers.retention import Forgotten, forget, forget_devices
from annotation.workers.study_retention import PURGE_EVERY
from metrics.likelihood import LogProbs
from metrics.likelihood.opening import Opening
from metrics.planning.study_size import StudySize

log = logging.getLogger(__name__)
# Tasks that wake scoring workers: each takes a chunk and comes back while there are others.
MAX_WAKES = 16
SOONEST = 1.0
# A reviewer finds evidence that is so old at most.
MEASURED_EVERY = timedelta(minutes=10)


@shared_task(name="annotation.work", ignore_result=True)
def work_off(study_pk: int) -> None:
    """Carry out what is due for one study."""
    carry_out(Q(study_id=study_pk), Market(conf.endpoint()))


@shared_task(name="annotation.poll_all", ignore_result=True)
def poll_all() -> None:
    """Have every study that runs looked after, and what is due of the others carried out; beat calls this."""
    for study in running_studies():
        poll_off.delay(study.pk)
    for study in left_over():
        work_off.delay(study.pk)


@shared_task(name="annotation.probe", ignore_result=True)
def probe_off() -> None:
    """Find out whether a marketplace that was away is back, so that nothing waits for its own pause of minutes."""
    for study_pk in outbox.studies_with_marketplace_away():
        carry_out(Q(study_id=study_pk), Market(conf.endpoint()))


@shared_task(name="annotation.poll", ignore_result=True)
def poll_off(study_pk: int) -> None:
    """Look after one study: what is due is carried out, work is collected, answers go to be read."""
    study = Study.objects.get(pk=study_pk)
    market = Market(conf.endpoint())
    carry_out(Q(study=study), market)
    if unread(study):
        # What is there is read while more is collected.
        read_off.delay(study_pk)
    if look_after(study, market).new or unread(study) or unmeasured(study, now=timezone.now()):
        read_off.delay(study_pk)


@shared_task(name="annotation.read", ignore_result=True)
def read_off(study_pk: int) -> None:
    """Read what was collected into judgments, and measure the evidence."""
    study = Study.objects.get(pk=study_pk)
    read(study, now=timezone.now())
    measure(study, now=timezone.now())


@shared_task(name="annotation.keep_house", ignore_result=True)
def keep_house() -> Forgotten:
    """What time brings: holds end, devices, uploads and people's ids are forgotten."""
    now = timezone.now()
    forget_devices(now=now, days=conf.device_days())
    open_again(now=now)
    tidy(conf.uploads(), now=now, keep=conf.uploads_retention())
    tidy_measures(jobs_folder(), now=now, keep=conf.uploads_retention())
    forgotten = forget(now=now, dry_run=False)
    HousekeepingMark.note(at=now, worker_ids=forgotten.workers)
    sweep_marketplace(now=now)
    return forgotten


def sweep_marketplace(*, now: datetime) -> bool:
    """Let the marketplace of this installation delete what is past its date, every ten minutes at most.

    It is called by its command's name: this side does not import the marketplace. Of several loops at the same moment
    one does it.
    """
    due = Q(swept_at=None) | Q(swept_at__lte=now - PURGE_EVERY)
    if not HousekeepingMark.objects.filter(due, pk=1).update(swept_at=now):
        return False
    call_command("marketplace_sweep", stdout=io.StringIO())
    return True


@shared_task(name="annotation.prolific", ignore_result=True)
def run_prolific() -> None:
    """Have the marketplace of this installation do what is due at Prolific. Called by its command's name, as above."""
    call_command("prolific", stdout=io.StringIO())


def carry_out(intents_of: Q, market: Market, progress: Callable[[int], None] | None = None) -> Work:
    """The outbox, as it is worked off everywhere."""
    return work(
        intents_of, market=market, clock=timezone.now, queue=conf.destination(), lease=conf.lease(), progress=progress
    )


def look_after(study: Study, market: Market) -> Collected:
    """Hear and collect what is new, and write to people about deadlines."""
    now = timezone.now()
    if conf.queue():
        receive_from_queue(market=market, queue=conf.queue(), now=now)
    collected = collect(study, market=market, now=now)
    warn(study, now=market.now())
    if study.auto_top_up and study.status == Study.Status.PUBLISHED and not unread(study):
        try:
            top_up(study, actor="assay", now=now)
        except (BudgetError, StateError) as error:
            # Somebody may have stopped the study meanwhile.
            log.warning("%s is not topped up: %s", study, error)
    return collected


def measure(study: Study, *, now: datetime) -> bool:
    """Measure the evidence again where that is due; return whether it was."""
    if due := unmeasured(study, now=now):
        assess(study, now=now)
    return due


def unmeasured(study: Study, *, now: datetime) -> bool:
    """Whether work was read since the evidence was measured, which is `MEASURED_EVERY` ago at least."""
    measured = Evidence.objects.filter(submission__hit__study=study).aggregate(at=Max("measured_at"))["at"]
    if measured is not None and now - measured < MEASURED_EVERY:
        return False
    newest = Parse.objects.filter(submission__hit__study=study).aggregate(at=Max("parsed_at"))["at"]
    return newest is not None and (measured is None or newest > measured)


def running_studies() -> QuerySet[Study]:
    """Studies out on a marketplace whose work is not all in."""
    over = [Study.Status.DRAFT, Study.Status.CLOSED]
    return Study.objects.exclude(status__in=over).exclude(mode=Study.Mode.IMPORTED).order_by("pk")


def left_over() -> QuerySet[Study]:
    """Studies that do not run, with effects that wait: whoever was to be woken for them may have died."""
    still = [Intent.State.WAITING, Intent.State.CLAIMED]
    waiting = Exists(Intent.objects.filter(study=OuterRef("pk"), state__in=still))
    return Study.objects.filter(waiting).exclude(pk__in=running_studies().values("pk")).order_by("pk")


def unread(study: Study) -> bool:
    """Whether submissions wait to be read."""
    return Submission.objects.filter(hit__study=study, parse=None, raw_format="mturk-xml").exists()


@shared_task(name="annotation.score", ignore_result=True)
def score_off(job_pk: int) -> None:
    """Score one chunk of a job that is due, and come back while there are others."""
    try:
        left = score_due(Q(job_id=job_pk), max_chunks=1)
    except Exception:
        # An internal error: the chunk comes back after its lease, and is given up after some such attempts.
        score_off.apply_async([job_pk], countdown=settings.SCORING_LEASE_SECONDS + SOONEST)
        raise
    if left.next_in is not None:
        score_off.apply_async([job_pk], countdown=max(left.next_in, SOONEST) if left.next_in else None)


def score_due(
    chunks_of: Q, *, max_chunks: int | None = None, progress: Callable[[ScoringChunk], None] | None = None
) -> ChunksScored:
    """Score what is due, by the model that this process holds."""
    lease = timedelta(seconds=settings.SCORING_LEASE_SECONDS)
    return score_chunks(
        chunks_of, open_backend=held_model, clock=timezone.now, lease=lease, max_chunks=max_chunks, progress=progress
    )


@lru_cache(maxsize=1)
def held_model(opening: Opening) -> LogProbs:
    """The model; a process keeps the last one that it opened."""
    return opening.open()


@contextmanager
def _broker_may_be_away() -> Iterator[None]:
    """Wake workers. What is asked for is stored: where the broker is away, beat or a worker that starts finds it."""
    try:
        yield
    except BrokerError as error:
        log.warning("The broker could not be reached; the work is stored and taken up later: %s", error)


def wake(study_pk: int) -> bool:
    """Ask a Celery worker to look at the study's intents; False where no broker is set."""
    if not settings.CELERY_BROKER_URL:
        return False
    with _broker_may_be_away():
        work_off.delay(study_pk)
    return True


def ask(kind: Job.Kind, **request: Any) -> Job:
    """Queue long work (as `annotation.jobs.queue.ask`), and ask a Celery worker to take it up."""
    job = queue.ask(kind, **request)
    if settings.CELERY_BROKER_URL:
        with _broker_may_be_away():
            current_app.send_task("annotation.files" if kind in queue.FILE_KINDS else "annotation.jobs")
    return job


def ask_to_copy(kind: Job.Kind, study: Study, *, by: User, now: datetime, settings: Mapping[str, Any]) -> Job:
    """A job that duplicates or repeats the study, and belongs to who asks; the open one, where they asked the same."""
    request = {**settings, "studies": [str(study.uuid)]}
    for job in Job.objects.filter(kind=kind, asked_by=by, state__in=[Job.State.WAITING, Job.State.RUNNING]):
        if job.settings == request:
            return job
    return ask(kind, by=by, now=now, settings=request)


def ask_to_detect(study: Study, threshold: float, *, by: User | None, now: datetime) -> Job:
    """A job that has the explanations looked at by the server's model. Raises StateError where it has none."""
    if not conf.detector_model():
        raise StateError("This server has no model that looks for machine-written text: DETECTOR_MODEL names none.")
    return ask(Job.Kind.DETECT, by=by, now=now, study=study, settings={"threshold": threshold})


def ask_to_simulate(study: Study, size: StudySize, *, by: User, now: datetime) -> Job:
    """A job that simulates the precision of a study of this size, in place of open ones that the same person
    requested for other sizes."""
    for job in superseded_simulations(study, size, by=by):
        with suppress(StateError):  # it may have ended meanwhile
            queue.cancel(job, actor=by.get_username(), now=now)
    return ask(Job.Kind.PRECISION, by=by, now=now, study=study, settings=request_of(size))


def wake_for(market_hits: Collection[str]) -> int:
    """Have the studies of these HITs looked after soon; how many were woken (0 where no broker is set)."""
    if not settings.CELERY_BROKER_URL:
        return 0
    mine = running_studies().filter(hits__market_id__in=market_hits).distinct()
    with _broker_may_be_away():
        for study in mine:
            poll_off.delay(study.pk)
    return len(mine)


def wake_scoring(job_pk: int, *, chunks: int) -> bool:
    """Ask scoring workers to look at a job's chunks; False where no broker is set."""
    if not settings.CELERY_BROKER_URL:
        return False
    with _broker_may_be_away():
        for _ in range(min(chunks, MAX_WAKES)):
            score_off.delay(job_pk)
    return True


@worker_ready.connect
def resume_scoring(**_: object) -> None:
    """A worker that starts asks for what the rows say is open: messages may have been lost with another worker."""
    still = [ScoringChunk.State.WAITING, ScoringChunk.State.CLAIMED]
    open_chunks = (
        ScoringChunk.objects.filter(state__in=still).values_list("job_id").annotate(n=Count("pk")).order_by("job_id")
    )
    for job_pk, chunks in open_chunks:
        wake_scoring(job_pk, chunks=chunks)
