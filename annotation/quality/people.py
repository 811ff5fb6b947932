"""The model of people over a study's work, and what it shows in one plain sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.quality.filters_answers import by_others
from annotation.quality.work_table import Floats, Ints, Work
from metrics.worker_models.people import KINDS, PeopleEvidence, judge_people
from metrics.worker_models.ways_of_working import BINS, TIRES, LabeledTexts

LARGEST_ODDS = 1_000_000_000
POSITIONS = 5
MAX_PER_DEVICE = 10  # beyond, it is a library's or a campus's


def people_evidence(work: Work) -> PeopleEvidence:
    """Worked out once for each work; people are numbered as in `work.worker`."""
    if "people" not in work.cache:
        work.cache["people"] = judge_people(labeled_texts(work), _device_pairs(work))
    evidence: PeopleEvidence = work.cache["people"]
    return evidence


def labeled_texts(work: Work) -> LabeledTexts:
    """The answers to texts that others answered too, with their positions in the assignment."""
    rows, _others = by_others(work)
    assignment = work.lines.assignment[rows]
    return LabeledTexts(
        person=work.worker[assignment],
        assignment=assignment,
        text=np.unique(work.lines.text[rows], return_inverse=True)[1].astype(np.int64),
        label=work.lines.label[rows],
        bin=_bins(work)[rows],
        labels=max(2, len(work.codes)),
        people=int(work.worker.max(initial=-1)) + 1,
        texts=len(np.unique(work.lines.text[rows])),
    )


def _device_pairs(work: Work) -> list[tuple[int, int]]:
    """Pairs of workers (the smaller number first) seen on one device; not of devices that many use."""
    known = work.device >= 0
    by_device: dict[int, set[int]] = {}
    for device, worker in zip(work.device[known].tolist(), work.worker[known].tolist(), strict=True):
        by_device.setdefault(device, set()).add(worker)
    pairs = (combinations(sorted(workers), 2) for workers in by_device.values() if len(workers) <= MAX_PER_DEVICE)
    return sorted({pair for device in pairs for pair in device})


def _bins(work: Work) -> Ints:
    """(lines,) position in the assignment, in 0 to BINS - 1; lines stand in the order met."""
    assignment = work.lines.assignment
    sizes = np.bincount(assignment, minlength=len(work))
    begins = np.concatenate([[0], sizes.cumsum()[:-1]]) if len(sizes) else np.zeros(0, dtype=np.int64)
    position = np.arange(len(assignment)) - begins[assignment]
    return np.asarray(position * BINS // np.maximum(sizes[assignment], 1), dtype=np.int64)


def person_details(evidence: PeopleEvidence, person: int, workers: Sequence[int]) -> dict[str, Any]:
    """What is stored of a person. workers: primary key of each person."""
    kind = int(evidence.likeliest[person])
    details: dict[str, Any] = {
        "chances": {name: round(float(evidence.chance[person, i]), 4) for i, name in enumerate(KINDS)},
        "answers": int(evidence.ways.answers[person]),
    }
    if kind == TIRES:
        details["share_read"] = round(float(evidence.ways.tires_from[person]) / BINS, 2)
    if evidence.partner[person] >= 0:
        details["alike"] = _alike(evidence, person, workers)
    return details


def habits(work: Work) -> list[dict[str, list[float]]]:
    """By person, what a reviewer compares with the others: counts of each label, and along an assignment, in
    POSITIONS parts, the typical seconds on a text and the distance from the others' mean answer. NaN is stored as 0."""
    rows, others = by_others(work)
    person, k = work.worker[work.lines.assignment[rows]], max(2, len(work.codes))
    people, part = int(work.worker.max(initial=-1)) + 1, _bins(work)[rows] * POSITIONS // BINS
    labels = np.bincount(person * k + work.lines.label[rows], minlength=people * k).reshape(people, k)
    seconds = np.log(np.maximum(work.lines.active_ms[rows], 100) / 1000)
    timed = ~np.isnan(seconds)
    pace = _by_part(person[timed], part[timed], seconds[timed], people)
    distance = _by_part(person, part, np.abs(work.lines.code[rows] - others), people)
    rest = labels.sum(axis=0) - labels
    columns = {
        "labels": labels.tolist(),
        "others": _rounded(rest / np.maximum(rest.sum(axis=1, keepdims=True), 1)),
        "seconds": _rounded(_geometric(pace)),
        "seconds_of_others": _rounded(_geometric(pace.sum(axis=0) - pace)),
        "distance": _rounded(_mean(distance)),
        "distance_of_others": _rounded(_mean(distance.sum(axis=0) - distance)),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _by_part(person: Ints, part: Ints, values: Floats, people: int) -> Floats:
    """(people, POSITIONS, 2) sums and counts."""
    cells = person * POSITIONS + part
    sums = (np.bincount(cells, weights=weights, minlength=people * POSITIONS) for weights in (values, None))
    return np.stack([column.astype(np.float64) for column in sums], axis=1).reshape(people, POSITIONS, 2)


def _mean(sums: Floats) -> Floats:
    total, n = sums[..., 0], sums[..., 1]
    return np.asarray(np.divide(total, n, out=np.zeros(n.shape), where=n > 0))


def _geometric(sums: Floats) -> Floats:
    return np.asarray(np.where(sums[..., 1] > 0, np.exp(_mean(sums)), 0.0))


def _rounded(values: Floats) -> list[list[float]]:
    rows: list[list[float]] = np.round(values, 3).tolist()
    return rows


def _alike(evidence: PeopleEvidence, person: int, workers: Sequence[int]) -> list[dict[str, Any]]:
    """Whom the person answers like beyond chance, the surest first."""
    pairs = evidence.pairs
    rows = []
    for at in np.flatnonzero(pairs.alike & ((pairs.first == person) | (pairs.second == person))).tolist():
        other = int(pairs.second[at] if pairs.first[at] == person else pairs.first[at])
        row: dict[str, Any] = {"worker": workers[other], "shared": int(pairs.shared[at]), "same": int(pairs.same[at])}
        row |= {"expected": round(float(pairs.expected[at]), 1), "p_adjusted": float(pairs.p_adjusted[at])}
        rows.append({**row, "same_device": bool(pairs.same_device[at])})
    return rows


def log_odds_of(evidence: PeopleEvidence, person: int) -> float:
    """Natural log of how much better the likeliest kind fits than careful reading."""
    return float(evidence.log_odds[person, evidence.likeliest[person]])


def main_reason(kind: str, log_odds: float, details: Mapping[str, Any], *, other: str = "") -> str:
    """The main evidence about a person in one sentence. other: the pseudonym of whom they answer like."""
    if not details.get("answers"):
        return _("No answers to compare with other raters.")
    odds = {"odds": _odds(log_odds)}
    match kind:
        case "clicks":
            return _("Answers look random: %(odds)s to 1 against a careful reader.") % odds
        case "line":
            return _("One label over and over: %(odds)s to 1 against a careful reader.") % odds
        case "reversed":
            return _("The scale looks reversed: %(odds)s to 1 against a careful reader.") % odds
        case "tires":
            read = {**odds, "share": round(100 * details["share_read"])}
            return (
                _("Careful for the first %(share)s%% of a task, then random: %(odds)s to 1 against a careful reader.")
                % read
            )
        case "model_like":
            return _("Answers as even as a language model’s. Careful people can be as consistent.")
        case "duplicate":
            return _duplicate(odds, details["alike"][0], other)
    return _("Answers look like a careful reader’s.")


def _duplicate(odds: Mapping[str, str], alike: Mapping[str, Any], other: str) -> str:
    values = {**odds, **alike, "other": other, "expected": round(alike["expected"])}
    if alike["same_device"]:
        return _("One person in two accounts? Same device and %(same)s of %(shared)s answers as %(other)s.") % values
    return (
        _("Copied? %(same)s of %(shared)s answers as %(other)s, about %(expected)s expected: %(odds)s to 1.") % values
    )


def _odds(log_odds: float) -> str:
    """Odds to two digits, with separators; beyond a billion as more than that."""
    if log_odds >= math.log(LARGEST_ODDS):
        return _("more than %(n)s") % {"n": f"{LARGEST_ODDS:,}"}
    odds = math.exp(max(log_odds, 0.0))
    digits = max(0, math.floor(math.log10(odds)) - 1)
    return f"{round(odds, -digits):,.0f}" if odds >= 10 else f"{odds:.1f}"
