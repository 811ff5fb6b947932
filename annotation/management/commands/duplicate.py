"""manage.py duplicate STUDY NAME: create a draft with the design of a study."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import owner_of, sentences
from annotation.models import Role
from annotation.studies.duplicate import duplicate


class Command(StudyCommand):
    help = "Create a draft (a rehearsal) with the design and task text of a study. Its owner is --owner USER."
    required_role = Role.VIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--owner", metavar="USER", help="owner of the copy (default: as of new_study)")
        parser.add_argument("--without-texts", action="store_true", help="copy no texts")
        parser.add_argument("--keep-seed", action="store_true", help="keep the random seed (default: draw a new one)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            how = {
                "with_texts": not options["without_texts"],
                "keep_seed": options["keep_seed"],
                "owner": owner_of(options),
            }
            done = duplicate(study, options["name"], actor=actor, now=timezone.now(), **how)
        self.stdout.write(f"{done.study.name}: {done.texts} texts, {done.conditions} conditions copied.")
