"""Kinds of titles and notes of the tables of HUSE, of evaluators and of exclusions, held against rows and cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tests.report_checker.figures import generators, intervals
from tests.report_checker.intervals import has_interval, nothing_varies
from tests.report_checker.recount import Rows, decimal
from tests.report_checker.sentences import FEWEST, NUMBER, Asked, Match, concluded, items_of, kind

LEVELS = rf"(?:, with {NUMBER}% intervals)?"
CHECK = "HUSE, HUSE-Q (judgment alone), HUSE-D (1 + HUSE − HUSE-Q), and log p alone as a check"
TIES = "Exact: ties by exact arithmetic. Paper: the original's floating-point operations."
OUTVOTED = " Where sources differ in size, neighbors' votes weigh by source in exact and alike in paper."
CIRCULAR = "Rules that look at how raters agree choose by the answers themselves and can only be read as sensitivity."
MEANING = (
    "Machine is the positive class. Accuracy is the mean over evaluators of each evaluator's share of right answers; "
    "F1, precision and recall are pooled over ratings. % human: share of ratings that say human; % confident: share at "
    "an end of the scale (Definitely). α: Krippendorff's alpha, nominal on the binary reading, ordinal on the scale."
)
DRAWS = 200  # random removals for each selection, of studies as small as these
NONE = "–"
PLACE = "Place in the figure"


def with_huse(rows: Rows, asked: Asked) -> list[str]:
    return [name for name in generators(rows) if rows.study["task"] == "typicality" and items_of(rows, name) > asked.k]


@kind(rf"{re.escape(CHECK)}{LEVELS}\. {re.escape(TIES)}(?:{re.escape(OUTVOTED)})?")
def table_huse(rows: Rows, match: Match, asked: Asked) -> str | None:
    names = with_huse(rows, asked)
    if not names:
        return None
    spans = any(
        has_interval(rows, name, asked.k) and not nothing_varies(rows, name) and scored(rows, name) for name in names
    )
    outvoted = False
    for name in names:
        sizes = Counter(rows.sides[key] == "" for key in rows.hj() if rows.sides[key] in ("", name))
        outvoted |= sizes[True] != sizes[False]
    return f"{CHECK}{intervals(asked, spans)}. {TIES}{OUTVOTED if outvoted else ''}"


def scored(rows: Rows, name: str) -> bool:
    return any(of == name for of, _ in rows.likelihoods)


@kind(rf"Human-or-machine judgments by model, domain and training{LEVELS}\. {re.escape(MEANING)}")
def table_evaluators(rows: Rows, match: Match, asked: Asked) -> str | None:
    if rows.study["task"] != "human_or_machine":
        return None
    several = len(rows.right_answers()) > 1
    return f"Human-or-machine judgments by model, domain and training{intervals(asked, several)}. {MEANING}"


# --- exclusions: what the cells of their tables say ---

BY_RULES = " by rules of exclusion ("


def by_rules(asked: Asked) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The measure and the rows (by head) of each table of selections."""
    for caption, cells in asked.page.captioned() if asked.page else ():
        if BY_RULES in caption:
            head, *rows = cells
            yield caption.partition(BY_RULES)[0], [dict(zip(head, row, strict=True)) for row in rows]


def among(said: str, expected: Iterator[str]) -> str:
    """The text where a table of the page calls for it, else what they call for."""
    every = list(expected)
    return said if said in every else " / ".join(every)


@kind(
    r"(?:HUSE|HUSE-Q|Accuracy) by rules of exclusion \(\w+ selections\), \d+ random removals of the same size for each"
    r"(?:; the column Equalized draws \d+ ratings of every text)?\."
)
def table_exclusions(rows: Rows, match: Match, asked: Asked) -> str | None:
    return among(match[0], titles(rows, asked)) if rows.measured else None


def titles(rows: Rows, asked: Asked) -> Iterator[str]:
    """All selections are made of so few rules; what all are equalised to is the fewest ratings of any, from five on."""
    for measure, selections in by_rules(asked):
        name = selections[0].get("Generator", "")
        expected = (
            "Accuracy" if rows.study["task"] == "human_or_machine" else "HUSE" if scored(rows, name) else "HUSE-Q"
        )
        fewest = [int(row["Fewest ratings per text"]) for row in selections if "Fewest ratings per text" in row]
        usable = [number for number in fewest if number >= FEWEST]
        if len([row for row in selections if row[measure] != NONE]) > 1 and not are_placed(selections, measure):
            yield f"{measure}: a place in the figure is not that of the value"
            continue
        equal = f"; the column Equalized draws {min(usable)} ratings of every text" if usable else ""
        if measure == expected:
            yield f"{measure}{BY_RULES}all selections), {DRAWS} random removals of the same size for each{equal}."


@kind(r"\d+ of \d+ selections leaves? (?:nobody|a text without a rating) and ha(?:s|ve) no value\.")
def exclusions_without(rows: Rows, match: Match, asked: Asked) -> str | None:
    def expected() -> Iterator[str]:
        for measure, selections in by_rules(asked):
            n = sum(row[measure] == NONE for row in selections)
            left = "nobody" if measure == "Accuracy" else "a text without a rating"
            leave, have = ("leaves", "has") if n == 1 else ("leave", "have")
            if n:
                yield f"{n} of {len(selections)} selections {leave} {left} and {have} no value."

    return among(match[0], expected()) if rows.measured else None


@kind(
    rf"Of the selections(?P<usable> with a value)? (?P<below>\d+)% lie below, (?P<inside>\d+)% inside and "
    rf"(?P<above>\d+)% above the interval without any rule, \[(?P<low>{NUMBER}), (?P<high>{NUMBER})\]\."
)
def exclusions_sides(rows: Rows, match: Match, asked: Asked) -> str | None:
    def expected() -> Iterator[str]:
        for measure, selections in by_rules(asked):
            low, high = selections[0]["Interval from"], selections[0]["to"]
            known = [row[measure] for row in selections if row[measure] != NONE]
            if NONE in (low, high):
                continue
            shares = [sides(known, number(low), number(high), at) for at in (-1, 0, 1)]
            stated = [match[name] for name in ("below", "inside", "above")]
            said = [one if one in each else "/".join(sorted(each)) for one, each in zip(stated, shares, strict=True)]
            usable = " with a value" if len(known) < len(selections) else ""
            yield (
                f"Of the selections{usable} {said[0]}% lie below, {said[1]}% inside and {said[2]}% above the interval "
                f"without any rule, [{low}, {high}]."
            )

    return among(match[0], expected()) if rows.measured else None


def are_placed(selections: list[dict[str, str]], measure: str) -> bool:
    """Whether the places in the figure count the selections with a value, in the order of the values."""
    placed = sorted((int(row[PLACE]), number(row[measure])) for row in selections if row.get(PLACE, NONE) != NONE)
    valued = [row for row in selections if row[measure] != NONE]
    values = [value for _, value in placed]
    return [place for place, _ in placed] == [*range(1, len(valued) + 1)] and values == sorted(values)


def number(cell: str) -> float:
    return float(cell.replace("−", "-"))


def sides(values: list[str], low: float, high: float, side: int) -> set[str]:
    """Per cent of the values on a side of an interval; either where a rounded value is a rounded limit."""
    shares = set()
    for shift in (-0.001, 0.001):
        places = [(-1 if number(value) < low + shift else 1 if number(value) > high - shift else 0) for value in values]
        shares.add(f"{decimal(100 * places.count(side) / len(places), 0)}%".removesuffix("%"))
    return shares


@kind(
    r"The conclusion (?:changes under \d+ of the selections|is the same under every selection(?: that has a value)?)\."
)
def exclusions_hold(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Whether an interval lies on another side of no difference (of accuracy: of guessing) than that of no rule."""

    def expected() -> Iterator[str]:
        for measure, selections in by_rules(asked):
            against = 0.5 if measure == "Accuracy" else 1.0
            spans = [(row["Interval from"], row["to"]) for row in selections]
            places = [
                None if NONE in span else (number(span[1]) < against) - (number(span[0]) > against) for span in spans
            ]
            changing = sum(one is not None and one != places[0] for one in places)
            usable = " that has a value" if any(row[measure] == NONE for row in selections) else ""
            yield (
                f"The conclusion changes under {changing} of the selections."
                if changing
                else f"The conclusion is the same under every selection{usable}."
            )

    return among(match[0], expected()) if rows.measured else None


@kind(
    r"Without exclusions, (?P<name>\S+) is [a-z ]+; that changes under \d+ of \d+ selections: “[^”]+”(?:, “[^”]+”)*\."
)
def changes_under(rows: Rows, match: Match, asked: Asked) -> str | None:
    """Which selections conclude otherwise of a generator than no rule does."""

    def expected() -> Iterator[str]:
        for _, selections in by_rules(asked):
            if selections[0].get("Generator") != match["name"]:
                continue
            said = [concluded(f"[{row['Interval from']}, {row['to']}]") for row in selections]
            other = [
                f"“{row['Rules']}”"
                for row, words in zip(selections, said, strict=True)
                if words not in (said[0], "without a conclusion")
            ]
            yield (
                f"Without exclusions, {match['name']} is {said[0]}; that changes under {len(other)} of {len(said)} "
                f"selections: {', '.join(other)}."
            )

    return among(match[0], expected()) if rows.measured else None


@kind(re.escape(CIRCULAR))
def exclusions_reading(rows: Rows, match: Match, asked: Asked) -> str | None:
    return CIRCULAR if rows.measured else None
