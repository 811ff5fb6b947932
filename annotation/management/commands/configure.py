"""manage.py configure STUDY: show and change the settings of a draft."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.design.configure import DEALT, EVER, LATER, configure
from annotation.design.discard_layout import clear_design
from annotation.design.lay_out import Design, design
from annotation.design.wording import as_json, from_json
from annotation.management.commands._study import StudyCommand
from annotation.management.commands.new_study import add_amounts, amounts, setting
from annotation.management.lookup import sentences
from annotation.models import Role, Study
from annotation.pricing.currency import check_currency, format_money
from annotation.studies.create import reword


class Command(StudyCommand):
    help = (
        "Show a study's settings. Change the settings or the task text of a draft, create its tasks, or discard them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--set", type=setting, action="append", default=[], metavar="FIELD=VALUE")
        add_amounts(parser)
        parser.add_argument("--wording", type=Path, metavar="FILE", help="new task text, as JSON")
        parser.add_argument("--print-wording", action="store_true", help="print the current task text and stop")
        tasks = parser.add_mutually_exclusive_group()
        tasks.add_argument("--create-tasks", action="store_true", help="create the HITs of a draft from its texts")
        tasks.add_argument("--clear-layout", action="store_true", help="discard the HITs of a draft")

    def handle(self, *args: Any, **options: Any) -> None:
        has_amounts = any(options[name] is not None for name in ("reward", "budget", "floor"))
        changes = has_amounts or any(
            options[name] for name in ("set", "currency", "wording", "create_tasks", "clear_layout")
        )
        study, _, actor = self.study_and_actor(options, Role.EDITOR if changes else Role.VIEWER)
        who: dict[str, Any] = {"actor": actor, "now": timezone.now()}
        with sentences():
            if options["clear_layout"]:
                self.stdout.write(f"{clear_design(study, **who)} HITs discarded.")
            if settings := _changes(study, options):
                configure(study, settings, **who)
            if options["wording"]:
                wording = reword(study, from_json(_read(options["wording"])), **who)
                self.stdout.write(f"The task text is version {wording.version}.")
            if options["create_tasks"]:
                self.stdout.write(tasks_created(design(study, **who), study.currency))
        self.stdout.write(_words(study) if options["print_wording"] else _settings(study))


def tasks_created(layout: Design, currency: str) -> str:
    """How many tasks there are now, and the most that they can cost."""
    total = format_money(layout.total_cents, currency)
    return f"Tasks created. HITs: {layout.hits}, assignments: {layout.assignments}, at most {total}"


def _changes(study: Study, options: dict[str, Any]) -> dict[str, object]:
    changes = dict(options["set"])
    if code := options["currency"] or changes.get("currency"):
        changes["currency"] = check_currency(str(code))
    return changes | amounts(options, str(changes.get("currency", study.currency)))


def _settings(study: Study) -> str:
    return "\n".join(f"{name}={_display(getattr(study, name))}" for name in sorted(DEALT | EVER | LATER))


def _display(value: object) -> str:
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def _words(study: Study) -> str:
    version = study.wordings.last()
    if version is None:
        raise CommandError(f"The study {study} has no task text yet.", returncode=2)
    return json.dumps(as_json(from_json(version.body)), indent=1, ensure_ascii=False)


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise CommandError(f"{path} cannot be read as JSON: {error}", returncode=2) from None
