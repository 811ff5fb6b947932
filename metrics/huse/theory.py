"""What HUSE estimates, for distributions that are known (Hashimoto, Zhang and Liang 2019, section 2, appendix A.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.errors import BadInput, DegenerateInput

SUM_TOLERANCE = 1e-9


def total_variation(p: Sequence[float], q: Sequence[float]) -> float:
    """Total variation distance: half the L1 distance, in [0, 1]; 0 for equal distributions.

    p, q: probabilities of the same outcomes in the same order, each summing to 1.
    """
    left, right = _distribution(p, "p"), _distribution(q, "q")
    if left.shape != right.shape:
        raise DegenerateInput(f"Two distributions need the same outcomes, and these have {left.size} and {right.size}.")
    return float(np.abs(left - right).sum() / 2)


def theoretical_huse(p_ref: Sequence[float], p_model: Sequence[float]) -> float:
    """L* = 1 - total variation: twice the error of the best discriminator, in [0, 1]; 1 where it can only guess."""
    return 1 - total_variation(p_ref, p_model)


def feature_bound(bits: float) -> float:
    """Return how far L(phi) may lie above L* (Theorem 1): 2 (1 - 2^-I) for features with I bits less than the best."""
    if not 0 <= bits < np.inf:
        raise BadInput("information is a finite number of bits of at least 0", column="bits")
    return float(2 * (1 - 2.0**-bits))


def _distribution(p: Sequence[float], name: str) -> np.ndarray:
    values = np.asarray(p, dtype=np.float64)
    proper = values.ndim == 1 and values.size > 0 and bool(np.isfinite(values).all()) and bool((values >= 0).all())
    if not proper or abs(float(values.sum()) - 1) > SUM_TOLERANCE:
        raise BadInput("a distribution is a list of probabilities that sum to 1", column=name)
    return values
