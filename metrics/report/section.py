"""A part of the results, free of any format: tables, figures, sentences, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from metrics.figures.chart import Chart
from metrics.tables.record import Table
from metrics.types import Estimate


@dataclass(frozen=True, slots=True)
class Reference:
    """Literature, as BibTeX writes it. entry_type: `article`. fields: (name, value), values in LaTeX."""

    key: str
    entry_type: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A headline number of a section. subject: of which generator or condition, `all` where of all. title: `HUSE-Q`."""

    subject: str
    title: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Section:
    """One part. key: of links, files and JSON. lead: sentences above. missing: parts that could not be computed, each
    with the reason where there is one ("" for none). measures: its headline numbers, in order. references: what its
    sentences cite."""

    key: str
    title: str
    lead: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    measures: tuple[Measured, ...] = ()
    references: tuple[Reference, ...] = ()

    @property
    def recorded(self) -> bool:
        """Whether it says anything."""
        return bool(self.tables or self.charts or self.lead)
