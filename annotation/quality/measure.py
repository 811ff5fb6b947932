"""All filters over a study's work, and the order in which a reviewer should look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from annotation.quality.click_model import clicking
from annotation.quality.filters import FILTERS
from annotation.quality.work_table import Bools, Filter, Floats, Measured, Work

CLEAREST = 30.0  # nats
LEAST_STRENGTH = 0.05


@dataclass(frozen=True, slots=True)
class Assessment:
    """What every filter measured, by kind, whom it flagged, and how suspicious each assignment is.

    suspicion: (N,) in [0, 1]: the flags of the default filters, each by how far beyond its threshold the value lies,
    and how well the answers of the worker fit clicking, joined as if each alone could be right. It orders a queue, no
    more.
    """

    measured: Mapping[str, Measured]
    raised: Mapping[str, Bools]
    suspicion: Floats


def assess(work: Work, filters: Iterable[Filter] = FILTERS) -> Assessment:
    """Measure every assignment by every filter."""
    listed = tuple(filters)
    measured = {one.kind: one.measure(work) for one in listed}
    raised = {one.kind: one.raised(measured[one.kind]) for one in listed}
    innocent = 1 / (1 + np.exp(np.clip(clicking(work), -CLEAREST, CLEAREST)))
    for one in listed:
        if one.on:
            innocent *= np.where(raised[one.kind], 1 - _strength(one, measured[one.kind]), 1.0)
    return Assessment(measured, raised, 1 - innocent)


def _strength(one: Filter, found: Measured) -> Floats:
    """Between a little and one: shares by the root of their way from the threshold to 1, counts by their way to n."""
    value = np.nan_to_num(found.value)
    if one.percent:
        share = np.sqrt(np.maximum(value - one.threshold, 0) / (1 - one.threshold))
    else:
        share = (value - one.threshold) / np.maximum(found.n - one.threshold, 1)
    return np.asarray(LEAST_STRENGTH + (1 - LEAST_STRENGTH) * np.clip(share, 0, 1))
