"""HUSE, HUSE-Q and HUSE-D (Hashimoto, Zhang and Liang 2019, sections 3.2 and 4.1, Algorithm 1, eq. 8 and 9).

Twice the leave-one-out error of a k-nearest-neighbour classifier that tells reference from model texts by two
features, log p per unit of length and HJ. About 1: the sources are not told apart; 0: always. Never clipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from metrics import __version__
from metrics.classifier import HJ, LOG_PROB, Classifier
from metrics.errors import BadInput
from metrics.neighbors import Votes
from metrics.types import Estimate, HuseResult, Interval, Item, Missing, Mode, Setting, VoteTie
from metrics.validation import Table, check_items

MODES: tuple[Mode, ...] = ("exact", "paper")
VOTE_TIES: tuple[VoteTie, ...] = ("reference", "half", "model")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One leave-one-out run: twice its error, the votes where there were any, how many tied, what to tell."""

    value: Fraction | float
    votes: Votes | None
    ties: int
    flags: tuple[str, ...]


def evaluate(
    items: Sequence[Item],
    modes: Sequence[Mode] = MODES,
    *,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    vote_tie: VoteTie = "reference",
    missing: Missing = "error",
    removed: Mapping[str, int] | None = None,
) -> dict[Mode, HuseResult]:
    """HUSE, HUSE-Q, HUSE-D and log p alone, each with n, interval, settings, flags and signature, per mode.

    items: at least 2 of each source and k+1 in all. k: neighbours that set the cut (all tied with the k-th vote).
    vote_tie: who gets an equal vote; `half` counts half an error. missing: `drop_pair` leaves out contexts without a
    log p. removed: counts by filter, for the message when nothing is left. draws: half-samples for the interval
    (0: none). Values are >= 0 and may exceed 1 (flag `above_one`); HUSE-D may leave [0, 1] (flag `out_of_range`).
    Raises BadInput, MissingLogProb, OneClass, InsufficientData.
    """
    _check_settings(modes, vote_tie, level, draws)
    table = check_items(items, k=k, missing=missing, removed=removed)
    return {mode: _result(table, mode, k, vote_tie, seed) for mode in modes}


def _check_settings(modes: Sequence[Mode], vote_tie: VoteTie, level: float, draws: int) -> None:
    if unknown := [mode for mode in modes if mode not in MODES]:
        raise BadInput(f"a mode is 'exact' or 'paper', not {unknown[0]!r}", column="modes")
    if vote_tie not in VOTE_TIES:
        raise BadInput("vote_tie must be 'reference', 'half' or 'model'", column="vote_tie")
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")
    if draws < 0:
        raise BadInput("draws must be 0 or more", column="draws")


def run(classifier: Classifier, features: Sequence[str], vote_tie: VoteTie) -> Outcome:
    """Twice the leave-one-out error on the given features, with the edge cases of a feature that tells nothing."""
    useful = [feature for feature in features if classifier.varies(feature)]
    flags = tuple(f"zero_variance_{feature}" for feature in features if feature not in useful)
    if not useful:
        return Outcome(Fraction(1), None, 0, (*flags, "no_variance"))
    if LOG_PROB in features and classifier.disjoint():
        flags = (*flags, "disjoint_support")
        if classifier.mode == "exact":
            return Outcome(Fraction(0), None, 0, flags)
    votes = classifier.votes(useful)
    return Outcome(_twice_error(classifier, votes, vote_tie), votes, int((votes.balance == 0).sum()), flags)


def wrong(votes: Votes, sign: np.ndarray, vote_tie: VoteTie) -> np.ndarray:
    """Error of each held-out item, in halves: 0, 1 (an open vote) or 2."""
    favour = {"reference": 1, "model": -1, "half": 0}[vote_tie]
    predicted = np.where(votes.balance == 0, favour, np.sign(votes.balance))
    return np.asarray(1 - predicted * sign)


def _twice_error(classifier: Classifier, votes: Votes, vote_tie: VoteTie) -> Fraction | float:
    sign = classifier.table.sign
    halves = wrong(votes, sign, vote_tie)
    n_ref, n_model = int((sign > 0).sum()), int((sign < 0).sum())
    ref, model = int(halves[sign > 0].sum()), int(halves[sign < 0].sum())
    if classifier.mode == "exact":
        return Fraction(ref, 2 * n_ref) + Fraction(model, 2 * n_model)
    if n_ref == n_model:
        n = n_ref + n_model
        return 2 * (1 - (n - (ref + model) / 2) / n)  # the original's order: accuracy, then its complement, doubled
    return ref / (2 * n_ref) + model / (2 * n_model)


def _result(table: Table, mode: Mode, k: int, vote_tie: VoteTie, seed: int) -> HuseResult:
    classifier = Classifier(table, mode, k)
    both = run(classifier, (HJ, LOG_PROB), vote_tie)
    quality = run(classifier, (HJ,), vote_tie)
    log_prob = run(classifier, (LOG_PROB,), vote_tie)
    diversity = Outcome(1 + both.value - quality.value, None, 0, (*both.flags, *quality.flags))
    outcomes = {"huse": both, "huse_q": quality, "huse_d": diversity, "log_prob_only": log_prob}
    report = _Report(table, mode, k, vote_tie, seed)
    return HuseResult(**{name: report.estimate(name, outcome, None) for name, outcome in outcomes.items()})


class _Report:
    """Turns outcomes into estimates: what is the same for all measures of one mode is made once."""

    def __init__(self, table: Table, mode: Mode, k: int, vote_tie: VoteTie, seed: int):
        self.table, self.k, self.mode, self.seed = table, k, mode, seed
        counts = [item.ratings for item in table.items]
        low, high = min(counts), max(counts)
        self.settings: dict[str, Setting] = {
            "mode": mode,
            "k": k,
            "vote_tie": vote_tie,
            "n_reference": int((table.sign > 0).sum()),
            "n_model": int((table.sign < 0).sum()),
            "ratings_min": low or None,
            "ratings_max": high or None,
            "seed": seed,
            **{f"dropped_{name}": count for name, count in table.dropped.items()},
        }
        self.raters = "?" if low == 0 else str(low) if low == high else f"{low}-{high}"
        self.flags = (*table.flags, *self._data_flags(low, high))

    def _data_flags(self, low: int, high: int) -> tuple[str, ...]:
        sign = self.table.sign
        named = {
            "unbalanced": int(sign.sum()) != 0,
            "unequal_ratings": low != high,
            "log_prob_minus_infinity": bool(np.isneginf(self.table.log_prob).any()),
        }
        return tuple(name for name, holds in named.items() if holds)

    def estimate(self, name: str, outcome: Outcome, interval: Interval | None) -> Estimate:
        value = float(outcome.value)
        own = ("out_of_range",) if name == "huse_d" and not 0 <= value <= 1 else ()
        above = ("above_one",) if name != "huse_d" and value > 1 else ()
        flags = tuple(dict.fromkeys((*self.flags, *outcome.flags, *own, *above)))
        settings = self.settings | ({"tied_votes": outcome.ties} if outcome.votes is not None else {})
        n = len(self.table)
        tail = f"seed:{self.seed}|v:{__version__}"
        signature = f"{name}|n:{n}|r:{self.raters}|k:{self.k}|ties:{self.mode}|{tail}"
        return Estimate(value, n, interval, settings, flags, signature)
