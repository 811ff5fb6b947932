"""The report's data as tidy CSV: UTF-8, LF, no cell a spreadsheet would run as a formula.

`items.csv` of one generator is the ITEMS of `python -m metrics huse`, `ratings.csv` its RATINGS. HJ is written as an
exact decimal where it has one; where it has none (a mean of 3 ratings, say) only RATINGS keeps ties exact, and
`hj_sum` / `ratings` give the exact HJ. Judgments excluded from the analysis are in `ratings-excluded.csv`.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from metrics.data.arm_assignment import SENTENCES
from metrics.data.currency import plain_amount
from metrics.report.formats import column_dictionary
from metrics.report.records import RatingRow, ReportInput, TextRow
from metrics.report.result import GeneratorReport, JudgedText, Report
from metrics.report.row_records import AssignmentRow
from metrics.report.sections.human_or_machine import CRITERION as HUMAN_OR_MACHINE
from metrics.report.sections.human_or_machine import FACTORS, judgments
from metrics.report.sections.huse_extras import CRITERION
from metrics.tables.delimited import lines, plain, safe, table_csv
from metrics.tables.huse import HuseRow, huse_table
from metrics.tables.latex import table_latex
from metrics.tables.record import Cell, Table
from metrics.types import Estimate

ENDINGS = tuple(SENTENCES)  # a comparison of studies puts the study's name in front
DIGITS = 20
MAX_BYTES = 120  # of a generator's name in a file's name
ITEM_COLUMNS = tuple(name for name in column_dictionary.ITEMS if name != "context_id")
RATING_COLUMNS = ("item", "rater", "value", "label", "hit", "position")
MORE_RATING_COLUMNS = tuple(column_dictionary.RATINGS)
YES = {True: "yes", False: "no"}

Row = Sequence[str]


def csv_files(report: Report) -> dict[str, str]:
    """Name and content of each CSV file, and of the table of HUSE as LaTeX. A file without a row is not written."""
    out = {**_item_files(report), **_rating_files(report.input), **_people_files(report.input)}
    if report.generators:
        out["huse.csv"] = table_csv(main_table(report))
    out["results.csv"] = lines(tuple(column_dictionary.RESULTS), _results(report))
    names = [name.removesuffix(".csv") for name in out]
    out["dictionary.csv"] = lines(column_dictionary.COLUMNS, column_dictionary.rows(names))
    return out | ({"huse.tex": table_latex(main_table(report))} if report.generators else {})


def _item_files(report: Report) -> dict[str, str]:
    texts = {text.id: text for text in report.input.texts}
    if not report.generators:
        bare = ("id", "source", "generator", "context_id", "context_text", "text")
        rows = [
            (safe(t.id), t.source, safe(t.generator), safe(t.context_id), safe(t.context), safe(t.body))
            for t in report.input.texts
        ]
        return {"items.csv": lines(bare, rows)}
    rows_by_generator = {generator.facts.name: list(_items(generator, texts)) for generator in report.generators}
    columns = tuple(_columns(report))
    out = {"items.csv": lines(columns, [row for rows in rows_by_generator.values() for row in rows])}
    if len(rows_by_generator) > 1:
        for name, slug in zip(rows_by_generator, slugs(list(rows_by_generator)), strict=True):
            out[f"items-{slug}.csv"] = lines(columns, rows_by_generator[name])
    return out


def _rating_files(report_input: ReportInput) -> dict[str, str]:
    """`ratings.csv` as `python -m metrics huse` and `alpha` read it, `judgments.csv` as `evaluators` does."""
    rated = [rating for rating in report_input.ratings if rating.criterion != HUMAN_OR_MACHINE]
    all_columns = any(rating.criterion != CRITERION or rating.condition or rating.partner for rating in rated)
    columns = MORE_RATING_COLUMNS if all_columns else RATING_COLUMNS
    included, excluded = [rating for rating in rated if rating.kept], [rating for rating in rated if not rating.kept]
    out = {"ratings.csv": lines(columns, _ratings(included, all_columns))} if rated or not report_input.ratings else {}
    if excluded:
        out["ratings-excluded.csv"] = lines(columns, _ratings(excluded, all_columns))
    evaluator_judgments = judgments(report_input)
    if evaluator_judgments:
        rows = [
            (safe(j.rater), safe(j.item), j.truth, str(j.rating), _condition(j.factors), *_levels(j.factors))
            for j in evaluator_judgments
        ]
        out["judgments.csv"] = lines(tuple(column_dictionary.JUDGMENTS), rows)
    return out


def _levels(factors: Mapping[str, str]) -> Row:
    return tuple(safe(factors[factor]) for factor in FACTORS)


def _condition(factors: Mapping[str, str]) -> str:
    return safe(" × ".join(factors[factor] for factor in FACTORS))


def _people_files(report_input: ReportInput) -> dict[str, str]:
    out: dict[str, str] = {}
    if report_input.assignments:
        out["assignments.csv"] = lines(tuple(column_dictionary.ASSIGNMENTS), map(_assignment, report_input.assignments))
        flags = [(safe(a.id), safe(a.rater), safe(flag)) for a in report_input.assignments for flag in a.flags]
        if flags:
            out["flags.csv"] = lines(tuple(column_dictionary.FLAGS), flags)
    if report_input.ratings:
        out["raters.csv"] = lines(tuple(column_dictionary.RATERS), _raters(report_input))
    if report_input.comments:
        rows = [
            (safe(c.text), safe(c.rater), safe(c.question), safe(c.body), YES[c.kept]) for c in report_input.comments
        ]
        out["comments.csv"] = lines(tuple(column_dictionary.COMMENTS), rows)
    if report_input.codes:
        coded = [
            (safe(c.text), safe(c.rater), safe(c.question), safe(c.coder), safe(code), c.codebook)
            for c in report_input.codes
            for code in c.codes
        ]
        out["codes.csv"] = lines(tuple(column_dictionary.CODES), coded)
        out["codebook.csv"] = lines(tuple(column_dictionary.CODEBOOK), _codebook(report_input))
    return out


def _codebook(report_input: ReportInput) -> Iterator[Row]:
    for name, book in (("comments", report_input.codebook), ("criteria", report_input.criteria)):
        yield from ((name, safe(category), safe(code)) for category, codes in book for code in codes)


def _assignment(assignment: AssignmentRow) -> Row:
    when = assignment.submitted_at.isoformat() if assignment.submitted_at else ""
    seconds = "" if assignment.seconds is None else str(assignment.seconds)
    return (
        *(safe(text) for text in (assignment.id, assignment.rater, assignment.hit, assignment.condition)),
        when,
        seconds,
        assignment.payment,
        YES[assignment.kept],
        safe(assignment.reason),
        *_reward(assignment),
    )


def _reward(assignment: AssignmentRow) -> Row:
    """Amount and currency; both are empty where the reward is not known."""
    if assignment.reward_cents is None or not assignment.currency:
        return "", ""
    return plain_amount(assignment.reward_cents, assignment.currency), safe(assignment.currency)


def _raters(report_input: ReportInput) -> Iterator[Row]:
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
        values = [Fraction(rating.value) for rating in rated[rater] if rating.kept]
        mean = format_decimal(sum(values, Fraction(0)) / len(values)) if values else ""
        time = f"{statistics.median(seconds[rater]):g}" if seconds[rater] else ""
        number = str(counts[rater]) if counts[rater] else ""
        yield safe(rater), number, str(len(rated[rater])), str(len(values)), mean, time


def _results(report: Report) -> Iterator[Row]:
    """Every estimate of every table, a line each."""
    parts = [("huse", main_table(report))] if report.generators else []
    parts += [("items", table) for table in report.items.tables]
    parts += [(section.key, table) for section in report.sections for table in section.tables]
    yield from estimate_rows(parts)


def estimate_rows(parts: Iterable[tuple[str, Table]]) -> Iterator[Row]:
    """Every number of tables, each with its part of the results, as rows of `column_dictionary.RESULTS`."""
    for part, table in parts:
        words = [column for column in table.columns if column.kind in ("text", "range")]
        note = safe(" ".join(note for note in table.notes if note.endswith(ENDINGS)))
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            name = ", ".join(str(cells[column]) for column in words if cells[column])
            for column, cell in cells.items():
                if column not in words and cell is not None:
                    yield (part, table.name, safe(name), column.key, *_number(cell), note)


def _number(cell: Cell) -> Row:
    if not isinstance(cell, Estimate):
        return (plain(cell), *[""] * 7)
    span = cell.interval
    ends = ("", "", "") if span is None else (plain(span.low), plain(span.high), plain(span.level))
    texts = ("" if span is None else safe(span.method), safe(" ".join(cell.flags)), safe(cell.signature))
    return (plain(cell.value), *ends, plain(cell.n), *texts)


def main_table(report: Report) -> Table:
    """HUSE, HUSE-Q, HUSE-D and log p alone of every generator, in both modes."""
    return huse_table(
        [
            HuseRow(
                generator.facts.name, mode, result, report.p_null.get(generator.facts.name) if mode == "exact" else None
            )
            for generator in report.generators
            for mode, result in generator.modes.items()
        ]
    )


def format_decimal(value: Fraction | None) -> str:
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


def slugs(names: Sequence[str]) -> list[str]:
    """File-name parts for the names, one for each, all different; letters of every script stay."""
    out: list[str] = []
    for name in names:
        base = _cut(re.sub(r"(?:[^\w.=]|_)+", "-", name)).strip("-.") or "generator"
        slug, again = base, 2
        while slug.lower() in (other.lower() for other in out):
            slug, again = f"{base}-{again}", again + 1
        out.append(slug)
    return out


def _cut(name: str) -> str:
    """At most MAX_BYTES in UTF-8: no file system takes more than 255 for a whole name."""
    return name.encode()[:MAX_BYTES].decode(errors="ignore")


def _columns(report: Report) -> Row:
    """Pairing by context needs every text's context; where some have none, the column has another name."""
    complete = all(item.context for generator in report.generators for item in generator.facts.items)
    return ITEM_COLUMNS if complete else tuple("context_id" if name == "context" else name for name in ITEM_COLUMNS)


def _items(generator: GeneratorReport, texts: dict[str, TextRow]) -> Iterator[Row]:
    facts = generator.facts
    for judged in generator.judged:
        item, text = judged.item, texts[judged.item.id]
        yield (
            safe(item.id),
            safe(facts.name),
            item.source,
            format_decimal(judged.hj),
            repr(judged.interval.low) if judged.interval else "",
            repr(judged.interval.high) if judged.interval else "",
            str(judged.ratings or ""),
            _sum(judged),
            "" if item.log_prob is None else repr(item.log_prob),
            str(item.length),
            safe(facts.length_unit),
            safe(facts.decoding),
            safe(facts.log_prob_decoding),
            safe(item.context),
            safe(text.context),
            safe(text.body),
        )


def _sum(judged: JudgedText) -> str:
    return format_decimal(judged.hj * judged.ratings) if judged.hj is not None and judged.ratings else ""


def _ratings(ratings: Iterable[RatingRow], all_columns: bool) -> Iterator[Row]:
    for rating in ratings:
        position = "" if rating.position is None else str(rating.position)
        more = (safe(rating.criterion), safe(rating.condition), safe(rating.partner)) if all_columns else ()
        yield (
            safe(rating.text),
            safe(rating.rater),
            format_decimal(Fraction(rating.value)),
            safe(rating.label),
            safe(rating.hit),
            position,
            *more,
        )
