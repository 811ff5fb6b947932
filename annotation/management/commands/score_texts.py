"""manage.py score_texts STUDY --model PATH [--generator NAME]: compute log p of a study's texts under a model."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake_scoring
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Generator, Study
from annotation.texts.log_probs.enqueue import plan_scoring
from annotation.texts.log_probs.score_now import score_texts
from annotation.texts.log_probs.store import generator_of
from metrics.cli.loglik import add_model_options, read_opening
from metrics.errors import MetricsError
from metrics.likelihood import decoding_from
from metrics.likelihood.opening import Opening


class Command(StudyCommand):
    help = "Score a study's texts with a language model: the log-probabilities that HUSE needs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", required=True, metavar="PATH", help="folder or hub name of the model")
        parser.add_argument("--generator", metavar="NAME", help="whose model it is (needed where there are several)")
        parser.add_argument("--server", metavar="URL", help="an OpenAI-compatible server that has the model")
        parser.add_argument("--end", default="", help="with --server: the end-of-text token as text")
        parser.add_argument("--replace", action="store_true", help="overwrite log-probabilities made otherwise")
        parser.add_argument("--background", action="store_true", help="queue it for scoring workers")
        add_model_options(parser)
        parser.set_defaults(temperature=None)

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            generator = generator_of(study, options["generator"])
            try:
                how = read_opening(argparse.Namespace(**options | self._decoding(generator, options)))
                done = self._plan if options["background"] else self._score
                done(study, generator, how, replace=options["replace"], actor=actor)
            except MetricsError as error:
                raise CommandError(f"The texts of {study} cannot be scored: {error}", returncode=2) from None

    def _score(self, study: Study, generator: Generator, how: Opening, *, replace: bool, actor: str) -> None:
        done = score_texts(
            study,
            backend=how.open(),
            generator=generator.name,
            replace=replace,
            actor=actor,
            now=timezone.now(),
            progress=lambda now_done, of: self.stderr.write(f"{now_done} of {of} texts scored"),
        )
        self.stdout.write(
            f"{done.scored} texts scored under {done.generator}, {done.reused} copied from equal texts, "
            f"{done.already_scored} already scored.\n{done.signature}"
        )

    def _plan(self, study: Study, generator: Generator, how: Opening, *, replace: bool, actor: str) -> None:
        done = plan_scoring(
            study, opening=how, generator=generator.name, replace=replace, actor=actor, now=timezone.now()
        )
        self.stdout.write(f"{done.texts} texts to score under {done.generator}, in {done.chunks} chunks.")
        if not wake_scoring(done.job, chunks=done.chunks):
            self.stdout.write("Run `manage.py work` (any number of processes) to score them.")
        self.stdout.write(f"`manage.py scoring_status {study}` shows the progress.")

    def _decoding(self, generator: Generator, options: dict[str, Any]) -> dict[str, Any]:
        """The decoding asked for; where none is, the generator's own, which is what HUSE needs."""
        if any(options[name] is not None for name in ("temperature", "top_k", "top_p")):
            return {"temperature": 1.0 if options["temperature"] is None else options["temperature"]}
        decoding = decoding_from(generator.decoding) if generator.decoding else None
        if decoding is None:
            if generator.decoding:
                self.stderr.write(
                    f"Warning: the decoding {generator.decoding!r} of {generator} cannot be read; "
                    "log p is computed at temperature 1 unless --temperature is given."
                )
            return {"temperature": 1.0}
        return {"temperature": decoding.temperature, "top_k": decoding.top_k, "top_p": decoding.top_p}
