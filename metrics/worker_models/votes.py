"""Labels that raters gave to items, as arrays, and what a worker model makes of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.data.ratings import Names, encode_names, refuse_repeats
from metrics.errors import BadInput, InsufficientData
from metrics.types import Setting
from metrics.version import __version__

SOME = 50_000  # ratings


@dataclass(frozen=True, slots=True)
class Consensus:
    """What a worker model makes of the ratings.

    items (I), raters (W), labels (K): names, labels in ascending order. posterior: (I, K) probability of each label,
    rows sum to 1. prior: (K,). competence: (W,) in [0, 1], chance of a right label (MACE: of not guessing);
    competence_low, competence_high: (W,) its interval at `level`, for a rater who went on as before.
    errors: (W, K, K) probability of each label given by a rater, for each true label; None where the model has none.
    flags: `not_converged`, `against_majority` (the likeliest labels agree with the majority's less than chance would:
    the labels may have changed places), `order_ignored` (labels are numbers and more than two); and where competence is
    hardly more than what was assumed: `one_label` (no rater gave another), `nothing_shared` (no item has two raters),
    `separate_groups` (raters fall into groups that share no item, and are compared within them only).
    """

    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    posterior: Floats
    prior: Floats
    competence: Floats
    competence_low: Floats
    competence_high: Floats
    level: float
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
class Votes:
    """N labels given: codes of item, rater and label, and their names."""

    item: Ints
    rater: Ints
    label: Ints
    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]

    def majority(self) -> Floats:
        """(I, K) share of the raters for each label."""
        shape = len(self.items), len(self.labels)
        counts = np.bincount(self.item * shape[1] + self.label, minlength=shape[0] * shape[1])
        return divide_rows(counts.reshape(shape).astype(np.float64))


class Fit(NamedTuple):
    """Where EM stopped. posterior: (I, K) of each item's labels; prior: (K,); log_likelihood: of the ratings."""

    posterior: Floats
    prior: Floats
    log_likelihood: float
    iterations: int
    converged: bool


def read_votes(item: Names, rater: Names, label: Names) -> Votes:
    """Coded ratings of item[n] by rater[n], each (N,); labels in their own order (numbers by value, texts by letters).

    Raises BadInput for columns of different lengths, a rater who rates an item twice, labels of two kinds or NaN;
    InsufficientData without a rating.
    """
    if not len(item) == len(rater) == len(label):
        raise BadInput(f"item, rater and label have {len(item)}, {len(rater)} and {len(label)} entries, not one number")
    if not len(label):
        raise InsufficientData("There is no rating.")
    (item_code, items), (rater_code, raters), (label_code, labels) = (
        encode_names(item),
        encode_names(rater),
        encode_names(label),
    )
    refuse_repeats(item_code, rater_code, items, raters)
    try:
        order = sorted(range(len(labels)), key=lambda k: labels[k])
    except TypeError:
        raise BadInput("labels are of one kind (all text or all numbers)", column="label") from None
    if any(name != name for name in labels):
        raise BadInput("a label is not a number (NaN)", column="label")
    place = np.argsort(order)
    return Votes(item_code, rater_code, place[label_code], tuple(items), tuple(raters), tuple(labels[k] for k in order))


def normalize_rows(logs: Floats) -> tuple[Floats, float]:
    """Rows of probabilities from logs, in place, and the sum of the logs of their sums."""
    top = functools.reduce(
        np.maximum, logs.T[1:], logs.T[0].copy()
    )  # by columns: a reduction along short rows is ten times slower
    logs -= top[:, None]
    np.exp(logs, out=logs)
    sums = logs @ np.ones(logs.shape[1])
    logs /= sums[:, None]
    return logs, float((top + np.log(sums)).sum())


def sum_by_cell(cells: Ints, weights: Floats, size: int) -> Floats:
    """(size,) sums of weights (N,) by cell (N,)."""
    return np.asarray(np.bincount(cells, weights=weights, minlength=size), dtype=np.float64)


def label_shares(posterior: Floats) -> Floats:
    """(K,) mean of the rows of a posterior (I, K)."""
    return np.asarray(np.ones(len(posterior)) @ posterior / len(posterior))


def divide_rows(counts: Floats) -> Floats:
    """Each row (last axis) divided by its sum, which is above 0."""
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


def skill_interval(skill: Floats, right: Floats, rater: Ints, level: float) -> tuple[Floats, Floats]:
    """Low and high (W,) of each rater's skill (W,), by a beta distribution (Jeffreys' prior) whose weight is the
    rater's number of ratings, less the share of their information that is missing because it is unknown which were
    right (Louis 1982). right: (N,) probability that a rating is right."""
    from scipy.special import betaincinv

    rating_counts = np.bincount(rater, minlength=len(skill)).astype(np.float64)
    share = sum_by_cell(rater, right, len(skill)) / rating_counts
    unknown, drawn = sum_by_cell(rater, right * (1 - right), len(skill)), rating_counts * share * (1 - share)
    missing = np.divide(unknown, drawn, out=np.zeros_like(drawn), where=drawn > 1e-12)
    weight = rating_counts * np.clip(1 - missing, 0, 1)
    shape = skill * weight + 0.5, (1 - skill) * weight + 0.5
    low, high = (np.asarray(betaincinv(*shape, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    # Where all ratings are alike the beta's ends may not include the estimate itself.
    return np.minimum(low, skill), np.maximum(high, skill)


def build_consensus(
    name: str,
    votes: Votes,
    fit: Fit,
    competence: Floats,
    errors: Floats | None,
    settings: dict[str, Setting],
    *,
    level: float,
    right: Floats | None = None,
) -> Consensus:
    """right: (N,) probability that a rating is right (None: by the posterior)."""
    right = fit.posterior[votes.item, votes.label] if right is None else right
    low, high = skill_interval(competence, right, votes.rater, level)
    flags = [] if fit.converged else ["not_converged"]
    if against_majority(votes, fit.posterior):
        flags.append("against_majority")
    flags += _unfounded(votes)
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
        low,
        high,
        level,
        errors,
        fit.log_likelihood,
        fit.iterations,
        settings,
        tuple(flags),
        signature,
    )


def _unfounded(votes: Votes) -> list[str]:
    """Why competences say hardly more than what was assumed of raters."""
    if len(votes.item) == len(votes.items):
        return ["nothing_shared"] + ["one_label"] * (len(votes.labels) == 1)
    return ["one_label"] * (len(votes.labels) == 1) + ["separate_groups"] * (not _connected(votes))


def _connected(votes: Votes) -> bool:
    """Return whether shared items link every rater to every other. Some of the ratings often suffice."""
    for max_ratings in (SOME, len(votes.item)):
        item, rater, size = votes.item[:max_ratings], votes.rater[:max_ratings], 0
        reached, met = np.zeros(len(votes.raters), dtype=np.bool_), np.zeros(len(votes.items), dtype=np.bool_)
        reached[rater[0]] = True
        while size < (count := int(reached.sum())) < len(reached):
            size = count
            met[item[reached[rater]]] = True
            reached[rater[met[item]]] = True
        if reached.all():
            return True
    return False


def against_majority(votes: Votes, posterior: Floats) -> bool:
    """Whether the posterior's labels agree with the majority's more rarely than labels drawn independently would.

    Then the model has most likely found the mirror image: every rater wrong where they are right.
    """
    k = len(votes.labels)
    model_labels, majority_labels = posterior.argmax(axis=1), votes.majority().argmax(axis=1)
    by_chance = (
        float(np.bincount(model_labels, minlength=k) @ np.bincount(majority_labels, minlength=k))
        / len(model_labels) ** 2
    )
    return bool((model_labels == majority_labels).mean() < by_chance - 1e-12)
