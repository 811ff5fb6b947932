"""Evidence from the answers chosen: attention checks, gold, repeats, straight lines, agreement, means, entropy."""

from __future__ import annotations

import numpy as np

from annotation.quality.work_table import (
    GOLD,
    ITEM,
    REPEAT,
    Bools,
    Floats,
    Ints,
    Measured,
    Work,
    counted,
    facts,
    shares,
    spread,
)

Z = 1.6448536269514722


def incomplete(work: Work) -> Measured:
    """Texts without an answer."""
    return facts(work.unanswered, counted(work.lines.assignment, len(work)).astype(np.int64) + work.unanswered)


def checks_failed(work: Work) -> Measured:
    """Share of attention checks answered otherwise than asked."""
    return shares(work.checks - work.checks_passed, work.checks)


def practice_failed(work: Work) -> Measured:
    """Share of practice rounds guessed wrongly."""
    return shares(work.practice - work.practice_right, work.practice)


def gold_errors(work: Work) -> Measured:
    """Share of gold texts on which a worker chose another label than the known one, over all their assignments."""
    gold = (work.lines.role == GOLD) & (work.lines.known >= 0)
    by, workers = work.worker[work.lines.assignment[gold]], _workers(work)
    wrong = work.lines.label[gold] != work.lines.known[gold]
    return spread(shares(counted(by, workers, wrong), counted(by, workers).astype(np.int64)), work.worker)


def repeat_distance(work: Work) -> Measured:
    """Mean distance, in steps of the scale, between a worker's two answers to one text."""
    pair = work.lines.assignment * (max(work.lines.text, default=0) + 1) + work.lines.text
    again, first = (np.flatnonzero(work.lines.role == role) for role in (REPEAT, ITEM))
    _, at, of = np.intersect1d(pair[again], pair[first], assume_unique=True, return_indices=True)
    steps = np.abs(_steps(work)[again[at]] - _steps(work)[first[of]])
    known = ~np.isnan(steps)
    return spread(
        _means(steps[known], work.worker[work.lines.assignment[again[at]]][known], _workers(work)), work.worker
    )


def straight_lines(work: Work) -> Measured:
    """Longest run of one label in the order met, as a share of the assignment's texts."""
    rows = np.flatnonzero(work.lines.label >= 0)
    assignment, label = work.lines.assignment[rows], work.lines.label[rows]
    longest, n = np.zeros(len(work)), counted(assignment, len(work)).astype(np.int64)
    if len(rows):
        breaks = np.append(True, (assignment[1:] != assignment[:-1]) | (label[1:] != label[:-1]))
        begins = np.flatnonzero(breaks)
        np.maximum.at(longest, assignment[begins], np.diff(begins, append=len(rows)))
    return facts(np.where(n > 0, longest / np.maximum(n, 1), np.nan), n)


def commonest_share(work: Work) -> Measured:
    """Share of the commonest label among the assignment's texts."""
    rows, k = np.flatnonzero(work.lines.label >= 0), max(1, int(work.lines.label.max(initial=0)) + 1)
    cells = work.lines.assignment[rows] * k + work.lines.label[rows]
    counts = counted(cells, len(work) * k).reshape(len(work), k)
    n = counts.sum(axis=1)
    return facts(np.where(n > 0, counts.max(axis=1, initial=0) / np.maximum(n, 1), np.nan), n.astype(np.int64))


def agreement(work: Work) -> Measured:
    """Correlation of a worker's answers with the mean of the others' on the same texts (person-total)."""
    rows, others = by_others(work)
    by, mine = work.worker[work.lines.assignment[rows]], work.lines.code[rows]
    workers = _workers(work)
    n = counted(by, workers)
    some = np.maximum(n, 1)
    x, y = (v - (counted(by, workers, v) / some)[by] for v in (mine, others))
    scale = np.sqrt(counted(by, workers, x * x) * counted(by, workers, y * y))
    # Equal answers all through agree with nothing: no correlation is defined, and none is shown.
    value = np.divide(counted(by, workers, x * y), scale, out=np.full(workers, np.nan), where=scale > 1e-12)
    value = np.clip(value, -1, 1)
    half = Z / np.sqrt(np.maximum(n - 3, 1))
    centre = np.arctanh(np.clip(value, -0.999999, 0.999999))
    known = (n > 3) & ~np.isnan(value)
    low = np.where(known, np.minimum(value, np.tanh(centre - half)), np.nan)
    high = np.where(known, np.maximum(value, np.tanh(centre + half)), np.nan)
    return spread(Measured(value, low, high, n.astype(np.int64)), work.worker)


def outlying_mean(work: Work) -> Measured:
    """Distance of a worker's mean answer from the mean of the workers' means, in standard deviations of those."""
    rows = judged(work)
    by, workers = work.worker[work.lines.assignment[rows]], _workers(work)
    n = counted(by, workers)
    mean = np.where(n > 0, counted(by, workers, work.lines.code[rows]) / np.maximum(n, 1), np.nan)
    known = n > 0
    sd = float(np.std(mean[known], ddof=1)) if known.sum() > 2 else 0.0
    away = np.abs(mean - mean[known].mean()) / sd if sd > 0 else np.full(workers, np.nan)
    return spread(facts(away, n.astype(np.int64)), work.worker)


def entropy(work: Work) -> Measured:
    """Distance outside the usual: how near the entropy of a worker's labels is to 0 or to its largest.

    The value is max(.1 - h, h - .98) for h, the entropy as a share of its largest; above 0 is outside [.1, .98].
    """
    rows = judged(work)
    by, workers, k = work.worker[work.lines.assignment[rows]], _workers(work), max(2, len(work.codes))
    counts = counted(by * k + work.lines.label[rows], workers * k).reshape(workers, k)
    n = counts.sum(axis=1)
    share = counts / np.maximum(n, 1)[:, None]
    h = -(share * np.log(np.where(share > 0, share, 1))).sum(axis=1) / np.log(k)
    return spread(facts(np.where(n > 0, np.maximum(0.1 - h, h - 0.98), np.nan), n.astype(np.int64)), work.worker)


def conditions(work: Work) -> Measured:
    """Cells of the design that a worker took part in."""
    pairs = np.unique(work.worker * (max(work.cell, default=0) + 1) + work.cell)
    cells = counted(pairs // (max(work.cell, default=0) + 1), _workers(work))
    return spread(facts(cells, counted(work.worker, _workers(work)).astype(np.int64)), work.worker)


def shared_device(work: Work) -> Measured:
    """Other workers seen on the same device."""
    known = work.device >= 0
    size, workers = int(work.device.max(initial=-1)) + 1, _workers(work)
    pairs = np.unique(work.device[known] * workers + work.worker[known])
    others = counted(pairs // workers, max(size, 1)) - 1
    value = np.where(known, others[np.maximum(work.device, 0)], np.nan)
    return facts(value, known.astype(np.int64))


def _workers(work: Work) -> int:
    return int(work.worker.max(initial=-1)) + 1


def judged(work: Work) -> Ints:
    """Rows of the texts that count, answered with a number."""
    return np.flatnonzero((work.lines.role == ITEM) & ~np.isnan(work.lines.code) & (work.lines.label >= 0))


def by_others(work: Work) -> tuple[Ints, Floats]:
    """Return rows with answers of other workers too, and the mean of those answers."""
    rows = judged(work)
    text, code = work.lines.text[rows], work.lines.code[rows]
    n, total = counted(text, len(work.bodies)), counted(text, len(work.bodies), code)
    shared: Bools = n[text] > 1
    text, code = text[shared], code[shared]
    return rows[shared], (total[text] - code) / (n[text] - 1)


def _steps(work: Work) -> Floats:
    """The place of each chosen label on the scale."""
    return np.where(work.lines.label >= 0, work.lines.label, np.nan).astype(np.float64)


def _means(values: Floats, by: Ints, size: int) -> Measured:
    """Means by place, with an interval from their standard errors."""
    n = counted(by, size)
    some = np.maximum(n, 1)
    mean = counted(by, size, values) / some
    variance = counted(by, size, (values - mean[by]) ** 2) / np.maximum(n - 1, 1)
    half = Z * np.sqrt(variance / some)
    low, high = (np.where(n > 1, mean + side * half, np.nan) for side in (-1, 1))
    return Measured(np.where(n > 0, mean, np.nan), low, high, n.astype(np.int64))
