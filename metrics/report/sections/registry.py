"""Every section that is installed: those of the modules of this folder, and those that other packages register.

A package registers its sections by an entry point of the group `assay.report_sections`, which names a `SectionKind` or
a tuple of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from metrics.errors import BadInput
from metrics.report import sections
from metrics.report.section_kind import SectionKind

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
    """The sections that other packages register. Raises BadInput for an entry point that is none."""
    return tuple(kind for entry in entry_points(group=GROUP) for kind in kinds_of(entry.load(), entry.value))


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
