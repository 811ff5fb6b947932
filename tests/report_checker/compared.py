"""Kinds of sentences of a page on which several studies are compared, held against the rows of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.report_checker.page import Page
from tests.report_checker.recount import Rows, count
from tests.report_checker.sentences import NUMBER, listed, shown

# Templates that a comparison below calls for, so that what is said by them is counted anew.
CHECKED = {
    f"comparison.{name}"
    for name in (
        *("at", "common-ratings", "currencies", "differ", "evaluators", "higher", "huse", "intervals", "level"),
        *("no-difference", "not-alike", "other-people", "pairs", "rehearsal", "studies", "unequal-texts", "variation"),
    )
}
# Those that none of them calls for. The list only shrinks.
UNCHECKED = {
    f"comparison.{name}"
    for name in (
        *("across-scales", "all-pairs", "equalised", "no-interval", "no-result", "no-shared-context"),
        *("other-scales", "scales", "shared-raters", "units", "upheld", "without-raters"),
    )
}
SPAN = rf"\[{NUMBER}, {NUMBER}\]"
SHOWN = rf"{NUMBER} {SPAN}"
NAME = r"\S+?(?:: \S+?)?"
COUNTED = r"at \d+ ratings per text, n = \d+"
PAIR = (
    rf"(?:{NAME} has the higher HUSE; (?P<first>{NAME}) less (?P<second>{NAME}): (?P<shown>{SHOWN}) {COUNTED}\. "
    rf"{NAME} is easier to distinguish from the references\."
    rf"|(?P<one>{NAME}) and (?P<other>{NAME}): no difference of HUSE is shown \((?P<none>{SHOWN}) {COUNTED}\)\.)"
    r"(?: They differ in .+\.)?"
)


@dataclass(frozen=True, slots=True)
class Studies:
    """The rows of the studies by name, and how they were compared. page: with the table of differences."""

    rows: dict[str, Rows]
    k: int
    level: float
    page: Page

    @property
    def systems(self) -> list[tuple[str, str]]:
        """Study and generator of each system with HUSE."""
        return [
            (name, side)
            for name, rows in self.rows.items()
            if rows.study["task"] == "typicality"
            for side in sorted({side for side in rows.sides.values() if side})
        ]

    def names(self) -> dict[str, tuple[str, str]]:
        """Systems by what the page calls them."""
        sides = [side for _, side in self.systems]
        alone = len(set(sides)) == len(sides)
        return {side if alone else f"{study}: {side}": (study, side) for study, side in self.systems}

    def raters(self) -> list[set[str]]:
        return [{answer.rater for answer in rows.answers} for rows in self.rows.values()]

    def per_text(self) -> int:
        """Fewest ratings of a text of any system."""
        return min(
            sum(answer.text == text for answer in rows.used)
            for rows in (self.rows[study] for study, _ in self.systems)
            for text in rows.hj()
        )

    def huse(self, name: str) -> tuple[float, int]:
        study, side = self.names()[name]
        value = self.rows[study].huse(side, self.k)
        assert value is not None
        return value


Expect = Callable[[Studies, "re.Match[str]"], "str | None"]
KINDS: list[tuple[re.Pattern[str], Expect]] = []


def kind(pattern: str) -> Callable[[Expect], Expect]:
    def add(expect: Expect) -> Expect:
        KINDS.append((re.compile(pattern), expect))
        return expect

    return add


def untrue(text: str, studies: Studies) -> str:
    """What the rows say instead of a sentence; "" where it is true."""
    matches = [(expect, match) for pattern, expect in KINDS if (match := pattern.fullmatch(text))]
    if not matches:
        return "a sentence of a known kind"
    said = [expect(studies, match) for expect, match in matches]
    return "" if text in said else str(said[0])


@kind(PAIR)
def verdict(studies: Studies, match: re.Match[str]) -> str | None:
    """The difference of two values of HUSE, each counted anew; its limits are those of the page's table of pairs."""
    first, second = match["first"] or match["one"], match["second"] or match["other"]
    if not {first, second} <= studies.names().keys():
        return None
    table = next(
        cells for caption, cells in studies.page.captioned() if caption.startswith("Differences of every pair")
    )
    places = {title: at for at, title in enumerate(table[0])}
    cells = next((row for row in table[1:] if row[:2] == [first, second]), None)
    if cells is None:
        return None
    low, high = (float(end.replace("−", "-")) for end in re.findall(NUMBER, cells[places["HUSE"]])[1:])
    (one, n), (other, m) = studies.huse(first), studies.huse(second)
    difference = shown(one - other, (match["shown"] or match["none"]).partition(" ")[0])
    value = f"{difference} [{shown(low, 'x')}, {shown(high, 'x')}]"
    more = []
    for title in ("HUSE-Q", "HUSE-D"):
        ends = [float(end.replace("−", "-")) for end in re.findall(NUMBER, cells[places[title]])]
        if ends[1] > 0 or ends[2] < 0:
            more.append(f"{title} by {cells[places[title]]}")
    others = f" They differ in {' and in '.join(more)}." if more else ""
    # References of one study are those of both of its generators.
    same = studies.names()[first][0] == studies.names()[second][0]
    references = sum(side == "" for side in studies.rows[studies.names()[first][0]].sides.values())
    at = f"at {studies.per_text()} ratings per text, n = {n + m - (references if same else 0)}"
    if low <= 0 <= high:
        return f"{first} and {second}: no difference of HUSE is shown ({value} {at}).{others}"
    high_one, low_one = (first, second) if low > 0 else (second, first)
    return (
        f"{high_one} has the higher HUSE; {first} less {second}: {value} {at}. {low_one} is easier to distinguish from "
        f"the references.{others}"
    )


@kind(rf"CV\* of \d+ scores? that the studies share: median {NUMBER}%, {NUMBER}% to {NUMBER}%\.")
def variation(studies: Studies, match: re.Match[str]) -> str | None:
    """Of the column of the page's table, whose values `metrics.inference` is tested for by the literature's."""
    table = next(cells for caption, cells in studies.page.captioned() if caption.startswith("Single scores in each"))
    values = sorted(float(row[-1]) for row in table[1:] if re.fullmatch(NUMBER, row[-1]))
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    said = re.findall(NUMBER, match[0].partition("median")[2])[0]
    return (
        f"CV* of {count(len(values), 'score')} that the studies share: median {shown(median, said)}%, "
        f"{values[0]:.2f}% to {values[-1]:.2f}%."
    )


@kind(r"\d+ (?:study|studies) asked who wrote a text; the unit is the evaluator\.(?: Some evaluators .+ people\.)?")
def evaluators(studies: Studies, match: re.Match[str]) -> str | None:
    asking = [rows for rows in studies.rows.values() if rows.study["task"] == "human_or_machine"]
    raters = [{answer.rater for answer in rows.used} for rows in asking]
    several = sum(map(len, raters)) > len(set().union(*raters))
    more = " Some evaluators took part in several: the tests take them for different people." if several else ""
    return f"{count(len(asking), 'study', 'studies')} asked who wrote a text; the unit is the evaluator.{more}"


@kind(r"Generators of different studies were judged by .+?: the intervals hold .+?, and nothing else .+ the time\.")
def other_people(studies: Studies, match: re.Match[str]) -> str | None:
    first, second = studies.raters()
    people = (
        "the same people"
        if first == second
        else "people who are the same in part"
        if first & second
        else "different people"
    )
    held = (
        "what other people like these would move"
        if min(len(first), len(second)) >= 4
        else "what other contexts would move, not what other people would"
    )
    return (
        f"Generators of different studies were judged by {people}: the intervals hold {held}, and nothing else that "
        "differs between the studies, such as the time."
    )


@kind(r"There are \d+ pairs, and intervals are not adjusted for their number: one may exclude 0 by chance\.")
def pairs(studies: Studies, match: re.Match[str]) -> str | None:
    n = len(studies.systems)
    number = n * (n - 1) // 2
    return f"There are {number} pairs, and intervals are not adjusted for their number: one may exclude 0 by chance."


@kind(r"A difference whose interval holds 0 does not show that two generators are alike\.")
def not_alike(studies: Studies, match: re.Match[str]) -> str | None:
    return (
        "A difference whose interval holds 0 does not show that two generators are alike."
        if len(studies.systems) > 1
        else None
    )


@kind(r"We compared .+ and [^ ]+\.")
def compared(studies: Studies, match: re.Match[str]) -> str | None:
    return f"We compared {listed(list(studies.rows))}."


@kind(
    r"HUSE, HUSE-Q and HUSE-D \(Hashimoto et al\., 2019; \d+ neighbours, exact ties\) were computed at .+ generator\."
)
def methods(studies: Studies, match: re.Match[str]) -> str | None:
    return (
        f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019; {studies.k} neighbours, exact ties) were computed at "
        f"{studies.per_text()} ratings per text, drawn from each text's ratings, for every generator."
    )


@kind(r"Intervals of differences are at [\d.]+%, by half-samples of contexts .+\.")
def intervals(studies: Studies, match: re.Match[str]) -> str | None:
    raters = (
        "they hold the raters' part as well"
        if min(map(len, studies.raters())) >= 4
        else "they omit the variation of raters"
    )
    return (
        f"Intervals of differences are at {100 * studies.level:g}%, by half-samples of contexts drawn once for all "
        f"generators that share them; across studies {raters}."
    )


@kind(r"At least one study had simulated raters; its results do not describe people\.")
def rehearsal(studies: Studies, match: re.Match[str]) -> str | None:
    modes = {rows.study["mode"] for rows in studies.rows.values()}
    return match[0] if "rehearsal" in modes and "At least one" in match[0] else None


@kind(r"The studies differ in [\w ,]+; this may cause a difference of values\.")
def differing(studies: Studies, match: re.Match[str]) -> str | None:
    every = list(studies.rows.values())
    parts: dict[str, set[object]] = {
        "the question": {rows.question() for rows in every},
        "where raters came from": {(rows.study["mode"], str(rows.ways), str(rows.providers)) for rows in every},
        "the task": {rows.study["task"] for rows in every},
    }
    names = [name for name, values in parts.items() if len(values) > 1]
    return f"The studies differ in {', '.join(names)}; this may cause a difference of values."


@kind(r"The studies paid in [A-Z, ]+\. Nothing is converted or added up across currencies\.")
def currencies(studies: Studies, match: re.Match[str]) -> str | None:
    names = sorted({str(rows.study["currency"]) for rows in studies.rows.values()})
    return f"The studies paid in {', '.join(names)}. Nothing is converted or added up across currencies."


@kind(r"Generators were judged with \d+ to \d+ texts, and HUSE depends on that number, too\.")
def unequal(studies: Studies, match: re.Match[str]) -> str | None:
    sizes = [studies.huse(name)[1] for name in studies.names()]
    return f"Generators were judged with {min(sizes)} to {max(sizes)} texts, and HUSE depends on that number, too."


def fixed(sentence: str, holds: Callable[[Studies], bool]) -> None:
    KINDS.append((re.compile(re.escape(sentence)), lambda studies, match: sentence if holds(studies) else None))


fixed(
    "HUSE is at the number of ratings per text that all studies have.",
    lambda studies: len(studies.systems) > 1,
)


@kind(r"At \d+ ratings per text\.")
def at_ratings(studies: Studies, match: re.Match[str]) -> str | None:
    return f"At {studies.per_text()} ratings per text."


@kind(r"Intervals: [\d.]+%\.")
def level(studies: Studies, match: re.Match[str]) -> str | None:
    return f"Intervals: {100 * studies.level:g}%."
