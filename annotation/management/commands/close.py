"""manage.py close STUDY: close a study when every submission is decided."""

from __future__ import annotations

from annotation.management.commands._acts import ActCommand
from annotation.models import Study
from annotation.pricing.currency import format_money
from annotation.publishing.end import Ending, close


class Command(ActCommand[Ending]):
    help = "Close a study when every submission is decided. Its HITs are deleted on the marketplace; its data stay."
    verb = staticmethod(close)

    def describe(self, study: Study, report: Ending) -> str:
        return (
            f"Closed. {report.hits} HITs; {format_money(report.released_cents, study.currency)} are no longer reserved."
        )
