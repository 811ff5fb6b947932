"""manage.py person: all that this installation stores of one person, and their erasure."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.data_protection.erase import ErasureRequest, erase_person
from annotation.jobs.data_protection.person import show_person
from annotation.management.lookup import actor_of, add_actor, sentences


class Command(BaseCommand):
    help = "Write all that is stored of a person, on both sides and over all studies, or erase the person."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        show = actions.add_parser("show", help="write everything that is stored of the person as JSON")
        show.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
        erase = actions.add_parser("erase", help="erase the person; payments and pseudonyms stay")
        erase.add_argument(
            "--answers",
            choices=["erase", "keep"],
            required=True,
            help="keep: under a pseudonym that leads to no person",
        )
        erase.add_argument("--unpaid", action="store_true", help="erase although the person is owed something")
        for action in (show, erase):
            action.add_argument(
                "name",
                nargs="?",
                help="worker ID, panel ID, email address, code or pseudonym (default: read from stdin)",
            )
            action.add_argument("--reason", required=True, help="why, for the log, such as: request by the person")
            add_actor(action)

    def handle(self, *args: Any, **options: Any) -> None:
        actor, actor_name = actor_of(options)
        # On standard input a name stays out of the shell's history.
        name = options["name"] or sys.stdin.readline().strip()
        now = timezone.now()
        with sentences():
            if options["action"] == "show":
                stored = show_person(name, reason=options["reason"], actor=actor, actor_name=actor_name, now=now)
                self._write(stored.document(now=now), options["out"])
                return
            request = ErasureRequest(options["answers"] == "erase", options["reason"], options["unpaid"])
            done = erase_person(name, request, actor=actor, actor_name=actor_name, now=now)
        self.stdout.write(json.dumps(dataclasses.asdict(done)))

    def _write(self, document: bytes, path: Path | None) -> None:
        if path is None:
            self.stdout.write(document.decode(), ending="")
            return
        try:
            with path.open("xb") as file:
                path.chmod(0o600)
                file.write(document)
        except OSError as error:
            raise CommandError(f"{path} cannot be written ({error.strerror}).", returncode=2) from None
        self.stdout.write(str(path))
