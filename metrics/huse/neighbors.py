"""Leave-one-out votes of the nearest neighbours in a plane, all points tied at the k-th distance included.

The rule is that of `lines`: the cut of a point is its k-th smallest distance to the others, and every other
point not farther than the cut votes. Arrays in, arrays out; the callers have validated them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import switch
from metrics.data.arrays import Bools, Floats, Ints
from metrics.huse.neighbors_1d import CELLS, Votes, room_for

FLOAT_TOLERANCE = 1e-12  # relative, on the squared cut, where only floats are known
TREE_ABOVE = 3000  # points; beyond, the n x n matrix is not built
WORTH_COMPILING = 50_000  # points: about half a second with a kd-tree


@dataclass(frozen=True, slots=True)
class Block:
    """Squared distances of some rows to their candidate columns (all, or the nearest few), themselves included."""

    rows: Ints
    columns: Ints | None  # None: every point, in order
    squared: Floats
    cut: Floats  # k-th smallest squared distance to another point
    limit: Floats  # cut + slack: neighbours lie within


@dataclass(frozen=True, slots=True)
class Slack:
    """How far beyond the cut neighbours may lie: limit = cut * factor + root * sqrt(cut) + constant."""

    factor: float = 1.0
    root: float = 0.0
    constant: float = 0.0

    def __call__(self, cut: Floats) -> Floats:
        """The limits of these cuts."""
        limit = cut * self.factor
        return np.asarray(limit + self.root * np.sqrt(cut) + self.constant if self.root or self.constant else limit)


NO_SLACK = Slack()  # the original's rule: not a whit beyond the cut
RELATIVE_SLACK = Slack(1 + FLOAT_TOLERANCE)  # the rule where only floats are known


def plane_votes(
    scaled: list[Floats],
    sign: Ints,
    k: int,
    slack: Slack,
    settle: Callable[[Block, Ints], Bools] | None = None,
) -> Votes:
    """Votes among points given by one or two scaled coordinates; sign is (points,) or (points, labellings).

    slack turns the cut into the limit. Where `settle` is given and more than k points lie within a limit, it is asked
    which candidates are neighbours: it gets the block and the doubtful row numbers in it, and returns their mask.
    """
    n = len(sign)
    if n > TREE_ABOVE and len(scaled) == 2 and sign.ndim == 1 and switch.get_kernels(n / WORTH_COMPILING):
        return _compiled_votes(scaled, sign, k, slack, settle)
    balance, count = np.empty_like(sign), np.empty(n, dtype=np.int64)
    _vote(np.arange(n), scaled, sign, k, slack, settle=settle, into=Votes(balance, count))
    return Votes(balance, count)


def _compiled_votes(
    scaled: list[Floats], sign: Ints, k: int, slack: Slack, settle: Callable[[Block, Ints], Bools] | None
) -> Votes:
    """By strips; points that must be settled go the long way."""
    from metrics.huse.strips import plane_weights

    inside, reference = plane_weights(scaled[0], scaled[1], sign > 0, k, (slack.factor, slack.root, slack.constant))
    votes = Votes(2 * reference - inside - sign, inside - 1)
    doubtful = np.flatnonzero(inside > k + 1)
    if settle is not None and len(doubtful):
        _vote(doubtful, scaled, sign, k, slack, settle=settle, into=votes)
    return votes


def _vote(
    rows: Ints,
    scaled: list[Floats],
    sign: Ints,
    k: int,
    slack: Slack,
    *,
    settle: Callable[[Block, Ints], Bools] | None,
    into: Votes,
) -> None:
    """Write the votes of some points, from their distances to all."""
    n = len(sign)
    search = _dense_blocks if n <= TREE_ABOVE else _tree_blocks
    both = np.column_stack((np.ones(n), sign)).astype(np.float32)
    for block in search(scaled, rows, k, slack):
        near = block.squared <= block.limit[:, None]
        tally = _tally(near, block.columns, both)
        if settle is not None and (tally[:, 0] > k + 1).any():
            doubtful = np.flatnonzero(tally[:, 0] > k + 1)
            near[doubtful] = settle(block, doubtful)
            tally = _tally(near, block.columns, both)
        into.count[block.rows] = tally[:, 0] - 1
        into.balance[block.rows] = tally[:, 1:].reshape(-1, *sign.shape[1:]) - sign[block.rows]


def _tally(near: Bools, columns: Ints | None, both: NDArray[np.float32]) -> NDArray[Any]:
    if columns is None:
        return np.asarray(near.astype(np.float32) @ both)
    return np.stack([(near * weight[columns]).sum(axis=1) for weight in both.T], axis=1)


def squared_distances(at: list[Floats], scaled: list[Floats], room: Floats | None = None) -> Floats:
    """Rows `at` against all points `scaled`, coordinate by coordinate, each operation rounded as written.

    room: where to compute, (2, rows, points); the result is its first half.
    """
    if room is None:
        room = np.empty((2, len(at[0]), len(scaled[0])))
    total: Floats = room[0]
    term: Floats = room[1]
    for axis, (coordinate, there) in enumerate(zip(at, scaled, strict=True)):
        into = term if axis else total
        np.subtract(coordinate[:, None], there, out=into)
        np.multiply(into, into, out=into)
        if axis:
            np.add(total, term, out=total)
    return total


def _dense_blocks(scaled: list[Floats], rows: Ints, k: int, slack: Slack) -> Iterator[Block]:
    """All distances, a few rows at a time; a block is good until the next is asked for."""
    n = len(scaled[0])
    height = max(1, CELLS // n)
    room = room_for(2 * min(height, len(rows)) * n).reshape(2, -1, n)
    for begin in range(0, len(rows), height):
        some = rows[begin : begin + height]
        squared = squared_distances([axis[some] for axis in scaled], scaled, room[:, : len(some)])
        spare = room[1, : len(some)]
        np.copyto(spare, squared)
        spare.partition(k, axis=1)
        cut = spare[:, k].copy()  # the point itself is the smallest
        yield Block(some, None, squared, cut, slack(cut))


def _tree_blocks(scaled: list[Floats], rows: Ints, k: int, slack: Slack) -> Iterator[Block]:
    """Candidates from a kd-tree, more of them until the farthest is certainly beyond the limit."""
    from scipy.spatial import cKDTree

    tree = cKDTree(np.stack(scaled, axis=1))
    width = k + 9
    while len(rows) and 4 * width < tree.n:
        still: list[Ints] = []
        height = max(1, 8 * CELLS // width)
        for begin in range(0, len(rows), height):
            some = rows[begin : begin + height]
            block, certain = _tree_block(tree, scaled, some, width, k, slack)
            still.append(some[~certain])
            yield block
        rows, width = np.concatenate(still), 2 * width
    yield from _dense_blocks(scaled, rows, k, slack)


def _tree_block(tree: Any, scaled: list[Floats], rows: Ints, width: int, k: int, slack: Slack) -> tuple[Block, Bools]:
    distance, columns = tree.query(tree.data[rows], k=width)
    squared = np.zeros(columns.shape)
    for axis in scaled:
        gap = axis[rows, None] - axis[columns]
        squared += gap * gap
    cut = np.partition(squared, k, axis=1)[:, k]
    limit = slack(cut)
    certain = distance[:, -1] ** 2 > limit * (1 + 1e-9)
    block = Block(rows[certain], columns[certain], squared[certain], cut[certain], limit[certain])
    return block, certain
