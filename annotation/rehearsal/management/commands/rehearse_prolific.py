"""manage.py rehearse_prolific: a study on a stub of Prolific on this machine, with simulated people."""

from __future__ import annotations

import os
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.lookup import sentences
from annotation.rehearsal import script
from annotation.rehearsal.prolific_people import PanelCrowd
from annotation.rehearsal.prolific_rehearsal import ProlificRehearsal
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.rehearsal.prolific_stub.process import running
from annotation.rehearsal.server import served

EVERY_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Rehearse on a stub of Prolific: a whole study with simulated people, of whom some return, run out of "
        "time or enter wrong codes. With --serve-only the stub runs until stopped, for a study led in the console."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--people", type=int, default=12, help="places of the study (default 12)")
        parser.add_argument("--name", default="", help="the study's name")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--serve-only", action="store_true", help="serve the stub and let people come")
        parser.add_argument("--port", type=int, default=8555, help="of the stub with --serve-only (default 8555)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["people"] < 2:
            raise CommandError("--people: a rehearsal has at least 2 places.", returncode=2)
        if not settings.MARKETPLACE_DEVELOPMENT:
            raise CommandError("A rehearsal runs on a development installation only, where money is play money.")
        if options["serve_only"]:
            self._serve(options)
        else:
            self._rehearse(options)

    def _serve(self, options: dict[str, Any]) -> None:
        """The stub, with people who come to whatever is published there."""
        with running(port=options["port"]) as stub:
            stub.change_settings(currency="USD")
            self.stdout.write(
                f"A stub of Prolific runs at {stub.url}. Its API token is {stub.token}. Start Assay with\n"
                f"    PROLIFIC_API_URL={stub.url} PROLIFIC_POLL_SECONDS=2 make serve\n"
                "and connect Prolific in Settings. Simulated people come to each study that is published. "
                "Stop with Ctrl+C."
            )
            crowd = PanelCrowd(stub, options["seed"], self.stdout.write)
            while True:
                for fate, number in crowd.come().items():
                    self.stdout.write(f"{number} {fate}")
                time.sleep(EVERY_SECONDS)

    def _rehearse(self, options: dict[str, Any]) -> None:
        name = options["name"] or script.stamped(timezone.now()).replace("rehearsal", "prolific")
        with sentences(), running() as stub:
            stub.change_settings(currency="USD")
            self._point_at(stub)
            with served(tell=self.stdout.write):
                rehearsal = ProlificRehearsal(stub, name, options["people"], options["seed"], self.stdout.write)
                sums = rehearsal.run()
        for what, local, remote in sums:
            self.stdout.write(f"{what}: {local / 100:.2f} USD here, {remote / 100:.2f} USD on Prolific")
        if any(local != remote for _, local, remote in sums):
            raise CommandError("The books differ.")
        self.stdout.write(f"The books agree. The study {name} is in the console: make serve")

    @staticmethod
    def _point_at(stub: Controls) -> None:
        """This process and the served ones call the stub, often."""
        seconds = {"PROLIFIC_POLL_SECONDS": 0, "PROLIFIC_LEASE_SECONDS": 1, "PROLIFIC_COMPLETE_SECONDS": 1}
        for name, value in ({"PROLIFIC_API_URL": stub.url} | seconds).items():
            setattr(settings, name, value)
            os.environ[name] = str(value)
