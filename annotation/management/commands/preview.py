"""manage.py preview STUDY --out DIR: write the pages as workers will see them, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.exceptions import StateError
from annotation.hits.mturk_request import page_of, wording_of
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role


class Command(StudyCommand):
    help = "Write the pages of a study as HTML files: the first HIT of each condition, or all."

    required_role = Role.VIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
        parser.add_argument("--all", action="store_true", help="every HIT, not only the first of each condition")

    def handle(self, *args: Any, **options: Any) -> None:
        study, out = self.study_and_actor(options).study, options["out"]
        with sentences():
            hits = list(study.hits.select_related("cell__arm", "study", "wording").order_by("slot"))
            if not hits:
                raise StateError(f"The study {study} has no HITs yet. Create its tasks first.")
            shown = hits if options["all"] else list({hit.cell_id: hit for hit in reversed(hits)}.values())[::-1]
            out.mkdir(parents=True, exist_ok=True)
            for hit in shown:
                path = out / f"hit-{hit.slot + 1:04d}-{hit.cell.arm.training}.html"
                path.write_text(page_of(hit, wording_of(hit), shuffle=False), encoding="utf-8")
                self.stdout.write(f"{path}  {hit.cell}")
