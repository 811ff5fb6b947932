"""Kinds of sentences of a page on which several studies are compared, held against the rows of all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from statistics import fmean, median

import numpy as np
from scipy.stats import rankdata, ttest_ind, tukey_hsd

from tests.report_checker.computed_columns import groups_compared, ranged
from tests.report_checker.counted_columns import confused
from tests.report_checker.differences import FEWEST_RATERS, NEAR, TITLES, Joint, systems_of
from tests.report_checker.intervals import ROUNDED, Spread, mean_share, other_raters, spread_of_huse
from tests.report_checker.page import Page
from tests.report_checker.recount import Rows, count, decimal, moment
from tests.report_checker.reproductions import FINDINGS, cv_star, findings, scores, text_means
from tests.report_checker.sentences import NUMBER, day, listed, people, provider, said_p, shown, two, whose
from tests.report_checker.stated_facts import hourly_wage
from tests.report_checker.tables import Beside, same
from tests.report_checker.tables import Cell as Counted

SPAN = rf"\[{NUMBER}, {NUMBER}\]"
SHOWN = rf"{NUMBER} {SPAN}"
NAME = r"\S+?(?: of “[^”]+”)?"
COUNTED = r"at \d+ ratings? per text, \d+ texts"
RESERVE = r"(?P<reserve> The two share no context, which may .+\.)?"
PAIR = (
    rf"(?:{NAME} has the higher HUSE; (?P<first>{NAME}) less (?P<second>{NAME}): (?P<shown>{SHOWN}) {COUNTED}\. "
    rf"{NAME} is easier to distinguish from the references\."
    rf"|(?P<one>{NAME}) and (?P<other>{NAME}): no difference of HUSE is shown \((?P<none>{SHOWN}) {COUNTED}\)\.)"
    rf"(?: They differ in (?P<others>.+?)\.)?{RESERVE}"
)
Pair = tuple[int, int]


@dataclass
class Studies:
    """The rows of the studies by name, and how they were compared. page: with the tables of the comparison."""

    rows: dict[str, Rows]
    k: int
    level: float
    page: Page

    @cached_property
    def joint(self) -> Joint:
        return Joint(systems_of(self.rows), self.k, self.level)

    @cached_property
    def names(self) -> dict[str, int]:
        """Systems by what the page calls them."""
        systems = self.joint.systems
        alone = len({system.side for system in systems}) == len(systems)
        return {
            system.side if alone else f"{system.side} of “{system.study}”": at
            for at, system in enumerate(self.joint.systems)
        }

    @cached_property
    def own_spreads(self) -> list[Spread | None]:
        """Of each system in its own study, with what other raters would move where they differ by source."""
        found = []
        for at, system in enumerate(self.joint.systems):
            rows = self.rows[system.study]
            spread = spread_of_huse(rows, system.side, self.k)
            widen = spread is not None and other_raters(rows, system.side)
            found.append(self.joint.widened(at, spread) if spread and widen else spread)
        return found

    @property
    def raters(self) -> list[set[str]]:
        return [{answer.rater for answer in rows.answers} for rows in self.rows.values()]

    @property
    def every(self) -> str:
        return "both studies" if len(self.rows) == 2 else f"all {len(self.rows)} studies"

    @property
    def pairs(self) -> list[Pair]:
        """Pairs of systems; none where there is one number of ratings at which they could be compared."""
        possible = len(self.joint.systems) > 1 and (not self.joint.equalised or self.joint.fewest >= 5)
        return list(combinations(range(len(self.joint.systems)), 2)) if possible else []

    @property
    def at(self) -> str:
        return f"{count(self.joint.fewest, 'rating')} per text"

    @property
    def has_intervals(self) -> bool:
        """Whether half-samples hold enough texts for intervals of differences."""
        return bool(self.pairs) and self.joint.contrasts is not None

    @property
    def asking(self) -> dict[str, Rows]:
        """Studies that asked who wrote a text."""
        return {name: rows for name, rows in self.rows.items() if rows.study["task"] == "human_or_machine"}

    @property
    def accuracies(self) -> dict[str, list[float]]:
        """Shares of right answers of the evaluators of each study with two of them or more."""
        return {name: shares for name, rows in self.asking.items() if len(shares := rows.accuracies()) > 1}

    @property
    def share_contexts(self) -> bool:
        """Whether two studies show the same context."""
        every = [set(rows.contexts.values()) for rows in self.rows.values()]
        return any(one & other for one, other in combinations(every, 2))

    @property
    def across(self) -> bool:
        """Whether the systems are of several studies."""
        return len({system.study for system in self.joint.systems}) > 1

    @property
    def units(self) -> str:
        """What half-samples draw: contexts that two systems have in common are drawn for both."""
        contexts = [
            {self.rows[study].contexts.get(key) for study, key in system.texts} - {None}
            for system in self.joint.systems
        ]
        if any(one & other for one, other in combinations(contexts, 2)):
            return "contexts drawn once for all generators that share them"
        return "each study's texts"

    def relation(self, first: str, second: str) -> str:
        """Of the scales of two studies: `same`, `recoded`, `codes` (in another order or distance) or `labels`."""
        a, b = (self.rows[name].scale for name in (first, second))
        if a.keys() != b.keys():
            return "labels"
        if a == b:
            return "same"
        ordered = sorted(a, key=a.__getitem__)
        steps = {(b[high] - b[low]) / (a[high] - a[low]) for low, high in pairwise(ordered)}
        return "recoded" if len(steps) == 1 else "codes"

    def alike(self, pair: Pair) -> bool:
        """Whether two systems were judged on one scale, whatever its codes are called."""
        first, second = (self.joint.systems[at].study for at in pair)
        return first == second or self.relation(first, second) in ("same", "recoded")

    def share_a_context(self, pair: Pair) -> bool:
        """Whether two systems are of one study, or their studies show the same context."""
        first, second = (self.joint.systems[at].study for at in pair)
        contexts = [set(self.rows[name].contexts.values()) for name in (first, second)]
        return first == second or bool(contexts[0] & contexts[1])

    def of(self, pair: Pair) -> int:
        """Texts of a pair: the references of one study are those of both of its generators."""
        (one, other) = (self.joint.systems[at] for at in pair)
        shared = int(one.reference.sum()) if one.study == other.study else 0
        return len(one.texts) + len(other.texts) - shared

    def cells(self, caption: str | tuple[str, ...]) -> list[dict[str, str]]:
        """Rows of the table with this caption, by their heads."""
        table: list[list[str]] = next(
            (cells for title, cells in self.page.captioned() if title.startswith(caption)), [[]]
        )
        return [dict(zip(table[0], row, strict=True)) for row in table[1:]]

    def difference(self, pair: Pair, title: str, said: str) -> str:
        """A difference as it must be printed: its value, and limits that lie as far from it as they must."""
        counted = self.joint.difference(*pair, TITLES.index(title))
        value, limits = said.partition(" ")[::2]
        if counted.noise and re.fullmatch(NUMBER, value) and abs(_number(value) - counted.value) <= counted.noise:
            expected = value
        else:
            expected = shown(counted.value, value)
        if counted.half is None:
            return expected
        low, high = two(limits) if re.fullmatch(SPAN, limits) else (0.0, 0.0)
        half, centre = (high - low) / 2, _number(expected)
        symmetric = abs((low + high) / 2 - centre) <= 2 * ROUNDED
        if symmetric and abs(half - counted.half) <= NEAR * counted.half + ROUNDED:
            return f"{expected} [{shown(low, 'x')}, {shown(high, 'x')}]"
        return f"{expected} [{decimal(centre - counted.half)}, {decimal(centre + counted.half)}]"


def _number(said: str) -> float:
    return float(said.replace("−", "-"))


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
    """The difference of two values of HUSE, and in what else the two differ."""
    first, second = match["first"] or match["one"], match["second"] or match["other"]
    rows = {(row["First"], row["less second"]): row for row in studies.cells(PAIRS)}
    turned = (first, second) not in rows
    row = rows.get((second, first) if turned else (first, second))
    if row is None or not {first, second} <= studies.names.keys():
        return None
    pair = studies.names[row["First"]], studies.names[row["less second"]]

    def difference(title: str, said: str) -> str:
        """In the direction of the sentence."""
        return (
            opposite(studies.difference(pair, title, opposite(said)))
            if turned
            else studies.difference(pair, title, said)
        )

    value = difference("HUSE", match["shown"] or match["none"])
    listed_others = dict(part.split(" by ") for part in (match["others"] or "").split(" and in ") if part)
    differing = [title for title in TITLES[1:] if excludes_zero(row[title])]
    more = [f"{title} by {difference(title, listed_others.get(title, ''))}" for title in differing]
    others = f" They differ in {' and in '.join(more)}." if more else ""
    at = f"at {studies.at}, {studies.of(pair)} texts"
    if not studies.alike(pair):
        return None
    apart = " The two share no context, which may {}." if not studies.share_a_context(pair) else ""
    if not excludes_zero(value):
        if turned:
            return None
        hidden = apart.format("hide one")
        return f"{first} and {second}: no difference of HUSE is shown ({value} {at}).{others}{hidden}"
    if two(value.partition(" ")[2])[0] <= 0:
        first, second, value = second, first, opposite(value)
    return (
        f"{first} has the higher HUSE; {first} less {second}: {value} {at}. {second} is easier to distinguish from "
        f"the references.{others}{apart.format('be the cause')}"
    )


def opposite(said: str) -> str:
    """An estimate as it is printed, with the other sign and its limits turned round."""

    def negative(number: str) -> str:
        return number[1:] if number.startswith("−") else number if not number.strip("0.") else f"−{number}"

    value, limits = said.partition(" ")[::2]
    ends = [negative(end) for end in re.findall(NUMBER, limits)]
    return f"{negative(value)} [{', '.join(reversed(ends))}]" if ends else negative(value)


PAIRS = "Differences of every pair"
JUDGED, RATED = "What each study judged", "Who rated"
ACCURACIES = "Right answers about who wrote a text"
BY_WELCH, ALL_PAIRS = ("Studies against each other", "Conditions against each other"), "Tukey-Kramer comparison"
COMMON, OWN = "Generators of all studies", "HUSE as in each study"
CORRELATIONS, UPHELD = "Correlations of the mean ratings", "Findings of the first study"


def excludes_zero(said: str) -> bool:
    """Whether an estimate as it is printed has limits on one side of 0."""
    ends = [_number(end) for end in re.findall(NUMBER, said)]
    return len(ends) == 3 and (ends[1] > 0 or ends[2] < 0)


@kind(rf"(?P<first>{NAME}) less (?P<second>{NAME}): HUSE (?P<value>{NUMBER}) {COUNTED}; no interval .+ is given\.")
def no_interval(studies: Studies, match: re.Match[str]) -> str | None:
    if not {match["first"], match["second"]} <= studies.names.keys():
        return None
    pair = studies.names[match["first"]], studies.names[match["second"]]
    if studies.joint.contrasts is not None or not studies.alike(pair):
        return None
    return (
        f"{match['first']} less {match['second']}: HUSE {studies.difference(pair, 'HUSE', match['value'])} at "
        f"{studies.at}, {studies.of(pair)} texts; no interval is defined, so no verdict is given."
    )


@kind(r"\d+ of all \d+ pairs differ in HUSE; the table holds every pair\.")
def all_pairs(studies: Studies, match: re.Match[str]) -> str | None:
    """Pairs that differ by their limits in the table, each of which is counted anew."""
    alike = [pair for pair in studies.pairs if studies.alike(pair)]
    names = list(studies.names)
    cells = {(row["First"], row["less second"]): row["HUSE"] for row in studies.cells(PAIRS)}
    differ = sum(excludes_zero(cells[names[first], names[second]]) for first, second in alike)
    return (
        f"{differ} of all {len(alike)} pairs differ in HUSE; the table holds every pair." if len(alike) > 10 else None
    )


@kind(r"No verdict is drawn from \d+ pairs? whose generators were judged on different scales\.")
def other_scales(studies: Studies, match: re.Match[str]) -> str | None:
    pairs = count(sum(not studies.alike(pair) for pair in studies.pairs), "pair")
    return f"No verdict is drawn from {pairs} whose generators were judged on different scales."


NO_VERDICT = ": no verdict is drawn from differences between generators of these two"
RELATIONS = {
    "recoded": "have the same labels with codes shifted or stretched, which leaves HUSE as it is",
    "codes": f"have the same labels at codes that lie otherwise between each other{NO_VERDICT}",
    "labels": f"have different labels{NO_VERDICT}",
}


@kind(r"The scales of “(?P<first>[^”]+)” and “(?P<second>[^”]+)” have .+\.")
def scales(studies: Studies, match: re.Match[str]) -> str | None:
    names = sorted((match["first"], match["second"]))
    if not set(names) <= studies.rows.keys():
        return None
    relation = studies.relation(*names)
    return None if relation == "same" else f"The scales of “{names[0]}” and “{names[1]}” {RELATIONS[relation]}."


@kind(r"Texts had more than \d+ ratings? in places: each value is the mean over 200 draws of \d+ ratings? of .+\.")
def equalised(studies: Studies, match: re.Match[str]) -> str | None:
    fewest = count(studies.joint.fewest, "rating")
    return (
        f"Texts had more than {fewest} in places: each value is the mean over 200 draws of {fewest} of "
        "every text, without replacement."
        if studies.joint.equalised
        else None
    )


@kind(r"Lengths are counted in [a-z]+ and in [a-z]+: log p per unit is not on one scale\.")
def units(studies: Studies, match: re.Match[str]) -> str | None:
    called = {"whitespace": "words", "model_token": "tokens", "char": "characters"}
    names = sorted({called[unit] for rows in studies.rows.values() for unit in rows.length_units})
    return f"Lengths are counted in {' and in '.join(names)}: log p per unit is not on one scale."


@kind(r"The same (?:\d+ raters|rater) rated in (?:both|all \d+) studies\.")
def shared_raters(studies: Studies, match: re.Match[str]) -> str | None:
    number = len(set.intersection(*studies.raters))
    return f"The same {f'{number} raters' if number > 1 else 'rater'} rated in {studies.every}."


@kind(rf"Of \d+ findings? of “[^”]+” that “(?P<again>[^”]+)” tested again, \d+ (?:was|were) upheld \({NUMBER}%\)\.")
def upheld(studies: Studies, match: re.Match[str]) -> str | None:
    first = next(iter(studies.rows))
    if match["again"] not in studies.rows or match["again"] == first:
        return None
    original, again = (findings(studies.rows[name], studies.level) for name in (first, match["again"]))
    tested = [pair for pair, outcome in original.items() if outcome in FINDINGS and again.get(pair) in DECIDED]
    number = sum(original[pair] == again[pair] for pair in tested)
    verb = "was" if number == 1 else "were"
    return (
        f"Of {count(len(tested), 'finding')} of “{first}” that “{match['again']}” tested again, {number} {verb} upheld "
        f"({decimal(100 * number / len(tested), 0)}%)."
        if tested
        else None
    )


DECIDED = ("better", "worse", "equivalent", "undecided")
SCORES = "Single scores in each study"


def variations(studies: Studies) -> list[float]:
    """CV* of every score that at least two studies have; where ratings are drawn, as in the table's checked cells."""
    if studies.joint.equalised:
        column = [row["CV*, %"] for row in studies.cells(SCORES)]
        return [float(said) for said in column if re.fullmatch(NUMBER, said)]
    return [variation for _, _, _, variation in scores(studies.rows, studies.joint) if variation is not None]


CV_STAR = r"Coefficient of variation for small samples \(CV\*\)"


@kind(rf"{CV_STAR} of (?:\d+ of )?\d+ scores? that the studies share: (?:median \d+%, \d+% to \d+%|\d+%)\.")
def variation(studies: Studies, match: re.Match[str]) -> str | None:
    values = variations(studies)
    said = re.findall(NUMBER, match[0].partition(": ")[2])
    computed = values if len(values) == 1 else (median(values), min(values), max(values))
    ends = [shown(value, end, 0) for value, end in zip(computed, said, strict=True)]
    spread = f"{ends[0]}%" if len(values) == 1 else f"median {ends[0]}%, {ends[1]}% to {ends[2]}%"
    every = len(list(scores(studies.rows, studies.joint)))
    some = f"{len(values)} of " if len(values) < every else ""
    return (
        f"Coefficient of variation for small samples (CV*) of {some}{count(every, 'score')} that the studies share: "
        f"{spread}."
    )


@kind(
    r"\d+ (?:study|studies) asked who wrote a text; the unit is the evaluator\.(?: \w+ evaluators .+ people\.)?"
    r"(?: Not tested, with one evaluator only: .+\.)?"
)
def evaluators(studies: Studies, match: re.Match[str]) -> str | None:
    asking = list(studies.asking.values())
    raters = [{answer.rater for answer in rows.used} for rows in asking]
    several = sum(map(len, raters)) > len(set().union(*raters)) and len(studies.accuracies) > 1
    every = all(names == raters[0] for names in raters)
    both = "both studies" if len(asking) == 2 else f"all {len(asking)} studies"
    some = f"All evaluators took part in {both}" if every else "Some evaluators took part in several studies"
    more = f" {some}: the tests take them for different people." if several else ""
    alone = [f"“{name}”" for name in studies.asking if name not in studies.accuracies]
    untested = len(studies.accuracies) > 1 and bool(alone)
    more += f" Not tested, with one evaluator only: {listed(alone)}." if untested else ""
    return f"{count(len(asking), 'study', 'studies')} asked who wrote a text; the unit is the evaluator.{more}"


POINTS = rf"(?P<points>{NUMBER} {SPAN}) percentage points, p [=<] \.\d+"


@kind(rf"Evaluators were right more often in “(?P<a>[^”]+)” than in “(?P<b>[^”]+)”: {POINTS}\.")
@kind(rf"No difference of accuracy is shown between “(?P<a>[^”]+)” and “(?P<b>[^”]+)”: {POINTS}\.")
def accuracy(studies: Studies, match: re.Match[str]) -> str | None:
    """Welch's test of the evaluators' shares of right answers."""
    asking = list(studies.accuracies)
    first, second = match["a"], match["b"]
    if sorted((first, second)) != sorted(asking):
        return None
    a, b = ([right / of for right, of in studies.rows[name].right_answers()] for name in (first, second))
    test = ttest_ind(a, b, equal_var=False)
    low, high = test.confidence_interval(studies.level)
    ends = match["points"].translate(str.maketrans("[],", "   ")).split()
    numbers = (100 * (fmean(a) - fmean(b)), 100 * low, 100 * high)
    value, *limits = [shown(number, end, 1) for number, end in zip(numbers, ends, strict=True)]
    said = f"{value} [{', '.join(limits)}] percentage points, p {said_p(float(test.pvalue))}"
    if low > 0:
        return f"Evaluators were right more often in “{first}” than in “{second}”: {said}."
    if high < 0 or [first, second] != asking:
        return None
    return f"No difference of accuracy is shown between “{first}” and “{second}”: {said}."


LARGEST = (
    rf"(?:None|\d+) of \d+ pairs of studies (?:is|are) shown to differ in the accuracy of evaluators; the largest "
    rf"difference, “(?P<a>[^”]+)” less “(?P<b>[^”]+)”, is {POINTS} \(adjusted for all pairs, Tukey-Kramer\)\."
)


@kind(LARGEST)
def accuracies(studies: Studies, match: re.Match[str]) -> str | None:
    """All pairs together, by the studentized range; of differences as large, any is the largest."""
    if len(studies.accuracies) < 3 or not {match["a"], match["b"]} <= studies.accuracies.keys():
        return None
    tested = tukey_hsd(*studies.accuracies.values())
    span = tested.confidence_interval(studies.level)
    pairs = list(combinations(range(len(studies.accuracies)), 2))
    differ = sum(float(tested.pvalue[pair]) <= round(1 - studies.level, 12) for pair in pairs)
    largest = max(abs(float(tested.statistic[pair])) for pair in pairs)
    a, b = (list(studies.accuracies).index(match[side]) for side in ("a", "b"))
    if float(tested.statistic[a, b]) < largest - 1e-12:
        return None
    ends = match["points"].translate(str.maketrans("[],", "   ")).split()
    numbers = (100 * float(each[a, b]) for each in (tested.statistic, span.low, span.high))
    value, *limits = [shown(number, end, 1) for number, end in zip(numbers, ends, strict=True)]
    return (
        f"{differ or 'None'} of {len(pairs)} pairs of studies {'is' if differ < 2 else 'are'} shown to differ in the "
        f"accuracy of evaluators; the largest difference, “{match['a']}” less “{match['b']}”, is {value} "
        f"[{', '.join(limits)}] percentage points, p {said_p(float(tested.pvalue[a, b]))} (adjusted for all pairs, "
        "Tukey-Kramer)."
    )


@kind(r"Whether accuracy differs between studies is not tested: .+\.")
def not_tested(studies: Studies, match: re.Match[str]) -> str | None:
    groups = studies.accuracies.values()
    why = "fewer than two of them have two evaluators" if len(groups) < 2 else ""
    if not why and all(max(group) == min(group) for group in groups):
        why = "within each of them all evaluators have the same accuracy"
    return f"Whether accuracy differs between studies is not tested: {why}." if why else None


@kind(r"Generators of different studies were judged by .+?: the intervals hold .+?, and nothing else .+ the time\.")
def other_people(studies: Studies, match: re.Match[str]) -> str | None:
    if not (studies.across and studies.has_intervals):
        return None
    first, *others = studies.raters
    people = (
        "the same raters"
        if all(first == other for other in others)
        else "raters who are the same in part"
        if any(one & other for one, other in combinations(studies.raters, 2))
        else "different raters"
    )
    held = (
        "what other contexts would move, not what other raters would"
        if studies.joint.without_raters()
        else "what other raters like these would move"
    )
    return (
        f"Generators of different studies were judged by {people}: the intervals hold {held}, and nothing else that "
        "differs between the studies, such as the time."
    )


@kind(r"There are \d+ pairs, and intervals are not adjusted for their number: one may exclude 0 by chance\.")
def pairs(studies: Studies, match: re.Match[str]) -> str | None:
    number = len(studies.pairs)
    words = f"There are {number} pairs, and intervals are not adjusted for their number: one may exclude 0 by chance."
    return words if studies.has_intervals and number > 1 else None


@kind(r"A difference whose interval holds 0 does not show that two generators are alike\.")
def not_alike(studies: Studies, match: re.Match[str]) -> str | None:
    words = "A difference whose interval holds 0 does not show that two generators are alike."
    return words if studies.has_intervals else None


@kind(r"We compared “.+” and “[^”]+”\.")
def compared(studies: Studies, match: re.Match[str]) -> str | None:
    return f"We compared {listed([f'“{name}”' for name in studies.rows])}."


@kind(
    r"HUSE, HUSE-Q and HUSE-D \(Hashimoto et al\., 2019; \d+ neighbours, exact ties\) were computed at .+ generator\."
)
def methods(studies: Studies, match: re.Match[str]) -> str | None:
    drawn = "drawn from each text's ratings" if studies.joint.equalised else "which every text has"
    at = f"{studies.at}, {drawn},"
    return (
        f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019; {studies.k} neighbours, exact ties) were computed at "
        f"{at if studies.pairs else 'the ratings as they are'} for every generator."
    )


@kind(r"Intervals of differences are at [\d.]+%, by half-samples of .+\.")
def intervals(studies: Studies, match: re.Match[str]) -> str | None:
    if not studies.has_intervals:
        return None
    raters = (
        "they omit the variation of raters" if studies.joint.without_raters() else "they hold the raters' part as well"
    )
    return (
        f"Intervals of differences are at {100 * studies.level:g}%, by half-samples of "
        f"{studies.units}{f'; across studies {raters}' if studies.across else ''}."
    )


@kind(r".+ had simulated raters; (?:its|their) results do not describe people\.")
def rehearsal(studies: Studies, match: re.Match[str]) -> str | None:
    simulated = [f"“{name}”" for name, rows in studies.rows.items() if rows.study["mode"] == "rehearsal"]
    if not simulated:
        return None
    which = (
        f"{studies.every[0].upper()}{studies.every[1:]}" if len(simulated) == len(studies.rows) else listed(simulated)
    )
    their = "its" if len(simulated) == 1 else "their"
    return f"{which} had simulated raters; {their} results do not describe people."


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


@kind(r"The studies paid in [A-Z, ]+ and [A-Z]+\. Nothing is converted or added up across currencies\.")
def currencies(studies: Studies, match: re.Match[str]) -> str | None:
    names = sorted({str(rows.study["currency"]) for rows in studies.rows.values()})
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"The studies paid in {listed}. Nothing is converted or added up across currencies."


@kind(r"Generators were judged with \d+ to \d+ texts, and HUSE depends on that number, too\.")
def unequal(studies: Studies, match: re.Match[str]) -> str | None:
    sizes = [len(system.texts) for system in studies.joint.systems]
    return f"Generators were judged with {min(sizes)} to {max(sizes)} texts, and HUSE depends on that number, too."


def fixed(sentence: str, holds: Callable[[Studies], bool]) -> None:
    KINDS.append((re.compile(re.escape(sentence)), lambda studies, match: sentence if holds(studies) else None))


fixed(
    "HUSE is at the number of ratings per text that all studies have.",
    lambda studies: bool(studies.pairs),
)


@kind(r"The studies share no context, so that a difference between generators cannot be separated from .+\.")
def no_shared_context(studies: Studies, match: re.Match[str]) -> str | None:
    samples = "; the intervals take the contexts of each study as a sample of its own" if studies.has_intervals else ""
    return (
        "The studies share no context, so that a difference between generators cannot be separated from a difference "
        f"between their texts' contexts{samples}."
        if studies.across and studies.pairs and not studies.share_contexts
        else None
    )


def limits(studies: Studies) -> list[str]:
    """Every limit that the summary must state, in order."""
    every = (other_people, no_shared_context, pairs, not_alike)
    return [sentence for limit in every if (sentence := limit(studies, NOTHING))]


NOTHING: re.Match[str] = re.match("", "")  # type: ignore[assignment]
fixed(
    "Across scales that differ, a difference may be the scales', so that no verdict is drawn from it.",
    lambda studies: not all(map(studies.alike, studies.pairs)),
)


@kind(r".+: intervals of differences between .+ omit the variation of raters and are too narrow\.")
def without_raters(studies: Studies, match: re.Match[str]) -> str | None:
    """Studies of fewer than four raters; where each has as many, too few draws of them have a value of HUSE."""
    joint = studies.joint
    across = [pair for pair in studies.pairs if joint.across(*pair)] if studies.has_intervals else []
    bare = [pair for pair in across if None in (joint.raters[pair[0]], joint.raters[pair[1]])]
    if not bare:
        return None
    few = sorted({f"“{system.study}”" for system in joint.systems if len(system.raters) < FEWEST_RATERS})
    why = f"{listed(few)} {'has' if len(few) == 1 else 'have'} fewer than {FEWEST_RATERS} raters"
    which = "studies" if not few or len(bare) == len(across) else f"{listed(few)} and other studies"
    return (
        f"{why if few else 'In too many draws of raters HUSE is not defined'}: intervals of differences between "
        f"{which} omit the variation of raters and are too narrow."
    )


@kind(r"The studies have no result in common that could be compared\. .+\.")
def no_result(studies: Studies, match: re.Match[str]) -> str | None:
    """Where no two generators and no two groups of evaluators can be compared, and no score or finding is shared."""
    asking = [rows for rows in studies.rows.values() if rows.study["task"] == "human_or_machine"]
    shared = [source for _, source, _, _ in scores(studies.rows, studies.joint) if source != "references"]
    if studies.pairs or len(asking) > 1 or shared:
        return None
    given = any("not computed: " in text for texts in studies.page.facts().values() for text in texts)
    asked = [
        {
            (answer.criterion, rows.sides[text])
            for answer in rows.used
            for text in (answer.text, answer.partner)
            if text and rows.sides[text]
        }
        for rows in studies.rows.values()
    ]
    why = (
        "The results give the reasons."
        if given
        else "Where two asked the same question of texts of the same generator, they share no score on one scale, and "
        "no preference found in the first study was tested again."
        if any(one & other for one, other in combinations(asked, 2))
        else "No two of them asked the same question of texts of the same generator."
    )
    return f"The studies have no result in common that could be compared. {why}"


@kind(r"At \d+ ratings? per text\.")
def at_ratings(studies: Studies, match: re.Match[str]) -> str | None:
    return f"At {studies.at}."


@kind(r"Intervals: [\d.]+%\.")
def level(studies: Studies, match: re.Match[str]) -> str | None:
    return f"Intervals: {100 * studies.level:g}%."


# --- tables ---


def other_cells(studies: Studies) -> Iterator[str]:
    """Each cell of the tables of results that says otherwise than the rows, and each column that nothing counts."""
    known: list[str] = [*NAMES_OF_FILES]
    for caption, expected in (
        (JUDGED, _judged_rows(studies)),
        (RATED, _rated_rows(studies)),
        (ACCURACIES, _accuracy_rows(studies)),
        (BY_WELCH, _group_rows(studies, all_pairs=False)),
        (ALL_PAIRS, _group_rows(studies, all_pairs=True)),
        (PAIRS, _pair_rows(studies)),
        (COMMON, _common_rows(studies)),
        (OWN, _own_rows(studies)),
        (SCORES, _score_rows(studies)),
        (CORRELATIONS, _set_rows(studies)),
        (UPHELD, _finding_rows(studies)),
    ):
        rows, keys = studies.cells(caption), KEYS.get(caption, 2)
        held = {tuple(row.values())[:keys]: row for row in rows}
        expected_rows = dict(expected)
        if held.keys() != expected_rows.keys():
            yield f"{caption}: rows {sorted(held)}, and not {sorted(expected_rows)}"
            continue
        for key, row in held.items():
            for head, cell in expected_rows[key].items():
                told = cell(row[head]) if callable(cell) else cell
                if row[head] != told:
                    yield f"{caption}, {key}, {head}: {row[head]}, and the rows say {told}"
            for head in [*row][keys:]:
                if head not in expected_rows[key] and head not in UNCOUNTED:
                    yield f"{caption}: nothing counts {head}"
        known += [caption] if isinstance(caption, str) else caption
    for caption, cells in studies.page.captioned():
        if not caption.startswith(tuple(known)):
            yield f"{caption}: of no kind, with {cells[0]}"


UNCOUNTED = {"Smallest d found with power .8": "by the noncentral t distribution"}
NAMES_OF_FILES = ("SHA-256 of what each study was compared from",)


KEYS: dict[str | tuple[str, ...], int] = {JUDGED: 1, RATED: 1, ACCURACIES: 1, CORRELATIONS: 3, UPHELD: 5}
Cell = str | Callable[[str], str]
TableRow = tuple[tuple[str, ...], dict[str, Cell]]


TASKS = {
    "typicality": "typicality ratings",
    "human_or_machine": "human or machine",
    "likert": "labelled scales",
    "which_machine": "which of several texts a machine wrote",
}


def _judged_rows(studies: Studies) -> Iterator[TableRow]:
    """A text of a pair has the answers of the pair."""
    for name, rows in studies.rows.items():
        of_text = Counter(text for answer in rows.used for text in {answer.text, answer.partner or answer.text})
        ends = sorted({min(of_text[key] for key in rows.sides), max(of_text.values())})
        days = [
            day(moment(row["submitted_at"])) for row in sorted(rows.submissions, key=lambda row: row["submitted_at"])
        ]
        references = list(rows.sides.values()).count("")
        cells: dict[str, Cell] = {
            "Task": TASKS[rows.study["task"]],
            "Kind": str(rows.study["mode"]),
            "References": str(references),
            "Model texts": str(len(rows.sides) - references),
            "Collected": days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}",
        }
        yield (name,), {**cells, "Ratings per text": " to ".join(map(str, ends))}


def _rated_rows(studies: Studies) -> Iterator[TableRow]:
    for name, rows in studies.rows.items():
        excluded = sum(row["used"] == "exclude" for row in rows.submissions)
        cells: dict[str, Cell] = {"Raters": str(people(rows)), "Assignments": str(len(rows.submissions))}
        wage = f"{per_hour}{whose(rows)}" if (per_hour := hourly_wage(rows)) else "–"
        cells |= {"Recruited through": provider(rows) or "not recorded", "Wage per hour": wage}
        yield (name,), {**cells, "Excluded": str(excluded)}


def _accuracy_rows(studies: Studies) -> Iterator[TableRow]:
    for name, rows in studies.asking.items() if len(studies.asking) > 1 else ():
        shares, counts = rows.right_answers(), confused(rows, "")
        hits, missed, false = (
            counts[key] for key in (("Machine", "machine"), ("Machine", "human"), ("Human", "machine"))
        )
        of = 2 * hits + missed + false
        mean = fmean(right / total for right, total in shares)
        cells: dict[str, Counted] = {
            "Right": ranged(mean, mean_share(shares, studies.level), 100),
            "F1": Beside(2 * hits / of, hits + missed + false) if of else None,
            "Called human": Beside(100 * fmean(answer.code <= 2 for answer in rows.used)),
            "Definitely": Beside(100 * fmean(answer.code in (1, 4) for answer in rows.used)),
            "Evaluators": str(len(shares)),
            "Ratings": str(len(rows.used)),
        }
        yield (name,), {head: _shown_as(cell) for head, cell in cells.items()}


def _group_rows(studies: Studies, *, all_pairs: bool) -> Iterator[TableRow]:
    groups = studies.accuracies
    if len(groups) < (3 if all_pairs else 2):
        return
    for key, cells in groups_compared(groups, studies.level, all_pairs=all_pairs).items():
        yield key, {head: _shown_as(cell) for head, cell in cells.items()}


def _shown_as(cell: Counted) -> Callable[[str], str]:
    return lambda said: said if same(said, cell) else str(cell)


def _pair_rows(studies: Studies) -> Iterator[TableRow]:
    names = list(studies.names)
    for pair in studies.pairs:
        cells: dict[str, Cell] = {
            title: lambda said, pair=pair, title=title: studies.difference(pair, title, said)  # type: ignore[misc]
            for title in TITLES
        }
        cells["n"] = str(studies.of(pair))
        if not all(map(studies.alike, studies.pairs)):
            cells["Scale"] = "the same" if studies.alike(pair) else "different"
        yield (names[pair[0]], names[pair[1]]), cells


def _common_rows(studies: Studies) -> Iterator[TableRow]:
    for at, system in enumerate(studies.joint.systems if studies.pairs else ()):
        spread = studies.joint.spreads[at] if studies.joint.spreads else None
        cells: dict[str, Cell] = {"n": str(len(system.texts))}
        for measure, title in enumerate(TITLES):
            value, noise = studies.joint.value(at, measure)
            cells[title] = _ranged(value, noise, spread, measure, studies.level)
        yield (system.study, system.side), cells


def _ranged(value: float, noise: float, spread: Spread | None, measure: int, level: float) -> Callable[[str], str]:
    """A value with limits that belong together and come from that spread; None: with none."""

    def expected(said: str) -> str:
        shown_value = _near(value, noise)(said.partition(" ")[0])
        if spread is None:
            return shown_value
        limits, number = said.partition(" ")[2], _number(shown_value) if noise else value
        if re.fullmatch(SPAN, limits) and spread.allow(measure, number, two(limits), level, ROUNDED if noise else 0):
            return f"{shown_value} {limits}"
        low, high = spread.limits(measure, number, spread.errors[measure], level)
        return f"{shown_value} [{decimal(low)}, {decimal(high)}]"

    return expected


def _near(value: float, noise: float = 0.0) -> Callable[[str], str]:
    def expected(said: str) -> str:
        first, more = said.partition(" ")[::2]
        is_near = noise and re.fullmatch(NUMBER, first) and abs(_number(first) - value) <= noise
        return f"{first if is_near else shown(value, first)} {more}".strip()

    return expected


def _own_rows(studies: Studies) -> Iterator[TableRow]:
    for at, system in enumerate(studies.joint.systems):
        values = system.measures(system.hj(), np.arange(len(system.texts)), studies.k)
        cells: dict[str, Cell] = {
            title: _ranged(float(value), 0, studies.own_spreads[at], measure, studies.level)
            for measure, (title, value) in enumerate(zip(TITLES, values, strict=True))
        }
        ratings = sorted({len(held) for held in system.ratings})
        of_each = " to ".join(map(str, (ratings[0], ratings[-1])[: len(ratings)]))
        yield (system.study, system.side), {**cells, "n": str(len(system.texts)), "Ratings per text": of_each}


def _score_rows(studies: Studies) -> Iterator[TableRow]:
    found = list(scores(studies.rows, studies.joint))
    if all(source == "references" for _, source, _, _ in found):
        return
    for what, source, values, variation in found:
        noise = 0.0
        if studies.joint.equalised and what in TITLES:
            ours = [at for at, system in enumerate(studies.joint.systems) if system.side == source]
            noise = max(studies.joint.value(at, TITLES.index(what))[1] for at in ours)
        cells: dict[str, Cell] = {name: _near(values[name], noise) if name in values else "–" for name in studies.rows}
        cells["CV*, %"] = "–" if variation is None else _variation(variation, noise and _spread(values, noise))
        yield (what, source), cells


def _spread(values: dict[str, float], noise: float) -> float:
    """By how much a CV* changes where each value is so much off."""
    ends = [cv_star([first + sign * noise, *rest]) or 0 for sign in (-1, 1) for first, *rest in [list(values.values())]]
    return 2 * (max(ends) - min(ends))


def _variation(value: float, noise: float) -> Callable[[str], str]:
    return _near(value, noise)


def _set_rows(studies: Studies) -> Iterator[TableRow]:
    """Spearman's is Pearson's of the ranks."""
    names = list(studies.rows)
    rated = [rows for rows in studies.rows.values() if rows.study["task"] != "which_machine"]
    for criterion in dict.fromkeys(answer.criterion for rows in rated for answer in rows.used):
        having = [name for name in names if any(answer.criterion == criterion for answer in studies.rows[name].used)]
        for again in having[1:]:
            first, second = (text_means(studies.rows[name], criterion) for name in (having[0], again))
            shared = [text for text in first if text in second]
            x, y = ([of[text] for text in shared] for of in (first, second))
            if len(shared) < 3:
                continue
            cells: dict[str, Cell] = {
                "Texts in both": str(len(shared)),
                "Pearson": _near(float(np.corrcoef(x, y)[0, 1])),
                "Spearman": _near(float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])),
            }
            yield (criterion.replace("_", " "), having[0], again), cells


def _finding_rows(studies: Studies) -> Iterator[TableRow]:
    first, *others = studies.rows
    original = findings(studies.rows[first], studies.level)
    for name in others:
        again = findings(studies.rows[name], studies.level)
        for key, outcome in original.items():
            if outcome in FINDINGS and any(key[0] == of[0] for of in again):
                repeated = again.get(key)
                upheld = "" if repeated not in DECIDED else "yes" if repeated == outcome else "no"
                cells: dict[str, Cell] = {"In the repetition": repeated or "not tested", "Upheld": upheld}
                yield (key[0].replace("_", " "), *key[1:], outcome, name), cells
