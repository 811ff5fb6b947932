"""From what raters feel to the label they choose: the nearest of the labels lowest, lowest + 1 ... highest.

A rating is clip(rint(impression + severity + noise)), so a text near an end of the scale is rated with less spread and
a mean drawn inwards. These functions go from impressions to means and variances of labels, and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats
from metrics.inference.distributions import find_root

GRID = 801
REACH = 6.0  # impressions beyond the ends of the scale, in sd, that are still distinguished
SMALLEST_SD = 0.05


@dataclass(frozen=True, slots=True)
class Labels:
    """A scale of whole numbers from `lowest` to `highest`."""

    lowest: int
    highest: int

    def moments(self, impression: Floats, sd: float) -> tuple[Floats, Floats]:
        """Mean and variance of the label of one rating whose severity and noise together have this sd."""
        from scipy.special import ndtr

        cuts = np.arange(self.lowest + 0.5, self.highest)
        above = ndtr((impression[:, None] - cuts) / sd)
        mean = self.lowest + above.sum(axis=1)
        steps = np.arange(1, len(cuts) + 1)
        square = ((2 * steps - 1) * above).sum(axis=1)  # of the steps above the lowest
        return mean, square - (mean - self.lowest) ** 2

    def impressions(self, means: Floats, sd: float) -> Floats:
        """Return the impressions whose mean labels are `means` (at the very ends: the farthest that differ)."""
        grid = np.linspace(self.lowest - REACH * sd, self.highest + REACH * sd, GRID)
        of_grid, _ = self.moments(grid, sd)
        return np.interp(means, of_grid, grid)

    def sd_within(self, means: Floats, variance: float) -> float:
        """The sd of severity and noise that gives texts of these mean labels this average variance of labels."""

        def excess(sd: float) -> float:
            return float(self.moments(self.impressions(means, sd), sd)[1].mean()) - variance

        low, high = SMALLEST_SD, 4.0 * (self.highest - self.lowest)
        if excess(low) >= 0:
            return low
        if excess(high) <= 0:
            return high
        return float(find_root(excess, low, high))
