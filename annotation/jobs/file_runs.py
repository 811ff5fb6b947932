"""Jobs that read what somebody uploaded: a first look, a check, and the import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation import settings as conf
from annotation.exceptions import StateError
from annotation.importing.add_texts import add_texts, compare_with_study
from annotation.importing.import_study import import_work
from annotation.importing.saved_mappings import GUESS
from annotation.jobs import queue
from annotation.models import Job, Study
from annotation.readers.batch import read_batch
from annotation.readers.columns import Names
from annotation.readers.foreign.guess import guess_mapping
from annotation.readers.foreign.layouts import hint_of, without_texts
from annotation.readers.foreign.look import look_at
from annotation.readers.foreign.ratings_mapping import guess_ratings, ratings_mapping_from_json, read_mapped_ratings
from annotation.readers.foreign.text_mapping import TextMapping, mapping_from_json, missing_choice
from annotation.readers.problem_codes import Code
from annotation.readers.problems import ProblemSummary
from annotation.readers.tabular import FileForm
from annotation.readers.texts import Examination, examine_texts

Tell = Callable[[str, int, int], None]
Done = tuple[dict[str, Any], Study | None]


def _study_of(job: Job) -> Study:
    if job.study is None:
        raise StateError("This job is of no study.")
    return job.study


def _path_of(job: Job) -> Path:
    path = Path(job.settings["path"])
    if not path.exists():
        raise StateError(
            f"The upload is not kept any more (it is deleted after {settings.UPLOADS_DAYS} days): bring the file again."
        )
    return path


def _form_of(request: Mapping[str, Any]) -> FileForm:
    return FileForm(request.get("delimiter") or None, request.get("encoding") or None, request.get("sheet") or None)


def look_at_file(job: Job, tell: Tell, now: datetime) -> Done:
    """The columns of a file with samples, and what they probably hold."""
    tell("Reading", 0, 0)
    look = look_at(_path_of(job), _form_of(job.settings))
    if job.settings.get("of") == "ratings":
        return {"look": look.as_json(), "mapping": guess_ratings(look).as_json(), "hint": "", "refused": ""}, None
    mapping = guess_mapping(look)
    refused = without_texts(look)
    return {
        "look": look.as_json(),
        "mapping": mapping.as_json(),
        "hint": hint_of(mapping.layout),
        "refused": f"This is {refused}." if refused else "",
    }, None


def _examined(job: Job, tell: Tell) -> Examination:
    request = job.settings
    path = _path_of(job)
    mapping = _mapping_of(request, path)
    examination = examine_texts(
        path,
        names=_names(request),
        likelihoods=Path(request["likelihoods"]) if request.get("likelihoods") else None,
        generator=request.get("generator") or None,
        form=_form_of(request),
        allow=[Code(code) for code in request.get("allow", ())],
        progress=lambda done, of: tell("Reading", done, of),
        mapping=mapping,
        joined=Path(request["joined"]) if request.get("joined") else None,
    )
    if examination.total_problems:
        return examination
    return compare_with_study(_study_of(job), examination, file=path.name)


def _mapping_of(request: Mapping[str, Any], path: Path) -> TextMapping | None:
    """As chosen, or guessed where that was asked for; None for a file with our own columns."""
    stored = request.get("mapping")
    if stored == GUESS:
        look = look_at(path, _form_of(request))
        mapping = guess_mapping(look)
        if look.columns and (missing := without_texts(look) or missing_choice(mapping)):
            raise StateError(f"The columns could not be guessed: {missing}")
        return mapping
    return mapping_from_json(stored) if stored else None


def _names(request: Mapping[str, Any]) -> Names:
    sources = request.get("sources") or {}
    return Names(request.get("columns") or {}, sources) if sources else Names(request.get("columns") or {})


def check_texts(job: Job, tell: Tell, now: datetime) -> Done:
    examination = _examined(job, tell)
    return {
        "rows": examination.rows,
        "notes": list(examination.notes),
        "preview": [{"row": row.row, "cells": dict(row.cells)} for row in examination.preview],
        "problems": [line for fault in examination.faults for line in _lines(fault.problems)],
        "total_problems": examination.total_problems,
        "warnings": [line for fault in examination.faults for line in _lines(fault.warnings)],
        "total_warnings": examination.total_warnings,
        "texts": len(examination.texts),
        "kept_until": (now + conf.uploads_retention()).date().isoformat(),
    }, None


def _lines(problems: ProblemSummary) -> list[dict[str, Any]]:
    return [
        {
            "row": problem.row,
            "field": problem.field,
            "rule": problem.rule,
            "code": str(problem.code),
            "do": problem.what_to_do_on_a_page,
        }
        for problem in problems.listed
    ]


def store_texts(job: Job, tell: Tell, now: datetime) -> Done:
    """Noted as done together with what it stores, so that one that was canceled leaves no text behind."""
    examination = _examined(job, tell)
    examination.raise_if_any()
    tell("Storing", 0, len(examination.texts))
    with transaction.atomic():
        added = add_texts(
            _study_of(job),
            examination.texts,
            actor=job.actor,
            now=now,
            origin=examination.provenance,
            allowed=[Code(code) for code in job.settings.get("allow", ())],
            progress=None,
        )
        outcome = {"texts": added.texts, "references": added.references, "by_generator": dict(added.by_generator)}
        if not queue.finish(job, outcome, now=now):
            raise StateError("This job was canceled, or another worker took it over.")
    return outcome, None


def import_batch(job: Job, tell: Tell, now: datetime) -> Done:
    tell("Reading", 0, 2)
    mapping = job.settings.get("mapping")
    work = read_batch(Path(job.settings["path"]), Path(mapping) if mapping else None)
    tell("Storing", 1, 2)
    done = import_work(work, name=job.settings["name"], actor=job.actor, now=now, owner=job.asked_by)
    counts = {name: getattr(done, name) for name in ("texts", "hits", "submissions", "judgments", "workers")}
    return {**counts, "warnings": list(work.warnings)}, done.study


def check_ratings(job: Job, tell: Tell, now: datetime) -> Done:
    """What would be imported; nothing is changed."""
    mapping = ratings_mapping_from_json(job.settings["mapping"])
    work = read_mapped_ratings(_path_of(job), mapping, progress=lambda done, of: tell("Reading", done, of))
    return {
        "texts": len(work.texts),
        "judgments": sum(len(submission.judgments) for submission in work.submissions),
        "raters": len({submission.worker for submission in work.submissions}),
        "labels": [label.label for label in work.scale.labels],
        "warnings": list(work.warnings),
        "kept_until": (now + conf.uploads_retention()).date().isoformat(),
    }, None


def import_ratings(job: Job, tell: Tell, now: datetime) -> Done:
    """Make the study of the ratings."""
    mapping = ratings_mapping_from_json(job.settings["mapping"])
    work = read_mapped_ratings(_path_of(job), mapping, progress=lambda done, of: tell("Reading", done, of))
    tell("Storing", 1, 2)
    done = import_work(work, name=job.settings["name"], actor=job.actor, now=now, owner=job.asked_by)
    counts = {name: getattr(done, name) for name in ("texts", "hits", "submissions", "judgments", "workers")}
    return {**counts, "warnings": list(work.warnings)}, done.study
