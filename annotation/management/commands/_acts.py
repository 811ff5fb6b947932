"""What the commands share that do one thing to a study that runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.doors import sentences, study_called
from annotation.models import Study
from annotation.tasks import wake

Report = TypeVar("Report")


class ActCommand(BaseCommand, Generic[Report]):
    """`manage.py ACT STUDY`: calls `verb`, says `told` of its report, and wakes the work loop."""

    verb: Callable[..., Report]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--as", dest="actor", default="command line", help="who does it, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            found = self.act(study, actor=options["actor"], now=timezone.now(), **self.chosen(options))
        self.stdout.write(self.told(found))
        if not wake(study.pk):
            self.stdout.write("Run `manage.py work` to tell the marketplace.")

    def act(self, study: Study, *, actor: str, now: datetime, **options: Any) -> Report:
        return type(self).verb(study, actor=actor, now=now, **options)

    def chosen(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options of the command that the verb takes."""
        return {}

    def told(self, found: Report) -> str:
        raise NotImplementedError
