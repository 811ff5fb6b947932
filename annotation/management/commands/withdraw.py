"""manage.py withdraw STUDY: erase what workers took back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.doors import sentences, study_called
from annotation.flows.withdraw import withdraw, withdrawn_on


class Command(BaseCommand):
    help = "Erase the answers that workers took back on the marketplace, or those of the assignments named."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--assignment", action="append", default=[], metavar="ID", help="repeatable")
        parser.add_argument("--as", dest="actor", default="command line", help="who does it, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            named = options["assignment"] or withdrawn_on(study, market=Market(conf.endpoint()))
            done = withdraw(study, named, actor=options["actor"], now=timezone.now())
        self.stdout.write(json.dumps(dataclasses.asdict(done)))
