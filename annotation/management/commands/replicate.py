"""manage.py replicate STUDY NAME: create a draft that repeats a study from its snapshot."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import owner_of, sentences
from annotation.models import Role
from annotation.reports.replicate_study import People, replicate


class Command(StudyCommand):
    help = "Create a draft (a rehearsal) with the tasks of a study, from its latest snapshot or its loaded report."
    required_role = Role.REVIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", metavar="NAME", help="name of the new study")
        parser.add_argument("--owner", metavar="USER", help="owner of the new study (default: as of new_study)")
        parser.add_argument(
            "--people",
            choices=People.values,
            default=People.ANYONE.value,
            help="who may take part: anyone, others (than those of the original) or the same (default anyone)",
        )
        parser.add_argument("--anchors", type=int, metavar="N", help="only the texts of N contexts, drawn at random")
        parser.add_argument("--seed", type=int, default=1, help="random seed of tasks and anchors (default 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            how = {name: options[name] for name in ("people", "anchors", "seed")}
            done = replicate(study, options["name"], owner=owner_of(options), actor=actor, now=timezone.now(), **how)
        self.stdout.write(f"{done.study.name}: {done.texts} of the {done.of} texts of {study}.")
        self.stdout.write(f"After its collection: manage.py report {study} {done.study} --out DIR")
