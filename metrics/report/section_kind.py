"""What a section of the report declares of itself; `build` is a loop over these declarations.

A section is one module: its `SECTIONS` names one or several. `gather` says whether it applies, `compute` is pure, and
the other functions word what was computed. A module of another package registers its own by the entry point
`assay.report_sections` (see `metrics.report.sections.registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from metrics.figures.chart import Chart
from metrics.report.data_file import DataFile
from metrics.report.records import ReportInput
from metrics.report.section import Measured, Reference, Section
from metrics.tables.record import Table

Facts = TypeVar("Facts")
Result = TypeVar("Result")


def _silent(step: str) -> None:
    """Announce nothing."""


def _nothing(result: Any) -> Sequence[Any]:
    return ()


def _single_step(facts: Any) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class Options:
    """How a report is asked for. level: of every interval, in (0, 1). seed: of every draw. k: neighbours of HUSE.

    announce: called before each step of the work. these_raters: intervals of means, shares, differences and preferences
    are for these very raters and not for new ones.
    """

    level: float = 0.95
    seed: int = 0
    k: int = 16
    announce: Callable[[str], None] = _silent
    these_raters: bool = False


@dataclass(frozen=True, slots=True)
class SectionKind(Generic[Facts, Result]):
    """A section of the report.

    key: of links, files and JSON, for ever. order: sections stand by it. gather: what the section is about, or None
    where it does not apply; then it is absent. compute: every number, without side effects. tables, figures, sentences,
    measures, references: of what was computed. missing: parts that could not be computed, with the reason. files: of
    its data. steps: how often `compute` announces a step. is_compared: whether a comparison of studies sets the
    measures of one name side by side as they are; they have a true zero.
    """

    key: str
    title: str
    order: int
    gather: Callable[[ReportInput], Facts | None]
    compute: Callable[[Facts, Options], Result]
    tables: Callable[[Result], Sequence[Table]] = _nothing
    figures: Callable[[Result], Sequence[Chart]] = _nothing
    sentences: Callable[[Result], Sequence[str]] = _nothing
    missing: Callable[[Result], Sequence[tuple[str, str]]] = _nothing
    measures: Callable[[Result], Sequence[Measured]] = _nothing
    references: Callable[[Result], Sequence[Reference]] = _nothing
    files: Callable[[ReportInput], Iterable[DataFile]] = _nothing
    steps: Callable[[Facts], int] = _single_step
    is_compared: bool = False

    def describe(self, result: Result) -> Section:
        """The section in words, tables and figures; it cites nothing where it says nothing."""
        section = Section(
            key=self.key,
            title=self.title,
            lead=tuple(self.sentences(result)),
            tables=tuple(self.tables(result)),
            charts=tuple(self.figures(result)),
            missing=tuple(self.missing(result)),
            measures=tuple(self.measures(result)),
        )
        return replace(section, references=tuple(self.references(result))) if section.recorded else section

    def section(self, report_input: ReportInput, options: Options | None = None) -> Section | None:
        """The section of a study; None where it does not apply."""
        facts = self.gather(report_input)
        return None if facts is None else self.describe(self.compute(facts, options or Options()))


def written(
    key: str,
    title: str,
    order: int,
    gather: Callable[[ReportInput], Facts | None],
    write: Callable[[Facts, Options], Section],
    files: Callable[[ReportInput], Iterable[DataFile]] = _nothing,
) -> SectionKind[Facts, Section]:
    """A section whose `write` computes and words it at once."""
    return SectionKind(
        key=key,
        title=title,
        order=order,
        gather=gather,
        compute=write,
        tables=lambda section: section.tables,
        figures=lambda section: section.charts,
        sentences=lambda section: section.lead,
        missing=lambda section: section.missing,
        measures=lambda section: section.measures,
        references=lambda section: section.references,
        files=files,
    )
