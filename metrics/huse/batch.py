"""HUSE of many sets of texts at once, all of one size: the inner loop of resampling and simulation.

Floats with a relative tolerance of 1e-12 on the cut decide ties here. For HJ given as whole numbers that is exact.
Arrays in, arrays out, nothing validated: callers repeat this 100,000 times.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import switch
from metrics.data.arrays import Bools, Floats, Ints
from metrics.huse.neighbors import FLOAT_TOLERANCE, RELATIVE_SLACK, TREE_ABOVE, plane_votes
from metrics.huse.neighbors_1d import Votes, kth_distance, line_votes

FAR = 1e8  # squared distance in q between an item with log p = -inf and one without, in variances
CELLS = 1 << 16  # distances held at once
WORTH_COMPILING = 2e8  # distances: about a second in numpy
SMALLEST_SD = 1e-100  # of numbers up to 1: below, a feature counts as constant


def plane_values(
    hj: Floats,
    q: Floats,
    infinite: Bools | None,
    sign: Floats,
    k: int,
    tie: int,
    *,
    text: Ints | None = None,
    weighed: bool = True,
) -> Floats:
    """HUSE of each row: (sets,) from arrays (sets x texts), texts > k.

    hj, q: near 1 in size, q finite. infinite: where log p is -inf (None: nowhere). sign: +1 reference, -1 model.
    tie: an equal vote goes to the reference (1), the model (-1) or half each (0). text: numbers of the texts, where
    rows share them: what is known of a text in one row speeds up the next. weighed: votes as in exact mode, 1 / size of
    the source in the row at hand; else the raw majority.
    """
    sets, size = hj.shape
    vote = vote_weights(sign, weighed)
    kernels = switch.get_kernels(hj.size * size / WORTH_COMPILING)
    if kernels and infinite is None and size <= TREE_ABOVE:
        return _plane_compiled(kernels, hj, q, sign, vote, rule=(k, tie), text=text)
    if size > TREE_ABOVE:
        rows = range(sets)
        return np.array(
            [
                _plane_large(hj[i], q[i], None if infinite is None else infinite[i], sign[i], vote[i], (k, tie))
                for i in rows
            ]
        )
    step = max(1, CELLS // (size * size))
    out = np.empty(sets)
    room = np.empty((2, step, size, size))
    near = np.empty((step, size, size), dtype=np.float32)
    for begin in range(0, sets, step):
        part = slice(begin, min(begin + step, sets))
        m = part.stop - begin
        infinite_part = None if infinite is None else infinite[part]
        out[part] = _plane_block(
            hj[part], q[part], infinite_part, sign[part], vote[part], rule=(k, tie), rooms=(room[:, :m], near[:m])
        )
    return out


def vote_weights(sign: Floats, weighed: bool = True) -> Floats:
    """(sets, 2): the vote of a reference (above 0) and of a model text (below 0) in each row of signs, whole numbers.

    A vote weighs 1 / size of its source, times both sizes; not weighed: 1 and -1.
    """
    if not weighed:
        return np.broadcast_to(np.array([1.0, -1.0]), (len(sign), 2))
    references = np.count_nonzero(sign > 0, axis=1)
    return np.column_stack((sign.shape[1] - references, -references)).astype(np.float64)


def votes_of(sign: Floats, vote: Floats) -> Floats:
    """(sets, texts): the vote of each text."""
    return np.where(sign > 0, vote[:, :1], vote[:, 1:])


def line_values(x: Floats, sign: Floats, k: int, tie: int, weighed: bool = True) -> Floats:
    """The same by one feature: (sets,) from arrays (sets x texts)."""
    sets, size = x.shape
    kernels = switch.get_kernels(x.size * size / WORTH_COMPILING)
    if kernels and size <= TREE_ABOVE:
        order = np.argsort(x, axis=1)
        ordered, signs = np.take_along_axis(x, order, axis=1), np.take_along_axis(sign, order, axis=1)
        return sorted_line_values(kernels, ordered, signs, k, tie, weighed)
    vote = vote_weights(sign, weighed)
    if size > TREE_ABOVE:
        count_line_votes = _line_votes_compiled if kernels else _line_votes
        lead = np.array([_lead(count_line_votes(x[i], sign[i], k), vote[i]) for i in range(sets)], dtype=np.float64)
        return np.where(np.ptp(x, axis=1) == 0, 1.0, twice_error(lead, sign, tie))
    step = max(1, CELLS // (size * size))
    parts = [slice(begin, begin + step) for begin in range(0, sets, step)]
    return np.concatenate([_line_block(x[part], sign[part], vote[part], k, tie) for part in parts])


def _line_votes(x: Floats, sign: Floats, k: int) -> Votes:
    return line_votes(x, sign.astype(np.int64), k, tolerance=FLOAT_TOLERANCE)


def _line_votes_compiled(x: Floats, sign: Floats, k: int) -> Votes:
    from metrics.huse.strips import line_weights

    inside, reference = line_weights(x, sign > 0, k, 1 + FLOAT_TOLERANCE / 2)
    return Votes(np.asarray(2 * reference - inside - sign.astype(np.int64)), np.asarray(inside - 1))


def _lead(votes: Votes, vote: Floats) -> Ints:
    """Of one row; vote: (2,) of a reference and of a model text."""
    return votes.weighed(-int(vote[1]), int(vote[0]))


def sorted_line_values(kernels: Any, ordered: Floats, sign: Floats, k: int, tie: int, weighed: bool = True) -> Floats:
    """`line_values` of rows in ascending order, by the compiled loop."""
    errors = np.empty(len(ordered))
    kernels.line_values(ordered, sign, vote_weights(sign, weighed), k, 1 + FLOAT_TOLERANCE / 2, tie, errors)
    return np.where(ordered[:, 0] == ordered[:, -1], 1.0, errors)


def twice_error(balance: Floats, sign: Floats, tie: int) -> Floats:
    """Weighted by source: error among references plus error among models, along the last axis."""
    predicted = np.where(balance == 0, tie, np.sign(balance))
    miss = (1 - predicted * sign) / 2
    reference = sign > 0
    n_ref = reference.sum(axis=-1)
    ref = (miss * reference).sum(axis=-1)
    return np.asarray(ref / n_ref + (miss.sum(axis=-1) - ref) / (sign.shape[-1] - n_ref))


def scaled_near_unit(values: Floats) -> Floats:
    """Divided by a power of two, which changes no digit, so that the squares of tiny numbers do not vanish."""
    return np.asarray(np.ldexp(values, -int(np.frexp(np.abs(values).max(initial=0.0))[1])))


def _plane_compiled(
    kernels: Any, hj: Floats, q: Floats, sign: Floats, vote: Floats, *, rule: tuple[int, int], text: Ints | None
) -> Floats:
    k, tie = rule
    h_scale, h_varies = _inverse_sd(hj, None)
    q_scale, q_varies = _inverse_sd(q, None)
    errors = np.empty(len(hj))
    who = np.zeros(hj.shape, dtype=np.int64) + np.arange(hj.shape[1]) if text is None else text
    texts = int(who.max()) + 1
    kernels.plane_values(hj * h_scale, q * q_scale, sign, vote, who, texts, k, 1 + FLOAT_TOLERANCE, tie, errors)
    return np.where(h_varies | q_varies, errors, 1.0)


def _plane_large(
    hj: Floats, q: Floats, infinite: Bools | None, sign: Floats, vote: Floats, rule: tuple[int, int]
) -> float:
    """One set too large for a matrix of distances; -inf lies far beyond the finite."""
    k, tie = rule
    infinite_row = None if infinite is None else infinite[None, :]
    h_scale, h_varies = _inverse_sd(hj[None, :], None)
    q_scale, q_varies = _inverse_sd(q[None, :], infinite_row)
    if not (h_varies | q_varies).any():
        return 1.0
    away = 0.0 if infinite is None else infinite * math.sqrt(FAR)
    scaled = [hj * h_scale[0], q * q_scale[0] - away]
    votes = plane_votes(scaled, sign.astype(np.int64), k, RELATIVE_SLACK)
    return float(twice_error(_lead(votes, vote).astype(np.float64), sign, tie))


def _plane_block(
    hj: Floats,
    q: Floats,
    infinite: Bools | None,
    sign: Floats,
    vote: Floats,
    *,
    rule: tuple[int, int],
    rooms: tuple[Floats, NDArray[np.float32]],
) -> Floats:
    (k, tie), ((squared, other), near) = rule, rooms
    h_scale, h_varies = _inverse_sd(hj, None)
    q_scale, q_varies = _inverse_sd(q, infinite)
    _square_gaps(hj * h_scale, squared)
    _square_gaps(q * q_scale, other)
    if infinite is not None:
        np.copyto(other, FAR, where=infinite[:, :, None] != infinite[:, None, :])
    squared += other
    np.copyto(other, squared)
    other.partition(k, axis=-1)
    cut = other[:, :, k : k + 1] * (1 + FLOAT_TOLERANCE)
    np.less_equal(squared, cut, out=near, casting="unsafe")
    votes = votes_of(sign, vote)
    # Exact in float32: sums of votes stay below (TREE_ABOVE / 2) ** 2, which is below 2 ** 24.
    lead = np.matmul(near, votes[:, :, None].astype(np.float32))[:, :, 0] - votes
    return np.where(h_varies | q_varies, twice_error(lead, sign, tie), 1.0)


def _line_block(x: Floats, sign: Floats, vote: Floats, k: int, tie: int) -> Floats:
    order = np.argsort(x, axis=1, kind="stable")
    s, signs = np.take_along_axis(x, order, axis=1), np.take_along_axis(sign, order, axis=1)
    limit = kth_distance(s, k) * (1 + FLOAT_TOLERANCE / 2)
    near = np.abs(s[:, :, None] - s[:, None, :]) <= limit[:, :, None]
    votes = votes_of(signs, vote)
    lead = np.matmul(near.astype(np.float32), votes[:, :, None].astype(np.float32))[:, :, 0] - votes
    return np.where(s[:, 0] == s[:, -1], 1.0, twice_error(lead, signs, tie))


def _square_gaps(x: Floats, out: Floats) -> None:
    np.subtract(x[:, :, None], x[:, None, :], out=out)
    np.multiply(out, out, out=out)


def _inverse_sd(values: Floats, infinite: Bools | None) -> tuple[Floats, Bools]:
    """1 / population sd of each row (0 where nothing varies) as a column, and whether the feature varies."""
    if infinite is None:
        sd = values.std(axis=1)
        varies = (values.max(axis=1) > values.min(axis=1)) & (sd > SMALLEST_SD)
        return np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)[:, None], varies
    finite = ~infinite
    count = np.maximum(finite.sum(axis=1), 1)
    mean = (values * finite).sum(axis=1) / count
    sd = np.sqrt((((values - mean[:, None]) * finite) ** 2).sum(axis=1) / count)
    varies = sd > np.maximum(1e-14 * np.abs(values).max(axis=1, initial=0.0), SMALLEST_SD)
    mixed = finite.any(axis=1) & infinite.any(axis=1)
    return np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)[:, None], varies | mixed
