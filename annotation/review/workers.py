"""What a reviewer reads about workers: their work, holds, blocks and evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from annotation.models import Decision, Evidence, Flag, Hold, Intent, Look, Study, Submission, Worker
from annotation.quality.evidence import COMPETENCE, Finding, _finding


def worker(study: Study, pseudonym: str) -> Worker | None:
    """Return the worker of the study with that pseudonym."""
    return Worker.objects.filter(pseudonym=pseudonym, submissions__hit__study=study).first()


def workers_by_pseudonym(study: Study, pseudonyms: Collection[str]) -> dict[str, Worker]:
    """Return the workers of the study by these pseudonyms."""
    rows = Worker.objects.filter(pseudonym__in=pseudonyms, submissions__hit__study=study).distinct()
    return {worker.pseudonym: worker for worker in rows}


def block_intents(worker: Worker) -> QuerySet[Intent]:
    """Return the intents of blocks on the worker, the latest first."""
    kinds = [Intent.Kind.BLOCK, Intent.Kind.UNBLOCK]
    return Intent.objects.filter(kind__in=kinds, subject=worker.pk).exclude(state=Intent.State.DROPPED).order_by("-pk")


def blocked(worker: Worker) -> Intent | None:
    """Return the current block, if any."""
    latest = block_intents(worker).first()
    return latest if latest and latest.kind == Intent.Kind.BLOCK else None


def work_of(worker: Worker, studies: QuerySet[Study]) -> QuerySet[Submission]:
    """Return everything the worker submitted there, newest first, with flags and decisions."""
    mine = Submission.objects.filter(worker=worker, hit__study__in=studies.values("pk"))
    rows = mine.select_related("hit__study", "evidence").prefetch_related("flags", "decisions", "replies")
    return rows.defer("raw", "evidence__findings").order_by("-submitted_at", "-pk")


def open_hold(worker: Worker, *, today: date) -> Hold | None:
    """Return the hold of that day, if any."""
    return Hold.objects.filter(worker=worker, lifted_at=None, until__gte=today).select_related("actor").first()


def ended_holds(worker: Worker, *, today: date) -> QuerySet[Hold]:
    """Return ended holds, the latest first: ended by a person, or past their last day."""
    rows = Hold.objects.filter(Q(lifted_at__isnull=False) | Q(until__lt=today), worker=worker)
    return rows.select_related("actor", "lifted_by").order_by("-since", "-pk")


def looks(worker: Worker) -> QuerySet[Look]:
    """Who looked up who this is, newest first."""
    return Look.objects.filter(worker=worker).select_related("user").order_by("-at")


def workers_across(studies: QuerySet[Study]) -> QuerySet[Worker]:
    """Return workers who submitted in these studies, with studies, handed_in, flags, left_out, refused and one study.

    The most active first.
    """
    named = studies.values("pk")
    mine = Submission.objects.filter(hit__study__in=named)
    flagged = Flag.objects.filter(submission__hit__study__in=named)
    decided = Decision.objects.filter(submission__hit__study__in=named)
    return (
        Worker.objects.filter(Exists(mine.filter(worker=OuterRef("pk"))))
        .annotate(
            studies=_counted(mine, "worker", Count("hit__study", distinct=True)),
            handed_in=_counted(mine, "worker"),
            flags=_counted(flagged, "submission__worker"),
            left_out=_counted(decided.filter(verdict="exclude"), "submission__worker"),
            refused=_counted(decided.filter(verdict="reject"), "submission__worker"),
            seen_in=Subquery(mine.filter(worker=OuterRef("pk")).order_by("-pk").values("hit__study__uuid")[:1]),
        )
        .order_by("-handed_in", "pseudonym")
    )


def _counted(rows: QuerySet[Any], worker: str, what: Count | None = None) -> Coalesce:
    counts = rows.filter(**{worker: OuterRef("pk")}).order_by().values(worker).annotate(n=what or Count("pk"))
    return Coalesce(Subquery(counts.values("n"), output_field=IntegerField()), Value(0))


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """One of a study's people in counts of submissions and flags; held: on hold now; competence: F12, if measured."""

    pk: int
    pseudonym: str
    handed_in: int
    flags: int
    left_out: int
    refused: int
    held: bool = False
    competence: Finding | None = None


def worker_lines(study: Study) -> list[WorkerLine]:
    """The study's workers, those with the most flags first: four counts side by side, no join multiplies."""
    mine = Submission.objects.filter(hit__study=study)
    decided = Decision.objects.filter(submission__hit__study=study)
    handed_in = _by_worker(mine, "worker_id")
    flags = _by_worker(Flag.objects.filter(submission__hit__study=study), "submission__worker_id")
    left_out = _by_worker(decided.filter(verdict="exclude"), "submission__worker_id")
    refused = _by_worker(decided.filter(verdict="reject"), "submission__worker_id")
    names = Worker.objects.filter(pk__in=mine.values("worker")).values_list("pk", "pseudonym")
    lines = [
        WorkerLine(pk, name, handed_in.get(pk, 0), flags.get(pk, 0), left_out.get(pk, 0), refused.get(pk, 0))
        for pk, name in names
    ]
    return sorted(lines, key=lambda line: (-line.flags, line.pseudonym))


def _by_worker(rows: QuerySet[Any], worker: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(worker).annotate(n=Count("pk")))


def with_more(study: Study, lines: Sequence[WorkerLine], *, today: date) -> list[WorkerLine]:
    """The same lines (a page of them) with who is on hold, and competence."""
    people = [line.pk for line in lines]
    held = set(
        Hold.objects.filter(worker__in=people, lifted_at=None, until__gte=today).values_list("worker", flat=True)
    )
    measured = Evidence.objects.filter(submission__hit__study=study, submission__worker__in=people)
    competences = dict(measured.order_by("-pk").values_list("submission__worker", f"findings__{COMPETENCE.kind}"))
    return [
        replace(line, held=line.pk in held, competence=_finding(COMPETENCE, competences.get(line.pk))) for line in lines
    ]
