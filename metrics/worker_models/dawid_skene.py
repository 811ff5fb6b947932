"""Dawid-Skene and one-coin Dawid-Skene: who is right when raters disagree, without gold.

Both take labels for unordered classes. On ordered scales they throw the order away: on the released typicality
ratings (six ordered labels, 20 raters) the plain mean did better (HUSE .53 against .65), and HJ is never taken from
them unasked. Their use is rater competence, as one piece of evidence among others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.ratings import Names
from metrics.errors import BadInput
from metrics.inference.distributions import check_level
from metrics.types import Setting
from metrics.worker_models.e_step import Expectation
from metrics.worker_models.votes import Consensus, Fit, Votes, build_consensus, label_shares, read_votes, sum_by_cell

TINY = 1e-10  # a probability that no rating ever showed


def dawid_skene(
    item: Names,
    rater: Names,
    label: Names,
    *,
    symmetric_errors: bool = False,
    smoothing: float = 0.01,
    iterations: int = 100,
    tolerance: float = 1e-5,
    level: float = 0.90,
) -> Consensus:
    """Estimate true labels and each rater's error matrix by expectation maximization, without gold.

    Args:
        item: (N,) names of the items.
        rater: (N,) names of the raters, each at most once for an item.
        label: (N,) labels, all text or all numbers.
        symmetric_errors: the one-coin model: a rater has one chance to be right, and wrong labels are equally likely.
        smoothing: added to every count of an error matrix, at least 0; where it is 0, a count of 0 has probability
            1e-10.
        iterations: at most this many, at least 1.
        tolerance: stops where the log-likelihood per rating rises by less.
        level: of the intervals of competence, in (0, 1).

    Returns:
        A `Consensus`: a posterior over labels for each item, each rater's competence in [0, 1] with its interval, error
        matrices (None for the one-coin model), and flags.

    Raises:
        InsufficientData: there is no label.
        BadInput: columns or settings that break a rule.

    Source:
        Dawid and Skene (1979); the one-coin model: Zhang et al. (2016).

    Example:
        >>> from metrics import dawid_skene
        >>> item = [i for i in range(10) for _ in range(3)]
        >>> label = [text for i in range(10) for text in (("cat", "dog")[i % 2], ("cat", "dog")[i % 2], "cat")]
        >>> consensus = dawid_skene(item, ["good", "also good", "always cat"] * 10, label)
        >>> consensus.likeliest()[:4], consensus.competence.round(1).tolist()
        (['cat', 'dog', 'cat', 'dog'], [1.0, 1.0, 0.5])
    """
    if not (0 <= smoothing < 1e6 and iterations >= 1 and tolerance >= 0):
        raise BadInput("smoothing and tolerance are at least 0, iterations at least 1")
    check_level(level)
    votes = read_votes(item, rater, label)
    settings: dict[str, Setting] = {"smoothing": smoothing, "iterations": iterations, "tolerance": tolerance}
    if symmetric_errors:
        fit, skill = _symmetric_errors(votes, smoothing, iterations, tolerance)
        return build_consensus("one_coin_dawid_skene", votes, fit, skill, None, settings, level=level)
    fit, errors = _error_matrices(votes, smoothing, iterations, tolerance)
    competence = np.einsum("wkk,k->w", errors, fit.prior)
    return build_consensus("dawid_skene", votes, fit, competence, errors, settings, level=level)


Likelihood = Callable[[Floats], Floats]


def _em(
    seen: Expectation, posterior: Floats, model: Likelihood, iterations: int, tolerance: float
) -> tuple[Fit, Floats]:
    """The fit, and the sums (C, K) of its posterior by cell.

    model: from such sums to the table (C, K) under the rater parameters they imply.
    """
    before, step, converged, sums = -np.inf, 0, False, seen.sums(posterior)
    while step < iterations and not converged:
        step += 1
        prior = label_shares(posterior)
        posterior, total, sums = seen.of(model(sums), np.log(np.maximum(prior, TINY)))
        converged = (total - before) / len(seen.cell) < tolerance
        before = total
    return Fit(posterior.copy(), label_shares(posterior), before, step, converged), sums


def _error_matrices(votes: Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[Fit, Floats]:
    seen = Expectation(votes, iterations)
    _, raters, k = seen.shape

    def errors(sums: Floats) -> Floats:
        """(W, label given, true label), columns sum to 1 over labels given."""
        counts = np.zeros((raters, k, k))
        counts[seen.rater, seen.label] = sums
        counts = np.maximum(counts + smoothing, TINY)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def model(sums: Floats) -> Floats:
        return np.asarray(np.log(errors(sums))[seen.rater, seen.label])

    fit, sums = _em(seen, votes.majority(), model, iterations, tolerance)
    return fit, errors(sums).transpose(0, 2, 1)


def _symmetric_errors(votes: Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[Fit, Floats]:
    seen = Expectation(votes, iterations)
    _, raters, k = seen.shape
    rating_counts = np.bincount(votes.rater).astype(np.float64)

    def skill(sums: Floats) -> Floats:
        right = sum_by_cell(seen.rater, seen.of_label(sums), raters)
        return np.clip((right + smoothing) / (rating_counts + k * smoothing), TINY, 1 - TINY)

    def model(sums: Floats) -> Floats:
        skills = skill(sums)
        wrong = np.log((1 - skills) / max(1, k - 1))
        return seen.coin(np.log(skills)[seen.rater], wrong[seen.rater])

    fit, sums = _em(seen, votes.majority(), model, iterations, tolerance)
    return fit, skill(sums)
