"""Means and shares of texts of which several belong to one context: the context is what a new study draws anew."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.inference.distributions import t_quantile
from metrics.inference.proportions import Share, pooled_share


def number_contexts(contexts: Sequence[Hashable | None]) -> Ints:
    """(n,) numbers from 0 of the texts' contexts; a text without one is a context of its own."""
    names = [("text", at) if context is None else ("context", context) for at, context in enumerate(contexts)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def contexts_repeat(context: Ints) -> bool:
    """Whether a context has several texts. context: (n,) numbers from 0, all in use."""
    return len(context) > int(context.max(initial=-1)) + 1


def mean_half_width(values: Floats, context: Ints, level: float) -> float | None:
    """Half the width of the t interval of the mean text, for new contexts; None with one context.

    values: (n,) of the texts. context: (n,) numbers from 0, all in use. Variance by linearisation, which with a context
    for each text is that of the plain t interval; degrees of freedom: contexts - 1.

    Example:
        >>> import numpy as np
        >>> from metrics.inference.clustered_means import mean_half_width
        >>> values = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 3.0])
        >>> two_of_each = mean_half_width(values, np.array([0, 0, 1, 1, 2, 2]), 0.95)
        >>> round(two_of_each, 4), round(mean_half_width(values[::2], np.arange(3), 0.95), 4)
        (2.4841, 2.4841)
    """
    units = int(context.max(initial=-1)) + 1
    if units < 2:
        return None
    residual = np.bincount(context, weights=values - values.mean())
    variance = units / (units - 1) * float(residual @ residual) / len(values) ** 2
    return t_quantile((1 + level) / 2, units - 1) * math.sqrt(variance)


def share_by_context(hits: Ints, totals: Ints, context: Ints) -> Share:
    """Share of all hits in all totals of the texts, contexts being the units. All three: (n,)."""
    counted = (np.bincount(context, weights=column).astype(np.int64) for column in (hits, totals))
    return pooled_share(*counted)
