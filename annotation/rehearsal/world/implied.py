"""What the world implies for measures without a crowd of their own: pass rates of near-negative tests, and frac(p).

Both are means over large samples of the world's texts, with dice of their own: no study's texts or answers are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .model import BATCH
from .raters import TextFeatures, expected_code
from .simulation import study_seed
from .study import Design, sums_in_hits
from .vocabulary import END, Ids, token_counts
from .world import World

Floats = NDArray[np.float64]

SEED = 20261123
GAP = 1  # of the tests: one label of the scale between two means
STUDIES, TEXTS = 20, 6_000


@dataclass(frozen=True, slots=True)
class ImpliedPassRate:
    """What a model passes: of tests made from a crowd's mean ratings, and of tests made from true quality.

    by_crowd: the mean over such studies, which is what one study estimates. by_quality: pairs of texts whose expected
    label codes over honest raters differ by as much; a crowd's errors are not in it.
    """

    by_crowd: float
    by_quality: float


def pass_rates(
    world: World, design: Design, temperatures: Sequence[float], *, studies: int = STUDIES, seed: int = SEED
) -> dict[float, ImpliedPassRate]:
    """By the temperature of the model that takes the tests: pairs of one HIT, better by GAP labels or more."""
    counts = {name: np.zeros(1 + len(temperatures)) for name in ("crowd", "quality")}
    for number in range(studies):
        chosen = study_seed(seed, number)
        ids, sources = draw_texts(world, design, np.random.default_rng([chosen, 3]))
        features = world.features_of(ids, world.grammar.vocabulary.decode(ids))
        sums, hits = sums_in_hits(features, sources, design, chosen)
        log_probs = world.model.log_probs(ids, temperatures) / token_counts(ids)
        quality = expected_code(features.impression)
        for rows in hits:
            counts["crowd"] += count_passed(sums[rows], GAP * design.ratings, log_probs[:, rows], features[rows])
            counts["quality"] += count_passed(quality[rows], GAP, log_probs[:, rows], features[rows])
    crowd, by_quality = (counts[name][1:] / counts[name][0] for name in ("crowd", "quality"))
    return {t: ImpliedPassRate(float(crowd[i]), float(by_quality[i])) for i, t in enumerate(temperatures)}


def draw_texts(world: World, design: Design, rng: np.random.Generator) -> tuple[Ids, NDArray[np.int64]]:
    """Texts of one study, references first, and the number of each text's source."""
    parts = [world.grammar.sample(design.references, rng)]
    parts += [world.model.sample(design.generated, t, rng) for t in design.temperatures]
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def count_passed(quality: Floats | NDArray[np.int64], gap: float, log_probs: Floats, features: TextFeatures) -> Floats:
    """Number of tests among these texts, then how many of them each model passes."""
    first, second = np.triu_indices(len(quality), 1)
    difference = quality[first] - quality[second]
    tested = (np.abs(difference) >= gap) & (features.keys[first] != features.keys[second])
    ahead = (log_probs[:, first] - log_probs[:, second]) * np.sign(difference)
    return np.array([tested.sum(), *((ahead > 0) & tested).sum(axis=1)], dtype=np.float64)


def mean_fractions(
    world: World, temperatures: Sequence[float], *, reader: float = 1.0, texts: int = TEXTS, seed: int = SEED
) -> tuple[float, float]:
    """Mean frac(p) of references, and of the model's texts at these temperatures in equal parts.

    reader: the temperature of the model that reads them. texts: of each source, in all.
    """
    rng = np.random.default_rng([seed, 4])
    each = -(-texts // len(temperatures))
    written = [world.model.sample(each, t, rng) for t in temperatures]
    sides = (world.grammar.sample(texts, rng), np.concatenate(written))
    reference, machine = (float(text_fractions(world, side, reader).mean()) for side in sides)
    return reference, machine


def text_fractions(world: World, ids: Ids, reader: float) -> Floats:
    """Fp of each headline (n,): the mean over its words of their probability over that of the likeliest word."""
    parts = []
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        log_chances = world.model.log_chances(batch, reader)
        words = batch[:, : log_chances.shape[1]].astype(np.int64)
        chosen = np.take_along_axis(log_chances, words[:, :, None], axis=2)[:, :, 0]
        fraction = np.where(words == END, 0.0, np.exp(chosen - log_chances.max(axis=2)))
        parts.append(fraction.sum(axis=1) / (words != END).sum(axis=1))
    return np.concatenate(parts)
