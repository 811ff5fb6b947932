"""The verb that saves what a job computed about a study's texts in the study, for every later report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from annotation.exceptions import StateError
from annotation.models import Job, ScoreFile
from annotation.reports import human_likelihood, near_negative
from annotation.reports.attach_scores import attach

RESULTS = {Job.Kind.NND_RUN: near_negative.RESULT, Job.Kind.H_SCORE: human_likelihood.RESULT}


def save_result(job: Job, folder: Path, *, actor: str, now: datetime) -> ScoreFile:
    """Attach the job's result, which is in `folder`, to its study. Raises StateError where it has none."""
    name = RESULTS.get(Job.Kind(job.kind))
    if job.study is None or name is None or job.state != Job.State.DONE:
        raise StateError("Only a finished result of near-negative tests or human-likelihood of a study can be saved.")
    if not (folder / name).is_file():
        raise StateError("The files of this result are not kept any more: compute it again.")
    return attach(job.study, folder / name, actor=actor, now=now)
