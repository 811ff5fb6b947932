"""The three truths of the rehearsal world, as measured by `validity` and stored next to the weights they belong to.

L_star: 1 - TV(p_ref, p_model), the best score any judge with any features could leave. L_phi: twice the Bayes error on
(log p_model a token, expected label code over honest raters), with its analogues for HUSE-Q (label code alone) and
HUSE-D (1 + L_phi - the former). E[estimator]: the mean of HUSE, HUSE-Q and HUSE-D over studies of the demo's design.
They differ, and only the last is what an interval should cover.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .study import Design
from .world import Fingerprint

TRUTHS_FILE = Path(__file__).with_name("truths.json")
SCHEMA_VERSION = 1


class TruthsError(ValueError):
    """The stored truths are not those of this world; the sentence says what differs."""


@dataclass(frozen=True)
class Known:
    """A number and its Monte-Carlo standard error."""

    value: float
    se: float


@dataclass(frozen=True)
class Binned(Known):
    """A number from binning, judged on texts it was not learnt from; `in_sample` is its optimistic counterpart."""

    in_sample: float


@dataclass(frozen=True)
class Expected(Known):
    """Mean of an estimator over simulated studies; `sd` is its standard deviation from study to study.

    coverage: share of intervals that hold the mean, by level ("0.90", "0.95").
    half_width: mean half-width of the intervals, by level.
    """

    sd: float
    coverage: Mapping[str, Known]
    half_width: Mapping[str, float]


@dataclass(frozen=True)
class Truth:
    """Everything known at one temperature; the mappings have the keys huse, huse_q and huse_d.

    l_phi_by_cell: L_phi (the huse of `l_phi`) at other cell sizes, by the size in nats and steps.
    """

    temperature: float
    l_star: Known
    l_phi: Mapping[str, Binned]
    expected: Mapping[str, Expected]
    l_phi_by_cell: Mapping[str, Binned]


@dataclass(frozen=True)
class Truths:
    """The stored truths, the world and the design they hold for, and how they were counted."""

    world: Fingerprint
    design: Design
    seed: int
    studies: int
    coverage_studies: int
    draws: int
    interval: str
    texts_per_source: int
    cell: float
    temperatures: tuple[Truth, ...]

    def at(self, temperature: float) -> Truth:
        """The truths at one temperature. Errors: TruthsError where none were measured."""
        for truth in self.temperatures:
            if truth.temperature == temperature:
                return truth
        raise TruthsError(f"no truths were measured at the temperature {temperature}")


def load(path: Path = TRUTHS_FILE) -> Truths:
    """Read stored truths and make sure that they are those of the shipped world and the demo's design.

    Errors: TruthsError naming what differs and the command that fixes it.
    """
    if not path.is_file():
        raise TruthsError(f"{path.name} is absent: run `make truth`")
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored.get("schema_version") != SCHEMA_VERSION:
        raise TruthsError(f"{path.name} has schema version {stored.get('schema_version')}, not {SCHEMA_VERSION}")
    truths = _truths(stored)
    current = asdict(Fingerprint.shipped())
    changed = [name for name, digest in asdict(truths.world).items() if digest != current[name]]
    if changed:
        raise TruthsError(f"{path.name} belongs to another world ({', '.join(changed)} changed): run `make truth`")
    if truths.design != Design():
        raise TruthsError(f"{path.name} belongs to another study design: run `make truth`")
    return truths


def save(truths: Truths, path: Path = TRUTHS_FILE) -> None:
    """Write truths as `load` reads them."""
    body = {"schema_version": SCHEMA_VERSION, **asdict(truths)}
    path.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def _truths(stored: Mapping[str, Any]) -> Truths:
    plain = {key: value for key, value in stored.items() if key != "schema_version"}
    design = dict(plain["design"])
    design["temperatures"] = tuple(design["temperatures"])
    plain["design"] = Design(**design)
    plain["world"] = Fingerprint(**plain["world"])
    plain["temperatures"] = tuple(_truth(part) for part in plain["temperatures"])
    return Truths(**plain)


def _truth(part: Mapping[str, Any]) -> Truth:
    return Truth(
        temperature=part["temperature"],
        l_star=Known(**part["l_star"]),
        l_phi={name: Binned(**value) for name, value in part["l_phi"].items()},
        expected={name: _expected(value) for name, value in part["expected"].items()},
        l_phi_by_cell={size: Binned(**value) for size, value in part["l_phi_by_cell"].items()},
    )


def _expected(part: Mapping[str, Any]) -> Expected:
    coverage = {level: Known(**value) for level, value in part["coverage"].items()}
    return Expected(**{**part, "coverage": coverage})
