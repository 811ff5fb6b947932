"""manage.py score_by_model STUDY --model PATH --out FILE: write automatic scores of a study's texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.reports.machine_scores import read_by_model
from metrics.errors import MetricsError
from metrics.likelihood import open_model
from metrics.report.formats.write import as_json
from metrics.text_scores.machine_scores import reading_layout


class Command(StudyCommand):
    help = (
        "Score a study's texts with a language model: frac(p), ranks and Fast-DetectGPT of each text, in a file for "
        "`attach_scores`. Reports then show them by source, with MAUVE."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", required=True, metavar="PATH", help="folder or hub name of a causal model")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON to write")
        parser.add_argument("--revision", help="of the hub")
        parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32")
        parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
        parser.add_argument("--allow-download", action="store_true", help="download the model if it is not local")
        parser.add_argument("--long-texts", choices=("error", "slide"), default="error", help="beyond the window")
        parser.add_argument("--seed", type=int, default=0, help="of the calibration's folds (default 0)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        layout = reading_layout(options["long_texts"])
        how = {name: options[name] for name in ("revision", "dtype", "device", "allow_download")}
        with sentences():
            try:
                model = open_model(options["model"], layout=layout, **how)
                scores = read_by_model(study, model=model, actor=actor, now=timezone.now(), seed=options["seed"])
                options["out"].write_bytes(as_json(scores))
            except MetricsError as error:
                raise CommandError(f"The texts of {study} cannot be read: {error}", returncode=2) from None
            except OSError as error:
                raise CommandError(f"{options['out']} cannot be written: {error.strerror}.", returncode=2) from None
        next_step = f"manage.py attach_scores {study} {options['out']}"
        self.stdout.write(f"{len(scores['texts'])} texts were scored. Next: {next_step}")
