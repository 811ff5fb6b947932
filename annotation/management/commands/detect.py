"""manage.py detect STUDY --threshold X (--model PATH | --scores FILE): detect machine-written explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Detector, Flag, Study
from annotation.quality import detectors
from annotation.quality.assess import assess
from annotation.quality.detect import detect
from annotation.quality.methods_text import DETECTED
from annotation.readers.detections import read_detections
from metrics.errors import MetricsError


class Command(StudyCommand):
    help = (
        "Detect machine-written explanations, by a language model (Fast-DetectGPT) or with scores from a file, and run "
        "the quality checks again. A flag alone never excludes an assignment."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        by = parser.add_mutually_exclusive_group(required=True)
        by.add_argument("--model", metavar="PATH", help="folder or hub name of a causal language model")
        by.add_argument("--scores", type=Path, metavar="FILE", help="CSV with the columns item, rater, question, score")
        parser.add_argument("--threshold", type=float, required=True, help="beyond it a text is called machine-written")
        parser.add_argument("--below", action="store_true", help="with --scores: low scores are the machine's")
        parser.add_argument("--name", default="", help="with --scores: the detector")
        parser.add_argument("--version-of", default="", metavar="VERSION", help="with --scores: of the detector")
        parser.add_argument("--revision", help="of the hub")
        parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32")
        parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
        parser.add_argument("--allow-download", action="store_true", help="download the model if it is not local")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            try:
                declared, score = self._detector(study, options)
                done = detect(
                    study, declared, score=score, actor=actor, now=timezone.now(),
                    progress=lambda now_done, of: self.stderr.write(f"{now_done} of {of} explanations scored"),
                )  # fmt: skip
            except MetricsError as error:
                raise CommandError(f"The explanations of {study} cannot be scored: {error}", returncode=2) from None
            assess(study, now=timezone.now())
        flags = Flag.objects.filter(submission__hit__study=study, kind=DETECTED).count()
        self.stdout.write(
            f"{done.detector}: {done.scored} explanations scored, {done.kept} had a score, {done.unknown} cannot be "
            f"scored. {flags} assignments are flagged; a flag alone excludes no assignment."
        )

    def _detector(self, study: Study, options: dict[str, Any]) -> tuple[detectors.Declared, detectors.Score]:
        if options["model"]:
            named = {name: options[name] for name in ("revision", "dtype", "device", "allow_download")}
            return detectors.fast_detect_gpt(options["model"], options["threshold"], **named)
        scores = read_detections(options["scores"], detectors.explanations(study))
        side = Detector.Side.BELOW if options["below"] else Detector.Side.ABOVE
        declared = detectors.Declared(options["name"], options["version_of"], options["threshold"], side)
        return declared, detectors.by_file(scores)
