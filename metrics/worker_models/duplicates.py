"""Pairs of people who answer alike beyond chance: one copied from the other, or both are one person.

Two careful people agree where a text leaves little doubt, two who click where their habits meet. The larger of both
chances counts on every shared text, so that the test is conservative. The number of agreements is then held against its
exact distribution (Poisson binomial), and p-values are multiplied by the number of pairs that share enough texts. Pairs
who share a device are a family of tests of their own, with half of the level: they are few.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Floats, Ints
from metrics.worker_models.text_places import log_sum
from metrics.worker_models.ways_of_working import LabeledTexts, WaysOfWorking

FEWEST_SHARED = 10
COPIED = (0.55, 0.7, 0.85, 0.95)  # share of answers that a copier takes over
USUAL_PAIRS = 0.01  # of pairs of one person or of copiers, by person
USUAL_ON_SAME_DEVICE = 0.3  # of pairs who share a device; the others are families and colleagues
LEVEL = 0.01
TEMPER = 0.75  # copiers differ from the law assumed
SLACK = 1.5  # standard deviations by which the screen is less strict than the test
GROUP, MANY = 64, 1000  # trials: of more than so many, successes are counted by groups
MAX_LOG_WEIGHT = 50.0  # of a success, chances lie above one in a million


@dataclass(frozen=True, slots=True)
class AlikePairs:
    """Pairs that may answer alike, the surest first.

    first, second: (pairs,) people. shared, same: (pairs,) texts that both answered, and alike. expected: (pairs,)
    agreements by chance. p: (pairs,) exact chance of as many or more. p_adjusted: (pairs,) times twice the pairs tested
    in their family, at most 1. same_device: (pairs,) whether they share one. chance: (pairs,) posterior of copying,
    in [0, 1]. log_odds: (pairs,) natural log of how much better copying fits than answering apart, tempered. tested:
    pairs that share at least 10 texts.
    """

    first: Ints
    second: Ints
    shared: Ints
    same: Ints
    expected: Floats
    p: Floats
    p_adjusted: Floats
    same_device: NDArray[np.bool_]
    chance: Floats
    log_odds: Floats
    tested: int

    @property
    def alike(self) -> np.ndarray:
        """(pairs,) whether the pair answers alike beyond chance, of all pairs tested, at the level of 1%."""
        return self.p_adjusted <= LEVEL


def find_alike_pairs(work: LabeledTexts, ways: WaysOfWorking, devices: Collection[tuple[int, int]] = ()) -> AlikePairs:
    """Test every pair of people who answered at least 10 texts in common.

    Args:
        work: answers; of several answers of a person to one text the first counts.
        ways: `infer_ways` of the same work.
        devices: pairs of people (the smaller number first) who were seen on one device.

    Returns:
        The pairs that pass a screen which is less strict than the test, and those of `devices` with enough texts.
    """
    rows = np.unique(work.person * work.texts + work.text, return_index=True)[1]
    shares_device = {i * work.people + j for i, j in devices}
    first, second, tested, of_devices = _screen(work, rows, np.array(sorted(shares_device), dtype=np.int64))
    order = np.argsort(work.person[rows] * work.texts + work.text[rows], kind="stable")
    rows = rows[order]
    begins = np.searchsorted(work.person[rows], np.arange(work.people + 1))
    results = [
        _test_pair(work, ways, rows[begins[i] : begins[i + 1]], rows[begins[j] : begins[j + 1]])
        for i, j in zip(first, second, strict=True)
    ]
    table = np.array(results, dtype=np.float64).reshape(-1, 5)
    shared, same, expected, p, log_odds = table.T
    same_device = np.isin(first * work.people + second, list(shares_device))
    usual = np.where(same_device, USUAL_ON_SAME_DEVICE, min(USUAL_PAIRS * work.people / max(tested, 1), 0.5))
    chance = 1 / (1 + np.exp(-np.clip(log_odds + np.log(usual / (1 - usual)), -500, 500)))
    family = np.where(same_device, of_devices, tested - of_devices)
    ranked = np.argsort(p, kind="stable")
    return AlikePairs(
        first=first[ranked],
        second=second[ranked],
        shared=shared[ranked].astype(np.int64),
        same=same[ranked].astype(np.int64),
        expected=expected[ranked],
        p=p[ranked],
        p_adjusted=np.minimum(2 * p * family, 1)[ranked],
        same_device=same_device[ranked],
        chance=chance[ranked],
        log_odds=log_odds[ranked],
        tested=tested,
    )


def _screen(work: LabeledTexts, rows: Ints, devices: Ints) -> tuple[Ints, Ints, int, int]:
    """Pairs whose agreements are many against those of any two people on the same texts, and those on one device; how
    many pairs there are to test, and how many of these are on one device."""
    from scipy.sparse import csr_array
    from scipy.special import ndtri

    person, text, label = work.person[rows], work.text[rows], work.label[rows]
    counts = np.bincount(text * work.labels + label, minlength=work.texts * work.labels)
    counts = counts.reshape(work.texts, work.labels)
    total = np.maximum(counts.sum(axis=1), 2)
    agree = ((counts * (counts - 1)).sum(axis=1) / (total * (total - 1)))[text]
    unit = np.ones(len(rows))
    shape = (work.people, work.texts)

    def by_pair(values: Floats) -> csr_array:
        return csr_array((values, (person, text)), shape=shape) @ csr_array((unit, (person, text)), shape=shape).T

    answers = csr_array((unit, (person, text * work.labels + label)), shape=(work.people, work.texts * work.labels))
    shared = by_pair(unit).tocoo()
    at = (shared.row < shared.col) & (shared.data >= FEWEST_SHARED)
    i, j = shared.row[at].astype(np.int64), shared.col[at].astype(np.int64)
    if not len(i):
        return i, j, 0, 0
    same, expected, variance = (
        np.asarray(matrix.tocsr()[i, j]).ravel()
        for matrix in (answers @ answers.T, by_pair(agree), by_pair(agree * (1 - agree)))
    )
    threshold = max(2.0, float(-ndtri(LEVEL / len(i))) - SLACK)
    near = (same - expected) > threshold * np.sqrt(np.maximum(variance, 0.25))
    together = np.isin(i * work.people + j, devices)
    near |= together
    return i[near], j[near], len(i), int(together.sum())


def _test_pair(work: LabeledTexts, ways: WaysOfWorking, mine: Ints, theirs: Ints) -> tuple[float, ...]:
    """Shared texts, agreements, those expected, the exact p-value, and the log odds of copying."""
    _, at, of = np.intersect1d(work.text[mine], work.text[theirs], assume_unique=True, return_indices=True)
    mine, theirs = mine[at], theirs[of]
    i, j = int(work.person[mine[0]]), int(work.person[theirs[0]])
    reading = (ways.predicted(mine, i) * ways.predicted(theirs, j)).sum(axis=1)
    habits = float(ways.spread[i] @ ways.spread[j])
    match = np.clip(np.maximum(reading, habits), 1e-6, 1 - 1e-6)
    same = work.label[mine] == work.label[theirs]
    agreements = int(same.sum())
    copies = [np.where(same, np.log(c / match + 1 - c), np.log(1 - c)).sum() for c in COPIED]
    log_odds = TEMPER * float(log_sum(np.array(copies)[:, None])[0] - np.log(len(COPIED)))
    return len(mine), agreements, float(match.sum()), _tail(match, agreements), log_odds


def _tail(chances: Floats, minimum: int) -> float:
    """The chance of at least so many successes in independent trials with these chances."""
    if len(chances) > MANY:
        success, failure = (column.astype(np.float64) for column in (chances, 1 - chances))
        return _tail_of_many(success, failure, minimum)
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, (1 - chance, chance))
    return float(min(1.0, distribution[minimum:].sum()))


def _tail_of_many(success: Floats, failure: Floats, minimum: int) -> float:
    """The same, for which time grows hardly faster than the trials.

    Where fewer successes are expected, each is weighted so that about so many are (exponential tilting), and the
    weights are divided out: rounding is then as small beside a small chance as beside a large one.
    """
    from scipy.optimize import brentq

    def weighted(log_weight: float) -> Floats:
        return np.asarray(1 / (1 + np.exp(-log_weight) * failure / success))

    def excess(log_weight: float) -> float:
        return float(weighted(log_weight).sum()) - (minimum - 0.5)

    log_weight = float(brentq(excess, 0, MAX_LOG_WEIGHT)) if excess(0) < 0 else 0.0
    above = _count_chances(weighted(log_weight))[minimum : len(success) + 1]
    unweighted = above @ np.exp(-log_weight * np.arange(len(above)))
    log_weights = np.log(failure + success * np.exp(log_weight)).sum() - log_weight * minimum
    return float(min(1.0, np.exp(log_weights) * unweighted))


def _count_chances(chances: Floats) -> Floats:
    """(trials + 1 or more,) chance of each number of successes: trial by trial in groups, then two groups at a time."""
    from scipy.fft import irfft, next_fast_len, rfft

    groups = 1 << (-(-len(chances) // GROUP) - 1).bit_length()
    by_group = np.zeros(groups * GROUP)
    by_group[: len(chances)] = chances
    counts = np.zeros((groups, GROUP + 1))
    counts[:, 0] = 1
    for chance in by_group.reshape(groups, GROUP).T[:, :, None]:
        more = counts[:, :-1] * chance
        counts *= 1 - chance
        counts[:, 1:] += more
    while len(counts) > 1:
        length = 2 * counts.shape[1] - 1
        fast = next_fast_len(length, real=True)
        waves = rfft(counts, fast, axis=1)
        counts = irfft(waves[::2] * waves[1::2], fast, axis=1)[:, :length]
    return np.asarray(counts[0])
