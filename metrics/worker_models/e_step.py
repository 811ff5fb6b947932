"""The E step that all worker models share: the chances of the items' labels, given the raters' labels.

A cell is a label of a rater; C of them were given. A model gives the log chance of each cell under each true label: a
table (C, K). The items' chances follow, and from them the sums of chances by cell, all that an M step needs.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from metrics.compiled import switch
from metrics.data.arrays import Floats, Ints
from metrics.data.ratings import encode_names
from metrics.worker_models.votes import Votes, normalize_rows

WORTH_COMPILING = 2e7  # ratings times passes


class Expectation:
    """Ratings as arrays, by item.

    rater, label: (C,) of each cell. cell: (N,) of each rating, in the order of the votes. shape: (I, W, K).
    """

    def __init__(self, votes: Votes, passes: int) -> None:
        """passes: how often `of` will be asked, about; loops are compiled where that is worth it."""
        self.shape = len(votes.items), len(votes.raters), len(votes.labels)
        self.cell, seen = encode_names(votes.rater * self.shape[2] + votes.label)
        self.rater, self.label = np.divmod(np.asarray(seen), self.shape[2])
        start, cell = _by_item(votes.item, self.cell, self.shape[0])
        loops = switch.get_kernels(len(cell) * passes / WORTH_COMPILING)
        self._way: _Loops | _Products = (_Loops if loops else _Products)(start, cell, len(self.rater), self.shape[2])

    def of(self, table: Floats, offset: Floats) -> tuple[Floats, float, Floats]:
        """posterior (I, K), the log-likelihood, sums (C, K) of the posterior by cell.

        table: (C, K). offset: (K,), log prior. The posterior is a view that the next call overwrites.
        """
        return self._way.of(table, offset)

    def sums(self, posterior: Floats) -> Floats:
        """(C, K) sums of a posterior (I, K) by cell."""
        return self._way.sums(posterior)

    def coin(self, right: Floats, wrong: Floats) -> Floats:
        """Return the (C, K) table of log chances: `right` (C,) of a cell's own label, `wrong` (C,) of any other."""
        table = np.repeat(wrong[:, None], self.shape[2], axis=1)
        table[np.arange(len(table)), self.label] = right
        return table

    def of_label(self, sums: Floats) -> Floats:
        """(C,) of sums (C, K), those of the cell's own label."""
        return np.asarray(sums[np.arange(len(sums)), self.label])


def _by_item(item: Ints, cell: Ints, items: int) -> tuple[Ints, Ints]:
    """Where each item begins (I + 1,) and the cells (N,) in the order of the items."""
    start = np.concatenate(([0], np.cumsum(np.bincount(item, minlength=items))))
    in_order = bool((item[1:] >= item[:-1]).all())
    return start, (cell if in_order else cell[np.argsort(item, kind="stable")]).astype(np.int32)


class _Products:
    """By sparse matrices."""

    def __init__(self, start: Ints, cell: Ints, cells: int, labels: int) -> None:
        from scipy.sparse import csr_array

        self._ratings = csr_array((np.ones(len(cell)), cell, start), shape=(len(start) - 1, cells))
        self._by_cell = self._ratings.T  # by columns: the table of cells is small, the posterior is read once

    def of(self, table: Floats, offset: Floats) -> tuple[Floats, float, Floats]:
        """As `Expectation.of`."""
        logs = self._ratings @ table
        logs += offset
        posterior, total = normalize_rows(logs)
        return posterior, total, self.sums(posterior)

    def sums(self, posterior: Floats) -> Floats:
        return np.asarray(self._by_cell @ posterior)


class _Loops:
    """By compiled loops, over tables filled up to a multiple of four labels."""

    def __init__(self, start: Ints, cell: Ints, cells: int, labels: int) -> None:
        self._loops: Any = importlib.import_module("metrics.worker_models.kernels")
        self._start, self._cell, self._labels = start, cell, labels
        width = -(-labels // self._loops.WIDE) * self._loops.WIDE
        self._chances = np.zeros((len(start) - 1, width))
        self._offset, self._table = np.full(width, -np.inf), np.zeros((cells, width))

    def of(self, table: Floats, offset: Floats) -> tuple[Floats, float, Floats]:
        """As `Expectation.of`."""
        self._table[:, : self._labels], self._offset[: self._labels] = table, offset
        largest = self._loops.gather_logs(self._start, self._cell, self._table, self._offset, self._chances)
        np.exp(self._chances, out=self._chances)
        sums, total = self._scatter()
        return self._chances[:, : self._labels], largest + total, sums

    def sums(self, posterior: Floats) -> Floats:
        self._chances[:, : self._labels], self._chances[:, self._labels :] = posterior, 0.0
        return self._scatter()[0]

    def _scatter(self) -> tuple[Floats, float]:
        sums = np.zeros_like(self._table)
        total = float(self._loops.scatter_chances(self._start, self._cell, self._chances, sums))
        return sums[:, : self._labels], total
