"""manage.py state NAME KEY TEXT: record what only a person can say of a study, for its report."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.doors import MAY_EDIT, actor_of, add_actor, sentences, study_called
from annotation.flows.state import state
from annotation.models import Statement


class Command(BaseCommand):
    help = "Record ethics approval, consent, licence, language and the like; an empty TEXT takes it back."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="NAME")
        parser.add_argument("key", choices=Statement.Key.values, metavar="KEY", help=", ".join(Statement.Key.values))
        parser.add_argument("text", metavar="TEXT")
        add_actor(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user, actor = actor_of(options)
        study = study_called(options["study"], by=user, roles=MAY_EDIT)
        with sentences():
            made = state(study, options["key"], options["text"], actor=actor, now=timezone.now())
        self.stdout.write(f"{options['key']}: {made.body if made else 'nothing is stated'}")
