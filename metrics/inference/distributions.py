"""Quantiles and tail probabilities of Student's t, plain and noncentral, and of F. scipy comes at the first call."""

from __future__ import annotations

import math
from collections.abc import Callable

from metrics.errors import BadInput


def check_level(level: float) -> None:
    """Raise BadInput for a level outside (0, 1)."""
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")


def check_alpha(alpha: float) -> None:
    """Raise BadInput for an error rate outside (0, 1)."""
    if not 0 < alpha < 1:
        raise BadInput("an error rate alpha lies between 0 and 1", column="alpha")


def t_quantile(p: float, df: float) -> float:
    """The p-quantile of Student's t with df degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def t_upper_tail(t: float, df: float) -> float:
    """P(T > t)."""
    from scipy.special import stdtr

    return float(stdtr(df, -t))


def t_two_sided(t: float, df: float) -> float:
    """P(|T| > |t|), at most 1."""
    return min(1.0, 2 * t_upper_tail(abs(t), df))


def f_upper_tail(f: float, df_between: float, df_within: float) -> float:
    """P(F > f)."""
    from scipy.special import fdtrc

    return float(fdtrc(df_between, df_within, f))


def noncentral_t_below(t: float, df: float, noncentrality: float) -> float:
    """P(T' <= t) of the noncentral t; by symmetry where the noncentrality is negative."""
    from scipy.special import nctdtr

    if noncentrality < 0:
        return 1 - noncentral_t_below(-t, df, -noncentrality)
    # scipy returns NaN far in the tails, where the probability is 0 or 1 to double precision.
    value = float(nctdtr(df, noncentrality, t))
    return value if math.isfinite(value) else float(t > noncentrality)


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of a continuous function of one number between low and high, where its signs differ."""
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-12, rtol=1e-13))
