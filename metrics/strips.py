"""Votes among very many points, by compiled loops: what `neighbors` does with a kd-tree, tens of times faster."""

from __future__ import annotations

import importlib
import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from metrics import compiled
from metrics.arrays import Bools, Floats, Ints

THREADED_ABOVE = 50_000  # points: some 20 ms of work
Coefficients = tuple[float, float, float]


def plane_weights(x: Floats, y: Floats, reference: Bools, k: int, slack: Coefficients) -> tuple[Ints, Ints]:
    """Neighbours of each point and references among them, itself included in both: (count, references)."""
    loops: Any = importlib.import_module("metrics.strip_kernels")
    unit = int(loops.REFERENCE_WEIGHT)
    weight = 1 + unit * reference.astype(np.int64)
    if _ties(y) > _ties(x):
        x, y = y, x
    merged = _merge(x, y, weight)
    if merged is None:
        found = _searched(x, y, weight, k, slack)
    else:
        found = _searched(merged.x, merged.y, merged.weight, k, slack)[merged.member]
    return found & (unit - 1), found // unit


def _searched(x: Floats, y: Floats, weight: Ints, k: int, slack: Coefficients) -> Ints:
    """Weight within the slack of each point's cut."""
    loops: Any = importlib.import_module("metrics.strip_kernels")
    n = len(x)
    order_x = np.argsort(x)
    strip, in_order = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    strips = loops.cut_into_strips(x[order_x], max(2 * k + 2, int(2 * math.sqrt(n))), in_order)
    strip[order_x] = in_order
    place, start = np.empty(n, dtype=np.int64), np.zeros(strips + 1, dtype=np.int64)
    loops.arrange(np.argsort(y), strip, strips, place, start)
    xs, ys, ws, found = x[place], y[place], weight[place], np.empty(n, dtype=np.int64)
    halves = _halves(start, n)
    compiled.in_parts(
        lambda part: loops.search(xs, ys, ws, start, part[0], part[1], k, slack, found), halves, n > THREADED_ABOVE
    )
    out = np.empty(n, dtype=np.int64)
    out[place] = found
    return out


def line_weights(values: Floats, reference: Bools, k: int, factor: float) -> tuple[Ints, Ints]:
    """The same on a line; neighbours lie within factor times the distance to the k-th."""
    loops: Any = importlib.import_module("metrics.strip_kernels")
    unit = int(loops.REFERENCE_WEIGHT)
    order = np.argsort(values)
    s = values[order]
    starts = np.flatnonzero(np.concatenate(([True], s[1:] != s[:-1])))
    weight = np.add.reduceat(1 + unit * reference[order].astype(np.int64), starts)
    found = np.empty(len(starts), dtype=np.int64)
    loops.line_weights(s[starts], weight, k, factor, found)
    out = np.empty(len(values), dtype=np.int64)
    out[order] = np.repeat(found, np.diff(starts, append=len(s)))
    return out & (unit - 1), out // unit


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
    cuts = [int(np.searchsorted(start, n * part // compiled.THREADS)) for part in range(compiled.THREADS + 1)]
    cuts[0], cuts[-1] = 0, len(start) - 1
    return [(a, b) for a, b in pairwise(cuts) if a < b]
