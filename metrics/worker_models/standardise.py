"""Ratings as deviations from their rater's own mean, in that rater's own standard deviations.

Never the default for HJ: where raters saw different items (one source each, as in the released HUSE data) it removes
the very difference a study is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.ratings import Names, lay_out


@dataclass(frozen=True, slots=True)
class Standardised:
    """values: (N,) z-scores in the order of the ratings. constant: raters who gave one value only (all zeros).

    flags: `constant_raters`; `few_ratings_by_rater` where a rater has fewer than 5, whose z-scores are mostly noise.
    """

    values: Floats
    constant: tuple[Any, ...]
    flags: tuple[str, ...]


def standardise_by_rater(item: Names, rater: Names, value: Names) -> Standardised:
    """z = (value - rater's mean) / rater's sample standard deviation, 0 for a rater without variation.

    item, rater: (N,) names; value: (N,) finite numbers; a rater rates an item once. Raises InsufficientData without a
    rating, BadInput.
    """
    ratings = lay_out(item, rater, value)
    code, number = ratings.rater, ratings.value.astype(np.float64)
    count = np.bincount(code).astype(np.float64)
    centred = number - (np.bincount(code, weights=number) / count)[code]
    varies = np.zeros(len(count), dtype=np.bool_)
    first = np.zeros(len(count))
    first[code[::-1]] = number[::-1]
    varies[code[number != first[code]]] = True
    squares = np.bincount(code, weights=centred**2)
    spread = np.sqrt(squares / np.maximum(count - 1, 1))
    usable = varies & (spread > 0)
    z = np.where(usable[code], centred / np.where(usable, spread, 1.0)[code], 0.0)
    constant = tuple(ratings.raters[w] for w in np.flatnonzero(~usable).tolist())
    named = {"constant_raters": bool(constant), "few_ratings_by_rater": bool((count < 5).any())}
    return Standardised(z, constant, tuple(name for name, holds in named.items() if holds))
