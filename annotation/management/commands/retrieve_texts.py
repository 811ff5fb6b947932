"""manage.py retrieve_texts STUDY --training FILE.jsonl: add the BM25 retrieval baseline as a generator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.texts.retrieve import retrieve_texts
from metrics.errors import MetricsError
from metrics.likelihood.recorded import read_rows


class Command(StudyCommand):
    help = "Answer each context of a study with the training text whose input is most like it (BM25)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--training", type=Path, required=True, metavar="FILE.jsonl", help="context and candidate")
        parser.add_argument("--generator", default="bm25", metavar="NAME", help="what the generator is called (bm25)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            try:
                training = [pair for _, pair, _ in read_rows(options["training"])]
                done = retrieve_texts(
                    study,
                    generator=options["generator"],
                    training=training,
                    actor=actor,
                    now=timezone.now(),
                )
            except MetricsError as error:
                raise CommandError(f"No texts were retrieved for {study}: {error}", returncode=2) from None
        self.stdout.write(
            f"{done.texts} texts of {done.generator} added (log p 0), {done.unmatched} of them share no word with "
            f"their context; {done.references} references got log p -infinity, "
            f"but for {done.equal} that equal what was retrieved."
        )
