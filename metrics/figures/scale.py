"""Where a chart's values lie in an SVG drawing, and where its frame is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from metrics.figures.chart import Chart, Named

WIDTH = 400
RIGHT, TOP, BOTTOM = 12, 30, 42
STRIP = 44  # of a histogram at the plot's edge
LETTER = 6.6  # mean width of a letter of the legend
TICK_LETTER = 6.1


@dataclass(frozen=True)
class Scale:
    """Maps the plot's values to SVG units."""

    chart: Chart

    @cached_property
    def left(self) -> float:
        """Left edge of the plot, past the labels of the y axis."""
        axis = self.chart.y
        if not axis.ticks and not axis.title:
            return 12
        longest = max((len(label) for _, label in axis.ticks), default=0)
        return max(50, (30 if axis.title else 10) + TICK_LETTER * longest)

    @cached_property
    def right(self) -> float:
        """Right edge of the plot."""
        return WIDTH - RIGHT - (STRIP if self.chart.right else 0)

    @cached_property
    def top(self) -> float:
        """Upper edge of the plot, under the legend and the histogram."""
        return TOP + 18 * max(0, len(self.legend) - 1) + (STRIP if self.chart.top else 0)

    @cached_property
    def bottom(self) -> float:
        """Lower edge of the plot."""
        return self.chart.height - BOTTOM - 13 * (self.tick_lines - 1)

    @cached_property
    def tick_lines(self) -> int:
        """Lines of the longest label under the x axis."""
        return max((label.count("\n") + 1 for _, label in self.chart.x.ticks), default=1)

    @cached_property
    def legend(self) -> list[list[tuple[float, Named]]]:
        """What the legend names, by rows, each with its place along the row."""
        rows: list[list[tuple[float, Named]]] = []
        at = WIDTH + 1.0
        for named in self.chart.named:
            width = 32 + LETTER * len(named.name)
            if at + width > WIDTH:
                rows.append([])
                at = self.left
            rows[-1].append((at, named))
            at += width
        return rows

    def x(self, value: float) -> float:
        """SVG units of a value along x."""
        axis = self.chart.x
        return self.left + (value - axis.low) / (axis.high - axis.low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """SVG units of a value along y."""
        axis = self.chart.y
        return self.top + (axis.high - value) / (axis.high - axis.low) * (self.bottom - self.top)

    def value_x(self, at: float) -> float:
        """The value along x at a place in SVG units."""
        axis = self.chart.x
        return axis.low + (at - self.left) / (self.right - self.left) * (axis.high - axis.low)

    def value_y(self, at: float) -> float:
        """The value along y at a place in SVG units."""
        axis = self.chart.y
        return axis.high - (at - self.top) / (self.bottom - self.top) * (axis.high - axis.low)
