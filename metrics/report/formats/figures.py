"""The figures of a report, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metrics.figures import hj_by_source, huse_scatter, score_histogram, tradeoff
from metrics.figures.chart import Chart
from metrics.report.pictures import dominated_regions
from metrics.report.result import Report
from metrics.report.sections.scores import count_scores, list_labels


def charts(report: Report) -> list[Chart]:
    """HJ by source; each generator's scatter; its ratings and the references'; quality against diversity of all;
    then those of every part of the results."""
    return [*headline(report), *several(chart for section in report.sections for chart in section.charts)]


def several(charts: Iterable[Chart]) -> list[Chart]:
    """The figures that show more than one mark: a table says more of a single one."""
    return [chart for chart in charts if not chart.is_single]


def headline(report: Report) -> list[Chart]:
    """Return the figures next to the table of HUSE; none without a generator."""
    if not report.generators:
        return []
    return [
        hj_by_source.chart(report.sources),
        *(
            huse_scatter.chart(generator.panel, margins=True)
            for generator in report.generators
            if generator.panel.points
        ),
        *_ratings(report),
        *_tradeoff(report),
    ]


def _ratings(report: Report) -> Iterator[Chart]:
    """Nothing where no rating is recorded, or the scale has too many places to be labels."""
    names = list_labels(report.input)
    counted = [
        (at, generator.facts.name, bars)
        for at, generator in enumerate(report.generators if names else (), 1)
        if (bars := count_scores(report.input, generator.facts.name, report.level))
    ]
    top = score_histogram.largest_share([histogram for _, _, bars in counted for histogram in bars])
    for at, name, bars in counted:
        title = f"Ratings of {name} and of the references"
        yield score_histogram.chart(names, bars, name=f"ratings-{at}", title=title, max_share=top)


def _tradeoff(report: Report) -> Iterator[Chart]:
    """Of two or more generators, by exact ties."""
    results = [(generator.facts.name, generator.modes["exact"]) for generator in report.generators]
    task = report.input.study.name
    systems = [
        tradeoff.System(name, task, result.huse, result.huse_q, result.huse_d)
        for name, result in results
        if result.huse_q.value is not None and result.huse_d.value is not None
    ]
    if len(systems) > 1:
        yield tradeoff.chart(systems, dominated_regions(systems))
