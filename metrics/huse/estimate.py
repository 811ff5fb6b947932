"""HUSE, HUSE-Q and HUSE-D (Hashimoto, Zhang and Liang 2019, sections 3.2 and 4.1, Algorithm 1, eq. 8 and 9).

Twice the leave-one-out error of a k-nearest-neighbour classifier of reference and model texts by two
features, log p per unit of length and HJ. About 1: the sources are not distinguished; 0: always. Never clipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

import numpy as np

from metrics.data.arrays import Ints
from metrics.data.csv_files import read_items, read_judged
from metrics.data.frames import Frame, check_records, is_frame
from metrics.data.items import Table, check_items, leave_out_log_prob
from metrics.errors import BadInput
from metrics.huse.classifier import HJ, LOG_PROB, Classifier
from metrics.huse.neighbors_1d import Votes
from metrics.huse.subsampling import context_numbers, smallest_draw, subsample_sd
from metrics.inference.error_rate_intervals import subsample_interval
from metrics.types import ByMode, Estimate, HuseResult, Interval, Item, Missing, Mode, Setting, VoteTie
from metrics.version import __version__

MODES: tuple[Mode, ...] = ("exact", "paper")
STANDARD_ERROR = "standard_error"
FEW_OF_A_SOURCE = "few_of_one_source"  # at most k texts: not even a neighbourhood of its own
FAVOUR: dict[VoteTie, int] = {"reference": 1, "half": 0, "model": -1}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One leave-one-out run: twice its error, the votes where there were any, how many tied, and flags."""

    value: Fraction | float
    votes: Votes | None
    ties: int
    flags: tuple[str, ...]


def evaluate(
    items: Sequence[Item] | Frame,
    modes: Sequence[Mode] = MODES,
    *,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    vote_tie: VoteTie = "reference",
    missing: Missing = "error",
    removed: Mapping[str, int] | None = None,
) -> ByMode:
    """Compute HUSE, HUSE-Q, HUSE-D and the score of log p alone, in each mode.

    HUSE is twice the leave-one-out error of a k-nearest-neighbour classifier that separates reference from model texts
    by HJ and log p per unit of length. About 1: the sources are not distinguished; 0: always.

    Args:
        items: judged texts of one generator and their references, at least 2 of each source and k + 1 in all; or a
            DataFrame with the columns `hj`, `log_prob`, `length`, `source` (optional `id`, `context`).
        modes: `exact` (ties decided by exact arithmetic) and `paper` (the original code's arithmetic).
        k: neighbours that set the cut, at least 1 and less than the number of items; all tied with the k-th vote.
        seed: seed of the half-samples, at least 0.
        level: of every interval, in (0, 1).
        draws: half-samples behind an interval, at least 2; 0 for no interval.
        vote_tie: who gets an equal vote, `reference` or `model`; `half` counts half an error.
        missing: what items without log p do. `error` rejects them by id, `drop_pair` drops their contexts,
            `quality_only` gives HUSE-Q of all items, and None (flag `missing_log_prob`) for the measures that need log
            p.
        removed: ratings removed by each filter, for the message where nothing is left.

    Returns:
        A `HuseResult` for each mode (a dict that shows itself as a table). Values are at least 0 and may exceed 1 (flag
        `above_one`); HUSE-D may leave [0, 1] (flag `out_of_range`). Where the sources differ in size (flag
        `unbalanced`) a neighbour's vote weighs 1 / size of its source in exact mode; in paper mode all votes weigh the
        same, so the larger source outvotes the other (flag `vote_unbalanced`: not a value to report). At most k texts
        of one source: flag `few_of_one_source`.

    Raises:
        BadInput: a setting or an item breaks a rule.
        MissingLogProb: items have no log p and `missing` is `error`.
        SingleSource: all items are of one source.
        InsufficientData: fewer than k + 1 items, or fewer than 2 of a source.

    Source:
        Hashimoto, Zhang and Liang (2019), sections 3.2 and 4.1, Algorithm 1, equations 2, 8 and 9.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Item, evaluate
        >>> references = [Item(f"r{i}", "reference", Fraction(3 + i % 3), -20.0 - i % 7, 10) for i in range(20)]
        >>> outputs = [Item(f"m{i}", "model", Fraction(1 + i % 4), -14.0 - i % 9, 10) for i in range(20)]
        >>> result = evaluate(references + outputs, modes=["exact"], k=5, draws=100)["exact"]
        >>> round(result.huse.value, 2), round(result.huse_q.value, 2), result.huse.n
        (0.25, 0.5, 40)
    """
    settings = Settings(k, vote_tie, seed, level, draws)
    settings.check(modes)
    items = read_items(items) if is_frame(items) else check_records(items, Item, "items")
    without = sum(item.log_prob is None for item in items) if missing == "quality_only" else 0
    table = check_items(leave_out_log_prob(items) if without else items, k=k, missing=missing, removed=removed)
    classifiers = {mode: Classifier(table, mode, k) for mode in modes}
    errors = _standard_errors(classifiers, settings)
    results = {mode: _result(classifier, settings, errors[mode]) for mode, classifier in classifiers.items()}
    return ByMode({mode: _quality_alone(result, without) if without else result for mode, result in results.items()})


def huse_q_only(
    items: Sequence[Item] | Frame,
    mode: Mode = "exact",
    *,
    k: int = 16,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 400,
    vote_tie: VoteTie = "reference",
) -> Estimate:
    """Compute HUSE-Q, which needs HJ alone, of items without log p.

    The estimate and its interval are those that `evaluate` gives for HUSE-Q. `log_prob` and `length` are not used.

    Args:
        items: judged texts of one generator and their references, at least 2 of each source and k + 1 in all; or a
            DataFrame with the columns `hj`, `source` (optional `id`, `context`).
        mode: `exact` or `paper`, as in `evaluate`.
        k: neighbours that set the cut, at least 1 and less than the number of items; all tied with the k-th vote.
        seed: seed of the half-samples, at least 0.
        level: of every interval, in (0, 1).
        draws: half-samples behind an interval, at least 2; 0 for no interval.
        vote_tie: who gets an equal vote, `reference` or `model`; `half` counts half an error.

    Returns:
        HUSE-Q: at least 0, about 1 where raters do not separate the sources; may exceed 1 (flag `above_one`).

    Raises:
        BadInput: a setting or an item breaks a rule.
        SingleSource: all items are of one source.
        InsufficientData: fewer than k + 1 items, or fewer than 2 of a source.

    Source:
        Hashimoto, Zhang and Liang (2019), section 4.1, equation 8.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Item, huse_q_only
        >>> references = [Item(f"r{i}", "reference", Fraction(3 + i % 3), None, 10) for i in range(20)]
        >>> outputs = [Item(f"m{i}", "model", Fraction(1 + i % 4), None, 10) for i in range(20)]
        >>> round(huse_q_only(references + outputs, k=5, draws=0).value, 2)
        0.5
    """
    judged = read_judged(items) if is_frame(items) else check_records(items, Item, "items")
    blank = [replace(item, log_prob=None) for item in judged]
    results = evaluate(
        blank, [mode], k=k, seed=seed, level=level, draws=draws, vote_tie=vote_tie, missing="quality_only"
    )
    return results[mode].huse_q


def _quality_alone(result: HuseResult, without: int) -> HuseResult:
    def blank(estimate: Estimate) -> Estimate:
        """No value, since log p is missing; flags about a value are dropped."""
        about_a_value = {"zero_variance_log_prob", "out_of_range", "above_one", "no_variance"}
        flags = ("missing_log_prob", *(flag for flag in estimate.flags if flag not in about_a_value))
        settings = {
            name: value for name, value in estimate.settings.items() if name not in ("tied_votes", STANDARD_ERROR)
        }
        settings["items_without_log_prob"] = without
        return replace(estimate, value=None, interval=None, settings=settings, flags=flags)

    huse, diversity, log_prob = blank(result.huse), blank(result.huse_d), blank(result.log_prob_only)
    return HuseResult(huse, result.huse_q, diversity, log_prob)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the caller chose."""

    k: int
    vote_tie: VoteTie
    seed: int
    level: float
    draws: int

    def check(self, modes: Sequence[Mode]) -> None:
        """Raise BadInput for a setting that breaks a rule."""
        if unknown := [mode for mode in modes if mode not in MODES]:
            raise BadInput(f"a mode is 'exact' or 'paper', not {unknown[0]!r}", column="modes")
        if self.vote_tie not in FAVOUR:
            raise BadInput("vote_tie must be 'reference', 'half' or 'model'", column="vote_tie")
        if not 0 < self.level < 1:
            raise BadInput("a level lies between 0 and 1", column="level")
        if self.draws < 0 or self.draws == 1:
            raise BadInput("draws must be 0 (no interval) or at least 2", column="draws")
        if self.seed < 0:
            raise BadInput("a seed is a whole number of at least 0", column="seed")


def score_features(classifier: Classifier, features: Sequence[str], vote_tie: VoteTie) -> Outcome:
    """Twice the leave-one-out error on the given features, with the edge cases of a feature that does not vary."""
    useful = [feature for feature in features if classifier.varies(feature)]
    flags = tuple(f"zero_variance_{feature}" for feature in features if feature not in useful)
    if not useful:
        return Outcome(Fraction(1), None, 0, (*flags, "no_variance"))
    if LOG_PROB in features and classifier.disjoint():
        flags = (*flags, "disjoint_support")
        if classifier.mode == "exact":
            return Outcome(Fraction(0), None, 0, flags)
    votes = classifier.votes(useful)
    lead = votes.weighed(*classifier.sizes)
    return Outcome(_twice_error(classifier, lead, vote_tie), votes, int(np.count_nonzero(lead == 0)), flags)


def predict_sources(lead: Ints, vote_tie: VoteTie) -> Ints:
    """+1 reference, -1 model, 0 an equal vote left open. lead: of the references, as `Votes.weighed` gives it."""
    return np.where(lead == 0, FAVOUR[vote_tie], np.sign(lead))


def _twice_error(classifier: Classifier, lead: Ints, vote_tie: VoteTie) -> Fraction | float:
    n_ref, n_model = classifier.table.sizes
    ref, model = _half_errors(lead, classifier.table, FAVOUR[vote_tie])
    if classifier.mode == "exact":
        return Fraction(ref * n_model + model * n_ref, 2 * n_ref * n_model)
    if n_ref == n_model:
        n = n_ref + n_model
        return 2 * (1 - (n - (ref + model) / 2) / n)  # the original's order: accuracy, then its complement, doubled
    return ref / (2 * n_ref) + model / (2 * n_model)


def _half_errors(lead: Ints, table: Table, favour: int) -> tuple[int, int]:
    """Errors among references and among models, in halves: a vote lost is two, a vote left open is one."""
    margin = lead * table.sign
    lost, tied = margin < 0, margin == 0
    lost_ref, tied_ref = int(np.count_nonzero(lost & table.z)), int(np.count_nonzero(tied & table.z))
    lost_model = int(np.count_nonzero(lost)) - lost_ref
    tied_model = int(np.count_nonzero(tied)) - tied_ref
    return 2 * lost_ref + (1 - favour) * tied_ref, 2 * lost_model + (1 + favour) * tied_model


def _standard_errors(
    classifiers: Mapping[Mode, Classifier], settings: Settings
) -> dict[Mode, Mapping[str, float] | None]:
    """Subsample standard errors per mode; shared by both unless -inf makes their q differ, or sizes their votes."""
    errors: dict[Mode, Mapping[str, float] | None] = {}
    for mode, classifier in classifiers.items():
        if errors and not classifier.table.any_infinite and classifier.table.sizes[0] == classifier.table.sizes[1]:
            errors[mode] = next(iter(errors.values()))
        else:
            errors[mode] = _subsample_errors(classifier, settings)
    return errors


def _subsample_errors(classifier: Classifier, settings: Settings) -> Mapping[str, float] | None:
    z = classifier.table.z
    context = context_numbers([item.context for item in classifier.table.items], z)
    if not settings.draws or smallest_draw(z, context, settings.k) <= settings.k:
        return None
    hj = classifier.hj
    rng = np.random.default_rng(settings.seed)
    tie = FAVOUR[settings.vote_tie]
    weighed = classifier.mode == "exact"
    errors = subsample_sd(
        hj, classifier.q, z, rng, settings.draws, k=settings.k, context=context, tie=tie, weighed=weighed
    )
    return asdict(errors)


def _result(classifier: Classifier, settings: Settings, errors: Mapping[str, float] | None) -> HuseResult:
    both = score_features(classifier, (HJ, LOG_PROB), settings.vote_tie)
    quality = score_features(classifier, (HJ,), settings.vote_tie)
    log_prob = score_features(classifier, (LOG_PROB,), settings.vote_tie)
    diversity = Outcome(1 + both.value - quality.value, None, 0, (*both.flags, *quality.flags))
    outcomes = {"huse": both, "huse_q": quality, "huse_d": diversity, "log_prob_only": log_prob}
    report = _Report(classifier, settings, errors)
    return HuseResult(**{name: report.estimate(name, outcome) for name, outcome in outcomes.items()})


class _Report:
    """Turns outcomes into estimates: what is the same for all measures of one mode is made once."""

    def __init__(self, classifier: Classifier, settings: Settings, errors: Mapping[str, float] | None):
        self.table, self.mode, self.options, self.errors = classifier.table, classifier.mode, settings, errors
        counts = [item.ratings for item in self.table.items]
        low, high = min(counts), max(counts)
        contexts = context_numbers([item.context for item in self.table.items], self.table.z)
        self.settings: dict[str, Setting] = {
            "mode": self.mode,
            "k": settings.k,
            "vote_tie": settings.vote_tie,
            "n_reference": self.table.sizes[0],
            "n_model": self.table.sizes[1],
            "ratings_min": low or None,
            "ratings_max": high or None,
            "paired": contexts is not None,
            "draws": settings.draws,
            "seed": settings.seed,
            **{f"dropped_{name}": count for name, count in self.table.dropped.items()},
        }
        self.raters = "?" if low == 0 else str(low) if low == high else f"{low}-{high}"
        self.flags = (*self.table.flags, *self._data_flags(low != high))

    def _data_flags(self, unequal: bool) -> tuple[str, ...]:
        sides = Counter((item.context, item.source) for item in self.table.items if item.context is not None)
        different = self.table.sizes[0] != self.table.sizes[1]
        named = {
            "unbalanced": different,
            "vote_unbalanced": different and self.mode == "paper",
            FEW_OF_A_SOURCE: different and min(self.table.sizes) <= self.options.k,
            "unequal_ratings": unequal,
            "duplicate_contexts": max(sides.values(), default=0) > 1,
            "log_prob_minus_infinity": self.table.any_infinite,
            "too_few_for_interval": bool(self.options.draws) and self.errors is None,
        }
        return tuple(name for name, holds in named.items() if holds)

    def estimate(self, name: str, outcome: Outcome) -> Estimate:
        """One of huse, huse_q, huse_d and log_prob_only as reported: with its settings, flags and signature."""
        value = float(outcome.value)
        range_flag = ("out_of_range",) if name == "huse_d" and not 0 <= value <= 1 else ()
        above = ("above_one",) if name != "huse_d" and value > 1 else ()
        flags = tuple(dict.fromkeys((*self.flags, *outcome.flags, *range_flag, *above)))
        settings = self.settings | ({"tied_votes": outcome.ties} if outcome.votes is not None else {})
        interval = self._interval(name, value, outcome)
        if interval is not None and self.errors is not None:
            settings[STANDARD_ERROR] = self.errors[name]
        n = len(self.table)
        tail = f"seed:{self.options.seed}|v:{__version__}"
        signature = f"{name}|n:{n}|r:{self.raters}|k:{self.options.k}|ties:{self.mode}|{tail}"
        return Estimate(value, n, interval, settings, flags, signature)

    def _interval(self, name: str, value: float, outcome: Outcome) -> Interval | None:
        if self.errors is None or "no_variance" in outcome.flags:
            return None
        return subsample_interval(value, self.errors[name], len(self.table), self.options.level, name == "huse_d")
