"""manage.py unblind STUDY: unblind results, which the log notes."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.models import Role
from annotation.reports.take_snapshot import open_results


class Command(StudyCommand):
    help = "Unblind a study's results. The log notes it: later decisions count as not blind."
    required_role = Role.REVIEWER

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        first = open_results(study, actor=actor, now=timezone.now())
        self.stdout.write("Results unblinded." if first else "Results were unblinded before.")
