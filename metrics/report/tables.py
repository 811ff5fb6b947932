"""The report's data as tidy CSV: UTF-8, LF, no cell a spreadsheet would run as a formula.

`items.csv` of one generator is the ITEMS of `python -m metrics huse`, `ratings.csv` its RATINGS. HJ is written as an
exact decimal where it has one; where it has none (a mean of 3 ratings, say) only RATINGS keeps ties exact, and
`hj_sum` / `ratings` give the exact HJ. Judgments left out of the analysis stand apart, in `ratings-excluded.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from metrics.report.records import RatingRow, TextRow
from metrics.report.result import GeneratorReport, Judged, Report
from metrics.tables.delimited import lines, safe, table_csv
from metrics.tables.huse import HuseRow, huse_table
from metrics.tables.latex import table_latex
from metrics.tables.record import Table

DIGITS = 20
ITEM_COLUMNS = (
    "id",
    "generator",
    "source",
    "hj",
    "hj_low",
    "hj_high",
    "ratings",
    "hj_sum",
    "log_prob",
    "length",
    "length_unit",
    "decoding",
    "log_prob_decoding",
    "context",
    "context_text",
    "text",
)
RATING_COLUMNS = ("item", "rater", "value", "label", "hit", "position")

Row = Sequence[str]


def files(report: Report) -> dict[str, str]:
    """Name and content of each CSV file, and of the table of HUSE as CSV and as LaTeX."""
    texts = {text.id: text for text in report.input.texts}
    rows = {generator.facts.name: list(_items(generator, texts)) for generator in report.generators}
    columns = _columns(report)
    out = {"items.csv": lines(columns, [row for own in rows.values() for row in own])}
    if len(rows) > 1:
        for name, slug in zip(rows, slugs(list(rows)), strict=True):
            out[f"items-{slug}.csv"] = lines(columns, rows[name])
    kept = [rating for rating in report.input.ratings if rating.kept]
    out["ratings.csv"] = lines(RATING_COLUMNS, _ratings(kept))
    if len(kept) < len(report.input.ratings):
        excluded = [rating for rating in report.input.ratings if not rating.kept]
        out["ratings-excluded.csv"] = lines(RATING_COLUMNS, _ratings(excluded))
    results = main_table(report)
    return out | {"huse.csv": table_csv(results), "huse.tex": table_latex(results)}


def main_table(report: Report) -> Table:
    """HUSE, HUSE-Q, HUSE-D and log p alone of every generator, in both modes."""
    return huse_table([HuseRow(one.facts.name, *pair) for one in report.generators for pair in one.modes.items()])


def decimal(value: Fraction | None) -> str:
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
    """File-name parts for the names, one for each, all different."""
    out: list[str] = []
    for name in names:
        base = re.sub(r"[^A-Za-z0-9.=]+", "-", name).strip("-.") or "generator"
        slug, again = base, 2
        while slug.lower() in (other.lower() for other in out):
            slug, again = f"{base}-{again}", again + 1
        out.append(slug)
    return out


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
            decimal(judged.hj),
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


def _sum(judged: Judged) -> str:
    return decimal(judged.hj * judged.ratings) if judged.hj is not None and judged.ratings else ""


def _ratings(ratings: Iterable[RatingRow]) -> Iterator[Row]:
    for rating in ratings:
        position = "" if rating.position is None else str(rating.position)
        yield (
            safe(rating.text),
            safe(rating.rater),
            decimal(Fraction(rating.value)),
            safe(rating.label),
            safe(rating.hit),
            position,
        )
