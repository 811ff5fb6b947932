"""manage.py retention: set a study's retention date, and delete worker IDs that are past theirs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.management.lookup import actor_of, add_actor, allowed_roles, sentences, study_called
from annotation.models import Role, Study
from annotation.workers.retention import forget
from annotation.workers.study_retention import market_of_people, set_retention_date


class Command(BaseCommand):
    help = "Set a study's retention date, or delete worker IDs that are past theirs (`manage.py work` also does)."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        until = actions.add_parser("set", help="date (UTC) on which IDs are deleted, here and in channels")
        until.add_argument("study")
        until.add_argument("until", metavar="DATE", help="such as 2027-06-30, or never")
        until.add_argument(
            "--once-until", metavar="DATE", help="until then, hashes of deleted IDs keep people from coming twice"
        )
        add_actor(until)
        purge = actions.add_parser("purge", help="delete worker IDs past their date")
        purge.add_argument("--dry-run", action="store_true", help="count only")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "set":
            user, actor = actor_of(options)
            study = study_called(options["study"], by=user, roles=allowed_roles(Role.OWNER))
            answer = self._set(study, options["until"], actor, options["once_until"])
        else:
            forgotten = forget(now=timezone.now(), dry_run=options["dry_run"])
            answer = {"dry_run": options["dry_run"], "workers": forgotten.workers, "studies": list(forgotten.studies)}
        self.stdout.write(json.dumps(answer))

    def _set(self, study: Study, text: str, actor: str, once: str | None) -> dict[str, Any]:
        until, once_until = None if text == "never" else _day(text), _day(once) if once else None
        with sentences():
            market = market_of_people(study)
            now = timezone.now()
            set_retention_date(study, until, market=market, actor=actor, now=now, once_until=once_until)
        dates = {"retain_until": until, "once_until": once_until}
        shown = {name: day.date().isoformat() if day else None for name, day in dates.items()}
        return {"study": study.name, **(shown if once else {"retain_until": shown["retain_until"]})}


def _day(text: str) -> datetime:
    """The beginning of a day, in UTC. Raises CommandError."""
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise CommandError(f"Enter a date such as 2027-06-30, not {text!r}.", returncode=2)
    return datetime.combine(day, time(), UTC)
