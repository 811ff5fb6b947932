"""manage.py ethics_pack STUDY: information sheet, consent and debrief from the facts of a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.reports.papers.ethics_pack import FORMATS, ethics_pack, pack_file
from annotation.reports.papers.pack_facts import save_pack_answers
from annotation.reports.papers.pack_texts import ANSWER_KEYS, LANGUAGES


class Command(StudyCommand):
    help = "Write the ethics pack of a study from its facts, and list what is still missing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--language", choices=LANGUAGES, default="en")
        parser.add_argument(
            "--answer", action="append", default=[], metavar="KEY=TEXT", help=f"one of {', '.join(ANSWER_KEYS)}"
        )
        parser.add_argument("--out", type=Path, metavar="FILE", help=f"write the pack: .{', .'.join(FORMATS)}")

    def handle(self, *args: Any, **options: Any) -> None:
        pairs = [pair.partition("=") for pair in options["answer"]]
        wrong = next((key for key, sign, _ in pairs if not sign), None)
        if wrong is not None:
            raise CommandError(f"--answer needs KEY=TEXT, not {wrong[:60]!r}.", returncode=2)
        study, _, actor = self.study_and_actor(options, Role.EDITOR if pairs else Role.VIEWER)
        language, path, now = options["language"], options["out"], timezone.now()
        with sentences():
            if pairs:
                save_pack_answers(study, language, {key: text for key, _, text in pairs}, actor=actor, now=now)
            pack = ethics_pack(study, language, now=now)
            content = pack_file(study, language, path.suffix.removeprefix("."), now=now) if path else b""
        if path:
            try:
                path.write_bytes(content)
            except OSError as error:
                raise CommandError(f"{path} cannot be written ({error.strerror}).", returncode=2) from None
        levels = {document: round(level.lix, 1) for document, level in pack.levels().items()}
        answer = {"study": study.name, "sentences": len(pack.sentences), "to_answer": list(pack.gaps), "lix": levels}
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
