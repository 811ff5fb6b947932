"""Whether sides matter: the share of decided votes that went to the text on the left."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.columns import check_column
from metrics.errors import BadInput, InsufficientData
from metrics.inference.distributions import t_two_sided
from metrics.inference.t_tests import binomial_test


@dataclass(frozen=True, slots=True)
class SideShare:
    """share: of n decided votes that went left. p_exact: two-sided binomial p of .5, as if votes were independent.

    se, t, p: clustered by rater, with raters less 1 degrees of freedom; None with one rater, or without variation.
    """

    share: float
    n: int
    raters: int
    p_exact: float
    se: float | None
    t: float | None
    p: float | None


def side_share(rater: Sequence[Hashable], left: ArrayLike) -> SideShare:
    """Estimate how often the left text wins among votes that are no ties; people differ in their habit.

    Args:
        rater: (N,) who voted.
        left: (N,) 1 where the text on the left was preferred, 0 where that on the right was.

    Returns:
        The share in [0, 1] with both tests of .5.

    Raises:
        InsufficientData: without a vote.
        BadInput: columns of different lengths, or another value than 0 and 1.

    Source:
        Cameron and Miller (2015), one-way clustering with the factor m / (m - 1).

    Example:
        >>> from metrics.inference.sides import side_share
        >>> round(side_share([0] * 20 + [1] * 20, [1] * 13 + [0] * 7 + [1] * 13 + [0] * 7).p_exact, 6)
        0.08069
    """
    votes = check_column(left, "left")
    if len(votes) != len(rater):
        raise BadInput("votes and raters have different lengths", column="rater")
    if not len(votes):
        raise InsufficientData("The share of a side needs a decided vote.")
    if not np.isin(votes, (0.0, 1.0)).all():
        raise BadInput("a vote is 0 or 1", column="left")
    n, share = len(votes), float(votes.mean())
    codes = {name: number for number, name in enumerate(dict.fromkeys(rater))}
    sums = np.bincount([codes[name] for name in rater], weights=(votes - share) / n)
    m = len(codes)
    variance = m / (m - 1) * float(sums @ sums) if m > 1 else 0.0
    p_exact = binomial_test(int(votes.sum()), n).p
    if variance <= 0:
        return SideShare(share, n, m, p_exact, None, None, None)
    error = variance**0.5
    t = (share - 0.5) / error
    return SideShare(share, n, m, p_exact, error, t, t_two_sided(t, m - 1))
