"""Accuracy of evaluators at human-or-machine judgments (Clark et al. 2021, sections 2.4 and 3, tables 1 and 2).

Machine is the positive class. The default unit of accuracy is the evaluator: the mean over evaluators of each one's
share correct, which is what the paper's effect sizes fit; accuracy by item and pooled over ratings are given too.
Precision, recall, specificity and F1 are pooled over ratings. Every value is a share in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from metrics.data.arrays import Bools, Ints
from metrics.data.evaluator_judgments import HIGHEST, HUMAN, LOWEST, MACHINE, Judgments, Truth
from metrics.inference.distributions import check_level
from metrics.inference.proportions import Share, crossed_mean_share, mean_share, pooled_share
from metrics.types import Estimate, Setting
from metrics.version import __version__

EVALUATORS, ITEMS, BOTH = "evaluators", "items", "evaluators and items"
# A standard error that grows by this much for new items too is worth a flag.
ITEMS_MATTER = 1.25


@dataclass(frozen=True, slots=True)
class Confusion:
    """Ratings by truth and binary reading, machine positive: fp is a human text called machine."""

    tp: int
    fp: int
    fn: int
    tn: int


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """How often texts of one truth got one score: a count, and its share of all ratings of that truth."""

    truth: Truth
    rating: int
    count: int
    share: Estimate


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Everything the paper's tables hold of one condition.

    accuracy: mean over evaluators of their share correct; its interval is for new evaluators and these very items.
    accuracy_crossed: the same value; its interval is for new evaluators and new items.
    accuracy_item: mean over items of their share judged right; interval for new items and these very evaluators.
    accuracy_pooled: share of ratings that are right; precision, recall, specificity, f1: pooled over ratings too.
    percent_human: share of ratings 1 or 2. percent_confident: share of ratings 1 or 4. Both as shares, 0 to 1.
    The intervals of pooled values are for new evaluators.
    """

    accuracy: Estimate
    accuracy_item: Estimate
    accuracy_pooled: Estimate
    accuracy_crossed: Estimate
    precision: Estimate
    recall: Estimate
    specificity: Estimate
    f1: Estimate
    percent_human: Estimate
    percent_confident: Estimate
    confusion: Confusion
    histogram: tuple[ScoreBin, ...]


def measure_accuracy(judgments: Judgments, *, level: float = 0.95) -> Accuracy:
    """All measures of one condition, from checked judgments (`check_judgments`).

    level: of every interval. An undefined value is None with a flag: `no_machine_prediction` (precision),
    `no_machine_texts` (recall, F1), `no_human_texts` (specificity). Without a machine prediction recall and F1 are 0.
    One evaluator (or, for items, one item) has no interval: flag `one_unit`. Raises BadInput for a bad level.
    """
    check_level(level)
    report = _Report(judgments, level)
    return Accuracy(
        *report.accuracies(),
        **report.pooled(),
        confusion=count_confusion(judgments),
        histogram=tuple(report.score_bins()),
    )


def count_confusion(judgments: Judgments) -> Confusion:
    """Counts of the binary reading, over all ratings."""
    called, machine = judgments.called_machine, judgments.machine
    pairs = ((called & machine), (called & ~machine), (~called & machine), (~called & ~machine))
    return Confusion(*(int(pair.sum()) for pair in pairs))


def evaluator_accuracies(judgments: Judgments) -> dict[str, float]:
    """Each evaluator's share correct, in [0, 1]: what t-tests, ANOVA and Tukey take."""
    shares = np.bincount(judgments.rater, weights=judgments.correct) / np.bincount(judgments.rater)
    return dict(zip(judgments.raters, shares.tolist(), strict=True))


def item_accuracies(judgments: Judgments, *, level: float = 0.95) -> dict[str, Estimate]:
    """Each item's share judged right; the interval is for new evaluators. Flag `one_unit`: one evaluator saw it."""
    check_level(level)
    report = _Report(judgments, level)
    order = np.argsort(judgments.item, kind="stable")
    ends = np.cumsum(np.bincount(judgments.item))[:-1]
    shares = {}
    for name, rows in zip(judgments.items, np.split(order, ends), strict=True):
        _, rater = np.unique(judgments.rater[rows], return_inverse=True)
        share = pooled_share(_sums(rater, judgments.correct[rows]), np.bincount(rater))
        truth = MACHINE if judgments.machine[rows[0]] else HUMAN
        shares[name] = report.estimate(
            "item_accuracy", share, EVALUATORS, len(rows), more={"item": name, "truth": truth}
        )
    return shares


def _sums(unit: Ints, chosen: Bools) -> Ints:
    """How many of the chosen judgments each unit has."""
    return np.bincount(unit[chosen], minlength=int(unit.max()) + 1)


class _Report:
    """Turns shares into estimates: what is the same for all measures of a condition is made once."""

    def __init__(self, judgments: Judgments, level: float):
        self.judgments, self.level = judgments, level
        cells = judgments.rater * len(judgments.items) + judgments.item
        repeats = len(cells) - len(np.unique(cells))
        self.settings: dict[str, Setting] = {
            "raters": len(judgments.raters),
            "items": len(judgments.items),
            "judgments": len(judgments),
            "positive": MACHINE,
            "repeats": repeats,
        }
        self.flags = ("repeated_judgments",) if repeats else ()

    def accuracies(self) -> tuple[Estimate, Estimate, Estimate, Estimate]:
        """Accuracy by evaluator, by item, pooled, and by evaluator for new items too."""
        checked = self.judgments
        right, everything = checked.correct, np.ones(len(checked), dtype=np.bool_)
        by_rater = mean_share(_sums(checked.rater, right), _sums(checked.rater, everything))
        by_item = mean_share(_sums(checked.item, right), _sums(checked.item, everything))
        crossed = crossed_mean_share(right.astype(np.int64), checked.rater, checked.item)
        matter = crossed.variance > ITEMS_MATTER**2 * by_rater.variance
        flags = ("items_matter",) if matter else ()
        return (
            self.estimate("accuracy", by_rater, EVALUATORS, by_rater.units, flags, {"unit": "evaluator"}),
            self.estimate("accuracy_item", by_item, ITEMS, by_item.units, more={"unit": "item"}),
            self._share("accuracy_pooled", right, everything),
            self.estimate("accuracy_crossed", crossed, BOTH, by_rater.units, flags, {"unit": "evaluator"}),
        )

    def pooled(self) -> Mapping[str, Estimate]:
        """Measures pooled over ratings, with the edge rules of the method (2.9)."""
        checked = self.judgments
        called, machine = checked.called_machine, checked.machine
        everything = np.ones(len(checked), dtype=np.bool_)
        flags = [] if called.any() else ["no_machine_prediction"]
        flags += [] if machine.any() else ["no_machine_texts"]
        all_flags = (*flags, *(() if not machine.all() else ("no_human_texts",)))
        return {
            "precision": self._share("precision", called & machine, called, all_flags),
            "recall": self._share("recall", called & machine, machine, all_flags),
            "specificity": self._share("specificity", ~called & ~machine, ~machine, all_flags),
            "f1": self._f1(all_flags),
            "percent_human": self._share("percent_human", ~called, everything),
            "percent_confident": self._share("percent_confident", checked.definite, everything),
        }

    def _share(self, name: str, hits: Bools, among: Bools, flags: tuple[str, ...] = ()) -> Estimate:
        rater = self.judgments.rater
        share = pooled_share(_sums(rater, hits & among), _sums(rater, among))
        return self.estimate(name, share, EVALUATORS, int(among.sum()), flags, {"unit": "rating"})

    def _f1(self, flags: tuple[str, ...]) -> Estimate:
        """2 tp / (2 tp + fp + fn), a ratio of sums over evaluators; None where recall is."""
        checked = self.judgments
        called, machine = checked.called_machine, checked.machine
        twice_hits = 2 * _sums(checked.rater, called & machine)
        share = pooled_share(twice_hits, twice_hits + _sums(checked.rater, called != machine))
        n = int((called | machine).sum())
        share = replace(share, judgments=float(n)) if machine.any() else Share(None, 0.0, 0, 0.0)
        return self.estimate("f1", share, EVALUATORS, n, flags, {"unit": "rating"})

    def score_bins(self) -> list[ScoreBin]:
        """Eight bins: scores 1 to 4 of human texts, then of machine texts."""
        bins = []
        for truth, among in ((HUMAN, ~self.judgments.machine), (MACHINE, self.judgments.machine)):
            flags = () if among.any() else (f"no_{truth}_texts",)
            for rating in range(LOWEST, HIGHEST + 1):
                hits = among & (self.judgments.rating == rating)
                share = self._share(f"score_{truth}_{rating}", hits, among, flags)
                bins.append(ScoreBin(truth, rating, int(hits.sum()), share))
        return bins

    def estimate(
        self,
        name: str,
        share: Share,
        drawn: str,
        n: int,
        flags: tuple[str, ...] = (),
        more: Mapping[str, Setting] | None = None,
    ) -> Estimate:
        """One share as it is reported."""
        unit_flags = ("one_unit",) if share.units == 1 else ()
        settings = {**self.settings, **(more or {}), "drawn": drawn, "units": share.units}
        unit = settings.get("unit", "rating")
        counts = f"raters:{self.settings['raters']}|items:{self.settings['items']}"
        signature = f"{name}|n:{n}|{counts}|unit:{unit}|drawn:{drawn.replace(' ', '_')}|v:{__version__}"
        estimate_flags = tuple(dict.fromkeys((*self.flags, *flags, *unit_flags)))
        return Estimate(share.value, n, share.interval(self.level, drawn), settings, estimate_flags, signature)
