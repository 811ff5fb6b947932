"""The paper page: verdict, one table, two figures, methods, limits, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.figures.chart import Chart
from metrics.report.checklists.missing import MissingFact, list_missing
from metrics.report.paper.table import paper_table
from metrics.report.pay import VOLUNTEERS, VOLUNTEERS_AHEAD, arms_by_reward, describe_rewards, for_whom
from metrics.report.records import Warn
from metrics.report.result import Report
from metrics.report.wording import describe_range, known, money, plural
from metrics.tables.record import Table

MAX_FIGURES = 2
MAX_WARNINGS = 6
# The methods say which tie mode is meant; what the other would give is in the appendix.
OF_TIES = ("modes_differ", "vote_unbalanced")
# Which figures go on the page, by how their names begin: the first of each row that a report has.
OF_HUSE = (("tradeoff", "scatter-1"), ("hj-by-source",))
OF_OTHERS = (
    ("accuracy-by-condition", "pass-rates", "means-", "preferences-", "shares-", "automatic-"),
    ("scores-",),
)


@dataclass(frozen=True, slots=True)
class PaperPage:
    """What a paper shows of a study.

    verdicts, limits, methods: sentences. facts: (name, value) of the first screen. charts: at most two. missing: facts
    that nobody has recorded.
    """

    verdicts: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    table: Table | None
    charts: tuple[Chart, ...]
    methods: tuple[str, ...]
    limits: tuple[str, ...]
    missing: tuple[MissingFact, ...]


def compose_page(report: Report, charts: Sequence[Chart]) -> PaperPage:
    """The page of a report. charts: the figures of the report, of which it takes two."""
    return PaperPage(
        verdicts=report.verdicts,
        facts=tuple(_facts(report)),
        table=paper_table(report.generators, report.sections),
        charts=choose_figures(charts, huse=bool(report.generators)),
        methods=report.methods,
        limits=(*_warned(report.warnings), *report.limits),
        missing=list_missing(report.input),
    )


def choose_figures(charts: Sequence[Chart], *, huse: bool) -> tuple[Chart, ...]:
    """At most two figures: the headline of the kind first, then how the answers are spread."""
    chosen: list[Chart] = []
    for beginnings in OF_HUSE if huse else OF_OTHERS:
        named = [chart for beginning in beginnings for chart in charts if chart.name.startswith(beginning)]
        # Answers of everybody come after those of each condition.
        named = named[::-1] if beginnings[0] == "scores-" else named
        chosen += [chart for chart in named if chart not in chosen][:1]
    spare = [chart for chart in charts if chart not in chosen]
    return tuple([*chosen, *spare][:MAX_FIGURES])


def _warned(warnings: Sequence[Warn]) -> list[str]:
    """The warnings, at most six and none of ties, and how many more the appendix has."""
    shown = [warn.sentence for warn in warnings if warn.kind not in OF_TIES][:MAX_WARNINGS]
    left_out = len(warnings) - len(shown)
    return [*shown, *([f"The appendix lists {plural(left_out, 'more warning')}."] if left_out else [])]


def _facts(report: Report) -> list[tuple[str, str]]:
    """Texts, raters, ratings per text and money, as far as they are known."""
    report_input = report.input
    texts = sum(row.mean.n for row in report.sources) or len(report_input.texts)
    counts = [count for count, _ in report.ratings_per_text]
    per_text = describe_range(counts[0], counts[-1]) if counts else ""
    if 0 in counts and not report_input.ratings:  # a mean of a text says not how many ratings it is of
        per_text = "unknown"
    on_criteria = report_input.ratings_on_criteria
    if per_text and (criteria := len({criterion for _, criterion in on_criteria})) > 1:
        fewest = 0 if counts[0] == 0 else min(on_criteria.values())
        per_text = f"{describe_range(fewest, max(on_criteria.values()))} on each of {criteria} criteria"
    spent = report_input.money
    unit = "pair" if report_input.in_pairs else "text"
    facts = [
        ("Texts", str(texts) if texts else ""),
        (
            "Simulated raters" if report_input.study.mode == "rehearsal" else "Raters",
            "" if report.raters is None else f"{report.raters}{report_input.share_of_raters}",
        ),
        (f"Ratings per {unit}", per_text),
        ("Reward", _reward(report)),
        ("Total cost", "" if spent.total_cents is None else money(spent.total_cents, spent.currency)),
    ]
    return [(name, known(value)) for name, value in facts if value]


def _reward(report: Report) -> str:
    """What an assignment paid, with the hourly wage where all arms pay alike."""
    report_input, paid = report.input, report.input.money
    if report_input.crowd.pays and set(report_input.crowd.pays) <= {VOLUNTEERS, VOLUNTEERS_AHEAD}:
        return "none (volunteers)"
    shown = describe_rewards(report_input)
    if shown and paid.wage_cents is not None and len(arms_by_reward(report_input)) < 2:
        shown = f"{shown} ({money(paid.wage_cents, paid.currency)} per hour)"
    return f"{shown}{for_whom(report_input)}" if shown else shown
