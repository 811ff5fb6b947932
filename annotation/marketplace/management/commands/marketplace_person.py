"""What the marketplace stores of one person, and its erasure. `manage.py person` calls it and does both sides."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.marketplace.core import clock
from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.invitations.persons import erase_person, find_person, stored_of


class Command(BaseCommand):
    help = "Print what the marketplace stores of a person, or erase who the person is. Prints JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["show", "erase"])
        parser.add_argument("name", help="worker id, id of a panel, email address or completion code")
        parser.add_argument("--answers", action="store_true", help="erase what they submitted, too")
        parser.add_argument("--unpaid", action="store_true", help="erase although the person is owed something")

    def handle(self, *args: Any, **options: Any) -> None:
        person = find_person(options["name"])
        answer: dict[str, Any] = {"worker_ids": person.worker_ids, "names": list(person.names)}
        if options["action"] == "show":
            answer["rows"] = stored_of(person)
        else:
            try:
                erased = erase_person(
                    person, with_answers=options["answers"], unpaid=options["unpaid"], now=clock.now()
                )
            except RequestRefusedError as refusal:
                raise CommandError(str(refusal), returncode=2) from None
            except WorkRefusedError:
                raise CommandError("The person holds a task: wait until it is submitted.", returncode=2) from None
            answer["erased"] = dataclasses.asdict(erased)
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
