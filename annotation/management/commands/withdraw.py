"""manage.py withdraw STUDY: erase the answers that workers withdrew."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation import settings as conf
from annotation.collecting.withdraw import withdraw, withdrawn_on
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.mturk.client import Market
from annotation.reports.take_snapshot import take_after_withdrawal


class Command(StudyCommand):
    help = "Erase the answers that workers withdrew on the marketplace, or those of the named assignments."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--assignment", action="append", default=[], metavar="ID", help="repeatable")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            named = options["assignment"] or withdrawn_on(study, market=Market(conf.endpoint()))
            done = withdraw(study, named, actor=actor, now=timezone.now())
            if done.submissions:
                take_after_withdrawal(study, actor=actor, now=timezone.now())
        self.stdout.write(json.dumps(dataclasses.asdict(done)))
