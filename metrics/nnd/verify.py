"""Does a metric order systems as people do? Rank correlation and gap correlation (Laban et al. 2022, section 2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.data.arrays import Floats
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.inference.correlation import Correlation, kendall_tau, pearson
from metrics.types import Estimate
from metrics.version import __version__

Orientation = Literal["symmetric", "listed"]


@dataclass(frozen=True, slots=True)
class Verified:
    """One metric against human scores of the same systems; every number in [-1, 1], higher is better.

    tau: Kendall's tau-b with its p. gap: gap correlation over both orders of every pair, the one to report.
    gap_as_printed: over i < j in the order listed, for replication; reordering the systems changes it.
    """

    metric: str
    systems: tuple[str, ...]
    tau: Correlation
    gap: Estimate
    gap_as_printed: Estimate


def verify(human: Mapping[str, float], metrics: Mapping[str, Mapping[str, float]]) -> list[Verified]:
    """Each metric against human scores of systems. metrics: values by name of the metric, then of the system.

    The order of the systems is that of `human`; a metric must have a value for each, and may have more.
    Raises BadInput, InsufficientData (below 3 systems).
    """
    systems = tuple(human)
    people = _finite("human", human, systems)
    results = []
    for name, values in metrics.items():
        column = _finite(name, values, systems)
        symmetric = gap_correlation(column, people)
        listed = gap_correlation(column, people, orientation="listed")
        results.append(Verified(name, systems, kendall_tau(column, people), symmetric, listed))
    return results


def gap_correlation(
    metric: Sequence[float], human: Sequence[float], *, orientation: Orientation = "symmetric"
) -> Estimate:
    """Pearson's correlation of pairwise differences m_i - m_j and h_i - h_j over n systems, in [-1, 1].

    symmetric: over all ordered pairs, which equals Pearson(metric, human). listed: over i < j as the systems are
    listed, as printed in the paper; it depends on that order. Constant differences: value None, flag `no_variation`;
    below 5 systems flag `few_systems`. Raises InsufficientData below 3 systems, BadInput.
    """
    if orientation not in ("symmetric", "listed"):
        raise BadInput("the orientation must be 'symmetric' or 'listed'", column="orientation")
    x, y = np.asarray(metric, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise BadInput("both columns describe the same systems, one number each")
    if not (np.abs(np.concatenate((x, y))) <= 1e100).all():
        raise BadInput("every value must be a finite number")
    n = len(x)
    if n < 3:
        raise InsufficientData(f"A gap correlation needs 3 systems, and there are {n}.")
    value = pearson(x, y) if orientation == "symmetric" else pearson(_gaps(x), _gaps(y))
    flags = ["few_systems"] if n < 5 else []
    if value is None:
        flags.append("no_variation")
    if orientation == "listed":
        flags.append("depends_on_the_order_of_systems")
    signature = f"gap_correlation|n:{n}|orientation:{orientation}|v:{__version__}"
    return Estimate(value, n, None, {"orientation": orientation}, tuple(flags), signature)


def _gaps(values: Floats) -> Floats:
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second])


def _finite(name: str, values: Mapping[str, float], systems: Sequence[str]) -> list[float]:
    absent = [system for system in systems if system not in values]
    if absent:
        raise BadInput(f"there is no value for {len(absent)} system(s): {join_names(absent)}", column=name)
    strange = [system for system in systems if not math.isfinite(values[system])]
    if strange:
        raise BadInput(f"the value of {strange[0]!r} is not a finite number", column=name)
    return [values[system] for system in systems]
