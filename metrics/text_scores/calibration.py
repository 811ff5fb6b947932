"""Thresholds of Fp from texts of known origin, and how far its verdicts agree with people's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metrics.agreement.kappa import cohen_kappa
from metrics.data.arrays import Bools, Floats
from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.inference.correlation import midranks, pearson
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.inference.proportions import wilson
from metrics.text_scores.h_score import Thresholds
from metrics.text_scores.roc import auc_estimate
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

FOLDS = 10

Method = Literal["youden", "normal"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold and what it does on the texts it came from and on texts held out.

    thresholds: one (low = high), or with a band between the two medians. auc: P(a machine text has the higher Fp), ties
    one half, in [0, 1]. youden_j: sensitivity + specificity - 1 at the threshold, on the texts it came from.
    held_out: accuracy on texts that the threshold did not see, each source weighing the same.
    """

    thresholds: Thresholds
    threshold: float
    method: Method
    auc: Estimate
    youden_j: Estimate
    held_out: Estimate


@dataclass(frozen=True, slots=True)
class WithPeople:
    """Automatic verdicts against people's on the same texts.

    agreement: share of texts with one verdict, of those that neither leaves open. kappa: the same beyond chance.
    auc: P(a text people call machine has the higher Fp). correlation: Spearman's, Fp with the share of people who say
    human; negative where both agree. undecided: texts that one of the two leaves open.
    """

    agreement: Estimate
    kappa: Estimate
    auc: Estimate
    correlation: Estimate
    undecided: int


def calibrate(
    natural: ArrayLike,
    synthetic: ArrayLike,
    *,
    method: Method = "youden",
    band: bool = False,
    folds: int = FOLDS,
    level: float = 0.95,
    seed: int = 0,
) -> Calibration:
    """A threshold between the Fp of human texts (natural) and of machine texts (synthetic), each (n,) in [0, 1].

    youden: the value that separates best (sensitivity + specificity), among equals the one nearest to the middle of
    the two means. normal: where two normal densities of equal weight cross between the means. band: texts between the
    two medians stay undecided. folds: of the cross-validation, at most the smaller source. Raises InsufficientData
    below 2 texts a source, DegenerateInput where the machine texts are not the higher ones, BadInput.
    """
    if method not in ("youden", "normal"):
        raise BadInput("the method must be 'youden' or 'normal'", column="method")
    human, machine = _column(natural, "natural"), _column(synthetic, "synthetic")
    at = _threshold(human, machine, method)
    low, high = _medians(human, machine) if band else (at, at)
    origin = f"{method}{', band between the medians' if band else ''}, {len(human)} human and {len(machine)} machine"
    n = len(human) + len(machine)
    settings: dict[str, Setting] = {"method": method, "threshold": at, "folds": folds, "seed": seed}
    name = f"|n:{n}|method:{method}|seed:{seed}|v:{__version__}"
    j = float((machine >= at).mean() + (human < at).mean() - 1)
    return Calibration(
        Thresholds(low, high, calibrated=True, origin=origin),
        at,
        method,
        auc_estimate(human, machine, level=level),
        Estimate(j, n, None, settings, ("same_texts",), f"youden_j{name}"),
        _held_out(human, machine, method, folds, level, seed, settings=settings, signature=f"held_out_accuracy{name}"),
    )


def against_people(
    fp: Mapping[str, float], human_share: Mapping[str, float], thresholds: Thresholds, *, level: float = 0.95
) -> WithPeople:
    """Verdicts of Fp against people's, over the texts in both. human_share: share of people who said human, in [0, 1].

    People say h where the share is above one half; at one half they leave it open. Raises InsufficientData below 2
    shared texts, BadInput.
    """
    names = [name for name in fp if name in human_share]
    if len(names) < 2:
        raise InsufficientData(f"Agreement with people needs 2 texts that both judged, and there are {len(names)}.")
    scores = _column([fp[name] for name in names], "fp")
    shares = _column([human_share[name] for name in names], "human_share")
    human_verdicts = ["u" if share == 0.5 else "h" if share > 0.5 else "m" for share in shares]
    verdicts = [thresholds.verdict(score) for score in scores]
    decided = [(a, b) for a, b in zip(verdicts, human_verdicts, strict=True) if "u" not in (a, b)]
    flags = () if thresholds.calibrated else ("uncalibrated",)
    rho = pearson(midranks(scores), midranks(shares))
    signature = f"|n:{len(names)}|v:{__version__}"
    none = () if rho is not None else ("no_variation",)
    return WithPeople(
        _agreement(decided, level, flags),
        _kappa(decided, flags, level),
        _people_auc(scores, shares, signature, level),
        Estimate(rho, len(names), None, {"kind": "spearman"}, none, f"fp_human_share{signature}"),
        len(names) - len(decided),
    )


def _threshold(human: Floats, machine: Floats, method: Method) -> float:
    return _youden(human, machine) if method == "youden" else _crossing(human, machine)


def _youden(human: Floats, machine: Floats) -> float:
    places = np.unique(np.concatenate((human, machine)))
    caught = len(machine) - np.searchsorted(np.sort(machine), places, side="left")
    spared = np.searchsorted(np.sort(human), places, side="left")
    # Whole numbers, so that equal values of J are equal.
    j = caught * len(human) + spared * len(machine)
    if j.max() <= len(human) * len(machine):
        raise DegenerateInput("No threshold separates: the machine texts do not have the higher Fp.")
    best = places[j == j.max()]
    middle = (human.mean() + machine.mean()) / 2
    return float(best[np.argmin(np.abs(best - middle))])


def _crossing(human: Floats, machine: Floats) -> float:
    low, high = float(human.mean()), float(machine.mean())
    return normal_crossing(low, float(human.std(ddof=1)), high, float(machine.std(ddof=1)))


def normal_crossing(low: float, low_sd: float, high: float, high_sd: float) -> float:
    """Where two normal densities of equal weight meet between their means low < high; sds above 0.

    Raises DegenerateInput where the means are not in that order, an sd is 0, or the densities do not meet there.
    """
    a, b = low_sd, high_sd
    if not low < high:
        raise DegenerateInput("No threshold separates: the machine texts do not have the higher mean Fp.")
    if not (a > 0 and b > 0):
        raise DegenerateInput("The crossing of two normals needs some variance in both sources.")
    if math.isclose(a, b, rel_tol=1e-9):
        return (low + high) / 2
    # (x - low)^2 / a^2 - (x - high)^2 / b^2 = 2 log(b / a)
    square, half, rest = b * b - a * a, a * a * high - b * b * low, (b * low) ** 2 - (a * high) ** 2
    root = math.sqrt(max(0.0, half * half - square * (rest - 2 * (a * b) ** 2 * math.log(b / a))))
    roots = [(-half + root) / square, (-half - root) / square]
    between = [x for x in roots if low <= x <= high]
    if not between:
        raise DegenerateInput("The two normals do not cross between their means; use the method youden.")
    return between[0]


def _medians(human: Floats, machine: Floats) -> tuple[float, float]:
    low, high = float(np.median(human)), float(np.median(machine))
    if not low <= high:
        raise DegenerateInput("There is no band: the median Fp of the human texts is the higher one.")
    return low, high


def _held_out(
    human: Floats,
    machine: Floats,
    method: Method,
    folds: int,
    level: float,
    seed: int,
    *,
    settings: dict[str, Setting],
    signature: str,
) -> Estimate:
    """Each text is judged by a threshold from the other folds; folds hold both sources in their shares."""
    n, k = len(human) + len(machine), min(folds, len(human), len(machine))
    rng = np.random.default_rng(seed)
    fold_h, fold_m = rng.permutation(len(human)) % k, rng.permutation(len(machine)) % k
    right_h, right_m = 0, 0
    for fold in range(k):
        out_h, out_m = fold_h == fold, fold_m == fold
        if not _enough(human, machine, out_h, out_m):
            return Estimate(None, n, None, settings, ("too_few_to_hold_out",), signature)
        try:
            at = _threshold(human[~out_h], machine[~out_m], method)
        except DegenerateInput:
            return Estimate(None, n, None, settings, ("a_fold_does_not_separate",), signature)
        right_h += int((human[out_h] < at).sum())
        right_m += int((machine[out_m] >= at).sum())
    value = (right_h / len(human) + right_m / len(machine)) / 2
    interval = Interval(*wilson(value, n, normal_quantile(level)), level, "Wilson, for new texts")
    return Estimate(value, n, interval, {**settings, "folds": k}, (), signature)


def _enough(human: Floats, machine: Floats, out_h: Bools, out_m: Bools) -> bool:
    return len(human) - int(out_h.sum()) >= 2 and len(machine) - int(out_m.sum()) >= 2


def _agreement(decided: Sequence[tuple[str, str]], level: float, flags: tuple[str, ...]) -> Estimate:
    n = len(decided)
    signature = f"agreement_with_people|n:{n}|v:{__version__}"
    if not n:
        return Estimate(None, 0, None, {}, (*flags, "nothing_decided"), signature)
    value = sum(a == b for a, b in decided) / n
    interval = Interval(*wilson(value, n, normal_quantile(level)), level, "Wilson, for new texts")
    return Estimate(value, n, interval, {}, flags, signature)


def _kappa(decided: Sequence[tuple[str, str]], flags: tuple[str, ...], level: float) -> Estimate:
    if not decided:
        return Estimate(None, 0, None, {}, (*flags, "nothing_decided"), f"cohen_kappa|n:0|v:{__version__}")
    kappa = cohen_kappa([a for a, _ in decided], [b for _, b in decided], confidence=level)
    return Estimate(kappa.value, kappa.n, kappa.interval, kappa.settings, (*kappa.flags, *flags), kappa.signature)


def _people_auc(scores: Floats, shares: Floats, signature: str, level: float) -> Estimate:
    human, machine = scores[shares > 0.5], scores[shares < 0.5]
    n = len(human) + len(machine)
    if not (len(human) and len(machine)):
        return Estimate(None, n, None, {}, ("one_verdict",), f"auc_people{signature}")
    return auc_estimate(human, machine, level=level, named="auc_people")


def _column(values: ArrayLike, name: str) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or len(column) < 2:
        raise InsufficientData(f"{name} needs at least 2 texts.")
    if not ((column >= 0) & (column <= 1)).all():
        row = int(np.argmin((column >= 0) & (column <= 1))) + 1
        raise BadInput("a value lies between 0 and 1", row=row, column=name)
    return column
