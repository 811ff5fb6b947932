"""The one table of the paper page: the headline of the study's kind, in columns that fit half a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics.data.sentence import Template, template
from metrics.figures.chart import name_intervals
from metrics.report.prose.shortened import count_further_rows
from metrics.report.result import GeneratorReport
from metrics.report.section import Section
from metrics.report.wording import name_criterion
from metrics.tables.huse import COLUMNS
from metrics.tables.record import CRITERION, Column, Row, Table
from metrics.types import Estimate

MAX_ROWS = 8
EVERYTHING = "all"  # a factor that a row does not vary, and the row that varies none
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
    "Mean rating{of_criterion} over texts{with_difference}{with_intervals}; n counts {counted}.",
    "ratings.text",
    "ratings.criterion",
    "options.level",
)
CHOSEN = template(
    "paper.table-chosen",
    "How often a text of each source was chosen, and would be by chance{with_intervals}; n counts {counted}.",
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

    table: its name, or how it begins before a hyphen and its criterion. names: columns whose words name a row, where
    they vary; tables of all criteria are joined where the criterion is among them. values: columns with their short
    titles. head: title of the names; "": the names' own. counted: what n counts. paired: both of the last two names are
    always said. in_brackets: what an n counts that is written beside a value, as it is not the row's.
    """

    table: str
    caption: Template
    names: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    head: str
    counted: str
    paired: bool = False
    in_brackets: str = ""


DIFFERENCE = ", and its difference from the references"
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
        in_brackets=", and in brackets answers",
    ),
    Recipe("nnd", NEAR_NEGATIVE, ("model", "category"), (("rate", "Passed"),), "", "tests"),
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
        (CRITERION.key, "source"),
        (("mean", "Mean"), ("difference", "Difference")),
        "",
        "texts",
        in_brackets=", and in brackets the judgments of both sources",
    ),
    Recipe(
        "preferences",
        PREFERENCES,
        (CRITERION.key, "first", "second"),
        (("preferred", "First preferred"),),
        "",
        "judgments",
        paired=True,
    ),
    Recipe(
        "chosen",
        CHOSEN,
        (CRITERION.key, "source"),
        (("chosen", "Chosen"), ("chance", "By chance"), ("difference", "Difference")),
        "",
        "answers",
    ),
    Recipe("labels", SHARES, (CRITERION.key, "source", "label"), (("share", "Share"),), "", "judgments"),
)


def paper_table(generators: Sequence[GeneratorReport], sections: Sequence[Section]) -> Table | None:
    """The table: HUSE where there is one, else that of the first kind of result in the order of the papers."""
    if generators:
        columns = tuple(replace(column, n=None) for column in COLUMNS if column.key in ("generator", *dict(MEASURES)))
        return _build(OF_HUSE, [Table("huse", "", columns, tuple(_huse_row(generator) for generator in generators))])
    tables = [table for section in sections for table in section.tables if table.rows]
    for recipe in RECIPES:
        matching = [each for each in tables if each.name == recipe.table or each.name.startswith(f"{recipe.table}-")]
        if matching:
            return _build(recipe, matching if CRITERION.key in recipe.names else matching[:1])
    return None


def _huse_row(generator: GeneratorReport) -> Row:
    exact = generator.modes["exact"]
    return (generator.facts.name, exact.huse, exact.huse_q, exact.huse_d)


def _build(recipe: Recipe, tables: Sequence[Table]) -> Table:
    """The columns of the recipe that hold something, between one column of names and one of n."""
    # Preferences and choices have a table for each criterion: here the criterion names the row.
    first = tables[0]
    columns = (*first.columns, CRITERION)
    all_rows = [(*row, table.name.removeprefix(f"{recipe.table}-")) for table in tables for row in table.rows]
    places = {column.key: at for at, column in reversed([*enumerate(columns)])}
    values = [
        (places[key], title)
        for key, title in recipe.values
        if key in places and any(row[places[key]] is not None for row in all_rows)
    ]
    picked = [tuple(row[at] for at, _ in values) for row in all_rows]
    counts = [_n(row) for row in picked]
    naming = _naming(recipe, all_rows, places)
    head = recipe.head or ", ".join(columns[at].title.lower() for at in naming).capitalize()
    shown = [
        Column("name", head),
        *(replace(columns[at], title=title, n="n" if "estimate" in columns[at].kind else None) for at, title in values),
        Column("n", "n", "count"),
    ]
    words_of = {at: name_criterion if at == places[CRITERION.key] else str for at in naming}
    names = (", ".join(dict.fromkeys(words_of[at](str(row[at] or EVERYTHING)) for at in naming)) for row in all_rows)
    rows = [(name, *row, n) for name, row, n in zip(names, picked, counts, strict=True)]
    included = _first(rows)
    notes = count_further_rows(len(rows) - len(included))
    counted = recipe.counted + (recipe.in_brackets if any(map(_has_other_n, picked)) else "")
    words = {"with_intervals": _name_intervals(picked), "counted": counted}
    if recipe.caption is MEANS:
        words["with_difference"] = DIFFERENCE if len(values) > 1 else ""
        criteria = {name_criterion(str(row[places[CRITERION.key]])) for row in all_rows}
        words["of_criterion"] = f" of {criteria.pop()}" if len(criteria) == 1 else ""
    return Table(f"paper-{recipe.table}", recipe.caption.fill(**words), tuple(shown), included, notes)


def _first(rows: Sequence[Row]) -> tuple[Row, ...]:
    """As many rows as the page has room for; the last is the one of everything, where there is such a row.

    A single row more takes no more room than the note that it is in the appendix.
    """
    if len(rows) == MAX_ROWS + 1:
        return tuple(rows)
    if len(rows) > MAX_ROWS and rows[-1][0] == EVERYTHING:
        return (*rows[: MAX_ROWS - 1], rows[-1])
    return tuple(rows[:MAX_ROWS])


def _naming(recipe: Recipe, rows: Sequence[Row], places: Mapping[str, int]) -> list[int]:
    """The columns that name rows: what is the same in every row names none of them."""
    known = [places[key] for key in recipe.names if key in places]
    # A row of all conditions says nothing of what varies among them.
    varying = [at for at in known if len({row[at] for row in rows} - {EVERYTHING}) > 1]
    if recipe.paired:
        return [at for at in known if at in varying or at in known[-2:]]
    return varying or known[:1]


def _has_other_n(row: Row) -> bool:
    """Whether a value rests on another number than the row's, and so stands with its n in brackets."""
    return len({cell.n for cell in row if isinstance(cell, Estimate)}) > 1


def _n(row: Row) -> int:
    return next((cell.n for cell in row if isinstance(cell, Estimate)), 0)


def _name_intervals(rows: Sequence[Row]) -> str:
    return name_intervals(cell.interval for row in rows for cell in row if isinstance(cell, Estimate))
