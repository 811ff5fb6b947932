"""MACE: raters who know or guess (Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013), by variational Bayes.

Like Dawid-Skene it takes labels for unordered classes: see `metrics.worker_models.dawid_skene` for what that costs on a
scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.ratings import Names
from metrics.errors import BadInput
from metrics.inference.distributions import check_level
from metrics.types import Setting
from metrics.worker_models.e_step import Expectation
from metrics.worker_models.votes import (
    Consensus,
    Fit,
    Votes,
    build_consensus,
    divide_rows,
    label_shares,
    read_votes,
    sum_by_cell,
)

SPAM_PRIOR = 0.5  # the authors' Beta(1/2, 1/2) on knowing
STRATEGY_PRIOR = 10.0  # and a Dirichlet on what is chosen without knowing


def mace(
    item: Names,
    rater: Names,
    label: Names,
    *,
    starts: int = 10,
    iterations: int = 50,
    seed: int = 0,
    level: float = 0.90,
) -> Consensus:
    """Estimate true labels and each rater's chance of knowing rather than guessing (MACE).

    A rater either knows the label or guesses from a distribution of their own. Fitted by variational Bayes with the
    authors' priors; the best of several random starts counts.

    Args:
        item: (N,) names of the items.
        rater: (N,) names of the raters, each at most once for an item.
        label: (N,) labels, all text or all numbers.
        starts: random starts, at least 1.
        iterations: of each start, at least 1.
        seed: of the starts, at least 0.
        level: of the intervals of competence, in (0, 1).

    Returns:
        A `Consensus` without error matrices; competence is the probability of knowing, in [0, 1].

    Raises:
        InsufficientData: there is no label.
        BadInput: columns or settings that break a rule.

    Source:
        Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013).

    Example:
        >>> from metrics import mace
        >>> item = [i for i in range(10) for _ in range(3)]
        >>> label = [text for i in range(10) for text in (("cat", "dog")[i % 2], ("cat", "dog")[i % 2], "cat")]
        >>> consensus = mace(item, ["good", "also good", "always cat"] * 10, label)
        >>> consensus.likeliest()[:4]
        ['cat', 'dog', 'cat', 'dog']
    """
    if starts < 1 or iterations < 1 or seed < 0:
        raise BadInput("starts and iterations are at least 1, a seed at least 0")
    check_level(level)
    votes = read_votes(item, rater, label)
    rng = np.random.default_rng(seed)
    seen = Expectation(votes, starts * iterations)
    runs = [_knowing_or_guessing(votes, seen, iterations, rng) for _ in range(starts)]
    fit, knows, knowingly = max(runs, key=lambda run: run[0].log_likelihood)
    settings: dict[str, Setting] = {"starts": starts, "iterations": iterations, "seed": seed}
    return build_consensus("mace", votes, fit, knows, None, settings, level=level, right=knowingly)


class _Guesser(NamedTuple):
    """MACE's raters: exp E log of the chance to know (W,), not to know (W,), and of each guess (W, K)."""

    knows: Floats
    knows_not: Floats
    guesses: Floats


def _knowing_or_guessing(
    votes: Votes, seen: Expectation, iterations: int, rng: np.random.Generator
) -> tuple[Fit, Floats, Floats]:
    """The fit, each rater's chance to know (W,), and each rating's to be given knowingly (N,)."""
    _, raters, k = seen.shape
    knows = rng.uniform(0.3, 0.7, size=raters)
    model = _Guesser(knows, 1 - knows, divide_rows(rng.uniform(1, 2.5, size=(raters, k))))
    for _ in range(iterations):
        model, _ = _update(*_count(seen, model)[2:4])
    posterior, total, known, guessed, knowing = _count(seen, model)
    fit = Fit(posterior.copy(), label_shares(posterior), total, iterations, True)
    return fit, _update(known, guessed)[1], posterior[votes.item, votes.label] * knowing[seen.cell]


def _count(seen: Expectation, model: _Guesser) -> tuple[Floats, float, Floats, Floats, Floats]:
    """Posterior and log-likelihood; expected ratings (W,) given knowingly and (W, K) guessed; each cell's chance (C,)
    to be given knowingly where it is right."""
    _, raters, k = seen.shape
    guess = (model.knows_not[:, None] * model.guesses)[seen.rater, seen.label]
    know = model.knows[seen.rater]
    posterior, total, sums = seen.of(seen.coin(np.log(guess + know), np.log(guess)), np.full(k, -np.log(k)))
    knowing = know / (guess + know)
    knowingly = seen.of_label(sums) * knowing
    guessed = np.zeros((raters, k))
    guessed[seen.rater, seen.label] = sums.sum(axis=1) - knowingly
    return posterior, total, sum_by_cell(seen.rater, knowingly, raters), guessed, knowing


def _update(known: Floats, guessed: Floats) -> tuple[_Guesser, Floats]:
    """The raters that the expected counts imply, and their mean chance to know (W,)."""
    from scipy.special import digamma

    spam = guessed.sum(axis=1)
    total = known + spam + 2 * SPAM_PRIOR
    knows, knows_not = (np.exp(digamma(part + SPAM_PRIOR) - digamma(total)) for part in (known, spam))
    strategies = digamma(spam + guessed.shape[1] * STRATEGY_PRIOR)[:, None]
    guesses = np.exp(digamma(guessed + STRATEGY_PRIOR) - strategies)
    return _Guesser(knows, knows_not, guesses), (known + SPAM_PRIOR) / total
