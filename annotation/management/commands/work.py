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


class Command(BaseCommand):
    help = "Carry out everything that is due on the marketplace (the embedded work loop)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", help="only this study")
        parser.add_argument("--every", type=int, metavar="SECONDS", help="go on for ever, one pass in so many seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        only = Q(study=study_called(options["study"])) if options["study"] else Q()
        with sentences():
            market = Market(conf.endpoint())
        while True:
            done = work(only, market=market, clock=timezone.now, progress=self._tell)
            self.stdout.write(f"{done.done} done, {done.failed} failed, {done.put_off} put off, {done.waiting} waiting")
            gone = forget(now=timezone.now(), dry_run=False)
            if gone.workers:
                self.stdout.write(f"{gone.workers} workers are known by their pseudonyms alone from now on")
            if options["every"] is None:
                break
            time.sleep(options["every"])
        if done.failed:
            raise CommandError("Some effects failed; the intents in the administration say why.", returncode=1)

    def _tell(self, count: int) -> None:
        if count % 100 == 0:
            self.stderr.write(f"{count} ...")
