"""manage.py share STUDY [STUDY ...]: list, create and revoke links to a report or comparison."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.jobs import queue
from annotation.jobs.run import run
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import add_actor, sentences
from annotation.models import Job, ShareLink, Study
from annotation.reports.share import revoke, share
from annotation.reports.take_snapshot import look_at_results


def day(text: str) -> datetime:
    """The end of a day (UTC)."""
    date = parse_date(text)
    if date is None:
        raise ValueError(text)
    return datetime.combine(date, time.max, UTC)


class Command(StudyCommand):
    help = (
        "List the links to a study's reports, or to the comparison of several studies; create one to the latest ("
        "computed first where none is finished), or revoke one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="+", metavar="STUDY", help="a study; of several, their comparison")
        add_actor(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--new", action="store_true", help="create a link; it is printed once")
        deed.add_argument("--revoke", type=int, metavar="ID", help="revoke a link")
        parser.add_argument(
            "--ends", type=day, metavar="DATE", help="with --new: the last day of the link, such as 2027-06-30"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = [options["study"]] if isinstance(options["study"], str) else list(dict.fromkeys(options["study"]))
        requests = [self.study_and_actor({**options, "study": name}) for name in names]
        studies, user = [request.study for request in requests], requests[0].user
        with sentences():
            if options["new"]:
                for request in requests:
                    if warning := look_at_results(
                        request.study, actor=request.actor, reason="shared report", now=timezone.now()
                    ):
                        self.stderr.write(warning)
                job = _finished(studies, user) or _computed(studies, user)
                shared = share(job, by=user, now=timezone.now(), ends_at=options["ends"])
                self.stdout.write(settings.CONSOLE_ORIGIN + reverse("shared-report", args=[shared.token]))
                return
            links = ShareLink.objects.filter(job__in=_jobs(studies)).select_related("job").order_by("pk")
            if options["revoke"] is not None:
                link_row = links.filter(pk=options["revoke"]).first()
                if link_row is None:
                    raise CommandError("There is no such link.", returncode=2)
                revoke(link_row, by=user, now=timezone.now())
        for link in links:
            ended = link.revoked_at or link.ends_at
            end = f", {'revoked' if link.revoked_at else 'until'} {ended:%Y-%m-%d}" if ended else ""
            self.stdout.write(f"{link.pk}  made {link.made_at:%Y-%m-%d}{end}")


def _jobs(studies: Sequence[Study]) -> list[Job]:
    """Jobs that report on the study, or compare exactly these, the latest first."""
    if len(studies) == 1:
        return list(studies[0].jobs.filter(kind=Job.Kind.REPORT).order_by("-created_at"))
    uuids = {str(study.uuid) for study in studies}
    every = Job.objects.filter(kind=Job.Kind.COMPARISON).order_by("-created_at")
    return [job for job in every if set(job.settings.get("studies", ())) == uuids]


def _finished(studies: Sequence[Study], user: User | None) -> Job | None:
    """The latest; of comparisons one's own."""
    done = [job for job in _jobs(studies) if job.state == Job.State.DONE]
    return next((job for job in done if len(studies) == 1 or user is None or job.asked_by_id == user.pk), None)


def _computed(studies: Sequence[Study], user: User | None) -> Job:
    """A report or comparison made now. Raises StateError where it cannot be."""
    now = timezone.now()
    if len(studies) == 1:
        job = queue.ask(Job.Kind.REPORT, by=user, now=now, study=studies[0])
    else:
        options = {"studies": [str(study.uuid) for study in studies], "terminal": user is None}
        job = queue.ask(Job.Kind.COMPARISON, by=user, now=now, settings=options)
    running = queue.take(now=now, only=job)
    if running is None:
        raise StateError("The report is being computed. Create the link when it is finished.")
    run(running)
    running.refresh_from_db()
    if running.state != Job.State.DONE:
        raise StateError(f"There is no report to share, and none can be created: {running.problem}")
    return running
