"""The table of HUSE (Hashimoto et al. 2019, Table 1, completed): values with intervals, n, ratings, k, null p."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.data.sentence import Sentence, template
from metrics.tables.record import Cell, Column, Table
from metrics.types import HuseResult, Mode

COLUMNS = (
    Column("generator", "Generator"),
    Column("ties", "Ties"),
    Column("huse", "HUSE", "estimate", n="n"),
    Column("huse_q", "HUSE-Q", "estimate", n="n"),
    Column("huse_d", "HUSE-D", "estimate", n="n"),
    Column("log_prob_only", "log p only", "estimate", n="n"),
    Column("n", "n", "count"),
    Column("ratings", "Ratings per text", "range"),
    Column("k", "k", "count"),
    Column("p_null", "p (equal sources)", "p"),
)
TITLE = template(
    "tables.huse",
    "HUSE, HUSE-Q (judgment alone), HUSE-D (1 + HUSE − HUSE-Q), and log p alone as a check{intervals}.{ties}",
    "results.generators",
    "options.level",
)
LOWER = (
    "A HUSE whose interval lies below 1 shows a difference between the two sources; a HUSE near 1 does not certify "
    "that there is none. HUSE depends on the number of ratings: compare values only at equal numbers of "
    "ratings per text."
)
TEST_NOTE = (
    "p tests equal sources against a lower HUSE, one-sided, by exchanging the labels of these texts; HUSE of exchanged "
    "labels need not be 1 on average. Intervals are two-sided and for new texts, so that an interval can reach 1 where "
    "p is below 0.05."
)
OUTVOTED = "Where sources differ in size, neighbors' votes weigh by source in exact and alike in paper."


@dataclass(frozen=True, slots=True)
class HuseRow:
    """One generator in one mode. p_null: of the permutation test of equal sources, None where it was not run."""

    generator: str
    mode: Mode
    result: HuseResult
    p_null: float | None = None
    task: str = ""


def huse_table(rows: Sequence[HuseRow], *, name: str = "huse") -> Table:
    """The table: a column for the task where one is named, and for p where a test was run."""
    tasks, tested = any(row.task for row in rows), any(row.p_null is not None for row in rows)
    columns = tuple(column for column in COLUMNS if column.key != "p_null" or tested)
    return Table(
        name=name,
        title=_title(rows),
        columns=(Column("task", "Task"), *columns) if tasks else columns,
        rows=tuple(_cells(row, tasks, tested) for row in rows),
        notes=(LOWER, TEST_NOTE) if tested else (LOWER,),
    )


def interval_targets(results: Iterable[HuseResult]) -> tuple[str, ...]:
    """What the intervals of HUSE, HUSE-Q and HUSE-D are for, each once, in words; nothing where there is none."""
    spans = (getattr(result, name).interval for result in results for name in ("huse", "huse_q", "huse_d"))
    return tuple(dict.fromkeys(span.target for span in spans if span is not None and span.target))


def _title(rows: Sequence[HuseRow]) -> Sentence:
    spans = {row.result.huse.interval for row in rows if row.result.huse.interval}
    levels = sorted({f"{100 * span.level:g}%" for span in spans})
    intervals = f", with {' and '.join(levels)} intervals" if levels else ""
    modes = {row.mode for row in rows}
    ties = [
        "Exact: ties by exact arithmetic." if "exact" in modes else "",
        "Paper: the original's floating-point operations." if "paper" in modes else "",
        OUTVOTED if any("vote_unbalanced" in row.result.huse_q.flags for row in rows) else "",
    ]
    return TITLE.fill(intervals=intervals, ties="".join(f" {sentence}" for sentence in ties if sentence))


def _cells(row: HuseRow, tasks: bool, tested: bool) -> tuple[Cell, ...]:
    result, settings = row.result, row.result.huse.settings
    values: list[Cell] = [row.task] if tasks else []
    values += [row.generator, row.mode, result.huse, result.huse_q, result.huse_d, result.log_prob_only]
    values += [
        result.huse.n,
        _ratings(settings.get("ratings_min"), settings.get("ratings_max")),
        _int_or_none(settings.get("k")),
    ]
    return (*values, row.p_null) if tested else tuple(values)


def _int_or_none(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _ratings(low: object, high: object) -> str | None:
    if low is None:
        return None
    return str(low) if low == high else f"{low} to {high}"
