"""manage.py scoring_status STUDY: show the progress of scoring on the queue."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from annotation.management.commands._study import StudyCommand
from annotation.models import Role
from annotation.texts.log_probs.store import ScoringProgress, scoring_progress


class Command(StudyCommand):
    help = "Show the progress of scoring a study's texts on the queue, and what failed and why."

    required_role = Role.VIEWER

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, _ = self.study_and_actor(options)
        jobs = scoring_progress(study)
        if not jobs:
            self.stdout.write(f"No scoring of {study} was queued.")
        for job in jobs:
            self._tell(job)
        if any(job.failed for job in jobs):
            raise CommandError("Some chunks failed. Fix the cause and queue the scoring again.", returncode=1)

    def _tell(self, job: ScoringProgress) -> None:
        done = job.scored + job.reused + job.already_scored
        self.stdout.write(
            f"{job.started:%Y-%m-%d %H:%M} {job.generator} by {job.model}: {done} of {job.texts} texts "
            f"({job.scored} scored, {job.reused} copied from equal texts, {job.already_scored} already scored); "
            f"chunks: {job.done} done, {job.in_work} in work, {job.waiting} waiting, {job.failed} failed"
        )
        for sentence, chunks in job.sentences.items():
            self.stdout.write(f"  {chunks} chunks: {sentence}")
