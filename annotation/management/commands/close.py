"""manage.py close STUDY: close a study when every submission is decided."""

from __future__ import annotations

from annotation.management.commands._acts import ActCommand
from annotation.publishing.end import Ending, close


class Command(ActCommand[Ending]):
    help = "Close a study when every submission is decided. Its HITs are deleted on the marketplace; its data stay."
    verb = staticmethod(close)

    def describe(self, report: Ending) -> str:
        return f"Closed. {report.hits} HITs; ${report.released_cents / 100:,.2f} are no longer reserved."
