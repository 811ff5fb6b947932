"""The jobs that duplicate and repeat a study, each noted as done in the transaction that stores the new study."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.jobs import queue
from annotation.models import Job, Role, Study
from annotation.reports.replicate_study import Replicated, replicate
from annotation.studies.duplicate import Duplicate, duplicate

Tell = Callable[[str, int, int], None]
Done = tuple[dict[str, Any], Study | None]


def duplicate_study(job: Job, tell: Tell, now: datetime) -> Done:
    """One that was canceled or failed leaves no study behind."""
    original, owner = _original_and_owner(job, *Role.values)
    options = {name: job.settings[name] for name in ("with_texts", "keep_seed")}
    tell("Copying texts", 0, 0)

    def finish(done: Duplicate) -> None:
        _finish(job, {"texts": done.texts, "conditions": done.conditions}, done.study, now)

    done = duplicate(original, job.settings["name"], owner=owner, actor=job.actor, now=now, on_store=finish, **options)
    return job.outcome, done.study


def repeat_study(job: Job, tell: Tell, now: datetime) -> Done:
    """One that was canceled or failed leaves no study behind."""
    original, owner = _original_and_owner(job, Role.REVIEWER, Role.EDITOR, Role.OWNER)
    options = {name: job.settings[name] for name in ("people", "anchors", "seed")}
    tell("Reading the snapshot", 0, 2)

    def finish(done: Replicated) -> None:
        _finish(job, {"texts": done.texts, "of_texts": done.of}, done.study, now)

    # A step within the transaction that stores the study would be seen only at its end.
    done = replicate(
        original,
        job.settings["name"],
        owner=owner,
        actor=job.actor,
        now=now,
        on_read=partial(tell, "Storing the study", 1, 2),
        on_store=finish,
        **options,
    )
    return job.outcome, done.study


def _original_and_owner(job: Job, *roles: str) -> tuple[Study, User]:
    """The study, on which whoever asked must still have one of the roles."""
    owner = job.asked_by
    studies = Study.objects.with_role(owner, *roles) if owner else Study.objects.none()
    original = studies.filter(uuid__in=job.settings["studies"]).first()
    if owner is None or original is None:
        raise StateError("Nothing was copied: who asked for this may not copy this study any more.")
    return original, owner


def _finish(job: Job, outcome: dict[str, Any], study: Study, now: datetime) -> None:
    job.outcome = {**outcome, "study": str(study.uuid)}
    if not queue.finish(job, job.outcome, now=now, study=study):
        raise StateError("This job was canceled, or another worker took it over.")
