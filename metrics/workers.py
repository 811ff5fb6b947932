"""Dawid-Skene and one-coin Dawid-Skene: who is right when raters disagree, without gold.

Both take labels for unordered classes. On ordered scales they throw the order away: on the released typicality
ratings (six ordered labels, 20 raters) the plain mean did better (HUSE .53 against .65), and HJ is never taken from
them unasked. Their use is rater competence, as one piece of evidence among others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics.arrays import Floats
from metrics.distributions import check_level
from metrics.errors import BadInput
from metrics.ratings import Names
from metrics.types import Setting
from metrics.votes import Consensus, Fit, Votes, consensus, normalise, read_votes, tally

TINY = 1e-10  # a probability that no rating ever showed


def dawid_skene(
    item: Names,
    rater: Names,
    label: Names,
    *,
    one_coin: bool = False,
    smoothing: float = 0.01,
    iterations: int = 100,
    tolerance: float = 1e-5,
    level: float = 0.90,
) -> Consensus:
    """Dawid and Skene (1979): each rater has an error matrix, found by EM from the majority.

    item, rater, label: (N,), each rater at most once an item. one_coin: a rater is right with one probability and
    wrong labels are alike (Zhang et al. 2016). smoothing: added to every count of an error matrix (0: none; a count of
    0 then has probability 1e-10). Stops where the log-likelihood per rating rises by less than `tolerance`.
    level: of the competences' intervals.
    Raises InsufficientData without a label, BadInput.
    """
    if not (0 <= smoothing < 1e6 and iterations >= 1 and tolerance >= 0):
        raise BadInput("smoothing and tolerance are at least 0, iterations at least 1")
    check_level(level)
    votes = read_votes(item, rater, label)
    settings: dict[str, Setting] = {"smoothing": smoothing, "iterations": iterations, "tolerance": tolerance}
    if one_coin:
        fit, skill = _one_coin(votes, smoothing, iterations, tolerance)
        return consensus("one_coin_dawid_skene", votes, fit, skill, None, settings, level=level)
    fit, errors = _error_matrices(votes, smoothing, iterations, tolerance)
    competence = np.einsum("wkk,k->w", errors, fit.prior)
    return consensus("dawid_skene", votes, fit, competence, errors, settings, level=level)


def _em(
    votes: Votes,
    posterior: Floats,
    likelihood: Callable[[Floats], Floats],
    iterations: int,
    tolerance: float,
) -> Fit:
    """likelihood: from a posterior (I, K) to log-likelihoods (I, K) under the rater parameters it implies."""
    before, step = -np.inf, 0
    for step in range(1, iterations + 1):
        prior = posterior.mean(axis=0)
        logs = likelihood(posterior)
        logs += np.log(np.maximum(prior, TINY))
        posterior, total = normalise(logs)
        if (total - before) / len(votes.item) < tolerance:
            return Fit(posterior, posterior.mean(axis=0), total, step, True)
        before = total
    return Fit(posterior, posterior.mean(axis=0), before, step, False)


def _error_matrices(votes: Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[Fit, Floats]:
    from scipy.sparse import csr_array

    k, raters = len(votes.labels), len(votes.raters)
    shape = len(votes.items), raters * k
    given = csr_array((np.ones(len(votes.item)), (votes.item, votes.rater * k + votes.label)), shape=shape)
    by_rater = given.T  # by columns: the raters' tables are small, the posterior is read once

    def errors(posterior: Floats) -> Floats:
        """(W, label given, true label), columns sum to 1 over labels given."""
        counts = np.maximum((by_rater @ posterior).reshape(raters, k, k) + smoothing, TINY)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def likelihood(posterior: Floats) -> Floats:
        """(I, K) log likelihood of each item's ratings, were its label k."""
        return np.asarray(given @ np.log(errors(posterior)).reshape(raters * k, k))

    fit = _em(votes, votes.majority(), likelihood, iterations, tolerance)
    return fit, errors(fit.posterior).transpose(0, 2, 1)


def _one_coin(votes: Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[Fit, Floats]:
    k = len(votes.labels)
    total = np.bincount(votes.rater).astype(np.float64)

    def skill(posterior: Floats) -> Floats:
        right = tally(votes.rater, posterior[votes.item, votes.label], len(votes.raters))
        return np.clip((right + smoothing) / (total + k * smoothing), TINY, 1 - TINY)

    def likelihood(posterior: Floats) -> Floats:
        """(I, K) log likelihood of each item's ratings, were its label k."""
        found = skill(posterior)
        wrong = np.log((1 - found) / max(1, k - 1))
        return votes.coin_likelihood(wrong[votes.rater], np.log(found)[votes.rater])

    fit = _em(votes, votes.majority(), likelihood, iterations, tolerance)
    return fit, skill(fit.posterior)
