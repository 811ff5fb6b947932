"""What a reviewer reads about workers: their work, holds, blocks and evidence."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from django.db.models import Q, QuerySet

from annotation.models import Hold, Intent, Look, Study, Submission, Worker


def worker(study: Study, pseudonym: str) -> Worker | None:
    """Who handed in work of the study under that pseudonym."""
    return Worker.objects.filter(pseudonym=pseudonym, submissions__hit__study=study).first()


def workers_by_pseudonym(study: Study, pseudonyms: Collection[str]) -> dict[str, Worker]:
    """Those of the pseudonyms under which somebody handed in work of the study, and who that is."""
    found = Worker.objects.filter(pseudonym__in=pseudonyms, submissions__hit__study=study).distinct()
    return {one.pseudonym: one for one in found}


def block_intents(worker: Worker) -> QuerySet[Intent]:
    """What was to be told of blocks on the worker, the latest first."""
    kinds = [Intent.Kind.BLOCK, Intent.Kind.UNBLOCK]
    return Intent.objects.filter(kind__in=kinds, subject=worker.pk).exclude(state=Intent.State.DROPPED).order_by("-pk")


def blocked(worker: Worker) -> Intent | None:
    """The block that stands."""
    latest = block_intents(worker).first()
    return latest if latest and latest.kind == Intent.Kind.BLOCK else None


def work_of(worker: Worker, studies: QuerySet[Study]) -> QuerySet[Submission]:
    """Everything the worker handed in there, newest first, with flags and decisions."""
    mine = Submission.objects.filter(worker=worker, hit__study__in=studies.values("pk"))
    told = mine.select_related("hit__study", "evidence").prefetch_related("flags", "decisions", "replies")
    return told.defer("raw", "evidence__findings").order_by("-submitted_at", "-pk")


def open_hold(worker: Worker, *, today: date) -> Hold | None:
    """The hold that stands on that day, if any."""
    return Hold.objects.filter(worker=worker, lifted_at=None, until__gte=today).select_related("actor").first()


def ended_holds(worker: Worker, *, today: date) -> QuerySet[Hold]:
    """Holds that stand no more, the latest first: somebody ended them, or their last day is over."""
    rows = Hold.objects.filter(Q(lifted_at__isnull=False) | Q(until__lt=today), worker=worker)
    return rows.select_related("actor", "lifted_by").order_by("-since", "-pk")


def looks(worker: Worker) -> QuerySet[Look]:
    """Who looked up who this is, newest first."""
    return Look.objects.filter(worker=worker).select_related("user").order_by("-at")
