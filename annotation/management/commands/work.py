import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.doors import sentences, study_called
from annotation.flows.forget import forget
from annotation.flows.work import work
from annotation.models import ScoringChunk
from annotation.tasks import score_due


class Command(BaseCommand):
    help = "Carry out everything that is due: effects on the marketplace, texts to score (the embedded work loop)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", help="only this study")
        parser.add_argument("--only", choices=("market", "scoring"), help="leave the other kind of work alone")
        parser.add_argument("--every", type=int, metavar="SECONDS", help="go on for ever, one pass in so many seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"]) if options["study"] else None
        while True:
            failed = 0
            if options["only"] != "scoring":
                failed += self._market(Q(study=study) if study else Q())
            if options["only"] != "market":
                failed += self._scoring(Q(job__study=study) if study else Q())
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
