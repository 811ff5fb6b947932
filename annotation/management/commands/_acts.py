"""Share what commands need that do one thing to a running study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Study

Report = TypeVar("Report")


class ActCommand(StudyCommand, Generic[Report]):
    """`manage.py ACT STUDY`: calls `verb`, prints `describe` of its report, and wakes the work loop."""

    verb: Callable[..., Report]

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            report = type(self).verb(study, actor=actor, now=timezone.now())
        self.stdout.write(self.describe(study, report))
        if not wake(study.pk):
            self.stdout.write("Run `manage.py work` to carry this out on the marketplace.")

    def describe(self, study: Study, report: Report) -> str:
        raise NotImplementedError
