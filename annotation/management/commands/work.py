"""manage.py work: do all due work: marketplace actions, scoring, jobs, collecting."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.models import Q
from django.utils import timezone

from annotation import settings as conf
from annotation.collecting.parse_submissions import read
from annotation.exceptions import AssayError
from annotation.jobs.celery_tasks import (
    carry_out,
    keep_house,
    look_after,
    measure,
    run_prolific,
    running_studies,
    score_due,
)
from annotation.jobs.run import run_due
from annotation.management.lookup import sentences, study_called
from annotation.models import ScoringChunk, Study
from annotation.mturk.client import Market


class Command(BaseCommand):
    help = "Do all due work: marketplace actions, scoring, jobs, collecting."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", help="only this study")
        parser.add_argument("--only", choices=("market", "scoring", "jobs", "files"), help="do only this kind of work")
        parser.add_argument("--collect", action="store_true", help="also fetch and parse submissions (--every does)")
        parser.add_argument(
            "--every", type=int, metavar="SECONDS", help="run until stopped, one pass every SECONDS seconds"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"]) if options["study"] else None
        only, every = options["only"], options["every"]
        if every is None:
            if self._pass(study, only, collecting=options["collect"]):
                raise CommandError(
                    "Some actions failed; `manage.py outbox STUDY` and `manage.py scoring_status STUDY` say why.",
                    returncode=1,
                )
            return
        while True:
            try:
                self._pass(study, only, collecting=True)
            except (DatabaseError, AssayError) as error:
                # The database or the marketplace is away; the next pass finds everything where it was.
                self.stderr.write(f"This pass ended early: {error}")
                connection.close()
            time.sleep(every)

    def _pass(self, study: Study | None, only: str | None, *, collecting: bool) -> int:
        """One pass over everything (or one kind) that is due; how much of it failed for good."""
        failed = 0
        if only in (None, "market"):
            run_prolific()
            failed += self._market(study, collecting=collecting)
        if only in (None, "scoring"):
            failed += self._scoring(Q(job__study=study) if study else Q())
        if only in (None, "jobs"):
            run_due()
        if only == "files":
            # In a process next to another loop, which takes what this one has not taken.
            run_due(files=True)
            return failed
        forgotten = keep_house()
        if forgotten.workers:
            self.stdout.write(f"{forgotten.workers} worker IDs were deleted (retention date)")
        return failed

    def _market(self, study: Study | None, *, collecting: bool) -> int:
        with sentences():
            market = Market(conf.endpoint())
        done = carry_out(Q(study=study) if study else Q(), market, self._tell)
        self.stdout.write(f"{done.done} done, {done.failed} failed, {done.put_off} postponed, {done.waiting} waiting")
        if collecting:
            for running in running_studies().filter(pk=study.pk) if study else running_studies():
                self._look_after(running, market)
        return done.failed

    def _look_after(self, study: Study, market: Market) -> None:
        """A market that cannot be reached now is asked again in the next pass."""
        try:
            collected = look_after(study, market)
        except AssayError as error:
            self.stderr.write(f"{study}: {error}")
        else:
            if collected.new:
                self.stdout.write(f"{study}: {collected.new} new submissions, {collected.open_hits} HITs open")
        try:
            read(study, now=timezone.now())
        except AssayError as error:  # a study whose kind of task is not installed keeps no other waiting
            self.stderr.write(f"{study}: {error}")
        measure(study, now=timezone.now())

    def _scoring(self, only: Q) -> int:
        if not ScoringChunk.objects.filter(only).exists():
            return 0
        done = score_due(
            only, progress=lambda chunk: self.stderr.write(f"chunk {chunk.number} of {chunk.job} is done with")
        )
        self.stdout.write(
            f"Scoring: {done.done} chunks done, {done.failed} failed, {done.put_off} postponed, {done.open} waiting"
        )
        return done.failed

    def _tell(self, count: int) -> None:
        if count % 100 == 0:
            self.stderr.write(f"{count} ...")
