"""How exact HUSE will be with n texts and r raters: studies simulated from a pilot, their spread shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats
from metrics.errors import BadInput
from metrics.huse.subsampling import huse_arrays
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.planning.pilot import Pilot
from metrics.version import __version__

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Precision:
    """HUSE, HUSE-Q and HUSE-D over simulated studies of `texts` (both sources) and `raters`.

    mean, sd: of each measure, by name (`huse`, `huse_q`, `huse_d`). error: the share of an sd that is Monte-Carlo
    noise (one sd of it). signature: what made it.
    """

    texts: int
    raters: int
    mean: dict[str, float]
    sd: dict[str, float]
    error: float
    signature: str

    def half_width(self, measure: str = "huse", level: float = 0.95) -> float:
        """Half the width of an interval at `level` that a study of this size will have: z * sd."""
        if measure not in self.sd:
            raise BadInput(f"a measure is one of {', '.join(self.sd)}", column="measure")
        return normal_quantile(level) * self.sd[measure]


def expected_precision(
    pilot: Pilot, *, texts: int, raters: int, per_hit: int = 25, k: int = 16, studies: int = 400, seed: int = 0
) -> Precision:
    """Simulate studies of one size and return how precise HUSE will be.

    Each study has texts / 2 contexts with a reference and a model text in each.

    Args:
        pilot: what is assumed of texts and raters: `prior_pilot` of an earlier study, or `fit_pilot` of ratings.
        texts: of both sources together, even, more than k.
        raters: of each text, at least 1.
        per_hit: texts in a HIT, at least 1; a rater's severity moves all texts of a HIT together.
        k: neighbours of HUSE, at least 1.
        studies: how many are simulated, at least 2.
        seed: at least 0; the same seed gives the same answer.

    Returns:
        Mean and sd of HUSE, HUSE-Q and HUSE-D over the studies; `half_width` turns an sd into that of an interval.

    Raises:
        BadInput: a number that is not allowed.

    Source:
        Hashimoto, Zhang and Liang (2019), Algorithm 1, run on simulated studies.

    Example:
        >>> from metrics import expected_precision
        >>> from metrics.planning import known_pilots, prior_pilot
        >>> pilot = prior_pilot(next(iter(known_pilots())))
        >>> precision = expected_precision(pilot, texts=60, raters=5, studies=20)
        >>> 0 < precision.sd["huse"] < precision.half_width("huse") < 1
        True
    """
    _check(texts, raters, per_hit, k, studies, seed)
    values = simulate_huse(pilot, texts // 2, raters, per_hit, k, studies=studies, seed=seed)
    names = ("huse", "huse_q", "huse_d")
    mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1)
    signature = (
        f"planned_huse|pilot:{pilot.name}|texts:{texts}|r:{raters}|per_hit:{per_hit}|k:{k}|studies:{studies}"
        f"|seed:{seed}|v:{__version__}"
    )
    return Precision(
        texts,
        raters,
        {name: float(value) for name, value in zip(names, mean, strict=True)},
        {name: float(value) for name, value in zip(names, sd, strict=True)},
        float(1 / np.sqrt(2 * (studies - 1))),
        signature,
    )


def simulate_huse(pilot: Pilot, contexts: int, raters: int, per_hit: int, k: int, *, studies: int, seed: int) -> Floats:
    """(studies, 3): HUSE, HUSE-Q and HUSE-D of studies like the pilot."""
    rng = np.random.default_rng([seed, 2 * contexts, raters])
    return np.array([_simulate_study(pilot, contexts, raters, per_hit, k, rng) for _ in range(studies)])


def precision_table(
    pilot: Pilot,
    texts: Iterable[int],
    raters: Iterable[int],
    *,
    per_hit: int = 25,
    k: int = 16,
    studies: int = 400,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Precision]:
    """`expected_precision` of each number of texts with each number of raters, texts first.

    HUSE falls as raters are added: compare the columns' spreads, not their means. progress: called with how many of
    how many are done. Raises BadInput.
    """
    cells = [(n, r) for n in texts for r in list(raters)]
    precisions = []
    for n, r in cells:
        precisions.append(
            expected_precision(pilot, texts=n, raters=r, per_hit=per_hit, k=k, studies=studies, seed=seed)
        )
        if progress:
            progress(len(precisions), len(cells))
    return precisions


def _check(texts: int, raters: int, per_hit: int, k: int, studies: int, seed: int) -> None:
    if texts % 2 or texts <= k or texts < 4:
        raise BadInput(f"a study has an even number of texts, more than k = {k}", column="texts")
    if raters < 1:
        raise BadInput("each text has at least one rater", column="raters")
    if per_hit < 1:
        raise BadInput("a HIT holds at least one text", column="per_hit")
    if studies < 2 or seed < 0 or k < 1:
        raise BadInput("studies are at least 2, k at least 1 and a seed at least 0", column="studies")


def _simulate_study(
    pilot: Pilot, pairs: int, raters: int, per_hit: int, k: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    mean_label, q = pilot.texts.draw(pairs, rng)
    sums = pilot.ratings(mean_label, raters, rng, per_hit=per_hit).sum(axis=1)
    return huse_arrays(sums, q, np.arange(2 * pairs) < pairs, k)
