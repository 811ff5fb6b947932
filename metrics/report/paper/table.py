"""The one table of the paper page: the headline of the study's kind, in columns that fit half a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metrics.figures.chart import name_intervals
from metrics.report.result import GeneratorReport
from metrics.report.section import Section
from metrics.report.sentence import Template, template
from metrics.report.wording import plural
from metrics.tables.huse import COLUMNS
from metrics.tables.record import Column, Row, Table
from metrics.types import Estimate

MAX_ROWS = 8
HUSE = template(
    "paper.table-huse",
    "HUSE, HUSE-Q (judgment alone) and HUSE-D (diversity) against the references{with_intervals}; n counts {counted}.",
    "results.generators",
)
ACCURACY = template(
    "paper.table-accuracy",
    "Accuracy of evaluators who said whether a text was by a human or a machine, and their share of answers that say "
    "human{with_intervals}; n counts {counted}.",
    "ratings.rater",
    "options.level",
)
NEAR_NEGATIVE = template(
    "paper.table-nnd",
    "Near-negative tests in which a model gives the better text the higher likelihood{with_intervals}; n counts "
    "{counted}.",
    "attached.document",
)
LIKELINESS = template(
    "paper.table-automatic",
    "Texts that look written by a human or by a machine to a language model (frac(p)){with_intervals}; n counts "
    "{counted}.",
    "attached.document",
)
MEANS = template(
    "paper.table-scales",
    "Mean rating over texts, and its difference from the references{with_intervals}; n counts {counted}.",
    "ratings.text",
    "options.level",
)
SHARES = template(
    "paper.table-labels",
    "Share of the judgments with each label{with_intervals}; n counts {counted}.",
    "ratings.text",
    "options.level",
)
PREFERENCES = template(
    "paper.table-pairs",
    "Share of judgments that prefer the first of two sources, ties as half{with_intervals}; n counts {counted}.",
    "ratings.text",
    "options.level",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which table of a section is shown, and what of it.

    table: its name, or how it begins before a hyphen. names: columns whose words name a row. values: columns with their
    short titles. head: title of the names. counted: what n counts.
    """

    table: str
    caption: Template
    names: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    head: str
    counted: str


MEASURES = (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))
OF_HUSE = Recipe("huse", HUSE, ("generator",), MEASURES, "Generator", "texts")
RECIPES = (
    Recipe(
        "evaluators",
        ACCURACY,
        ("training", "domain", "model"),
        (("accuracy", "Accuracy"), ("human", "Says human")),
        "Condition",
        "evaluators",
    ),
    Recipe("nnd", NEAR_NEGATIVE, ("model", "category"), (("rate", "Passed"),), "Model, error", "tests"),
    Recipe(
        "automatic",
        LIKELINESS,
        ("backend",),
        (("h", "Human"), ("m", "Machine"), ("mean_fp", "Mean")),
        "Model",
        "texts",
    ),
    Recipe(
        "scales",
        MEANS,
        ("criterion", "source"),
        (("mean", "Mean"), ("difference", "Difference")),
        "Criterion, source",
        "texts",
    ),
    Recipe(
        "preferences", PREFERENCES, ("first", "second"), (("preferred", "First preferred"),), "Sources", "judgments"
    ),
    Recipe("labels", SHARES, ("source", "label"), (("share", "Share"),), "Source, label", "judgments"),
)


def paper_table(generators: Sequence[GeneratorReport], sections: Sequence[Section]) -> Table | None:
    """The table: HUSE where there is one, else that of the first kind of result in the order of the papers."""
    if generators:
        columns = tuple(replace(column, n=None) for column in COLUMNS if column.key in ("generator", *dict(MEASURES)))
        return _build(OF_HUSE, Table("huse", "", columns, tuple(_huse_row(generator) for generator in generators)))
    tables = [table for section in sections for table in section.tables if table.rows]
    for recipe in RECIPES:
        for table in tables:
            if table.name == recipe.table or table.name.startswith(f"{recipe.table}-"):
                return _build(recipe, table)
    return None


def _huse_row(generator: GeneratorReport) -> Row:
    exact = generator.modes["exact"]
    return (generator.facts.name, exact.huse, exact.huse_q, exact.huse_d)


def _build(recipe: Recipe, table: Table) -> Table:
    """The columns of the recipe, between one column of names and one of n."""
    places = {column.key: at for at, column in enumerate(table.columns)}
    values = [(places[key], title) for key, title in recipe.values if key in places]
    picked = [tuple(row[at] for at, _ in values) for row in table.rows]
    counts = [_n(row) for row in picked]
    columns = [
        Column("name", recipe.head),
        *(replace(table.columns[at], title=title, n="n") for at, title in values),
        Column("n", "n", "count"),
    ]
    names = _names(recipe, table, places)
    rows = [(name, *row, n) for name, row, n in zip(names, picked, counts, strict=True)]
    left_out = len(rows) - MAX_ROWS
    notes = (f"The appendix has {plural(left_out, 'more row', 'more rows')}.",) if left_out > 0 else ()
    title = recipe.caption.fill(with_intervals=_name_intervals(picked), counted=recipe.counted)
    return Table(f"paper-{recipe.table}", title, tuple(columns), tuple(rows[:MAX_ROWS]), notes)


def _names(recipe: Recipe, table: Table, places: Mapping[str, int]) -> Iterator[str]:
    """Each row's words; what is the same in every row names none of them."""
    known = [places[key] for key in recipe.names if key in places]
    # A row of all conditions says nothing of what varies among them.
    varying = [at for at in known if len({row[at] for row in table.rows} - {"all"}) > 1] or known[:1]
    for row in table.rows:
        yield ", ".join(dict.fromkeys(str(row[at] or "all") for at in varying))


def _n(row: Row) -> int:
    return next((cell.n for cell in row if isinstance(cell, Estimate)), 0)


def _name_intervals(rows: Sequence[Row]) -> str:
    return name_intervals(cell.interval for row in rows for cell in row if isinstance(cell, Estimate))
