"""manage.py pause STUDY: let no more workers start the study."""

from __future__ import annotations

from annotation.management.commands._acts import ActCommand
from annotation.models import Study
from annotation.publishing.pause import Change, pause


class Command(ActCommand[Change]):
    help = "Pause a study: no worker can start it. Workers with an open assignment can still submit."
    verb = staticmethod(pause)

    def describe(self, study: Study, report: Change) -> str:
        return f"Paused {report.hits} HITs. `manage.py resume` makes them available again."
