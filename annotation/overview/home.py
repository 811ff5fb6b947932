"""What Home shows: what needs the visitor, and where each of their studies stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Max

from annotation import settings
from annotation.models import Result, Study
from annotation.mturk.client import ASSAY_PROVIDERS
from annotation.overview.facts import StudyFacts, gather_facts
from annotation.overview.stages import NextStep, Stage, next_step, stage_of
from annotation.reports.measures import Headline, headline_of
from annotation.studies import blinding
from annotation.studies.access import may

MAX_NEEDS = 7
# What is urgent though it has no moment comes before what only waits to be begun.
_URGENT = ("failed", "replies", "failed_job", "budget", "expired", "close", "paused", "report", "report_again", "crowd")
_LATE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the visitor can do for one of their studies."""

    study: Study
    step: NextStep


@dataclass(frozen=True, slots=True)
class StudyLine:
    """A study in the list. blind: nobody has seen results, and there may be some."""

    study: Study
    stage: Stage
    collected: int
    places: int
    headline: Headline | None
    blind: bool
    changed_at: datetime | None


def step_of(study: Study, *, now: datetime) -> NextStep:
    """The next step of one study."""
    (facts,) = gather_facts([study])
    return next_step(facts, now=now, recruits=recruits())


def recruits() -> bool:
    """Whether the marketplace of the settings has channels, as Assay's own has."""
    return settings.endpoint().provider in ASSAY_PROVIDERS


def list_needs(facts: Iterable[StudyFacts], *, now: datetime) -> list[Need]:
    """What the visitor's own role lets them do, by deadline, then by urgency; at most seven.

    The studies are of `access.studies_of`. A report that says everything needs nobody.
    """
    channels = recruits()
    needs = [Need(row.study, next_step(row, now=now, recruits=channels)) for row in facts]
    mine = [
        need
        for need in needs
        if not need.step.waits and need.step.key != "reported" and may(need.study, need.step.min_role)
    ]
    return sorted(mine, key=_order)[:MAX_NEEDS]


def _order(need: Need) -> tuple[datetime, int, int]:
    key = need.step.key
    return need.step.due or _LATE, _URGENT.index(key) if key in _URGENT else len(_URGENT), -need.study.pk


def list_studies(facts: Sequence[StudyFacts], *, now: datetime) -> list[StudyLine]:
    """Where each study stands, in the order of `facts`; results only of studies that somebody has looked at."""
    studies = [row.study for row in facts]
    seen, headlines = blinding.seen_of(studies), _headlines(studies)
    return [
        StudyLine(
            row.study,
            stage_of(row, now=now),
            row.collected,
            row.places,
            headlines.get(row.study.pk),
            blind=row.collected > 0 and row.study.pk not in seen,
            changed_at=row.changed_at,
        )
        for row in facts
    ]


def _headlines(studies: Sequence[Study]) -> dict[int, Headline | None]:
    """Of the latest report of each study."""
    latest = Result.objects.filter(study__in=studies).order_by().values("study").annotate(last=Max("pk"))
    rows = Result.objects.filter(pk__in=latest.values("last")).defer("numbers")
    return {result.study_id: headline_of(result) for result in rows}
