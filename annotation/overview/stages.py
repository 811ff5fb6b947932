"""The stage of a study, and the one thing to do next: rules on its facts, without a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.models import Job, Role, Study
from annotation.overview.facts import StudyFacts

Mode, Status = Study.Mode, Study.Status


class Stage(models.TextChoices):
    SET_UP = "set_up", gettext_lazy("Set up")
    COLLECTING = "collecting", gettext_lazy("Collecting")
    DECIDING = "deciding", gettext_lazy("Deciding")
    REPORTED = "reported", gettext_lazy("Reported")


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do next, or what to wait for.

    sentence: why. button: what the link to `place` (the name of a console page of the study, or `job` with `job` as
    its key) is called; "" where there is nothing to do. due: the moment after which it is too late.
    """

    key: str
    sentence: str
    button: str = ""
    place: str = ""
    min_role: Role = Role.EDITOR
    due: datetime | None = None
    job: str = ""

    @property
    def waits(self) -> bool:
        """Whether there is nothing to do."""
        return not self.button


def stage_of(facts: StudyFacts, *, now: datetime) -> Stage:
    """The stage of a study: one of four."""
    study = facts.study
    if study.status == Status.DRAFT and study.mode != Mode.IMPORTED:
        return Stage.SET_UP
    if _is_collecting(facts, now):
        return Stage.COLLECTING
    return Stage.REPORTED if _is_reported(facts) else Stage.DECIDING


def mark_stages(current: Stage) -> list[tuple[Stage, str]]:
    """The four stages, each `done`, `current` or `ahead`."""
    at = list(Stage).index(current)
    marks = ["done"] * at + ["current"] + ["ahead"] * (len(Stage) - at - 1)
    return list(zip(Stage, marks, strict=True))


def _is_collecting(facts: StudyFacts, now: datetime) -> bool:
    if facts.study.mode == Mode.IMPORTED or facts.study.status == Status.CLOSED:
        return False
    if facts.published < facts.tasks and facts.waiting_effects:
        return True
    if _is_discarded(facts):
        return False
    open_places = facts.collected < facts.places and facts.offered(now)
    return open_places if facts.study.status in (Status.PUBLISHED, Status.PAUSED) else facts.inside > 0


def _is_discarded(facts: StudyFacts) -> bool:
    """Whether a published study has no task on the marketplace, and no action that would put one there."""
    running = facts.study.status in (Status.PUBLISHED, Status.PAUSED) and facts.study.mode != Mode.IMPORTED
    return running and bool(facts.tasks) and not (facts.published or facts.waiting_effects or facts.failed_effects)


def _is_reported(facts: StudyFacts) -> bool:
    """Whether a report says everything that was submitted and decided."""
    if facts.reported_at is None or facts.undecided:
        return False
    return all(at is None or at <= facts.reported_at for at in (facts.latest_at, facts.excluded_at))


def next_step(facts: StudyFacts, *, now: datetime, recruits: bool) -> NextStep:
    """The first thing that applies. recruits: whether the marketplace has channels (Assay's own has)."""
    if facts.study.archived_at:
        return NextStep("archived", _("Nothing to do until the study is unarchived."))
    trouble = _trouble(facts)
    if trouble:
        return trouble
    stage = stage_of(facts, now=now)
    if stage == Stage.SET_UP:
        return _set_up(facts, recruits=recruits)
    if stage == Stage.COLLECTING:
        return _collecting(facts)
    return _conclude(facts, stage)


def _trouble(facts: StudyFacts) -> NextStep | None:
    """What failed, or is under way, whatever the stage."""
    job = facts.job
    if facts.failed_effects:
        sentence = ngettext(
            "%(n)s marketplace action failed. Nothing is lost, and nothing is paid twice.",
            "%(n)s marketplace actions failed. Nothing is lost, and nothing is paid twice.",
            facts.failed_effects,
        )
        return NextStep("failed", sentence % _count(facts.failed_effects), _("View failed actions"), "progress")
    if job and job.open:
        sentence = _("Nothing to do until this job has ended: %(job)s.") % {"job": job.get_kind_display()}
        return NextStep("job", sentence)
    if job and job.state == Job.State.FAILED and _is_latest(job, facts):
        sentence = _("The job “%(job)s” failed: %(problem)s") % {
            "job": job.get_kind_display(),
            "problem": job.problem,
        }
        return NextStep("failed_job", sentence, _("View failed job"), "job", Role.VIEWER, job=str(job.uuid))
    return None


def _is_latest(job: Job, facts: StudyFacts) -> bool:
    """Whether nothing was done to the study since the job ended: what was may well be the remedy."""
    ended = job.finished_at or job.created_at
    return facts.changed_at is None or facts.changed_at <= ended


def _count(number: int) -> dict[str, Any]:
    return {"n": f"{number:,}"}


def _set_up(facts: StudyFacts, *, recruits: bool) -> NextStep:
    if not facts.texts:
        return NextStep("texts", _("The study has no texts yet."), _("Add texts"), "texts-add")
    if not facts.tasks:
        return NextStep("task", _("The texts are not in tasks yet."), _("Design the task"), "design")
    if recruits and facts.study.mode == Mode.LIVE and not facts.study.channel_tag:
        sentence = _("The tasks are created. To let participants in, open a channel.")
        return NextStep("recruit", sentence, _("Recruit participants"), "recruit")
    return NextStep("publish", _("The tasks are created, and not published yet."), _("Check and publish"), "publish")


def _collecting(facts: StudyFacts) -> NextStep:
    study = facts.study
    if facts.published < facts.tasks and facts.waiting_effects:
        sentence = _("Nothing to do until all tasks are on the marketplace: %(published)s of %(tasks)s are.")
        return NextStep("publishing", sentence % {"published": f"{facts.published:,}", "tasks": f"{facts.tasks:,}"})
    if facts.replies or facts.undecided:
        return _review(facts)
    if study.status == Status.PAUSED:
        sentence = _("The study is paused: no task can be started. %(progress)s")
        return NextStep("paused", sentence % {"progress": _submitted(facts)}, _("Resume study"), "progress")
    if study.mode == Mode.REHEARSAL and not facts.inside:
        sentence = _("This is a rehearsal: simulated participants take part. %(progress)s")
        return NextStep(
            "crowd", sentence % {"progress": _submitted(facts)}, _("Run simulated participants"), "progress"
        )
    if facts.expires_at is None:
        return NextStep("collecting", _("Nothing to do until participants submit. %s") % _submitted(facts))
    sentence = _("Nothing to do until participants submit, or until the tasks expire at %(at)s UTC. %(progress)s")
    return NextStep("collecting", sentence % {"at": _moment(facts.expires_at), "progress": _submitted(facts)})


def _submitted(facts: StudyFacts) -> str:
    return _("%(done)s of %(places)s assignments are submitted.") % {
        "done": f"{facts.collected:,}",
        "places": f"{facts.places:,}",
    }


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _review(facts: StudyFacts) -> NextStep:
    if facts.replies:
        sentence = ngettext(
            "%(n)s worker replied to a rejection.", "%(n)s workers replied to a rejection.", facts.replies
        )
        return NextStep("replies", sentence % _count(facts.replies), _("Read replies"), "review", Role.REVIEWER)
    sentence = ngettext(
        "%(n)s submission is to be reviewed.", "%(n)s submissions are to be reviewed.", facts.undecided
    ) % _count(facts.undecided)
    if facts.first_due:
        sentence += " " + _("Automatic approval of the first is due at %s UTC.") % _moment(facts.first_due)
    return NextStep("review", sentence, _("Review submissions"), "review", Role.REVIEWER, facts.first_due)


def _conclude(facts: StudyFacts, stage: Stage) -> NextStep:
    """After the collection: decide, close, compute, read."""
    study = facts.study
    if study.mode != Mode.IMPORTED and (facts.replies or facts.undecided):
        return _review(facts)
    if _is_discarded(facts) and not facts.collected:
        sentence = _("No task is on the marketplace: the actions that would have published them were discarded.")
        return NextStep("discarded", sentence, _("Archive or duplicate the study"), "manage", Role.OWNER)
    if study.status == Status.ENDING:
        sentence = _("Recruitment has ended, and no task is in progress any more. %s")
        return NextStep("close", sentence % _submitted(facts), _("Close study"), "progress")
    missing = facts.places - facts.collected
    if study.status in (Status.PUBLISHED, Status.PAUSED) and missing > 0 and facts.reported_at is None:
        return _expired(facts, missing)
    if stage == Stage.REPORTED:
        return NextStep(
            "reported",
            _("The report is up to date: nothing was submitted or excluded since."),
            _("View results"),
            "results",
            Role.VIEWER,
        )
    if facts.reported_at is not None:
        sentence = _("Submissions or exclusions came after the report was made.")
        return NextStep("report_again", sentence, _("Compute results again"), "results", Role.REVIEWER)
    if facts.loaded:
        sentence = _("The study was loaded from a report. No report has been made of it here yet.")
        return NextStep("report", sentence, _("Compute results"), "results", Role.REVIEWER)
    if not facts.collected:
        sentence = _("The study was closed without a submission.")
        return NextStep("nothing", sentence, _("Archive or duplicate the study"), "manage", Role.OWNER)
    sentence = _("No report has been made yet. %s") % _submitted(facts)
    return NextStep("report", sentence, _("Compute results"), "results", Role.REVIEWER)


def _expired(facts: StudyFacts, missing: int) -> NextStep:
    """The tasks expired before every place was taken."""
    sentence = _("The tasks expired at %(at)s UTC. %(progress)s") % {
        "at": _moment(facts.expires_at) if facts.expires_at else "–",
        "progress": _submitted(facts),
    }
    if facts.room_cents is not None and facts.room_cents < facts.study.reward_cents * missing:
        sentence += " " + _("The budget does not pay for the missing ones.")
        return NextStep("budget", sentence, _("Raise the budget"), "design")
    return NextStep("expired", sentence, _("Top up missing ratings"), "progress")
