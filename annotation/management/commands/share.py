"""manage.py share STUDY: links by which anybody may read a finished report."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.doors import sentences
from annotation.exceptions import StateError
from annotation.flows.share import revoke, share
from annotation.management.commands._study import StudyCommand
from annotation.models import Job, ShareLink, Study


def day(text: str) -> datetime:
    """The end of a day (UTC)."""
    found = parse_date(text)
    if found is None:
        raise ValueError(text)
    return datetime.combine(found, time.max, UTC)


class Command(StudyCommand):
    help = "List the links to a study's reports; make one to the latest finished report, or revoke one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--new", action="store_true", help="make a link; it is printed once")
        deed.add_argument("--revoke", type=int, metavar="ID", help="end a link for ever")
        parser.add_argument("--ends", type=day, metavar="DATE", help="with --new: the last day, such as 2027-06-30")

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.asked(options)
        links = ShareLink.objects.filter(job__study=study).select_related("job").order_by("pk")
        with sentences():
            if options["new"]:
                made = share(_latest(study), by=user, now=timezone.now(), ends_at=options["ends"])
                self.stdout.write(settings.CONSOLE_ORIGIN + reverse("shared-report", args=[made.token]))
                return
            if options["revoke"] is not None:
                found = links.filter(pk=options["revoke"]).first()
                if found is None:
                    raise CommandError("The study has no such link.", returncode=2)
                revoke(found, by=user, now=timezone.now())
        for link in links:
            ended = link.revoked_at or link.ends_at
            told = f", {'revoked' if link.revoked_at else 'until'} {ended:%Y-%m-%d}" if ended else ""
            self.stdout.write(f"{link.pk}  made {link.made_at:%Y-%m-%d}{told}")


def _latest(study: Study) -> Job:
    job = study.jobs.filter(kind=Job.Kind.REPORT, state=Job.State.DONE).order_by("-finished_at").first()
    if job is None:
        raise StateError(f"No report of {study.name} was made by the console or the API yet; only such can be shared.")
    return job
