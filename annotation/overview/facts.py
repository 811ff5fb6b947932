"""What the stage and the next step of studies depend on, for many studies in a few queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, Subquery, Sum

from annotation.models import (
    AuditEvent,
    Decision,
    Hit,
    ImportedReport,
    Intent,
    Job,
    Reply,
    Result,
    Study,
    Submission,
    Text,
)

# The work of whoever asked for it, which changes nothing in the study.
_LOOKS = (
    Job.Kind.CHECK_TEXTS,
    Job.Kind.COMPARISON,
    Job.Kind.EXCLUSIONS,
    Job.Kind.PRECISION,
    Job.Kind.PLAN_DECISION,
)


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """One study at one moment.

    places, collected, inside, free: of its tasks, as the marketplace last reported them. room_cents: what the budget
    has left; None without a budget. undecided: submissions without a decision, the first approved automatically at
    first_due. replies: of workers to a rejection, unread. latest_at: when the last submission came; excluded_at:
    when the last one was included or excluded. job: the latest
    one that was not only a look. reported_at: of the latest report. changed_at: of the last line of
    the log. loaded: whether the study was loaded from a report.
    """

    study: Study
    texts: bool
    tasks: int = 0
    published: int = 0
    places: int = 0
    collected: int = 0
    inside: int = 0
    free: int = 0
    expires_at: datetime | None = None
    room_cents: int | None = None
    waiting_effects: int = 0
    failed_effects: int = 0
    undecided: int = 0
    first_due: datetime | None = None
    replies: int = 0
    latest_at: datetime | None = None
    excluded_at: datetime | None = None
    job: Job | None = None
    reported_at: datetime | None = None
    changed_at: datetime | None = None
    loaded: bool = False

    def offered(self, now: datetime) -> bool:
        """Whether somebody can still take a task, as far as the date says."""
        return self.expires_at is None or self.expires_at > now


def gather_facts(studies: Sequence[Study]) -> list[StudyFacts]:
    """The facts of each study, in the order of `studies`: twelve queries, however many there are."""
    if not studies:
        return []
    keys = [study.pk for study in studies]
    hits = _by_study(
        Hit.objects.filter(study__in=keys).values("study"),
        tasks=Count("pk"),
        published=Count("market_id"),
        places=Sum("max_assignments"),
        collected=Sum("collected"),
        inside=Sum("inside"),
        free=Sum("free"),
        expires_at=Max("expires_at"),
    )
    effects = _by_study(
        Intent.objects.filter(study__in=keys)
        .exclude(state__in=[Intent.State.DONE, Intent.State.DROPPED])
        .values("study"),
        waiting_effects=Count("pk", filter=~Q(state=Intent.State.FAILED)),
        failed_effects=Count("pk", filter=Q(state=Intent.State.FAILED)),
    )
    decided = Decision.objects.filter(submission=OuterRef("pk"), matter=Decision.Matter.PAYMENT)
    work = Submission.objects.filter(hit__study__in=keys)
    latest = _by_study(work.values(study=F("hit__study")), latest_at=Max("received_at"))
    excluded = _by_study(
        Decision.objects.filter(submission__hit__study__in=keys, matter=Decision.Matter.ANALYSIS).values(
            study=F("submission__hit__study")
        ),
        excluded_at=Max("at"),
    )
    undecided = _by_study(
        work.filter(~Exists(decided)).values(study=F("hit__study")), undecided=Count("pk"), first=Min("submitted_at")
    )
    replies = _by_study(
        Reply.objects.filter(submission__hit__study__in=keys, heeded_at=None).values(study=F("submission__hit__study")),
        replies=Count("pk"),
    )
    reports = _by_study(Result.objects.filter(study__in=keys).values("study"), reported_at=Max("made_at"))
    loaded = set(ImportedReport.objects.filter(study__in=keys).values_list("study", flat=True))
    jobs, with_texts, changes = _latest_jobs(keys), set(_with_texts(keys)), _changes(keys)
    return [
        StudyFacts(
            study,
            texts=study.pk in with_texts,
            **hits.get(study.pk, {}),
            **effects.get(study.pk, {}),
            **_due(study, undecided.get(study.pk)),
            **replies.get(study.pk, {}),
            **latest.get(study.pk, {}),
            **excluded.get(study.pk, {}),
            **reports.get(study.pk, {}),
            room_cents=_room(study),
            job=jobs.get(study.pk),
            changed_at=changes.get(study.pk),
            loaded=study.pk in loaded,
        )
        for study in studies
    ]


def _by_study(rows: Any, **sums: Any) -> dict[int, dict[str, Any]]:
    return {row.pop("study"): row for row in rows.order_by().annotate(**sums)}


def _due(study: Study, row: dict[str, Any] | None) -> dict[str, Any]:
    if row is None:
        return {}
    delay = timedelta(seconds=study.auto_approval_seconds)
    return {"undecided": row["undecided"], "first_due": row["first"] + delay if row["first"] else None}


def _room(study: Study) -> int | None:
    return None if study.budget_cents is None else study.budget_cents - study.reserved_cents - study.spent_cents


def _latest_jobs(keys: Sequence[int]) -> dict[int, Job]:
    latest = Job.objects.filter(study=OuterRef("pk")).exclude(kind__in=_LOOKS).order_by("-created_at", "-pk")
    newest = Study.objects.filter(pk__in=keys).values_list(Subquery(latest.values("pk")[:1]), flat=True)
    jobs = Job.objects.filter(pk__in=[pk for pk in newest if pk]).defer("settings", "outcome")
    return {job.study_id: job for job in jobs if job.study_id}


def _changes(keys: Sequence[int]) -> dict[int, datetime | None]:
    newest = AuditEvent.objects.filter(study=OuterRef("pk")).order_by("-number").values("at")[:1]
    return dict(Study.objects.filter(pk__in=keys).values_list("pk", Subquery(newest)))


def _with_texts(keys: Sequence[int]) -> Sequence[int]:
    some = Text.objects.filter(study=OuterRef("pk"))
    return list(Study.objects.filter(Exists(some), pk__in=keys).values_list("pk", flat=True))
