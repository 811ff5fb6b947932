"""A part of the results, free of any format: tables, figures, sentences, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from metrics.figures.chart import Chart
from metrics.tables.record import Table


@dataclass(frozen=True, slots=True)
class Section:
    """One part. key: of links and files. lead: sentences above. missing: parts printed as "not recorded", each with
    the reason where there is one ("" for none)."""

    key: str
    title: str
    lead: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def recorded(self) -> bool:
        """Whether it says anything."""
        return bool(self.tables or self.charts or self.lead)
