"""Many studies of the demo's design at once, without pages: what truths and coverage are counted from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.huse.subsampling import huse_arrays

from .raters import TextFeatures, expected_code
from .study import Design, rating_sums
from .vocabulary import Ids, token_counts
from .world import World

Floats = NDArray[np.float64]
MEASURES = ("huse", "huse_q", "huse_d")


@dataclass(frozen=True)
class Arm:
    """One generator against the shared references in one study, as `metrics.huse.subsampling` takes it.

    sums: (n,) sums of label codes; q: (n,) log p_model a token; reference: (n,) True for references.
    """

    sums: NDArray[np.int64]
    q: Floats
    reference: NDArray[np.bool_]

    def huse(self, k: int) -> tuple[float, float, float]:
        """HUSE, HUSE-Q and HUSE-D in exact mode."""
        return huse_arrays(self.sums, self.q, self.reference, k)


@dataclass(frozen=True)
class Studies:
    """Simulated studies: `s` studies, `m` references and `g` headlines of each of `t` generators in each.

    sums: (s, m + t g) sums of label codes, references first, then generator after generator.
    q_reference, q_model: (t, s, m) and (t, s, g) log p_model a token, at the generator's own temperature.
    code_reference, code_model: (s, m) and (t, s, g) expected label code over honest raters.
    overlap: (t, s, m) min(1, p_model / p_ref) of references; its mean is L_star.
    """

    design: Design
    sums: NDArray[np.int64]
    q_reference: Floats
    q_model: Floats
    code_reference: Floats
    code_model: Floats
    overlap: Floats

    def __len__(self) -> int:
        return len(self.sums)

    def arm(self, study: int, generator: int) -> Arm:
        """The generator with that number in `design.temperatures`, in that study."""
        m, g = self.design.references, self.design.generated
        first = m + generator * g
        sums = np.concatenate([self.sums[study, :m], self.sums[study, first : first + g]])
        q = np.concatenate([self.q_reference[generator, study], self.q_model[generator, study]])
        return Arm(sums, q, np.arange(m + g) < m)

    def estimates(self) -> Floats:
        """HUSE, HUSE-Q and HUSE-D of every study and generator, (s, t, 3)."""
        arms = range(len(self.design.temperatures))
        return np.array([[self.arm(s, t).huse(self.design.k) for t in arms] for s in range(len(self))])


def simulate(world: World, design: Design, studies: int, seed: int) -> Studies:
    """`studies` independent studies; study i of a seed has its own crowd, texts and dice."""
    rng = np.random.default_rng([seed, 0])
    references = world.grammar.sample(studies * design.references, rng)
    generated = [world.model.sample(studies * design.generated, t, rng) for t in design.temperatures]
    log_ref = world.grammar.log_prob(references)
    log_model = world.model.log_probs(references, design.temperatures)
    log_probs = [world.model.log_prob(ids, t) for ids, t in zip(generated, design.temperatures, strict=True)]
    features = [_features(world, ids) for ids in (references, *generated)]
    shape = (studies, -1)

    def by_study(rows: NDArray[Any]) -> Floats:
        return np.asarray(rows.reshape(shape), dtype=np.float64)

    return Studies(
        design=design,
        sums=_all_sums(features, design, studies, seed),
        q_reference=np.array([by_study(row / token_counts(references)) for row in log_model]),
        q_model=np.array([by_study(row / token_counts(ids)) for row, ids in zip(log_probs, generated, strict=True)]),
        code_reference=by_study(expected_code(features[0].impression)),
        code_model=np.array([by_study(expected_code(feature_set.impression)) for feature_set in features[1:]]),
        overlap=np.array([by_study(np.exp(np.minimum(row - log_ref, 0.0))) for row in log_model]),
    )


def _features(world: World, ids: Ids) -> TextFeatures:
    return world.features_of(ids, world.grammar.vocabulary.decode(ids))


def _all_sums(features: list[TextFeatures], design: Design, studies: int, seed: int) -> NDArray[np.int64]:
    sizes = [design.references] + [design.generated] * len(design.temperatures)
    sources = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.empty((studies, len(sources)), dtype=np.int64)
    for study in range(studies):
        slices = [
            feature_set[slice(study * size, (study + 1) * size)]
            for feature_set, size in zip(features, sizes, strict=True)
        ]
        texts = TextFeatures(
            np.concatenate([part.keys for part in slices]), np.concatenate([part.impression for part in slices])
        )
        rows[study] = rating_sums(texts, sources, design, seed=study_seed(seed, study))
    return rows


def study_seed(seed: int, study: int) -> int:
    """A seed of its own for each study of a simulation."""
    return int(np.random.SeedSequence([seed, 1, study]).generate_state(1, np.uint64)[0])
