"""Jobs of measures that need no crowd: near-negative tests, human-likelihood, log-probabilities for HUSE."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.exceptions import StateError
from annotation.jobs import shared_files
from annotation.jobs.job_files import folder_of
from annotation.models import AuditEvent, Job, Study
from annotation.reports.human_likelihood import HRules, score_files_of_texts, score_study
from annotation.reports.near_negative import TESTS, NndRules, run_near_negative_tests, store_tests
from annotation.reports.nnd_tests import Rule, make_tests
from annotation.texts.log_probs.enqueue import decoded_opening
from annotation.texts.log_probs.score_now import score_texts
from annotation.texts.log_probs.store import generator_of
from annotation.texts.scoring_models import opening_of_model
from metrics.nnd.formats.by_name import build_from_files

log = logging.getLogger(__name__)
MAX_STOPPED = 5
Tell = Callable[[str, int, int], None]
Done = tuple[dict[str, Any], Study | None]


def build_nnd_tests(job: Job, tell: Tell, now: datetime) -> Done:
    """Of the study's ratings, or of files that were uploaded."""
    request = job.settings
    tell("Building tests", 0, 0)
    if job.study is not None and "rule" in request:
        tests = make_tests(job.study, rule=_rule(request["rule"]))
    else:
        tests = build_from_files(request["format"], _uploads(request["files"]))
    outcome = store_tests(tests, folder_of(job))
    _record(job, "build_nnd_tests", now, tests=outcome["tests"], source=outcome["source"])
    return outcome, None


def _record(job: Job, verb: str, now: datetime, **facts: Any) -> None:
    """In the log of the study; where there is none, in that of the installation."""
    if job.study is not None:
        AuditEvent.objects.record(job.study, verb, actor=job.actor, now=now, **facts)
    else:
        log.info("%s by %s: job %s, %s", verb, job.actor, job.uuid, facts)


def _rule(values: dict[str, Any]) -> Rule:
    better = tuple((first, second) for first, second in values.get("better", ()))
    return Rule(
        kind=values["kind"],
        best=values.get("best") or None,
        better=better,
        minimum_gap=Fraction(values.get("minimum_gap") or "0"),
        minimum_ratings=int(values.get("minimum_ratings") or 1),
        pool_without_context=bool(values.get("shared_context")),
    )


def _uploads(names: list[str]) -> list[Path]:
    paths = [Path(name) for name in names]
    if any(not path.is_file() for path in paths):
        raise StateError(
            f"The upload is not kept any more (it is deleted after {settings.UPLOADS_DAYS} days): bring the file again."
        )
    return paths


def run_nnd(job: Job, tell: Tell, now: datetime) -> Done:
    """Begun again, it goes on where it was: scores are stored beside the tests."""
    request = job.settings
    tests = shared_files.bring(folder_of(Job.objects.get(uuid=request["tests"])) / TESTS)
    if not tests.is_file():
        raise StateError("The tests are not kept any more: build them again.")
    rules = NndRules(
        models=tuple(request["models"]),
        score_files=tuple(_uploads(request.get("scores", []))),
        start=request["start"],
        ties=request["ties"],
        seed=int(request.get("seed", 0)),
    )
    outcome = run_near_negative_tests(tests, folder_of(job), rules=rules, progress=tell)
    _record(job, "run_nnd", now, tests=outcome["tests"], models=outcome["models"])
    return outcome, None


def score_h(job: Job, tell: Tell, now: datetime) -> Done:
    """Of the study's texts, or of files that were uploaded. Begun again, it goes on where it or another one was."""
    request = job.settings
    origins = _uploads([request["origins"]])[0] if request.get("origins") else None
    rules = HRules(
        model=request["model"],
        threshold=request.get("threshold", ""),
        origins=origins,
        backend=request.get("backend", ""),
        seed=int(request.get("seed", 0)),
        earlier=tuple(shared_files.bring(folder_of(stopped)) for stopped in _stopped_like(job)),
    )
    if job.study is not None:
        outcome = score_study(job.study, folder_of(job), rules=rules, progress=tell)
    else:
        files = _uploads(request["files"])
        outcome = score_files_of_texts(files, request["format"], folder_of(job), rules=rules, progress=tell)
    _record(job, "score_h", now, texts=outcome["texts"], model=outcome["model"])
    return outcome, None


def _stopped_like(job: Job) -> Iterable[Job]:
    """The last jobs of this kind that the same person stopped or saw fail, of the same study or of none."""
    stopped = Job.objects.filter(kind=job.kind, study=job.study, asked_by=job.asked_by, state=Job.State.FAILED)
    return stopped.order_by("-pk")[:MAX_STOPPED]


def score_log_probs(job: Job, tell: Tell, now: datetime) -> Done:
    """Each part is stored as it comes: begun again, it goes on where it was."""
    if job.study is None:
        raise StateError("This job is of no study.")
    request = job.settings
    generator = generator_of(job.study, request["generator"])
    others = job.study.jobs.filter(kind=Job.Kind.LOG_PROBS, state=Job.State.RUNNING).exclude(pk=job.pk)
    if any(other.settings.get("generator") == generator.name for other in others):
        raise StateError(f"Another job computes log-probabilities under {generator} now: wait until it has ended.")
    tell(f"Opening {request['model']}", 0, 0)
    opening = decoded_opening(opening_of_model(request["model"]), generator)

    def report_progress(done: int, of: int) -> None:
        tell(f"Scoring under {generator.name}", done, of)

    done = score_texts(
        job.study,
        backend=opening.open(),
        generator=generator.name,
        replace=bool(request.get("replace")),
        actor=job.actor,
        now=now,
        progress=report_progress,
    )
    return {**asdict(done), "model": request["model"]}, None
