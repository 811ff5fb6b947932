"""manage.py resume STUDY: make the HITs of a paused study available again."""

from __future__ import annotations

from annotation.management.commands._acts import ActCommand
from annotation.models import Study
from annotation.publishing.pause import Change, resume


class Command(ActCommand[Change]):
    help = "Resume a paused study: HITs with free places become available again."
    verb = staticmethod(resume)

    def describe(self, study: Study, report: Change) -> str:
        return f"Resumed. {report.hits} HITs become available again."
