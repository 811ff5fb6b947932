"""What the commands share that do one thing to a study that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences

Report = TypeVar("Report")


class ActCommand(StudyCommand, Generic[Report]):
    """`manage.py ACT STUDY`: calls `verb`, says `told` of its report, and wakes the work loop."""

    verb: Callable[..., Report]

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        with sentences():
            found = type(self).verb(study, actor=actor, now=timezone.now())
        self.stdout.write(self.told(found))
        if not wake(study.pk):
            self.stdout.write("Run `manage.py work` to carry this out on the marketplace.")

    def told(self, found: Report) -> str:
        raise NotImplementedError
