"""Run long work: take a job, carry it out by the verbs, report its progress, store its outcome."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from annotation import settings as conf
from annotation.design.lay_out import deal_texts, store_design
from annotation.exceptions import AssayError, StateError
from annotation.jobs import (
    batch_runs,
    copy_runs,
    file_runs,
    measure_runs,
    queue,
    release_runs,
    shared_files,
    worker_runs,
)
from annotation.jobs.celery_tasks import wake
from annotation.jobs.check_study import check_and_rehearse
from annotation.jobs.job_files import folder_of
from annotation.jobs.memory_limit import memory_limit
from annotation.jobs.time_limit import TimeLimitError, drop_broken_connection, time_limit
from annotation.models import Job, Role, Study, Submission
from annotation.outbox.decision_intents import WINDOW
from annotation.publishing import decision_plans, expected_precision
from annotation.quality import detectors
from annotation.quality.assess import assess
from annotation.quality.detect import detect
from annotation.quality.honest_answers import CONDITION
from annotation.quality.key_measures import key_of
from annotation.reports import rule_choices
from annotation.reports.export import export
from annotation.reports.export_comparison import export_comparison
from annotation.reports.headline_effects import effects_table, headline_effects
from annotation.reports.take_snapshot import open_results, take, take_for_comparison
from annotation.review.approve import Review, approve
from annotation.studies.unblind import is_first_look
from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import WRITTEN_BY
from metrics.errors import MetricsError
from metrics.evaluators.exclusion_sensitivity import OVERALL
from metrics.figures import exclusion_curve, static
from metrics.inference.specification_curve import Exclusions
from metrics.report.build import report_of
from metrics.report.comparison.compare import compare_studies
from metrics.report.formats.figures import charts
from metrics.report.formats.write import USUAL
from metrics.report.row_records import WhichRaters
from metrics.report.sections.exclusions import compute_rule_effects, rules_without_effect, state_conclusions
from metrics.tables.delimited import table_csv
from metrics.tables.exclusions import exclusions_table

Clock = Callable[[], datetime]
Tell = Callable[[str, int, int], None]
log = logging.getLogger(__name__)


@shared_task(name="annotation.jobs", ignore_result=True)
def jobs_off() -> None:
    """Carry out the jobs that wait, except for those that read files."""
    run_due(files=False)


@shared_task(name="annotation.files", ignore_result=True)
def files_off() -> None:
    """Carry out the jobs that wait and read files."""
    run_due(files=True)


def run_due(*, clock: Clock = timezone.now, max_jobs: int = 100, files: bool | None = None) -> int:
    """Carry out the jobs that wait; how many came to an end. files: those that read files, or the others."""
    ended = 0
    while ended < max_jobs and (job := queue.take(now=clock(), files=files)):
        run(job, clock=clock)
        ended += 1
    return ended


def run(job: Job, *, clock: Clock = timezone.now) -> None:
    """Carry out a job that this caller has taken. What fails is noted with a sentence, and nothing else is kept."""

    began, limit = clock(), timedelta(seconds=settings.JOB_SECONDS)

    def tell(step: str, done: int, of: int) -> None:
        if clock() - began >= limit:
            raise TimeLimitError
        queue.tell(job, step, done, of, now=clock())

    try:
        with time_limit(limit.total_seconds()), _memory_limit(job):
            requested = job.settings
            job.settings = shared_files.with_local_files(requested)
            shared_files.bring(folder_of(job))  # what an earlier try has written
            try:
                outcome, study = RUNS[Job.Kind(job.kind)](job, tell, clock())
            finally:
                job.settings = requested
                shared_files.publish(folder_of(job))
    except TimeLimitError:
        drop_broken_connection()
        queue.fail(job, _over_time(job), now=clock())
    except (AssayError, MetricsError, CommandError) as error:
        queue.fail(job, str(error), now=clock())
    except MemoryError:
        queue.fail(job, _over_memory(job), now=clock())
    except Exception:
        log.exception("The job %s failed", job.uuid)
        queue.fail(job, "Internal error; see the server log. Nothing was changed.", now=clock())
    else:
        queue.finish(job, outcome, now=clock(), study=study)
        if job.kind in STORED:
            _delete_uploads(job)
    shared_files.leave(folder_of(job))
    shared_files.leave_uploads(job.settings)


def _delete_uploads(job: Job) -> None:
    """Delete what a job read that has stored it; one that was canceled meanwhile may be begun again."""
    if Job.objects.filter(pk=job.pk, state=Job.State.DONE).exists():
        for name in job.settings.keys() & set(FILES):
            if isinstance(job.settings[name], str):
                shared_files.remove(Path(job.settings[name]).parent)


def _memory_limit(job: Job) -> AbstractContextManager[None]:
    """A language model may be as large as the operator chose it; everything else has a limit."""
    if job.kind in READING:
        return memory_limit(READING_BYTES)
    return memory_limit(None if job.kind in MODELS else settings.JOB_MB * 1024**2, with_files=False)


def _over_memory(job: Job) -> str:
    if job.kind in READING:
        return f"The file takes more than {READING_BYTES >> 20:,} MB of memory. {SPLIT_IT}"
    return f"It was stopped: it needs more than {settings.JOB_MB:,} MB of memory, the limit for one job (JOB_MB)."


def _over_time(job: Job) -> str:
    again = "Start it again: it continues where it stopped."
    if not job.keeps_part:
        again = "Ask for less, or start it again with a higher limit."
    return f"It was stopped after {settings.JOB_SECONDS:,} seconds, the limit for one job (JOB_SECONDS). {again}"


# What these read is in the database now; the uploads go, with the folders that they had to themselves.
STORED = (
    Job.Kind.IMPORT_WORKERS,
    Job.Kind.APPLY_REVIEW,
    Job.Kind.ADD_TEXTS,
    Job.Kind.IMPORT_BATCH,
    Job.Kind.IMPORT_RATINGS,
)
FILES = ("path", "likelihoods", "joined", "mapping")
# Jobs that read what somebody uploaded may take so much memory beside what the process has already.
READING = (Job.Kind.LOOK_AT_FILE, Job.Kind.CHECK_TEXTS, Job.Kind.ADD_TEXTS, Job.Kind.CHECK_RATINGS)
MODELS = (Job.Kind.DETECT, Job.Kind.NND_RUN, Job.Kind.H_SCORE, Job.Kind.LOG_PROBS)
READING_BYTES = 1024 * 1024 * 1024
SPLIT_IT = "Save it as CSV, or in several files. Nothing was changed."
Done = tuple[dict[str, Any], Study | None]
SEE_RESULTS = (Role.REVIEWER, Role.EDITOR, Role.OWNER)


def _study_of(job: Job) -> Study:
    if job.study is None:
        raise StateError("This job is of no study.")
    return job.study


def _check_asker(job: Job, study: Study) -> None:
    """Raise StateError where who asked for a look at results may not look at them any more."""
    if job.asked_by and not Study.objects.with_role(job.asked_by, *SEE_RESULTS).filter(pk=study.pk).exists():
        raise StateError("Who asked for this may not look at the results of this study any more.")


def _unblind(job: Job, tell: Tell, now: datetime) -> Done:
    """Noted as done together with what it stores, so that one that was canceled or failed leaves results blinded."""
    study = _study_of(job)
    _check_asker(job, study)

    first = open_results(
        study,
        actor=job.actor,
        now=now,
        before_reading=lambda: tell("Reading all answers", 0, 0),
        on_store=lambda first: _finish(job, {"first": first}, now),
    )
    return {"first": first}, None


def _check_quality(job: Job, tell: Tell, now: datetime) -> Done:
    """Noted as done together with what it stores, so that one that was canceled replaces nothing."""
    tell("Measuring submissions", 0, 0)
    done = assess(_study_of(job), now=now, on_store=lambda assessed: _finish(job, asdict(assessed), now))
    return asdict(done), None


def _approve(job: Job, tell: Tell, now: datetime) -> Done:
    """Exactly what was confirmed, noted as done with it: one that was canceled or failed has approved nothing."""
    study, names = _study_of(job), job.settings.get("assignments")
    reviewers = Study.objects.with_role(job.asked_by, *SEE_RESULTS) if job.asked_by else Study.objects.none()
    if not reviewers.filter(pk=study.pk).exists():
        raise StateError("Nothing was approved: who asked for this is not a reviewer of this study any more.")
    rows = Submission.objects.filter(hit__study=study)
    rows = rows if names is None else rows.filter(market_id__in=names)
    tell("Approving submissions", 0, 0)

    def finish(review: Review) -> None:
        _finish(job, {**asdict(review), "undo_until": (now + WINDOW).isoformat()}, now)

    reason = job.settings.get("leave_out", "")
    shown = job.settings.get("shown", "")
    done = approve(
        study, rows, actor=job.asked_by, now=now, window=WINDOW, leave_out=reason, shown=shown, on_store=finish
    )
    wake(study.pk)
    return asdict(done), None


def _precision(job: Job, tell: Tell, now: datetime) -> Done:
    return expected_precision.simulate(job.settings, tell=tell), None


def _plan_decision(job: Job, tell: Tell, now: datetime) -> Done:
    return decision_plans.find(job.settings, progress=partial(tell, "Simulating studies")), None


def _finish(job: Job, outcome: dict[str, Any], now: datetime) -> None:
    """Note a job as done in the transaction that stores its work. Raises StateError where it was canceled."""
    if not queue.finish(job, outcome, now=now):
        raise StateError("This job was canceled, or another worker took it over.")


def _preflight(job: Job, tell: Tell, now: datetime) -> Done:
    def tried(done: int, of: int) -> None:
        tell("Trying the pages of the HITs", done, of)

    rehearsed = partial(tell, "Simulating studies of honest people")
    return check_and_rehearse(_study_of(job), rehearsed=rehearsed, endpoint=conf.endpoint(), progress=tried), None


def _report(job: Job, tell: Tell, now: datetime) -> Done:
    """The report's files lie in a folder of the job; its figures, without script, in the outcome."""
    study, seed = _study_of(job), int(job.settings.get("seed", 0))
    if is_first_look(study):
        _check_asker(job, study)
    raters: WhichRaters = job.settings.get("raters", "")
    command = f"manage.py report {study} --out DIR --seed {seed}" + (f" --raters {raters}" if raters else "")
    snapshot = take(study, actor=job.actor, reason="report", now=now, command=command)
    report = report_of(snapshot, seed=seed, raters=raters, progress=tell)
    tell("Writing", len(report.generators), len(report.generators))
    done = export(
        report,
        folder_of(job),
        study=study,
        actor=job.actor,
        now=snapshot.header.created_at,
        snapshot=snapshot,
        formats=job.settings.get("formats") or USUAL,
        chromium=conf.chromium(),
        sandbox=conf.sandbox(),
    )
    figures = [
        {"name": chart.name, "title": chart.title, "alt": chart.alt, "svg": static.svg(chart)}
        for chart in charts(report)
    ]
    return {
        "result": done.result.pk,
        "files": [path.name for path in done.paths],
        "figures": figures,
        **_without(done.left_out),
    }, None


def _exclusions(job: Job, tell: Tell, now: datetime) -> Done:
    """Measured anew; a figure and a table a generator or condition, as files in the job's folder and in the outcome."""
    study, seed = _study_of(job), int(job.settings.get("seed", 0))
    tell("Measuring", 0, 0)
    assess(study, now=now)
    report_input = take(study, actor=job.actor, reason="sensitivity to exclusions", now=now).report_input
    folder = folder_of(job)
    folder.mkdir(parents=True, exist_ok=True)
    rules = rule_choices.rules_to_choose(report_input)
    if rules:
        rule_choices.store_answers(report_input, folder / rule_choices.FILE)
    explored = compute_rule_effects(report_input, seed=seed, progress=tell)
    parts = [
        _selections(name, exclusions, folder, at) for at, (name, exclusions) in enumerate(explored.parts.items(), 1)
    ]
    files = [name for part in parts for name in part["files"]]
    headlines = headline_effects(report_input, seed=seed, progress=partial(tell, "Headline measures"))
    if headlines:
        files.append("headline-measures.csv")
        (folder / files[-1]).write_text(table_csv(effects_table(headlines)), encoding="utf-8")
    held, missing = list(state_conclusions(explored.parts)), [list(names) for names in explored.missing]
    return {
        "generators": parts,
        "idle": list(rules_without_effect(report_input)),
        "files": files,
        "held": held,
        "missing": missing,
        "headlines": headlines,
        "choices": [[rule.name, len(rule.assignments)] for rule in rules],
    }, None


def _selections(name: str, exclusions: Exclusions, folder: Path, at: int) -> dict[str, Any]:
    """The page's part of a generator or a condition; its figure and its table are written beside."""
    table, chart = exclusions_table(exclusions, name=f"exclusions-{at}"), exclusion_curve.chart(exclusions)
    written = {f"exclusions-{at}.svg": static.svg(chart), f"exclusions-{at}.csv": table_csv(table)}
    for file, body in written.items():
        (folder / file).write_text(body, encoding="utf-8")
    return {
        "name": name,
        "key": _measure_key(name, exclusions),
        "percent": exclusions.measure == "accuracy",
        "alt": chart.alt,
        "svg": written[f"exclusions-{at}.svg"],
        "title": table.title,
        "columns": [column.title for column in table.columns],
        "rows": [list(row) for row in table.rows],
        "notes": list(table.notes),
        "sides": [exclusions.below, exclusions.inside, exclusions.above],
        "selections": len(exclusions.specifications),
        "signature": exclusions.signature,
        "files": list(written),
    }


def _measure_key(name: str, exclusions: Exclusions) -> str:
    """The key of the same measure in simulated studies of honest people."""
    if exclusions.measure != "accuracy":
        return exclusions.measure
    return key_of(WRITTEN_BY, AnswerType.TWO_SIDED, "" if name == OVERALL else CONDITION)


def _detect(job: Job, tell: Tell, now: datetime) -> Done:
    """Begun again, it goes on where it was."""
    study = _study_of(job)
    tell("Opening the model", 0, 0)
    declared, score = detectors.fast_detect_gpt(conf.detector_model(), float(job.settings["threshold"]))

    def report_progress(done: int, of: int) -> None:
        tell("Looking at explanations", done, of)

    done = detect(study, declared, score=score, actor=job.actor, now=now, progress=report_progress)
    assess(study, now=now)
    return asdict(done), None


def _lay_out(job: Job, tell: Tell, now: datetime) -> Done:
    """Noted as done together with what it stores, so that one that was canceled leaves no HIT behind."""
    study = _study_of(job)
    dealt = deal_texts(study, tell)
    with transaction.atomic():
        design = store_design(study, dealt, actor=job.actor, now=now)
        outcome = {"hits": design.hits, "places": design.assignments}
        _finish(job, outcome, now)
    return outcome, None


def _comparison(job: Job, tell: Tell, now: datetime) -> Done:
    """Of studies on which whoever asked may still look at results (who has the terminal: at all); its files lie in a
    folder of the job."""
    requested, seed = job.settings["studies"], int(job.settings.get("seed", 0))
    may_see = Study.objects.with_role(job.asked_by, *SEE_RESULTS) if job.asked_by else Study.objects.none()
    if job.settings.get("terminal"):
        may_see = Study.objects.all()
    studies = sorted(may_see.filter(uuid__in=requested), key=lambda study: requested.index(str(study.uuid)))
    if len(studies) < len(requested):
        raise StateError("Who asked for this may not look at the results of every one of these studies.")
    inputs = []
    for at, study in enumerate(studies):
        tell(f"Reading {study}", at, len(studies) + 3)
        command_of_study = f"manage.py report {study} --out DIR --seed {seed}"
        inputs.append(take_for_comparison(study, actor=job.actor, now=now, command=command_of_study))
    command = f"manage.py report {' '.join(study.name for study in studies)} --out DIR --seed {seed}"
    compared = compare_studies(
        inputs,
        seed=seed,
        command=command,
        progress=lambda step, done, of: tell(step, len(studies) + done, len(studies) + of),
    )
    paths, left_out = export_comparison(
        compared,
        folder_of(job),
        studies=studies,
        actor=job.actor,
        now=now,
        formats=job.settings.get("formats") or USUAL,
        chromium=conf.chromium(),
        sandbox=conf.sandbox(),
    )
    summary = {"verdicts": list(compared.verdicts), "warnings": [warning.sentence for warning in compared.warnings]}
    return {"files": [path.name for path in paths], **summary, **_without(left_out)}, None


def _without(sentence: str) -> dict[str, str]:
    """What the page of the job says of a format that could not be made."""
    return {"left_out": sentence} if sentence else {}


def _crowd(job: Job, tell: Tell, now: datetime) -> Done:
    """By name: neither room imports the rehearsal."""
    tell("People are at work", 0, 0)
    call_command("rehearsal_crowd", _study_of(job).name, verbosity=0)
    return {}, None


RUNS: dict[Job.Kind, Callable[[Job, Tell, datetime], Done]] = {
    Job.Kind.LOOK_AT_FILE: file_runs.look_at_file,
    Job.Kind.CHECK_TEXTS: file_runs.check_texts,
    Job.Kind.ADD_TEXTS: file_runs.store_texts,
    Job.Kind.IMPORT_BATCH: file_runs.import_batch,
    Job.Kind.CHECK_RATINGS: file_runs.check_ratings,
    Job.Kind.IMPORT_RATINGS: file_runs.import_ratings,
    Job.Kind.PREFLIGHT: _preflight,
    Job.Kind.REPORT: _report,
    Job.Kind.EXCLUSIONS: _exclusions,
    Job.Kind.COMPARISON: _comparison,
    Job.Kind.DETECT: _detect,
    Job.Kind.LAY_OUT: _lay_out,
    Job.Kind.CROWD: _crowd,
    Job.Kind.NND_TESTS: measure_runs.build_nnd_tests,
    Job.Kind.NND_RUN: measure_runs.run_nnd,
    Job.Kind.H_SCORE: measure_runs.score_h,
    Job.Kind.LOG_PROBS: measure_runs.score_log_probs,
    Job.Kind.PUBLISH_BATCH: batch_runs.publish_batch,
    Job.Kind.CANCEL_BATCH: batch_runs.end_tasks,
    Job.Kind.BATCH_RESULTS: batch_runs.gather_results,
    Job.Kind.CHECK_REVIEW: batch_runs.check_review,
    Job.Kind.APPLY_REVIEW: batch_runs.run_review,
    Job.Kind.IMPORT_WORKERS: worker_runs.import_list,
    Job.Kind.RELEASE: release_runs.create_release,
    Job.Kind.UNBLIND: _unblind,
    Job.Kind.CHECK_QUALITY: _check_quality,
    Job.Kind.APPROVE: _approve,
    Job.Kind.PRECISION: _precision,
    Job.Kind.PLAN_DECISION: _plan_decision,
    Job.Kind.DUPLICATE: copy_runs.duplicate_study,
    Job.Kind.REPEAT: copy_runs.repeat_study,
}
