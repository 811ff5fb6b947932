"""manage.py preregister STUDY: the plan before the data, sealed, amended, and written for a registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Study
from annotation.reports.papers.plan_items import FORMS, open_questions
from annotation.reports.papers.plan_paper import FORMATS, plan_file, plan_now
from annotation.studies.freeze_plan import amend_plan, save_answers, seal_plan
from annotation.studies.plan_document import KEYS


class Command(StudyCommand):
    help = "Answer what the plan must say beyond the design, seal it, amend it, and write it in a registry's items."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--answer", action="append", default=[], metavar="KEY=TEXT", help=f"one of {', '.join(KEYS)}; repeatable"
        )
        parser.add_argument("--seal", action="store_true", help="seal the plan; later changes are amendments")
        parser.add_argument("--amend", default="", metavar="REASON", help="store the answers as an amendment")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help=f"write the plan ({', '.join(FORMATS)} by its name)"
        )
        parser.add_argument("--form", choices=[*FORMS], default="osf", help="the items of the file (default: osf)")
        parser.add_argument("--number", type=int, help="of a sealed version (default: the last one, else the draft)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        now = timezone.now()
        with sentences():
            answers = _answers(options["answer"])
            if options["amend"]:
                amend_plan(study, answers, reason=options["amend"], actor=actor, now=now)
            elif answers:
                save_answers(study, answers, actor=actor, now=now)
            if options["seal"]:
                seal_plan(study, actor=actor, now=now)
            if options["out"]:
                self._write(study, options)
        document, sealed = plan_now(study)
        answer = {
            "study": study.name,
            "version": sealed.number if sealed else None,
            "sealed_at": sealed.at.isoformat(timespec="seconds") if sealed else None,
            "sha256": sealed.sha256 if sealed else None,
            "submissions": document["submissions"],
            "to_answer": open_questions(document),
        }
        self.stdout.write(json.dumps(answer))

    def _write(self, study: Study, options: dict[str, Any]) -> None:
        path: Path = options["out"]
        content = plan_file(
            study, options["form"], path.suffix.removeprefix("."), now=timezone.now(), number=options["number"]
        )
        try:
            path.write_bytes(content)
        except OSError as error:
            raise CommandError(f"{path} cannot be written ({error.strerror}).", returncode=2) from None


def _answers(pairs: list[str]) -> dict[str, str]:
    wrong = next((pair for pair in pairs if "=" not in pair), None)
    if wrong is not None:
        raise CommandError(f"--answer needs KEY=TEXT, not {wrong[:60]!r}.", returncode=2)
    return {key: text for key, _, text in (pair.partition("=") for pair in pairs)}
