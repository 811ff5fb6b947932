"""Every section that is installed: those of the modules of this folder, and those that other packages register.

A package registers its sections by an entry point of the group `assay.report_sections`, which names a `SectionKind` or
a tuple of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from metrics.errors import BadInput
from metrics.report import sections
from metrics.report.data_file import DataFile
from metrics.report.records import ReportInput
from metrics.report.section import Section
from metrics.report.section_kind import Options, SectionKind, written

GROUP = "assay.report_sections"
Kind = SectionKind[Any, Any]


@cache
def built_in() -> tuple[Kind, ...]:
    """The sections of Assay, in the order of the report."""
    names = [module.name for module in pkgutil.iter_modules(sections.__path__)]
    modules = [importlib.import_module(f"{sections.__name__}.{name}") for name in names]
    return in_order(kind for module in modules for kind in getattr(module, "SECTIONS", ()))


def installed() -> tuple[Kind, ...]:
    """The sections of Assay and of other packages, in the order of the report. Raises BadInput for a key in use."""
    return in_order((*built_in(), *of_other_packages()))


def of_other_packages() -> tuple[Kind, ...]:
    """The sections that other packages register; where one fails, its place in the report says so.

    A package that cannot be loaded is left out: snapshots name the sections that they had. Raises BadInput for an entry
    point that is no section.
    """
    kinds: list[Kind] = []
    for entry in entry_points(group=GROUP):
        try:
            value = entry.load()
        except Exception:  # noqa: BLE001, S112 - another package's code may raise anything when it is imported
            continue
        kinds += map(guarded, kinds_of(value, entry.value))
    return tuple(kinds)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why the section of another package is not there."""

    reason: str


def guarded(kind: Kind) -> Kind:
    """The same section, of which an error leaves a line in the report and harms nothing else."""

    def gather(report_input: ReportInput) -> Any:
        try:
            return kind.gather(report_input)
        except Exception as error:  # noqa: BLE001 - another package's code may raise anything
            return _Failure(f"{type(error).__name__}: {error}")

    def write(facts: Any, options: Options) -> Section:
        if isinstance(facts, _Failure):
            return _failed(kind, facts.reason)
        try:
            return kind.describe(kind.compute(facts, options))
        except Exception as error:  # noqa: BLE001 - another package's code may raise anything
            return _failed(kind, f"{type(error).__name__}: {error}")

    def files(report_input: ReportInput) -> Iterable[DataFile]:
        try:
            return list(kind.files(report_input))
        except Exception:  # noqa: BLE001 - the section itself says what is wrong
            return ()

    return written(kind.key, kind.title, kind.order, gather, write, files)


def _failed(kind: Kind, reason: str) -> Section:
    return Section(kind.key, kind.title, missing=((kind.title, f"the section of another package failed: {reason}"),))


def load(path: str) -> tuple[Kind, ...]:
    """The sections at `package.module:name`. Raises BadInput."""
    module, _, name = path.partition(":")
    try:
        return kinds_of(getattr(importlib.import_module(module), name or "SECTIONS"), path)
    except (ImportError, AttributeError, ValueError):
        raise BadInput(f"there is no section at {path}: write package.module:NAME", column="section") from None


def kinds_of(value: Any, where: str) -> tuple[Kind, ...]:
    """One section or several. Raises BadInput for anything else."""
    listed = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(kind, SectionKind) for kind in listed):
        raise BadInput("a section is a SectionKind", where=where)
    return listed


def in_order(kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    """By their order, then by key. Raises BadInput where two have one key."""
    by_key: dict[str, Kind] = {}
    for kind in kinds:
        if kind.key in by_key:
            raise BadInput(f"two sections have the key {kind.key!r}", column="section")
        by_key[kind.key] = kind
    return tuple(sorted(by_key.values(), key=lambda kind: (kind.order, kind.key)))
