"""manage.py training_items STUDY [--import FILE [--append] [--dry-run]] [--export FILE] [--add TRAINING ...]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.design.training_file import FORMATS, read_training, rows_of, write_training
from annotation.design.training_items import ARMS, Item, count_items
from annotation.design.wording import Practice, PracticePair
from annotation.exceptions import DesignError
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Study
from annotation.studies import change_training
from annotation.studies.change_training import current_wording
from annotation.studies.check_training import check_training

FIELDS = {
    "instructions": ("text",),
    "examples": ("text", "source", "explanation"),
    "comparison": ("human", "machine", "explanation"),
}


class Command(StudyCommand):
    help = (
        "List the training items of a study, import them from or export them to a file (.csv or .jsonl), or add one. "
        "docs/designing.md names the columns."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument(
            "--import", dest="source_file", type=Path, metavar="FILE", help="replace the items by a file's"
        )
        deed.add_argument("--export", dest="target_file", type=Path, metavar="FILE", help="write all items to a file")
        deed.add_argument("--add", choices=ARMS, metavar="TRAINING", help=f"add an item: {', '.join(ARMS)}")
        parser.add_argument("--append", action="store_true", help="with --import: after the items that are there")
        parser.add_argument("--dry-run", action="store_true", help="with --import: show the items, change nothing")
        for name in ("text", "human", "machine", "context", "explanation"):
            parser.add_argument(f"--{name}", default="", help="with --add")
        parser.add_argument("--source", choices=("human", "machine"), default="", help="with --add examples")

    def handle(self, *args: Any, **options: Any) -> None:
        changes = options["source_file"] or options["add"]
        study, _, actor = self.study_and_actor(options, None if changes else Role.VIEWER)
        by: dict[str, Any] = {"actor": actor, "now": timezone.now()}
        with sentences():
            if options["target_file"]:
                self._export(study, options["target_file"])
            elif options["source_file"]:
                self._import(study, options, by)
            elif options["add"]:
                change_training.add_item(study, options["add"], _item(options), **by)
        if not options["target_file"] and not options["dry_run"]:
            self._list(study)

    def _export(self, study: Study, path: Path) -> None:
        if path.suffix[1:] not in FORMATS:
            raise CommandError("The name of the file must end in .csv or .jsonl.", returncode=2)
        training = current_wording(study)[1].training
        encoding = "utf-8-sig" if path.suffix == ".csv" else "utf-8"
        path.write_text(write_training(training, path.suffix[1:]), encoding=encoding, newline="")
        self.stdout.write(f"{sum(count_items(training).values())} items written to {path}.")

    def _import(self, study: Study, options: Mapping[str, Any], by: Mapping[str, Any]) -> None:
        file = read_training(options["source_file"])
        for warning in file.warnings:
            self.stderr.write(warning)
        if options["dry_run"]:
            for line in _lines(rows_of(file.training)):
                self.stdout.write(line)
            self.stdout.write("Nothing was changed.")
            return
        change_training.import_items(study, file.training, append=options["append"], **by)

    def _list(self, study: Study) -> None:
        stored, wording = current_wording(study)
        self.stdout.write(f"Task text version {stored.version}.")
        for line in _lines(rows_of(wording.training)):
            self.stdout.write(line)
        for fault in check_training(study, wording):
            self.stdout.write(f"{fault.level}: {fault.sentence}")


def _item(options: Mapping[str, Any]) -> Item:
    arm = options["add"]
    if missing := [name for name in FIELDS[arm] if not options[name].strip()]:
        raise DesignError(f"An item of the training {arm} needs --{missing[0]}.")
    if arm == "instructions":
        return str(options["text"])
    if arm == "examples":
        return Practice(options["text"], options["source"], options["explanation"], options["context"])
    return PracticePair(options["human"], options["machine"], options["explanation"], options["context"])


def _lines(rows: list[dict[str, str]]) -> Iterator[str]:
    """Each item in one line, by its training and its texts."""
    for row in rows:
        texts = [row[name] for name in ("text", "human", "machine", "explanation") if row.get(name)]
        yield f"{row['training']}: {' | '.join(' '.join(text.split())[:70] for text in texts)}"
