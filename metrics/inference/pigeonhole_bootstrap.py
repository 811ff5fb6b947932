"""Least squares with an interval from resampling items and raters at once (Owen 2007, the pigeonhole bootstrap).

A rating's weight is the number of times its item was drawn times the number of times its rater was. Where the mixed
model has no answer this one has: it assumes no distribution, and it errs on the wide side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """effects: (p,) least squares. draws: (draws kept, p). method: what was resampled. lost: draws that left the
    effects unidentified."""

    effects: Floats
    draws: Floats
    method: str
    lost: int

    def limits(self, level: float) -> Floats:
        """(2, p) percentiles."""
        return np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2], axis=0)


def resample_pigeonhole(
    y: Floats, x: Floats, item: Ints, rater: Ints, draws: int, rng: np.random.Generator
) -> Bootstrapped:
    """Weighted least squares of y (N,) on x (N, p) in each draw. A side with one level is not resampled."""
    sides = [(name, code) for name, code in (("items", item), ("raters", rater)) if code.max() > 0]
    products = np.column_stack([x[:, a] * x[:, b] for a in range(x.shape[1]) for b in range(x.shape[1])])
    rows = np.column_stack((products, x * y[:, None]))
    effects, _ = _solve(rows.sum(axis=0)[None, :], x.shape[1])
    sums = np.stack([_weights(sides, len(y), rng) @ rows for _ in range(draws)])
    coefficients, solvable = _solve(sums, x.shape[1])
    method = f"{' and '.join(name for name, _ in sides)} drawn with replacement, percentiles"
    return Bootstrapped(effects[0], coefficients[solvable], method, draws - int(solvable.sum()))


def _weights(sides: list[tuple[str, Ints]], n: int, rng: np.random.Generator) -> Floats:
    weights = np.ones(n)
    for _, code in sides:
        levels = int(code.max()) + 1
        weights *= np.bincount(rng.integers(0, levels, size=levels), minlength=levels)[code]
    return weights


def _solve(sums: Floats, p: int) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    xx, xy = sums[:, : p * p].reshape(-1, p, p), sums[:, p * p :]
    solvable = np.isfinite(xx).all(axis=(1, 2)) & (np.abs(np.trace(xx, axis1=1, axis2=2)) > 0)
    solvable[solvable] = np.linalg.cond(xx[solvable]) < 1e13
    out = np.zeros_like(xy)
    out[solvable] = np.linalg.solve(xx[solvable], xy[solvable][:, :, None])[:, :, 0]
    return out, solvable
