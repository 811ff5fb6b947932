"""What a pilot says about texts and raters (method, 2.5 and H31): enough to make other studies like it.

Between texts: HJ without the noise of few raters, and log p per unit, source by source. Within a text: how much of the
spread of ratings is the raters' severity and how much is the single rating's own. Resampling a pilot's own texts and
ratings would understate the spread; here texts are new ones like the pilot's, and so are raters.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.resources import files
from typing import Protocol

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.huse.ratings_by_text import Rated
from metrics.planning.latent import Labels

FEWEST_TEXTS = 10
# Width of the cloud around a pilot's text, in sd of its source: new texts are like the old ones, not the same.
BANDWIDTH = 0.35
SPREAD_FACTOR = 1 / math.sqrt(1 + BANDWIDTH**2)


class Texts(Protocol):
    """Where the true mean label and the log p a unit of new texts come from."""

    def draw(self, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """(2 x pairs,) mean labels and (2 x pairs,) log p a unit: references first, contexts in one order."""


@dataclass(frozen=True, slots=True)
class PilotTexts:
    """New texts around the pilot's own. mean_label, q: (n,); z: True for reference; context: (n,) or None."""

    mean_label: Floats
    q: Floats
    z: Bools
    context: Ints | None

    def draw(self, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Mean labels and q, each (2 pairs,): those of references first."""
        rows = self._paired(pairs, rng) if self.context is not None else self._unpaired(pairs, rng)
        drawn = np.concatenate([self._around(chosen, rng) for chosen in rows])
        return drawn[:, 0], drawn[:, 1]

    def _paired(self, pairs: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """A reference and a model text of each context drawn."""
        order = [np.flatnonzero(side)[np.argsort(self.context[side], kind="stable")] for side in (self.z, ~self.z)]  # type: ignore[index]
        chosen = rng.integers(len(order[0]), size=pairs)
        return order[0][chosen], order[1][chosen]

    def _unpaired(self, pairs: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        return rng.choice(np.flatnonzero(self.z), pairs), rng.choice(np.flatnonzero(~self.z), pairs)

    def _around(self, chosen: Ints, rng: np.random.Generator) -> Floats:
        """Smoothed draws that keep the source's means and covariance; log p of -inf stays what it is."""
        same_source = self.z == self.z[chosen[0]]
        finite = same_source & np.isfinite(self.q)
        pilot = np.column_stack((self.mean_label, self.q))
        if finite.sum() < 3:
            return pilot[chosen]
        centre, covariance = pilot[finite].mean(axis=0), np.cov(pilot[finite].T)
        noise = rng.multivariate_normal(np.zeros(2), BANDWIDTH**2 * covariance, size=len(chosen), method="svd")
        return np.asarray(centre + (pilot[chosen] - centre + noise) * SPREAD_FACTOR)


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """One source in two dimensions: means and sd of the true mean label and of log p a unit, and their correlation."""

    label_mean: float
    label_sd: float
    q_mean: float
    q_sd: float
    correlation: float

    def from_normals(self, first: Floats, second: Floats) -> Floats:
        """(n, 2) from two columns of standard normal numbers."""
        label = self.label_mean + self.label_sd * first
        rest = math.sqrt(max(0.0, 1 - self.correlation**2))
        return np.column_stack((label, self.q_mean + self.q_sd * (self.correlation * first + rest * second)))


@dataclass(frozen=True, slots=True)
class NormalTexts:
    """Texts by five numbers a source, and how alike the two texts of a context are (correlation of both features)."""

    reference: SourceTexts
    model: SourceTexts
    shared: float = 0.0

    def draw(self, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Mean labels and q, each (2 pairs,): those of references first."""
        shared, unshared = math.sqrt(max(0.0, self.shared)), math.sqrt(1 - max(0.0, self.shared))
        common = rng.normal(size=(2, pairs))
        sides = [
            source.from_normals(*(shared * common + unshared * rng.normal(size=(2, pairs))))
            for source in (self.reference, self.model)
        ]
        drawn = np.concatenate(sides)
        return drawn[:, 0], drawn[:, 1]


@dataclass(frozen=True, slots=True)
class Pilot:
    """What was learnt. within_sd: sd of a single rating about its text's impression, raters' severity included.

    rater_share: part of that variance which is severity, the same for all texts a rater sees, in [0, 1].
    label_sd: sd of the true mean label between texts of one source. n, raters: texts and ratings per text behind it.
    """

    texts: Texts
    labels: Labels
    within_sd: float
    rater_share: float
    label_sd: float
    n: int
    raters: float
    name: str = "pilot"

    def ratings(self, mean_label: Floats, raters: int, rng: np.random.Generator, *, per_hit: int) -> Ints:
        """(texts, raters) labels: HITs of `per_hit` texts in random order, each with raters of its own."""
        hits = np.empty(len(mean_label), dtype=np.int64)
        hits[rng.permutation(len(mean_label))] = np.arange(len(mean_label)) // per_hit
        impression = self.labels.impressions(mean_label, self.within_sd)
        severity = rng.normal(size=(int(hits.max()) + 1, raters)) * self.within_sd * math.sqrt(self.rater_share)
        noise = rng.normal(size=(len(mean_label), raters)) * self.within_sd * math.sqrt(1 - self.rater_share)
        felt = impression[:, None] + severity[hits] + noise
        return np.clip(np.rint(felt), self.labels.lowest, self.labels.highest).astype(np.int64)


def fit_pilot(
    rated: Rated, q: Floats, z: Bools, context: Ints | None = None, *, labels: Labels | None = None, name: str = "pilot"
) -> Pilot:
    """Learn from a study's ratings.

    rated: ratings of n texts (labels as whole numbers, 2 a text at least); q: (n,) log p a unit, -inf allowed;
    z: (n,) True for reference; context: (n,) numbers naming the contexts of a paired design. labels: the scale (the
    lowest and highest label given, where it is not said). Raises BadInput, InsufficientData below 10 texts a source or
    2 ratings per text.
    """
    _check(rated, q, z)
    codes = rated.values / rated.denominator
    present = rated.rater >= 0
    scale = labels or Labels(math.floor(codes[present].min()), math.ceil(codes[present].max()))
    if scale.highest <= scale.lowest:
        raise InsufficientData("Every rating of the pilot is the same label: it says nothing about spread.")
    means = codes.sum(axis=1) / rated.counts
    left = np.where(present, codes - means[:, None], 0.0)
    within = float((left**2).sum() / (rated.counts - 1).sum())
    true_means, label_sd = _without_noise(means, within / rated.counts, z, scale)
    sd = scale.sd_within(true_means, within)
    texts = PilotTexts(true_means, np.asarray(q, dtype=np.float64), np.asarray(z, dtype=np.bool_), context)
    share = _severity_share(left, rated, within)
    return Pilot(texts, scale, sd, share, label_sd, len(z), float(rated.counts.mean()), name)


def _check(rated: Rated, q: Floats, z: Bools) -> None:
    if not len(q) == len(z) == len(rated.counts):
        raise BadInput("each text needs ratings, a log p and a source", column="q")
    if np.isnan(q).any() or np.isposinf(q).any():
        raise BadInput("log p a unit is a number of at most 0, or -inf", column="q")
    if min(int(np.sum(z)), int(np.sum(~np.asarray(z)))) < FEWEST_TEXTS:
        raise InsufficientData(f"A pilot needs {FEWEST_TEXTS} texts of each source.")
    if rated.fewest < 2:
        raise InsufficientData("A pilot needs at least 2 ratings of each text: one shows no spread of raters.")


def _without_noise(means: Floats, noise: Floats, z: Bools, labels: Labels) -> tuple[Floats, float]:
    """HJ drawn towards its source's mean until its spread is that between texts alone; that spread, pooled."""
    true_means, between = means.copy(), []
    for side in (z, ~z):
        variance = float(means[side].var(ddof=1))
        signal_share = max(0.0, 1 - float(noise[side].mean()) / variance) if variance > 0 else 0.0
        centre = means[side].mean()
        true_means[side] = centre + math.sqrt(signal_share) * (means[side] - centre)
        between.append(signal_share * variance)
    return np.clip(true_means, labels.lowest, labels.highest), math.sqrt(sum(between) / 2)


def _severity_share(left: Floats, rated: Rated, within: float) -> float:
    """Part of the variance within texts that follows a rater from text to text, from products of his residuals.

    Two texts' residuals of one rater share his severity, less its mean over the raters of the text: 1 - 1/r of it.
    """
    present = rated.rater >= 0
    rater, value = rated.rater[present], left[present]
    total = np.bincount(rater, value, minlength=rated.raters)
    square = np.bincount(rater, value**2, minlength=rated.raters)
    count = np.bincount(rater, minlength=rated.raters)
    pairs = float((count * (count - 1)).sum())
    if not pairs or within <= 0:
        return 0.0
    severity = float((total**2 - square).sum()) / pairs / (1 - 1 / float(rated.counts.mean()))
    return min(1.0, max(0.0, severity / within))


def known_pilots() -> dict[str, str]:
    """Names of prior studies to plan from, and where each comes from."""
    return {name: str(entry["source"]) for name, entry in _priors().items()}


def prior_pilot(name: str) -> Pilot:
    """A named prior study as a pilot: normal texts with its means, spreads and correlations. Raises BadInput."""
    if name not in _priors():
        raise BadInput(f"a prior study is one of {', '.join(_priors())}, not {name!r}", column="prior")
    entry = _priors()[name]
    texts = NormalTexts(SourceTexts(**entry["reference"]), SourceTexts(**entry["model"]), float(entry["shared"]))
    spread = math.sqrt((texts.reference.label_sd**2 + texts.model.label_sd**2) / 2)
    labels = Labels(int(entry["lowest"]), int(entry["highest"]))
    return Pilot(texts, labels, entry["within_sd"], entry["rater_share"], spread, entry["n"], entry["raters"], name)


def _priors() -> dict[str, dict]:  # type: ignore[type-arg]
    return dict(json.loads((files("metrics.planning") / "priors.json").read_text(encoding="utf-8")))
