"""How people came to their condition: the draw, counts by stage, and whether some conditions lose more people."""

from __future__ import annotations

from metrics.data.arm_assignment import draw_sentence
from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.inference.drop_out import DropOut, compare_drop_out
from metrics.report.row_records import DrawFacts
from metrics.report.section import Reference, Section
from metrics.report.section_kind import Options, written
from metrics.report.wording import number, p_value
from metrics.tables.record import Column, Table
from metrics.types import Estimate, Setting
from metrics.version import __version__

KEY, TITLE = "assignment", "Assignment to conditions"
TABLE = "drop-out"
SOURCES = "Zhou and Fishbach (2016) on differential drop-out; Newcombe (1998), method 10, for the interval."


ZHOU = Reference(
    "zhou2016pitfall",
    "article",
    (
        ("author", "Zhou, Haotian and Fishbach, Ayelet"),
        (
            "title",
            "The Pitfall of Experimenting on the Web: How Unattended Selective Attrition Leads to Surprising "
            "(Yet False) Research Conclusions",
        ),
        ("journal", "Journal of Personality and Social Psychology"),
        ("volume", "111"),
        ("number", "4"),
        ("pages", "493--504"),
        ("year", "2016"),
    ),
)
NEWCOMBE = Reference(
    "newcombe1998interval",
    "article",
    (
        ("author", "Newcombe, Robert G."),
        (
            "title",
            "Interval estimation for the difference between independent proportions: comparison of eleven methods",
        ),
        ("journal", "Statistics in Medicine"),
        ("volume", "17"),
        ("number", "8"),
        ("pages", "873--890"),
        ("year", "1998"),
    ),
)


def write(draw: DrawFacts, options: Options) -> Section:
    """People by stage, and whether those of one condition left more often."""
    level, seed = options.level, options.seed
    options.announce("assignment to conditions")
    missing: list[tuple[str, str]] = []
    lead = [draw_sentence(draw.draws, draw.seed)]
    tables = [_stages(draw)] if draw.conditions else []
    try:
        compared = compare_drop_out(
            [condition.left for condition in draw.conditions],
            [condition.left + condition.finished for condition in draw.conditions],
            level=level,
            seed=seed,
        )
        lead.append(_sentence(compared, draw, level))
        tables.append(_test(compared, draw, level, seed))
    except MetricsError as error:
        missing.append(("Differential drop-out", str(error)))
    cited = (ZHOU, NEWCOMBE) if any(table.name == TABLE for table in tables) else ()
    return Section(KEY, TITLE, tuple(lead), tuple(tables), missing=tuple(missing), references=cited)


def _stages(draw: DrawFacts) -> Table:
    rows = tuple(
        (
            condition.name,
            condition.drawn,
            condition.left,
            condition.inside,
            condition.finished,
            condition.excluded,
            condition.left / (condition.left + condition.finished) if condition.left + condition.finished else None,
        )
        for condition in draw.conditions
    )
    columns = (
        Column("condition", "Condition"),
        Column("drawn", "Assigned", "count"),
        Column("left", "Left", "count"),
        Column("inside", "Inside", "count"),
        Column("finished", "Finished", "count"),
        Column("excluded", "Excluded", "count"),
        Column("drop_out", "Drop-out", "share", digits=1),
    )
    title = plain("People by condition and stage.")
    note = (
        "Left: nothing submitted, and not come back. Finished: at least one task submitted. Excluded: finished, and "
        "none of the work counts in the analysis. Drop-out: left, of those who left or finished."
    )
    return Table("assignment-stages", title, columns, rows, (note,))


def _test(compared: DropOut, draw: DrawFacts, level: float, seed: int) -> Table:
    names = [condition.name for condition in draw.conditions]
    people = sum(condition.left + condition.finished for condition in draw.conditions)
    settings: dict[str, Setting] = {"level": level, "seed": seed, "test": compared.test}
    signature = f"drop-out|people:{people}|conditions:{len(names)}|seed:{seed}|v:{__version__}"
    estimate = Estimate(compared.difference, people, compared.interval, settings, (), signature)
    rows = (
        (
            compared.test,
            compared.statistic,
            compared.p,
            f"{names[compared.highest]} against {names[compared.lowest]}",
            estimate,
            people,
        ),
    )
    columns = (
        Column("test", "Test"),
        Column("statistic", "Chi-square", "number", digits=2),
        Column("p", "p", "p"),
        Column("pair", "Largest difference"),
        Column("difference", "Difference of shares", "share_estimate", n="people", digits=1, points=True),
        Column("people", "People", "count"),
    )
    title = plain("Differential drop-out: lost shares of people by condition.")
    return Table(TABLE, title, columns, rows, (SOURCES,))


def _sentence(compared: DropOut, draw: DrawFacts, level: float) -> str:
    names = [condition.name for condition in draw.conditions]
    low, high = compared.interval.low, compared.interval.high
    verdict = "differs" if compared.p < 1 - level else "does not differ detectably"
    return (
        f"Drop-out {verdict} between conditions ({compared.test}, {p_value(compared.p)}); the largest difference is "
        f"that of {names[compared.highest]} and {names[compared.lowest]}, {number(100 * compared.difference, 1)} "
        f"percentage points [{number(100 * low, 1)}, {number(100 * high, 1)}]."
    )


SECTIONS = (written(KEY, TITLE, 20, lambda report_input: report_input.draw, write),)
