"""manage.py attach_scores STUDY FILE: attach scores computed elsewhere to a study, for every later report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.reports.attach_scores import attach, detach


class Command(StudyCommand):
    help = (
        "Attach a file of scores to a study: a CSV with the column id and a column for each score, or JSON of "
        "`python -m metrics hscore`, `nnd run` and `nnd verify`, or of `score_by_model`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--model", default="", help="what made the scores (JSON of Assay names it)")
        parser.add_argument("--version-of", default="", metavar="VERSION", help="of the model")
        parser.add_argument(
            "--column", action="append", default=[], help="column to attach (default: all but id); repeatable"
        )
        parser.add_argument("--dry-run", action="store_true", help="check everything, attach nothing")
        parser.add_argument("--take-away", action="store_true", help="detach the file of this name")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        path, now = options["file"], timezone.now()
        if options["take_away"]:
            held = study.score_files.filter(name=path.name).order_by("pk").last()
            if held is None:
                raise CommandError(f"The study {study} has no file {path.name}.", returncode=2)
            detach(held, actor=actor, now=now)
            self.stdout.write(f"{held.name} is no longer attached.")
            return
        source = {"model": options["model"], "version": options["version_of"], "columns": options["column"]}
        with sentences(), transaction.atomic():
            score_file = attach(study, path, **source, actor=actor, now=now)
            transaction.set_rollback(options["dry_run"])
        outcome = "can be attached" if options["dry_run"] else "is attached"
        self.stdout.write(
            f"{score_file.name} ({score_file.get_kind_display()}, SHA-256 {score_file.sha256}) {outcome} to {study}."
        )
