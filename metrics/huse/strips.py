"""Votes among very many points, by compiled loops: what `neighbors` does with a kd-tree, tens of times faster."""

from __future__ import annotations

import importlib
import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from metrics.compiled import switch
from metrics.data.arrays import Bools, Floats, Ints

THREADED_ABOVE = 50_000  # points: some 20 ms of work
SAMPLED = 32  # points a strip, to find where strips begin
CELLS = 4096  # of a lattice on a line, which is counted and not sorted
Coefficients = tuple[float, float, float]


def plane_weights(x: Floats, y: Floats, reference: Bools, k: int, slack: Coefficients) -> tuple[Ints, Ints]:
    """Neighbours of each point and references among them, itself included in both: (count, references)."""
    loops: Any = importlib.import_module("metrics.huse.strip_kernels")
    unit = int(loops.REFERENCE_WEIGHT)
    weight = 1 + unit * reference.astype(np.int64)
    if _ties(y) > _ties(x):
        x, y = y, x
    merged = _merge(x, y, weight)
    if merged is None:
        weights = _searched(x, y, weight, k, slack)
    else:
        weights = _searched(merged.x, merged.y, merged.weight, k, slack)[merged.member]
    return weights & (unit - 1), weights // unit


def _searched(x: Floats, y: Floats, weight: Ints, k: int, slack: Coefficients) -> Ints:
    """Weight within the slack of each point's cut."""
    loops: Any = importlib.import_module("metrics.huse.strip_kernels")
    n = len(x)
    threaded = n > THREADED_ABOVE
    edges = _edges(x, max(2 * k + 2, int(3 * math.sqrt(n))))
    strip, place, start = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.zeros(len(edges) + 2, np.int64)
    loops.number_strips(x, edges, strip, start)
    loops.arrange_points(strip, start, place)
    start = np.unique(start)  # without the strips that are empty
    ys, halves = y[place], _halves(start, n)
    switch.in_parts(lambda part: _sort_strips(ys, place, start[part[0] : part[1] + 1]), halves, threaded)
    xs, ys, ws, neighbours = x[place], y[place], weight[place], np.empty(n, dtype=np.int64)
    low, high = np.minimum.reduceat(xs, start[:-1]), np.maximum.reduceat(xs, start[:-1])
    switch.in_parts(
        lambda part: loops.search_strips(xs, ys, ws, start, low, high, part[0], part[1], k, slack, neighbours),
        halves,
        threaded,
    )
    out = np.empty(n, dtype=np.int64)
    out[place] = neighbours
    return out


def _edges(x: Floats, size: int) -> Floats:
    """Where strips of about equal numbers of points begin: quantiles of a sample; equal values never part."""
    strips = len(x) // size + 1
    sample = np.sort(np.random.default_rng(0).choice(x, min(len(x), SAMPLED * strips)))
    return np.unique(sample[:: max(1, len(sample) // strips)][1:])


def _sort_strips(y: Floats, place: Ints, start: Ints) -> None:
    """Put the points of each strip in ascending order of y, in place; sorting within the cache is the point of it."""
    for begin, end in pairwise(start.tolist()):
        place[begin:end] = place[begin:end][np.argsort(y[begin:end])]


def line_weights(values: Floats, reference: Bools, k: int, factor: float) -> tuple[Ints, Ints]:
    """The same on a line; neighbours lie within factor times the distance to the k-th."""
    loops: Any = importlib.import_module("metrics.huse.strip_kernels")
    unit = int(loops.REFERENCE_WEIGHT)
    distinct, code = _distinct(values)
    count = np.bincount(code)
    weight = count + unit * np.bincount(code[reference], minlength=len(count))
    weights = np.empty(len(distinct), dtype=np.int64)
    loops.line_weights(distinct, weight, k, factor, weights)
    out = weights[code]
    return out & (unit - 1), out // unit


def _distinct(values: Floats) -> tuple[Floats, Ints]:
    """Distinct values, ascending, and the number of each point's; counted where they lie on a lattice of few."""
    return _on_lattice(values) or _by_sorting(values)


def _on_lattice(values: Floats) -> tuple[Floats, Ints] | None:
    some = np.unique(values[:: max(1, len(values) // 10_000)])
    low, high = values.min(), values.max()
    if len(some) < 2 or high - low > CELLS * (gap := np.diff(some).min()):
        return None
    cell = np.rint((values - low) / gap).astype(np.int64)
    held = np.full(int(cell.max()) + 1, np.nan)
    held[cell] = values
    if not np.array_equal(held[cell], values):
        return None
    used = ~np.isnan(held)
    return held[used], (np.cumsum(used) - 1)[cell]


def _by_sorting(values: Floats) -> tuple[Floats, Ints]:
    order = np.argsort(values)
    s, code = values[order], np.empty(len(values), dtype=np.int64)
    first = np.concatenate(([True], s[1:] != s[:-1]))
    code[order] = np.cumsum(first) - 1
    return s[first], code


def _ties(values: Floats) -> int:
    """Points that share their value, in a sample of up to 10,000 of them."""
    some = values[:: max(1, len(values) // 10_000)]
    return len(some) - len(np.unique(some))


class Merged(NamedTuple):
    """Points that coincide as one, and which of them each point went into."""

    x: Floats
    y: Floats
    weight: Ints
    member: Ints


def _merge(x: Floats, y: Floats, weight: Ints) -> Merged | None:
    """Points that coincide as one with their summed weight, where both axes have few values."""
    if _ties(y) < 0.5 * min(len(y), 10_000):
        return None
    xs, at_x = np.unique(x, return_inverse=True)
    ys, at_y = np.unique(y, return_inverse=True)
    cells, member = np.unique(at_x * len(ys) + at_y, return_inverse=True)
    if 2 * len(cells) > len(x):
        return None
    total = np.zeros(len(cells), dtype=np.int64)
    np.add.at(total, member, weight)
    return Merged(xs[cells // len(ys)], ys[cells % len(ys)], total, member)


def _halves(start: Ints, n: int) -> list[tuple[int, int]]:
    """Strips in as many runs as there are threads, of about as many points."""
    cuts = [int(np.searchsorted(start, n * part // switch.THREADS)) for part in range(switch.THREADS + 1)]
    cuts[0], cuts[-1] = 0, len(start) - 1
    return [(a, b) for a, b in pairwise(cuts) if a < b]
