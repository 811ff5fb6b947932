"""manage.py sample_texts STUDY --model PATH --generator NAME: sample texts for a study from a model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.texts.generate import Sample, Wish, sample_texts
from metrics.cli.loglik import add_model_options, read_opening
from metrics.errors import BadInput, MetricsError
from metrics.generation import Generated, Priming, Settings
from metrics.likelihood.decoding import Decoding
from metrics.likelihood.recorded import read_rows


class Command(StudyCommand):
    help = "Sample texts for a study's contexts (or behind a prompt) from a language model, with log p and settings."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", required=True, metavar="PATH", help="folder or hub name of the model")
        parser.add_argument("--generator", required=True, metavar="NAME", help="what the new generator is called")
        parser.add_argument("--each", type=int, default=1, help="texts for every context (1)")
        parser.add_argument("--count", type=int, default=0, help="number of texts, if the study has no contexts")
        parser.add_argument("--prompt", default="", help="prompt of all texts, if the study has no contexts")
        parser.add_argument("--max-tokens", type=int, default=100, help="most tokens of a text (100)")
        parser.add_argument("--seed", type=int, default=0, help="of all draws (0)")
        parser.add_argument(
            "--priming", type=Path, metavar="FILE.jsonl", help="examples (candidate, id) before a prompt"
        )
        parser.add_argument("--separator", help="between them (default: the model's end-of-text token)")
        parser.add_argument(
            "--most-overlap", type=float, default=0.8, help="with priming: above it, sample again (0.8)"
        )
        parser.add_argument("--attempts", type=int, default=5, help="most attempts for a text (5)")
        add_model_options(parser)
        parser.set_defaults(server="", end="")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        wish = Wish(options["each"], options["count"], options["prompt"], options["most_overlap"])
        with sentences():
            try:
                done = sample_texts(
                    study,
                    generator=options["generator"],
                    sample=_sampler(options),
                    settings=_settings(options),
                    wish=wish,
                    actor=actor,
                    now=timezone.now(),
                )
            except MetricsError as error:
                raise CommandError(f"No texts were written for {study}: {error}", returncode=2) from None
        self.stdout.write(
            f"{done.texts} texts of {done.generator} added; {done.again} sampled again, {done.overlapping} kept "
            f"although they overlap with the priming, {done.empty} empty and dropped, "
            f"{done.cut} cut at the most tokens."
        )


def _settings(options: dict[str, Any]) -> Settings:
    rows = read_rows(options["priming"]) if options["priming"] else []
    examples = [(str(fields.get("id", row)), pair[1]) for row, pair, fields in rows]
    return Settings(
        decoding=Decoding(options["temperature"], options["top_k"], options["top_p"]),
        max_tokens=options["max_tokens"],
        seed=options["seed"],
        priming=Priming(tuple(text for _, text in examples), options["separator"], tuple(name for name, _ in examples)),
        attempts=options["attempts"],
    )


def _sampler(options: dict[str, Any]) -> Sample:
    """Opens the model when texts are asked for; torch comes with it."""

    def sample(prompts: Sequence[str], settings: Settings, check: Callable[[str, str], bool]) -> Sequence[Generated]:
        backend = read_opening(argparse.Namespace(**options)).open()
        from metrics.generation.generate import generate
        from metrics.likelihood.huggingface import HuggingFace

        if not isinstance(backend, HuggingFace):
            raise BadInput("texts are sampled from a local model only", column="model")
        return generate(backend, prompts, settings, check=check)

    return sample
