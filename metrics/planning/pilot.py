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
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Bools, Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.huse.ratings_by_text import Rated
from metrics.planning.latent import Labels
from metrics.planning.pilot_texts import nearest_covariance, unbiased_separation

FEWEST_TEXTS = 10
TYPICAL = 500  # texts over which a property of ratings is averaged


class Texts(Protocol):
    """Where the true mean label and the log p a unit of new texts come from."""

    @property
    def alike(self) -> float:
        """Correlation of the mean labels of the two texts of a context."""

    def draw(self, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """(2 x pairs,) mean labels and (2 x pairs,) log p a unit: references first, contexts in one order."""

    def draw_two(self, contexts: int, rng: np.random.Generator) -> Floats:
        """(3, contexts) mean labels: of references, and of two generators like the model."""


@dataclass(frozen=True, slots=True)
class PilotTexts:
    """New texts like a pilot's: normal in impression and log p, source by source, and paired where the pilot is.

    center: (4,) means of impression and log p of references, then of model texts; covariance: (4, 4) of both texts of
    a context, of which the blocks between the sources are 0 without pairs. infinite: share of log p of -inf, by source.
    """

    center: Floats
    covariance: Floats
    infinite: tuple[float, float]
    labels: Labels
    within_sd: float

    def draw(self, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Mean labels and q, each (2 pairs,): those of references first."""
        drawn = rng.multivariate_normal(self.center, self.covariance, size=pairs, method="svd")
        impression, q = np.concatenate((drawn[:, 0], drawn[:, 2])), np.concatenate((drawn[:, 1], drawn[:, 3]))
        q = np.where(rng.random(2 * pairs) < np.repeat(self.infinite, pairs), -np.inf, q)
        return self.labels.moments(impression, self.within_sd)[0], q

    @property
    def alike(self) -> float:
        """Correlation of the impressions of the two texts of a context."""
        first, second = self.covariance[0, 0], self.covariance[2, 2]
        return float(self.covariance[0, 2] / math.sqrt(first * second)) if min(first, second) > 0 else 0.0

    def draw_two(self, contexts: int, rng: np.random.Generator) -> Floats:
        """(3, contexts) mean labels: of references, and of two generators like the model."""
        rows = [0, 2, 2]
        covariance = self.covariance[np.ix_(rows, rows)].copy()
        covariance[1, 2] = covariance[2, 1] = self.alike * covariance[1, 1]
        drawn = rng.multivariate_normal(self.center[rows], nearest_covariance(covariance), size=contexts, method="svd")
        means, _ = self.labels.moments(drawn.T.ravel(), self.within_sd)
        return means.reshape(3, contexts)


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

    @property
    def alike(self) -> float:
        """Correlation of the mean labels of the two texts of a context."""
        return max(0.0, self.shared)

    def draw_two(self, contexts: int, rng: np.random.Generator) -> Floats:
        """(3, contexts) mean labels: of references, and of two generators like the model."""
        scores = math.sqrt(self.alike) * rng.normal(size=contexts) + math.sqrt(1 - self.alike) * rng.normal(
            size=(3, contexts)
        )
        sources = (self.reference, self.model, self.model)
        return np.stack(
            [source.label_mean + source.label_sd * score for source, score in zip(sources, scores, strict=True)]
        )


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
        return self.codes(self.felt(self.impressions(mean_label)[None], raters, rng, per_hit=per_hit)[0])

    def impressions(self, mean_label: Floats) -> Floats:
        """What raters feel, on average, of texts of these mean labels."""
        return self.labels.impressions(mean_label, self.within_sd)

    def felt(self, impression: Floats, raters: int, rng: np.random.Generator, *, per_hit: int) -> Floats:
        """(studies, texts, raters) of (studies, texts): impression, severity and noise of every rating."""
        studies, texts = impression.shape
        hits = rng.random((studies, texts)).argsort(axis=1) // per_hit
        severity = rng.normal(size=(studies, -(-texts // per_hit), raters))
        severity *= self.within_sd * math.sqrt(self.rater_share)
        felt = rng.normal(size=(studies, texts, raters))
        felt *= self.within_sd * math.sqrt(1 - self.rater_share)
        felt += severity[np.arange(studies)[:, None], hits]
        felt += impression[:, :, None]
        return felt

    def codes(self, felt: NDArray[Any]) -> Ints:
        """Labels: the nearest of the scale."""
        return np.asarray(np.clip(np.rint(felt), self.labels.lowest, self.labels.highest).astype(np.int64))

    def rating_variance(self) -> float:
        """Variance of a single rating about its text's mean label, severity included, averaged over texts."""
        mean_label, _ = self.texts.draw(TYPICAL, np.random.default_rng(0))
        return float(self.labels.moments(self.impressions(mean_label), self.within_sd)[1].mean())


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
    true_means, signal, label_sd = _without_noise(means, within / rated.counts, z, scale)
    sd = scale.sd_within(true_means, within)
    columns = [np.column_stack((scale.impressions(each, sd), q)) for each in (true_means, means)]
    texts = _texts(columns, signal, np.asarray(z, dtype=np.bool_), context, (scale, sd))
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


def _without_noise(means: Floats, noise: Floats, z: Bools, labels: Labels) -> tuple[Floats, tuple[float, float], float]:
    """HJ drawn towards its source's mean until its spread is that between texts alone, the part of the variance that
    this leaves, by source, and the spread, pooled."""
    true_means, signal, between = means.copy(), [], []
    for side in (z, ~z):
        variance = float(means[side].var(ddof=1))
        signal.append(max(0.0, 1 - float(noise[side].mean()) / variance) if variance > 0 else 0.0)
        center = means[side].mean()
        true_means[side] = center + math.sqrt(signal[-1]) * (means[side] - center)
        between.append(signal[-1] * variance)
    clipped = np.clip(true_means, labels.lowest, labels.highest)
    return clipped, (signal[0], signal[1]), math.sqrt(sum(between) / 2)


def _texts(
    columns: list[Floats], signal: tuple[float, float], z: Bools, context: Ints | None, scale: tuple[Labels, float]
) -> PilotTexts:
    """What other texts are like. A log p of -inf is a share; where there is one, texts are not paired.

    columns: impression and log p, (n, 2), without the noise of raters and with it.
    """
    finite = np.isfinite(columns[0][:, 1])
    infinite = float(1 - finite[z].mean()), float(1 - finite[~z].mean())
    for side in (z, ~z):
        for table in columns:
            table[side & ~finite, 1] = table[side & finite, 1].mean() if (side & finite).any() else 0.0
    separation = unbiased_separation(columns[0], columns[1], signal, z, context if finite.all() else None)
    return PilotTexts(*separation.joint(), infinite, *scale)


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
