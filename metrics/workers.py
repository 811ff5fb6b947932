"""Who is right when raters disagree, without gold: Dawid-Skene, one-coin Dawid-Skene, MACE.

All three take labels for unordered classes. On ordered scales they throw the order away: on the released typicality
ratings (six ordered labels, 20 raters) the plain mean did better than any of them (HUSE .53 against .65), and HJ is
never taken from them unasked. Their use is rater competence, as one piece of evidence among others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from metrics.arrays import Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.ratings import Names, encode, refuse_repeats
from metrics.types import Setting
from metrics.version import __version__

TINY = 1e-10  # a probability that no rating ever showed
SPAM_PRIOR = 0.5  # MACE, Hovy et al.: Beta(1/2, 1/2) on knowing
STRATEGY_PRIOR = 10.0  # and a Dirichlet on what is chosen without knowing


@dataclass(frozen=True, slots=True)
class Consensus:
    """What a worker model makes of the ratings.

    items (I), raters (W), labels (K): names, labels in ascending order. posterior: (I, K) probability of each label,
    rows sum to 1. prior: (K,). competence: (W,) in [0, 1], chance of a right label (MACE: of not guessing).
    errors: (W, K, K) probability of each label given by a rater, for each true label; None where the model has none.
    flags: `not_converged`, `against_majority` (the likeliest labels agree with the majority's less than chance would:
    the labels may have changed places), `order_ignored` (labels are numbers and more than two).
    """

    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    posterior: Floats
    prior: Floats
    competence: Floats
    errors: Floats | None
    log_likelihood: float
    iterations: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str

    def likeliest(self) -> list[Any]:
        """The likeliest label of each item; a tie goes to the first."""
        return [self.labels[k] for k in self.posterior.argmax(axis=1)]

    def expectation(self) -> Floats:
        """(I,) mean of the labels over the posterior, for labels that are numbers. Raises BadInput."""
        if not all(isinstance(label, int | float | np.number) for label in self.labels):
            raise BadInput("an expectation needs labels that are numbers", column="label")
        return np.asarray(self.posterior @ np.array(self.labels, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class _Votes:
    """N labels given: codes of item, rater and label, and their names."""

    item: Ints
    rater: Ints
    label: Ints
    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]

    def majority(self) -> Floats:
        """(I, K) share of the raters for each label."""
        return _rows(self._sum_by_label(np.ones(len(self.item))))

    def _sum_by_label(self, weights: Floats) -> Floats:
        shape = len(self.items), len(self.labels)
        cells = self.item * shape[1] + self.label
        return _tally(cells, weights, shape[0] * shape[1]).reshape(shape)

    def coin_likelihood(self, wrong: Floats, right: Floats) -> Floats:
        """(I, K) sums over ratings (N,) of log `right` for the label given, log `wrong` for the others."""
        others = _tally(self.item, wrong, len(self.items))
        return others[:, None] + self._sum_by_label(right - wrong)


class _Fit(NamedTuple):
    posterior: Floats
    prior: Floats
    log_likelihood: float
    iterations: int
    converged: bool


def dawid_skene(
    item: Names,
    rater: Names,
    label: Names,
    *,
    one_coin: bool = False,
    smoothing: float = 0.01,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Consensus:
    """Dawid and Skene (1979): each rater has an error matrix, found by EM from the majority.

    item, rater, label: (N,), each rater at most once an item. one_coin: a rater is right with one probability and
    wrong labels are alike (Zhang et al. 2016). smoothing: added to every count of an error matrix (0: none; a count of
    0 then has probability 1e-10). Stops where the log-likelihood per rating rises by less than `tolerance`.
    Raises InsufficientData without a label, BadInput.
    """
    if not (0 <= smoothing < 1e6 and iterations >= 1 and tolerance >= 0):
        raise BadInput("smoothing and tolerance are at least 0, iterations at least 1")
    votes = _read(item, rater, label)
    settings: dict[str, Setting] = {"smoothing": smoothing, "iterations": iterations, "tolerance": tolerance}
    if one_coin:
        fit, skill = _one_coin(votes, smoothing, iterations, tolerance)
        return _consensus("one_coin_dawid_skene", votes, fit, skill, None, settings)
    fit, errors = _error_matrices(votes, smoothing, iterations, tolerance)
    competence = np.einsum("wkk,k->w", errors, fit.prior)
    return _consensus("dawid_skene", votes, fit, competence, errors, settings)


def mace(
    item: Names, rater: Names, label: Names, *, starts: int = 10, iterations: int = 50, seed: int = 0
) -> Consensus:
    """MACE (Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013), by variational Bayes with the authors' priors.

    A rater either knows the label or guesses from a distribution of their own; the best of `starts` random starts
    counts. item, rater, label: (N,), each rater at most once an item. competence is the probability of knowing.
    Raises InsufficientData without a label, BadInput.
    """
    if starts < 1 or iterations < 1 or seed < 0:
        raise BadInput("starts and iterations are at least 1, a seed at least 0")
    votes = _read(item, rater, label)
    rng = np.random.default_rng(seed)
    runs = [_knowing_or_guessing(votes, iterations, rng) for _ in range(starts)]
    fit, knows = max(runs, key=lambda run: run[0].log_likelihood)
    settings: dict[str, Setting] = {"starts": starts, "iterations": iterations, "seed": seed}
    return _consensus("mace", votes, fit, knows, None, settings)


def _read(item: Names, rater: Names, label: Names) -> _Votes:
    if not len(item) == len(rater) == len(label):
        raise BadInput(f"item, rater and label have {len(item)}, {len(rater)} and {len(label)} entries, not one number")
    if not len(label):
        raise InsufficientData("There is no rating.")
    (item_code, items), (rater_code, raters), (label_code, labels) = encode(item), encode(rater), encode(label)
    refuse_repeats(item_code, rater_code, items, raters)
    try:
        order = sorted(range(len(labels)), key=lambda k: labels[k])
    except TypeError:
        raise BadInput("labels are of one kind (all text or all numbers)", column="label") from None
    if any(name != name for name in labels):
        raise BadInput("a label is not a number (NaN)", column="label")
    place = np.argsort(order)
    return _Votes(
        item_code, rater_code, place[label_code], tuple(items), tuple(raters), tuple(labels[k] for k in order)
    )


def _em(
    votes: _Votes,
    posterior: Floats,
    likelihood: Callable[[Floats], Floats],
    iterations: int,
    tolerance: float,
) -> _Fit:
    """likelihood: from a posterior (I, K) to log-likelihoods (I, K) under the rater parameters it implies."""
    before, step = -np.inf, 0
    for step in range(1, iterations + 1):
        prior = posterior.mean(axis=0)
        logs = likelihood(posterior) + np.log(np.maximum(prior, TINY))
        posterior, total = _normalise(logs)
        if (total - before) / len(votes.item) < tolerance:
            return _Fit(posterior, posterior.mean(axis=0), total, step, True)
        before = total
    return _Fit(posterior, posterior.mean(axis=0), before, step, False)


def _normalise(logs: Floats) -> tuple[Floats, float]:
    """Rows of probabilities from logs, and the sum of the logs of their sums."""
    top = functools.reduce(np.maximum, logs.T)  # by columns: a reduction along short rows is ten times slower
    raised = np.exp(logs - top[:, None])
    sums = raised @ np.ones(raised.shape[1])
    raised /= sums[:, None]
    return raised, float((top + np.log(sums)).sum())


def _tally(cells: Ints, weights: Floats, size: int) -> Floats:
    """(size,) sums of weights (N,) by cell (N,)."""
    return np.asarray(np.bincount(cells, weights=weights, minlength=size), dtype=np.float64)


def _rows(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


def _error_matrices(votes: _Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[_Fit, Floats]:
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
        return np.asarray(given @ np.log(errors(posterior)).reshape(raters * k, k))

    fit = _em(votes, votes.majority(), likelihood, iterations, tolerance)
    return fit, errors(fit.posterior).transpose(0, 2, 1)


def _one_coin(votes: _Votes, smoothing: float, iterations: int, tolerance: float) -> tuple[_Fit, Floats]:
    k = len(votes.labels)
    total = np.bincount(votes.rater).astype(np.float64)

    def skill(posterior: Floats) -> Floats:
        right = _tally(votes.rater, posterior[votes.item, votes.label], len(votes.raters))
        return np.clip((right + smoothing) / (total + k * smoothing), TINY, 1 - TINY)

    def likelihood(posterior: Floats) -> Floats:
        found = skill(posterior)
        wrong = np.log((1 - found) / max(1, k - 1))
        return votes.coin_likelihood(wrong[votes.rater], np.log(found)[votes.rater])

    fit = _em(votes, votes.majority(), likelihood, iterations, tolerance)
    return fit, skill(fit.posterior)


class _Guesser(NamedTuple):
    """MACE's raters: exp E log of the chance to know (W,), not to know (W,), and of each guess (W, K)."""

    knows: Floats
    knows_not: Floats
    guesses: Floats


def _knowing_or_guessing(votes: _Votes, iterations: int, rng: np.random.Generator) -> tuple[_Fit, Floats]:
    raters, k = len(votes.raters), len(votes.labels)
    knows = rng.uniform(0.3, 0.7, size=raters)
    model = _Guesser(knows, 1 - knows, _rows(rng.uniform(1, 2.5, size=(raters, k))))
    for _ in range(iterations):
        model, _ = _update(*_count(votes, model)[1:])
    (posterior, total), known, guessed = _count(votes, model)
    fit = _Fit(posterior, posterior.mean(axis=0), total, iterations, True)
    return fit, _update(known, guessed)[1]


def _count(votes: _Votes, model: _Guesser) -> tuple[tuple[Floats, float], Floats, Floats]:
    """Posterior and log-likelihood; expected ratings (W,) given knowingly, and (W, K) guessed."""
    raters, k = model.guesses.shape
    cells = votes.rater * k + votes.label
    guess = (model.knows_not[:, None] * model.guesses).ravel()[cells]
    know = model.knows[votes.rater]
    logs = votes.coin_likelihood(np.log(guess), np.log(guess + know)) - np.log(k)
    posterior, total = _normalise(logs)
    knowingly = posterior[votes.item, votes.label] * know / (guess + know)
    known = _tally(votes.rater, knowingly, raters)
    guessed = _tally(cells, 1 - knowingly, raters * k).reshape(raters, k)
    return (posterior, total), known, guessed


def _update(known: Floats, guessed: Floats) -> tuple[_Guesser, Floats]:
    """The raters that the expected counts imply, and their mean chance to know (W,)."""
    from scipy.special import digamma

    spam = guessed.sum(axis=1)
    whole = known + spam + 2 * SPAM_PRIOR
    knows, knows_not = (np.exp(digamma(part + SPAM_PRIOR) - digamma(whole)) for part in (known, spam))
    strategies = digamma(spam + guessed.shape[1] * STRATEGY_PRIOR)[:, None]
    guesses = np.exp(digamma(guessed + STRATEGY_PRIOR) - strategies)
    return _Guesser(knows, knows_not, guesses), (known + SPAM_PRIOR) / whole


def _consensus(
    name: str, votes: _Votes, fit: _Fit, competence: Floats, errors: Floats | None, settings: dict[str, Setting]
) -> Consensus:
    flags = [] if fit.converged else ["not_converged"]
    if _against_majority(votes, fit.posterior):
        flags.append("against_majority")
    if len(votes.labels) > 2 and all(isinstance(label, int | float) for label in votes.labels):
        flags.append("order_ignored")
    tail = "|".join(f"{key}:{value}" for key, value in settings.items())
    n = f"n:{len(votes.items)}|r:{len(votes.raters)}|labels:{len(votes.labels)}"
    signature = f"{name}|{n}|{tail}|v:{__version__}"
    return Consensus(
        votes.items,
        votes.raters,
        votes.labels,
        fit.posterior,
        fit.prior,
        competence,
        errors,
        fit.log_likelihood,
        fit.iterations,
        settings,
        tuple(flags),
        signature,
    )


def _against_majority(votes: _Votes, posterior: Floats) -> bool:
    k = len(votes.labels)
    ours, theirs = posterior.argmax(axis=1), votes.majority().argmax(axis=1)
    by_chance = float(np.bincount(ours, minlength=k) @ np.bincount(theirs, minlength=k)) / len(ours) ** 2
    return bool((ours == theirs).mean() < by_chance - 1e-12)
