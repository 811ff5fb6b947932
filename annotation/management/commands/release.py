"""manage.py release STUDY: what to look at before a public release, and the release."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Study
from annotation.reports.public_release import (
    ReleaseWish,
    comment_keys,
    consent_of_task_page,
    look_before_release,
    release,
    set_objections,
)
from metrics.errors import MetricsError

COLUMNS = ("release", "text", "rater", "question", "flags", "comment")


class Command(StudyCommand):
    help = "Write a public release of a study: new pseudonyms, no times, its report and what describes it."
    required_role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--withhold", type=Path, metavar="FILE", help="who does not share: a name per line")
        parser.add_argument("--look", type=Path, metavar="CSV", help="write the comments to read, and print rare rows")
        parser.add_argument(
            "--comments", type=Path, metavar="CSV", help="as --look wrote it, with yes in the column release"
        )
        parser.add_argument("--out", type=Path, metavar="DIR", help="write the release into this new folder")
        parser.add_argument("--licence", default="", help="such as CC-BY-4.0")
        how = "how people agreed to share (default: as the task page asked)"
        parser.add_argument("--consent", default="", metavar="TEXT", help=how)

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        if not (options["withhold"] or options["look"] or options["out"]):
            raise CommandError("Give --look CSV, --withhold FILE or --out DIR.", returncode=2)
        try:
            with sentences():
                self._handle(study, actor, options)
        except (MetricsError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error), returncode=2) from None

    def _handle(self, study: Study, actor: str, options: dict[str, Any]) -> None:
        now = timezone.now()
        answer: dict[str, Any] = {}
        if options["withhold"]:
            names = options["withhold"].read_text(encoding="utf-8-sig").splitlines()
            answer["withheld"] = set_objections(study, names, actor=actor, now=now)
        if options["look"]:
            answer |= self._look(study, actor, options["look"])
        if options["out"]:
            chosen = _chosen(options["comments"]) if options["comments"] else []
            wish = ReleaseWish(
                options["licence"], options["consent"] or consent_of_task_page(study), comment_keys(chosen)
            )
            row, bundle = release(study, wish, options["out"], actor=actor, now=now)
            answer |= {
                "release": row.number,
                "folder": str(bundle.folder),
                "raters": row.raters,
                "withheld": row.withheld,
                "comments": row.comments,
                "differing_numbers": len(bundle.differing),
                "sha256": bundle.sha256,
            }
        self.stdout.write(json.dumps(answer, ensure_ascii=False))

    def _look(self, study: Study, actor: str, path: Path) -> dict[str, Any]:
        look = look_before_release(study, actor=actor, now=timezone.now())
        with path.open("x", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for item in look.comments:
                row, flags = item.comment, "; ".join(f"{kind}: {words}" for kind, words in item.flags)
                table.writerow(("", row.text, row.rater, row.question, flags, row.body))
        rare = [{"raters": combination.raters, "columns": str(combination)} for combination in look.rare]
        return {"look": str(path), "comments_to_read": len(look.comments), "raters": look.raters, "rare": rare}


def _chosen(path: Path) -> list[list[str]]:
    """The comments that somebody released. Raises CommandError where a column is missing."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and not set(COLUMNS[:4]) <= rows[0].keys():
        raise CommandError(f"{path} needs the columns {', '.join(COLUMNS[:4])}, as --look writes them.", returncode=2)
    return [[row["text"], row["rater"], row["question"]] for row in rows if row["release"].strip().lower() == "yes"]
