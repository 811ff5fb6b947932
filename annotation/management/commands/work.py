import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.doors import sentences, study_called
from annotation.exceptions import MarketError
from annotation.flows.collect import collect
from annotation.flows.forget import forget
from annotation.flows.read import read
from annotation.flows.work import work
from annotation.models import ScoringChunk, Study
from annotation.running import run_due
from annotation.tasks import score_due


class Command(BaseCommand):
    help = "Carry out everything that is due: effects on the marketplace, scoring, jobs (the embedded work loop)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", help="only this study")
        parser.add_argument("--only", choices=("market", "scoring", "jobs"), help="leave other kinds of work alone")
        parser.add_argument("--collect", action="store_true", help="also fetch and read what was submitted")
        parser.add_argument("--every", type=int, metavar="SECONDS", help="go on for ever, one pass in so many seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"]) if options["study"] else None
        while True:
            failed = 0
            if options["only"] in (None, "market"):
                failed += self._market(Q(study=study) if study else Q())
                if options["collect"]:
                    self._collect(Q(pk=study.pk) if study else Q())
            if options["only"] in (None, "scoring"):
                failed += self._scoring(Q(job__study=study) if study else Q())
            if options["only"] in (None, "jobs"):
                run_due()
            gone = forget(now=timezone.now(), dry_run=False)
            if gone.workers:
                self.stdout.write(f"{gone.workers} workers are known by their pseudonyms alone from now on")
            if options["every"] is None:
                break
            time.sleep(options["every"])
        if failed:
            raise CommandError(
                "Some effects failed; the intents in the administration say why "
                "(of scoring, `manage.py scoring STUDY`).",
                returncode=1,
            )

    def _market(self, only: Q) -> int:
        with sentences():
            market = Market(conf.endpoint())
        done = work(only, market=market, clock=timezone.now, progress=self._tell)
        self.stdout.write(f"{done.done} done, {done.failed} failed, {done.put_off} put off, {done.waiting} waiting")
        return done.failed

    def _collect(self, only: Q) -> None:
        """Of studies whose HITs are out. A market that cannot be reached now is asked again in the next pass."""
        market = Market(conf.endpoint())
        for study in Study.objects.filter(
            only, status=Study.Status.PUBLISHED, hits__market_id__isnull=False
        ).distinct():
            try:
                collect(study, market=market, now=timezone.now())
            except MarketError as error:
                self.stderr.write(f"{study}: {error}")
            read(study, now=timezone.now())

    def _scoring(self, only: Q) -> int:
        if not ScoringChunk.objects.filter(only).exists():
            return 0
        done = score_due(
            only, progress=lambda chunk: self.stderr.write(f"chunk {chunk.number} of {chunk.job} is done with")
        )
        self.stdout.write(
            f"Scoring: {done.done} chunks done, {done.failed} failed, {done.put_off} put off, {done.open} waiting"
        )
        return done.failed

    def _tell(self, count: int) -> None:
        if count % 100 == 0:
            self.stderr.write(f"{count} ...")
