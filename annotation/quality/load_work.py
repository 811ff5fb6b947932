"""Reads: a study's submissions as the columns that the filters look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Q

from annotation.models import (
    CheckAnswer,
    Device,
    HitItem,
    Judgment,
    PracticeAnswer,
    Presentation,
    ScaleLabel,
    Study,
    Submission,
    Text,
)
from annotation.quality import detectors
from annotation.quality.work_table import ITEM_ROLES, Lines, Reasons, Work

PAGE = 20_000


@dataclass(frozen=True, slots=True)
class StudyWork:
    """The study's work, the primary key of each assignment's submission, and that of each worker, in the same order.

    label_names: of each place on the scale.
    """

    submissions: tuple[int, ...]
    workers: tuple[int, ...]
    label_names: tuple[str, ...]
    work: Work


def study_work(study: Study) -> StudyWork:
    """Every submission that was not withdrawn, by primary key."""
    rows = Submission.objects.filter(hit__study=study).exclude(raw_format=Submission.WITHDRAWN).order_by("pk")
    submissions = list(rows.values_list("pk", "worker_id", "hit__cell_id", "hit_id", "work_seconds"))
    place = {pk: at for at, (pk, *_) in enumerate(submissions)}
    criterion = _criterion(study)
    codes, labels = _labels(study, criterion)
    texts = list(
        Text.objects.filter(study=study).order_by("pk").values_list("pk", "body", "context__body", "known_label")
    )
    lines, at_line = _lines(study, place, criterion, {pk: i for i, (pk, *_) in enumerate(texts)}, labels, texts)
    counts_by_kind = {
        pk: _pair(study, model, field)
        for pk, (model, field) in enumerate(((CheckAnswer, "passed"), (PracticeAnswer, "right")))
    }
    columns = [_column(place, counts_by_kind[kind], part) for kind in (0, 1) for part in (0, 1)]
    workers, names = np.unique(np.array([worker for _, worker, *_ in submissions], dtype=np.int64), return_inverse=True)
    cells = (
        np.unique([cell for _, _, cell, *_ in submissions], return_inverse=True)[1]
        if submissions
        else np.zeros(0, np.int64)
    )
    work = Work(
        worker=names,
        cell=cells,
        work_seconds=_floats(seconds for *_, seconds in submissions),
        unanswered=_unanswered(study, submissions, lines),
        checks=columns[0],
        checks_passed=columns[1],
        practice=columns[2],
        practice_right=columns[3],
        device=_devices(study, place),
        lines=lines,
        reasons=_reasons(study, at_line),
        bodies=[f"{body}\n{context or ''}" for _, body, context, _ in texts],
        codes=codes,
    )
    by_place = {at: name for at, _code, name in labels.values()}
    names_of_labels = tuple(by_place[at] for at in sorted(by_place))
    return StudyWork(tuple(place), tuple(workers.tolist()), names_of_labels, work)


def _criterion(study: Study) -> str:
    """The criterion with the most judgments: the question of interest."""
    of = Judgment.objects.filter(presentation__submission__hit__study=study)
    counts = of.order_by().values_list("criterion").annotate(n=Count("pk"))
    return max(counts, key=lambda row: (row[1], row[0]), default=("", 0))[0]


def _labels(study: Study, criterion: str) -> tuple[list[float], dict[int, tuple[int, float, str]]]:
    """Codes, ascending; and by primary key of a label its place on the scale, its code and its name."""
    judgments = Judgment.objects.filter(presentation__submission__hit__study=study, criterion=criterion)
    # A query of its own: within the next one SQLite looks for each judgment in every HIT.
    scales = list(judgments.order_by().values_list("label__scale", flat=True).distinct())
    rows = list(ScaleLabel.objects.filter(scale__in=scales).order_by("pk").values_list("pk", "code", "label"))
    codes = sorted({float(code) for _, code, _ in rows})
    return codes, {pk: (codes.index(float(code)), float(code), name) for pk, code, name in rows}


def _lines(
    study: Study,
    place: dict[int, int],
    criterion: str,
    text_at: dict[int, int],
    labels: dict[int, tuple[int, float, str]],
    texts: Sequence[tuple[int, str, str | None, str]],
) -> tuple[Lines, dict[int, int]]:
    """The lines by assignment, then in the order met; and the row of each presentation."""
    chosen = _chosen(study, criterion)
    fields = ("pk", "submission_id", "text_id", "role", "shown_at", "position", "active_ms", "pastes", "keystrokes")
    of = Presentation.objects.filter(submission__hit__study=study)
    rows = [row for row in of.values_list(*fields).iterator(chunk_size=PAGE) if row[1] in place]
    rows.sort(key=lambda row: (place[row[1]], row[5] if row[4] is None else row[4], row[5]))
    answers = [labels.get(chosen.get(row[0], -1), (-1, float("nan"), "")) for row in rows]
    by_name = {name: at for at, _, name in labels.values()}
    known = [by_name.get(known, -1) for *_, known in texts]
    words = [len(body.split()) + len((context or "").split()) for _, body, context, _ in texts]
    text = np.array([text_at[row[2]] for row in rows], dtype=np.int64)
    lines = Lines(
        assignment=np.array([place[row[1]] for row in rows], dtype=np.int64),
        text=text,
        label=np.array([at for at, _, _ in answers], dtype=np.int64),
        code=np.array([code for _, code, _ in answers], dtype=np.float64),
        role=np.array([ITEM_ROLES[row[3]] for row in rows], dtype=np.int64),
        known=np.array(known, dtype=np.int64)[text] if rows else text,
        words=np.array(words, dtype=np.int64)[text] if rows else text,
        active_ms=_floats(row[6] for row in rows),
        pastes=_floats(row[7] for row in rows),
        keystrokes=_floats(row[8] for row in rows),
    )
    return lines, {row[0]: at for at, row in enumerate(rows)}


def _chosen(study: Study, criterion: str) -> dict[int, int]:
    """Label (of several, the first) by presentation."""
    judgments = Judgment.objects.filter(presentation__submission__hit__study=study, criterion=criterion).order_by(
        "-label"
    )
    return dict(judgments.values_list("presentation_id", "label_id").iterator(chunk_size=PAGE))


def _reasons(study: Study, at_line: dict[int, int]) -> Reasons:
    of = detectors.remarks_of(study).values_list("presentation_id", "body", "pk")
    rows = [row for row in of.iterator(chunk_size=PAGE) if row[0] in at_line]
    called = detectors.called(study)
    return Reasons(
        line=np.array([at_line[shown] for shown, _, _ in rows], dtype=np.int64),
        body=[body for _, body, _ in rows],
        machine=np.array([called.get(pk, np.nan) for _, _, pk in rows], dtype=np.float64) if called else None,
    )


def _pair(study: Study, model: Any, field: str) -> dict[int, tuple[int, int]]:
    """(asked, as wanted) by submission."""
    rows = model.objects.filter(submission__hit__study=study).order_by().values_list("submission_id")
    return {pk: (n, good) for pk, n, good in rows.annotate(n=Count("pk"), good=Count("pk", filter=Q(**{field: True})))}


def _devices(study: Study, place: dict[int, int]) -> Any:
    """Number the devices by submission; -1 where none is known."""
    codes = dict(Device.objects.filter(submission__hit__study=study).values_list("submission_id", "code"))
    numbers = {code: at for at, code in enumerate(sorted(set(codes.values())))}
    return np.array([numbers[codes[pk]] if pk in codes else -1 for pk in place], dtype=np.int64)


def _column(place: dict[int, int], by_pk: dict[int, tuple[int, int]], part: int) -> Any:
    return np.array([by_pk.get(pk, (0, 0))[part] for pk in place], dtype=np.int64)


def _unanswered(study: Study, submissions: Sequence[tuple[Any, ...]], lines: Lines) -> Any:
    """Texts of the HIT for which the assignment has no label."""
    sizes = dict(HitItem.objects.filter(hit__study=study).order_by().values_list("hit_id").annotate(n=Count("pk")))
    required = np.array([sizes.get(hit, 0) for _, _, _, hit, _ in submissions], dtype=np.int64)
    answered = np.bincount(lines.assignment, weights=lines.label >= 0, minlength=len(submissions)).astype(np.int64)
    return np.maximum(required - answered, 0)


def _floats(values: Iterable[float | None]) -> Any:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
