"""Which cell a draw falls on: pure, so that every draw can be made again from its line in the log."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CellChoice:
    """The cell, the cells that were tied for it in the order of their keys, and the random number in [0, 1)."""

    cell: str
    tied: tuple[str, ...]
    random_number: float


def choose_cell(
    counts: Mapping[str, int], eligible: Collection[str], *, seed: str, study: str, number: int
) -> CellChoice:
    """Choose the least filled of the `eligible` cells, ties at random.

    Args:
        counts: people counted in each cell; a cell that is not among them has none.
        eligible: cells with a place for the person, at least one.
        seed, study, number: what the random number is made of; `number` is that of the event in the study's log.
    """
    smallest = min(counts.get(cell, 0) for cell in eligible)
    tied = tuple(sorted(cell for cell in eligible if counts.get(cell, 0) == smallest))
    # Numbers of the log differ, so every draw has a generator of its own and none depends on those before it.
    random_number = random.Random(f"{seed}:{study}:{number}").random()
    return CellChoice(tied[int(random_number * len(tied))], tied, random_number)
