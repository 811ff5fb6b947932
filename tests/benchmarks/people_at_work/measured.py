"""What the model of people and the default rules make of simulated crowds, counted study by study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from annotation.quality.filters import DEFAULTS, FILTERS
from annotation.quality.measure import measure_work
from annotation.quality.people import people_evidence
from metrics.worker_models.people import DUPLICATE, PeopleEvidence
from metrics.worker_models.ways_of_working import MODEL_LIKE, REVERSED, TIRES
from tests.benchmarks.people_at_work.as_columns import work_of
from tests.benchmarks.people_at_work.records import GROUPS, HONEST, Crowd

BINS = 10
UNSURE = 0.01
SCORED = {"tiring": TIRES, "model-like": MODEL_LIKE}
CHECKS = [check for check in FILTERS if check.on]


@dataclass
class Counts:
    """Counts over studies. first: (bad among the first k, k) by study. named: by kind, whether each was named as such.
    scores: by kind, of its people and of the honest. stated: (people, sum of chances, bad ones) by bin, without people
    with labels like a language model's, of whom no chance is stated. unsure: (chance, bad) of those with chances from 1
    to 99%. excluded: by honest group, whether each was excluded by a default rule. marked: honest people, and those
    named a duplicate."""

    first: list[tuple[int, int]] = field(default_factory=list)
    named: dict[str, list[bool]] = field(default_factory=dict)
    scores: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    stated: np.ndarray = field(default_factory=lambda: np.zeros((BINS, 3)))
    unsure: list[tuple[float, bool]] = field(default_factory=list)
    excluded: dict[str, list[bool]] = field(default_factory=dict)
    marked: list[bool] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Add the counts of other studies."""
        self.first += other.first
        self.unsure += other.unsure
        self.marked += other.marked
        self.stated = self.stated + other.stated
        for mine, theirs in ((self.named, other.named), (self.excluded, other.excluded)):
            for key, flags in theirs.items():
                mine.setdefault(key, []).extend(flags)
        for key, parts in other.scores.items():
            for scores, more in zip(self.scores.setdefault(key, ([], [])), parts, strict=True):
                scores.extend(more)


def measure_crowds(draw: Callable[[int], Crowd], seeds: Sequence[int]) -> Counts:
    """Judge the crowd of each seed and add up."""
    counts = Counts()
    for seed in seeds:
        _add(counts, draw(seed))
    return counts


def _add(counts: Counts, crowd: Crowd) -> None:
    work = work_of(crowd)
    assessment = measure_work(work, CHECKS)
    evidence = people_evidence(work)
    # Ties are broken at random, and alike each time.
    ties = np.random.default_rng(0).random(len(crowd.person))
    order, k = np.lexsort((ties, -assessment.suspicion)), int(crowd.bad.sum())
    counts.first.append((int(crowd.bad[order[:k]].sum()), k))
    _add_names(counts, crowd, evidence)
    honest = crowd.kind == HONEST
    for kind, column in SCORED.items():
        of_kind, of_honest = counts.scores.setdefault(kind, ([], []))
        of_kind += evidence.chance[crowd.kind == kind, column].tolist()
        of_honest += evidence.chance[honest, column].tolist()
    stated = crowd.kind != "model-like"
    chance, bad = evidence.bad[stated], ~honest[stated]
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    unsure = (chance > UNSURE) & (chance < 1 - UNSURE)
    counts.unsure += list(zip(chance[unsure].tolist(), bad[unsure].tolist(), strict=True))
    for at, values in ((0, np.ones(len(bins))), (1, chance), (2, bad.astype(float))):
        counts.stated[:, at] += np.bincount(bins, weights=values, minlength=BINS)
    raised = np.any([assessment.raised[kind] for kind in DEFAULTS], axis=0)
    excluded = np.bincount(crowd.person, weights=raised, minlength=len(honest)) > 0
    for group in (*GROUPS, ""):
        counts.excluded.setdefault(group, []).extend(excluded[honest & (crowd.group == group)].tolist())


def _add_names(counts: Counts, crowd: Crowd, evidence: PeopleEvidence) -> None:
    duplicate = evidence.chance[:, DUPLICATE] > 0.5
    for kind in ("colluding pair", "two accounts"):
        mine = np.flatnonzero(crowd.kind == kind)
        right = duplicate[mine] & (evidence.partner[mine] == crowd.partner[mine])
        counts.named.setdefault(kind, []).extend(right.tolist())
    reversed_scale = evidence.likeliest[crowd.kind == "reversed scale"] == REVERSED
    counts.named.setdefault("reversed scale", []).extend(reversed_scale.tolist())
    counts.named.setdefault("model-like", []).extend(duplicate[crowd.kind == "model-like"].tolist())
    counts.marked += duplicate[crowd.kind == HONEST].tolist()


def area(positive: Sequence[float], negative: Sequence[float]) -> tuple[float, float]:
    """Area under the ROC curve and its standard error (DeLong), ties counted half."""
    x, y = np.sort(np.asarray(positive)), np.sort(np.asarray(negative))
    above = (np.searchsorted(y, x, "left") + np.searchsorted(y, x, "right")) / (2 * len(y))
    below = 1 - (np.searchsorted(x, y, "left") + np.searchsorted(x, y, "right")) / (2 * len(x))
    return float(above.mean()), float(np.sqrt(above.var(ddof=1) / len(x) + below.var(ddof=1) / len(y)))


def curve_gap(unsure: Sequence[tuple[float, bool]]) -> tuple[float, float, float]:
    """The largest distance of a stated chance from its frequency at the middles of ten bins, by a logistic curve
    through all people with chances from 1 to 99%; its standard error; and the chance there.

    Bins of few people are blurred; a curve with two parameters uses all of them.
    """
    chance, bad = np.array([p for p, _ in unsure]), np.array([float(y) for _, y in unsure])
    design = np.column_stack([np.ones(len(chance)), logit(chance)])
    fit = minimize(
        lambda b: np.logaddexp(0, design @ b).sum() - bad @ design @ b,
        [0.0, 1.0],
        jac=lambda b: design.T @ (expit(design @ b) - bad),
    ).x
    weight = expit(design @ fit) * (1 - expit(design @ fit))
    covariance = np.linalg.inv(design.T @ (design * weight[:, None]))
    middles = (np.arange(BINS) + 0.5) / BINS
    points = np.column_stack([np.ones(BINS), logit(middles)])
    shown = expit(points @ fit)
    errors = shown * (1 - shown) * np.sqrt(np.einsum("ij,jk,ik->i", points, covariance, points))
    at = int(np.abs(shown - middles).argmax())
    return float(abs(shown[at] - middles[at])), float(errors[at]), float(middles[at])


def largest_gap(stated: np.ndarray) -> tuple[float, float, int]:
    """The largest distance of a bin's mean chance from its frequency, its Monte-Carlo error, and the bin."""
    people, chances, bad = stated.T
    some = np.maximum(people, 1)
    gap = np.abs(chances - bad) / some
    at = int(np.where(people > 0, gap, 0).argmax())
    share = bad[at] / some[at]
    return float(gap[at]), float(np.sqrt(share * (1 - share) / some[at])), at
