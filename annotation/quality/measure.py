"""All filters over a study's work, and the order in which a reviewer should look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from annotation.quality.filters import FILTERS
from annotation.quality.people import people_evidence
from annotation.quality.work_table import Bools, Floats, Measured, QualityCheck, Work

MIN_STRENGTH = 0.05
STYLE = 0.2  # of a flag for how somebody writes: honest people dictate, paste and write in a second language


@dataclass(frozen=True, slots=True)
class Assessment:
    """What every filter measured, by kind, whom it flagged, and how suspicious each assignment is.

    suspicion: (N,) in [0, 1]: the flags of the default filters, each by how far beyond its threshold the value lies,
    and the chance that the model of people gives their worker's work, joined as if each alone could be right. It orders
    a queue, no more.
    """

    measured: Mapping[str, Measured]
    raised: Mapping[str, Bools]
    suspicion: Floats


def measure_work(work: Work, filters: Iterable[QualityCheck] = FILTERS) -> Assessment:
    """Measure every assignment by every filter."""
    listed = tuple(filters)
    measured = {check.kind: check.measure(work) for check in listed}
    raised = {check.kind: check.raised(measured[check.kind]) for check in listed}
    innocent = 1 - people_evidence(work).order[work.worker]
    for check in listed:
        if check.on:
            weight = STYLE if check.style else 1.0
            innocent *= np.where(raised[check.kind], 1 - weight * _strength(check, measured[check.kind]), 1.0)
    return Assessment(measured, raised, 1 - innocent)


def _strength(check: QualityCheck, measured: Measured) -> Floats:
    """Between a little and one: shares by the root of their way from the threshold to 1, counts by their way to n."""
    value = np.nan_to_num(measured.value)
    if check.percent:
        share = np.sqrt(np.maximum(value - check.threshold, 0) / (1 - check.threshold))
    else:
        share = (value - check.threshold) / np.maximum(measured.n - check.threshold, 1)
    return np.asarray(MIN_STRENGTH + (1 - MIN_STRENGTH) * np.clip(share, 0, 1))
