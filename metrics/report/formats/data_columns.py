"""The columns of the files of data that every report has, and of the numbers of its tables."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from metrics.data.arm_assignment import SENTENCES
from metrics.report.data_file import DataColumn
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput, TextRow
from metrics.report.result import JudgedText
from metrics.tables.delimited import PARTS, column_names, plain, safe
from metrics.tables.record import WORDS, Cell, Table
from metrics.types import Estimate, Interval

ENDINGS = tuple(SENTENCES)  # a comparison of studies puts the study's name in front
DIGITS = 20


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A text under a generator, as judged."""

    facts: GeneratorFacts
    judged: JudgedText
    text: TextRow


def _sum(judged: JudgedText) -> str:
    return format_decimal(judged.hj * judged.ratings) if judged.hj is not None and judged.ratings else ""


BEFORE_CONTEXT: tuple[DataColumn[JudgedRow], ...] = (
    DataColumn("id", "the text", lambda row: safe(row.text.id)),
    DataColumn(
        "generator",
        "generator whose log-probabilities the row holds; references appear once for each",
        lambda row: safe(row.facts.name),
    ),
    DataColumn("source", "reference or model", lambda row: row.judged.item.source),
    DataColumn(
        "hj",
        "human judgment: mean of the kept ratings, an exact decimal where there is one",
        lambda row: format_decimal(row.judged.hj),
        "points of the scale",
    ),
    DataColumn(
        "hj_low",
        "lower end of its interval over raters",
        lambda row: repr(row.judged.interval.low) if row.judged.interval else "",
        "points of the scale",
    ),
    DataColumn(
        "hj_high",
        "upper end of its interval over raters",
        lambda row: repr(row.judged.interval.high) if row.judged.interval else "",
        "points of the scale",
    ),
    DataColumn("ratings", "kept ratings of the text", lambda row: str(row.judged.ratings or "")),
    DataColumn("hj_sum", "their exact sum", lambda row: _sum(row.judged), "points of the scale"),
    DataColumn(
        "log_prob",
        "log-probability of the whole text under the generator; -inf for probability zero",
        lambda row: "" if row.judged.item.log_prob is None else repr(row.judged.item.log_prob),
        "nats",
    ),
    DataColumn("length", "length by which it is divided", lambda row: str(row.judged.item.length), "see length_unit"),
    DataColumn("length_unit", "what a unit is", lambda row: safe(row.facts.length_unit)),
    DataColumn("decoding", "how the generator's texts were decoded", lambda row: safe(row.facts.decoding)),
    DataColumn(
        "log_prob_decoding",
        "the distribution that the log-probability belongs to",
        lambda row: safe(row.facts.log_prob_decoding),
    ),
)
PAIRED = "id of the context; texts of one context form a pair"
UNPAIRED = "id of the context, where some texts have none"
CONTEXT: DataColumn[JudgedRow] = DataColumn("context", PAIRED, lambda row: safe(row.judged.item.context))
CONTEXT_ID: DataColumn[JudgedRow] = DataColumn("context_id", UNPAIRED, lambda row: safe(row.judged.item.context))
AFTER_CONTEXT: tuple[DataColumn[JudgedRow], ...] = (
    DataColumn("context_text", "the context as shown", lambda row: safe(row.text.context)),
    DataColumn("text", "the text as shown", lambda row: safe(row.text.body)),
)
BARE_ITEM_COLUMNS: tuple[DataColumn[TextRow], ...] = (
    DataColumn("id", "the text", lambda text: safe(text.id)),
    DataColumn("source", "reference or model", lambda text: text.source),
    DataColumn("generator", "generator of the text; empty for a reference", lambda text: safe(text.generator)),
    DataColumn("context_id", UNPAIRED, lambda text: safe(text.context_id)),
    DataColumn("context_text", "the context as shown", lambda text: safe(text.context)),
    DataColumn("text", "the text as shown", lambda text: safe(text.body)),
)


def item_columns(*, paired: bool) -> tuple[DataColumn[JudgedRow], ...]:
    """Pairing by context needs every text's context; where some have none, the column has another name."""
    return (*BEFORE_CONTEXT, CONTEXT if paired else CONTEXT_ID, *AFTER_CONTEXT)


RATING_COLUMNS: tuple[DataColumn[RatingRow], ...] = (
    DataColumn("item", "the text", lambda row: safe(row.text)),
    DataColumn("rater", "pseudonym of the rater", lambda row: safe(row.rater)),
    DataColumn(
        "value", "the label's number in the coding shown", lambda row: format_decimal(row.value), "points of the scale"
    ),
    DataColumn("label", "the label as chosen", lambda row: safe(row.label)),
    DataColumn("hit", "the task that showed the text", lambda row: safe(row.hit)),
    DataColumn(
        "position", "its place in the task, from 1", lambda row: "" if row.position is None else str(row.position)
    ),
)
FURTHER_RATING_COLUMNS: tuple[DataColumn[RatingRow], ...] = (
    DataColumn("criterion", "what was asked", lambda row: safe(row.criterion)),
    DataColumn("condition", "the condition of the design", lambda row: safe(row.condition)),
    DataColumn("partner", "the other text of a pair", lambda row: safe(row.partner)),
)


@dataclass(frozen=True, slots=True)
class RaterRow:
    """A rater's work. values: of the kept ratings. seconds: of each assignment whose time is known."""

    rater: str
    assignments: int
    ratings: int
    values: tuple[Fraction, ...]
    seconds: tuple[int, ...]


RATER_COLUMNS: tuple[DataColumn[RaterRow], ...] = (
    DataColumn("rater", "pseudonym of the rater", lambda row: safe(row.rater)),
    DataColumn("assignments", "assignments submitted", lambda row: str(row.assignments or "")),
    DataColumn("ratings", "ratings given", lambda row: str(row.ratings)),
    DataColumn("ratings_kept", "ratings in the analysis", lambda row: str(len(row.values))),
    DataColumn(
        "mean",
        "mean of the kept ratings, in the coding shown",
        lambda row: format_decimal(sum(row.values, Fraction(0)) / len(row.values)) if row.values else "",
        "points of the scale",
    ),
    DataColumn(
        "median_seconds",
        "median time of an assignment",
        lambda row: f"{statistics.median(row.seconds):g}" if row.seconds else "",
        "seconds",
    ),
)


def rater_rows(report_input: ReportInput) -> Iterator[RaterRow]:
    """Every rater, by pseudonym."""
    rated: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in report_input.ratings:
        rated[rating.rater].append(rating)
    seconds: defaultdict[str, list[int]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for assignment in report_input.assignments:
        counts[assignment.rater] += 1
        if assignment.seconds is not None:
            seconds[assignment.rater].append(assignment.seconds)
    for rater in sorted({*rated, *counts}):
        values = tuple(Fraction(rating.value) for rating in rated[rater] if rating.kept)
        yield RaterRow(rater, counts[rater], len(rated[rater]), values, tuple(seconds[rater]))


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number of a table. name: words of its row. note: what a comparison of arms must say."""

    part: str
    table: str
    name: str
    column: str
    cell: Cell
    note: str

    @property
    def estimate(self) -> Estimate | None:
        """The number, where it is an estimate."""
        return self.cell if isinstance(self.cell, Estimate) else None

    @property
    def span(self) -> Interval | None:
        """Its interval."""
        return self.estimate.interval if self.estimate else None


RESULT_COLUMNS: tuple[DataColumn[NumberRow], ...] = (
    DataColumn("part", "part of the results", lambda row: row.part),
    DataColumn("table", "table of the part", lambda row: row.table),
    DataColumn("row", "words of the row", lambda row: safe(row.name)),
    DataColumn("column", "what the number is", lambda row: row.column),
    DataColumn(
        "value",
        "the number, nothing rounded",
        lambda row: plain(row.cell.value if isinstance(row.cell, Estimate) else row.cell),
        "as the column says; shares in [0, 1]",
    ),
    DataColumn(
        "low",
        "lower end of its interval, or of the band that `method` names",
        lambda row: plain(row.span.low) if row.span else "",
        "as value",
    ),
    DataColumn(
        "high", "upper end of its interval or band", lambda row: plain(row.span.high) if row.span else "", "as value"
    ),
    DataColumn(
        "level",
        "level of the interval, or share of the draws in the band",
        lambda row: plain(row.span.level) if row.span else "",
    ),
    DataColumn("n", "units behind the number", lambda row: plain(row.estimate.n) if row.estimate else ""),
    DataColumn("method", "how the interval or band was made", lambda row: safe(row.span.method) if row.span else ""),
    DataColumn(
        "flags", "what a reader must know", lambda row: safe(" ".join(row.estimate.flags)) if row.estimate else ""
    ),
    DataColumn(
        "signature",
        "the line that identifies the computation",
        lambda row: safe(row.estimate.signature) if row.estimate else "",
    ),
    DataColumn(
        "note",
        "of a comparison of arms: how raters were assigned to them, unless at random",
        lambda row: safe(row.note),
    ),
)


def estimate_rows(parts: Iterable[tuple[str, Table]]) -> Iterator[NumberRow]:
    """Every number of tables, each with its part of the results."""
    for part, table in parts:
        words = [column for column in table.columns if column.kind in WORDS]
        note = " ".join(note for note in table.notes if note.endswith(ENDINGS))
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            name = ", ".join(str(cells[column]) for column in words if cells[column])
            for column, cell in cells.items():
                if column not in words and cell is not None:
                    yield NumberRow(part, table.name, name, column.key, cell, note)


HUSE_MEANINGS = {
    "generator": "the generator",
    "ties": "exact or paper",
    "huse": "HUSE: twice the leave-one-out error of nearest neighbours on judgment and log-probability",
    "huse_q": "HUSE-Q: the same by judgment alone",
    "huse_d": "HUSE-D: 1 + HUSE - HUSE-Q",
    "log_prob_only": "the same by log-probability alone",
    "n": "texts",
    "ratings": "ratings per text",
    "k": "neighbours",
    "p_null": "p of the permutation test of equal sources",
}
OF_AN_ESTIMATE = dict(
    zip(
        PARTS[1:],
        (
            "lower end of its interval",
            "upper end of its interval",
            "level of the interval",
            "texts behind it",
            "how the interval was made",
            "what a reader must know of it",
            "the line that identifies the computation",
        ),
        strict=True,
    )
)


def describe_huse_table(table: Table) -> list[tuple[str, str, str, str]]:
    """The columns of huse.csv in the data dictionary, as the table has them."""
    return [
        ("huse.csv", name, OF_AN_ESTIMATE.get(name.removeprefix(column.key)) or HUSE_MEANINGS[column.key], "")
        for column in table.columns
        for name in column_names(column)
    ]


def format_decimal(value: Fraction | int | None) -> str:
    """The exact decimal where there is one of at most 20 places, else 20 places; "" for None."""
    if value is None:
        return ""
    for places in range(DIGITS + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            break
    else:
        places, scaled = DIGITS, Fraction(round(value * 10**DIGITS))
    sign, digits = "-" if scaled < 0 else "", str(abs(scaled.numerator)).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
