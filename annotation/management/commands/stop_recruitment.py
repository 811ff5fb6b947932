"""manage.py stop_recruitment STUDY: expire the study's HITs now."""

from __future__ import annotations

from annotation.management.commands._acts import ActCommand
from annotation.models import Study
from annotation.pricing.currency import format_money
from annotation.publishing.end import Ending, expire_now


class Command(ActCommand[Ending]):
    help = "Stop recruitment. Workers with an open assignment can still submit. Then `manage.py close` ends the study."
    verb = staticmethod(expire_now)

    def describe(self, study: Study, report: Ending) -> str:
        return (
            f"{report.hits} HITs expire now; {report.dropped} pending marketplace actions were discarded, "
            f"{format_money(report.released_cents, study.currency)} are no longer reserved."
        )
