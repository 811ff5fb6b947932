"""Facts and tables of the page whose numbers are counted anew."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tests.report_checker.intervals import ROUNDED, Influence, Spread, mean_limits, other_raters, spread_of_huse
from tests.report_checker.page import Page
from tests.report_checker.recount import Answer, Rows, clock, moment, money
from tests.report_checker.sentences import Asked, by_amount, is_nominal, of_them, people, rewards, whose


def differences(page: Page, rows: Rows) -> Iterator[str]:
    """Each fact that the rows say otherwise."""
    shown = page.facts()
    for name, expected in facts(rows).items():
        if name in shown and shown[name] != [expected]:
            yield f"fact: {name} is {shown[name]}\n    rows: {expected}"


def different_cells(page: Page, expected: Mapping[str, Cells]) -> Iterator[str]:
    """Each row of a table that is expected otherwise; a table that is not there is not asked for."""
    cells = page.tables()
    cut = page.cut_tables()
    for caption, counted in expected.items():
        full = next((name for name in cells if name.startswith(caption)), None)
        if full is not None:
            lines = _different_rows(cells[full], counted, is_cut=full in cut)
            yield from (f"table {caption!r}: {line}" for line in lines)


def _different_rows(table: list[list[str]], expected: Cells, *, is_cut: bool) -> Iterator[str]:
    for key, values in expected.items():
        row = next((row for row in table if tuple(row[: len(key)]) == key), None)
        if row is None and is_cut:
            continue
        said = (row or [])[len(key) :][: len(values)]
        if row is None or not all(same(a, b) for a, b in zip(said, values, strict=False)):
            yield f"{key} {said}\n    rows: {values}"


def facts(rows: Rows) -> dict[str, str]:
    """Facts by their names on the page; a name that is not there is not asked for."""
    work = rows.submissions
    known = {"HITs": str(len(rows.hits)), "Seed of packing and order": str(rows.study["seed"])}
    known["Question as shown"] = rows.question()
    for key, name in (("ethics", "Ethics approval"), ("licence", "Licence of the texts")):
        if key in rows.stated:
            known[name] = rows.stated[key]
    known |= {
        "Raters": f"{people(rows)}{of_them(rows)}",
        "Assignments submitted": str(len(work)),
        "Approved (paid)": str(sum(row["paid"] == "approve" for row in work)),
        "Approved": str(sum(row["paid"] == "approve" for row in work)),
        "Rejected (not paid)": str(sum(row["paid"] == "reject" for row in work)),
        "Excluded from analysis": str(sum(row["used"] == "exclude" for row in work)),
    }
    if not work:
        return known
    times = sorted(moment(row["submitted_at"]) for row in work)
    answered = {(answer.rater, answer.submission, answer.text, answer.criterion) for answer in rows.used}
    kept = Counter(rater for rater, *_ in answered)
    criteria = len({criterion for *_, criterion in answered})
    together = f", on {criteria} criteria together" if criteria > 1 else ""
    low, high = min(kept.values()), max(kept.values())
    known |= {
        "First submission": f"{times[0]:%A}, {times[0].day} {times[0]:%B %Y, %H:%M} UTC",
        "Last submission": f"{times[-1]:%A}, {times[-1].day} {times[-1]:%B %Y, %H:%M} UTC",
        "Included ratings per rater": (
            str(low) if low == high else f"{low} to {high}, median {float(median(kept.values())):g}"
        )
        + together,
    }
    return known


@dataclass(frozen=True, slots=True)
class Ranged:
    """A number with the limits of its interval, which it may lack. n: in brackets beside both."""

    value: float
    limits: tuple[float, float] | None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """A number with the n in brackets that it has beside the row's, if any; its interval is not counted anew."""

    value: float
    n: int | None = None

    def is_shown_as(self, value: str, limits: str) -> bool:
        number = BESIDE.search(f"{value} {limits}")
        return same(BESIDE.sub("", value), self.value) and (number is None or int(number[1]) == self.n)


BOUND = 0.001  # smaller p-values are said to be below it


@dataclass(frozen=True, slots=True)
class P:
    """A p-value, rounded to the digits shown, or said to be below a bound."""

    value: float

    def is_shown_as(self, said: str) -> bool:
        if said.startswith("<"):
            return self.value < BOUND == float(said.lstrip("< "))
        return same(said, self.value)


DECIMAL = re.compile(r"−?\d+(?:\.\d+)?")
BESIDE = re.compile(r" ?\(n = (\d+)\)")


@dataclass(frozen=True, slots=True)
class OfHuse:
    """HUSE, HUSE-Q or HUSE-D (measure 0 to 2) with the limits of its spread; None: with none.

    wider: the raters differ by source. Their part is of draws of the report's own, which makes the limits wider.
    """

    value: float
    measure: int
    spread: Spread | None
    level: float
    wider: bool

    def is_shown_as(self, value: str, limits: list[str]) -> bool:
        if not same(value, self.value) or len(limits) != (2 if self.spread else 0):
            return False
        if self.spread is None:
            return True
        low, high = (float(end.replace("−", "-")) for end in limits)
        if not self.wider:
            return self.spread.allow(self.measure, self.value, (low, high), self.level, 0)
        least = self.spread.limits(self.measure, self.value, self.spread.errors[self.measure], self.level)
        return low <= least[0] + ROUNDED and high >= least[1] - ROUNDED


def same(said: str, expected: str | float | Ranged | Beside | P | OfHuse | None) -> bool:
    """Whether a cell shows the value: text as it is, a number rounded to the digits shown; None is not counted anew."""
    if isinstance(expected, P):
        return expected.is_shown_as(said)
    said, _, limits = said.partition(" [")
    if isinstance(expected, Beside):
        return expected.is_shown_as(said, limits)
    if isinstance(expected, OfHuse):
        return expected.is_shown_as(said, limits.rstrip("]").split(", ") if limits else [])
    if isinstance(expected, Ranged):
        if expected.n is not None:
            whole, beside = f"{said} [{limits}".removesuffix(" ["), f" (n = {expected.n})"
            return whole.endswith(beside) and same(whole.removesuffix(beside), Ranged(expected.value, expected.limits))
        shown = limits.rstrip("]").split(", ") if limits else []
        ends = expected.limits or ()
        return same(said, expected.value) and len(shown) == len(ends) and all(map(same, shown, ends))
    if isinstance(expected, float):
        said = said.removesuffix(" pp").rstrip("%")
        if not DECIMAL.fullmatch(said):
            return False
        digits = len(said.partition(".")[2])
        return abs(float(said.replace("−", "-")) - expected) <= 0.5 / 10**digits + 1e-9
    return expected is None or said == expected


Cell = str | float | Ranged | Beside | P | OfHuse | None
Cells = dict[tuple[str, ...], tuple[Cell, ...]]


def expected_tables(rows: Rows, asked: Asked) -> dict[str, Cells]:
    """By the beginning of the caption: cells after the key of a row; None is not counted anew."""
    if not rows.submissions:
        return {}
    tables = {
        "Money and time": _money(rows),
        "Judgments per pair" if rows.pairs else "Ratings per text": _per_text(rows),
    }
    if asked.without == "ratings":
        tables.pop("Ratings per text")
    task = rows.study["task"]
    if task == "typicality":
        tables["HJ by source: mean"] = _hj(rows)
        tables["HUSE, HUSE-Q (judgment alone), HUSE-D"] = _huse(rows, asked)
        tables["HUSE, HUSE-Q (judgment alone) and HUSE-D"] = {
            key[:1]: cells for key, cells in _huse(rows, asked).items()
        }
    if task == "human_or_machine":
        tables["Conditions: planned"] = _conditions(rows)
        tables["Accuracy against chance"] = {}
    if task in ("likert", "direct_assessment", "document_rating", "error_labels"):
        tables["Ratings by source"] = mean_cells(rows, asked.level)
    if task in ("likert", "error_labels", "document_rating"):
        tables["How often each label"] = label_cells(rows, asked.level)
    return tables | _by_criterion(rows, asked.level)


def _by_criterion(rows: Rows, level: float) -> dict[str, Cells]:
    """Tables of one criterion each."""
    tables = {}
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        if rows.pairs:
            tables[f"Preferences ({criterion.replace('_', ' ')})"] = preference_cells(rows, criterion, level)
        if rows.study["task"] == "which_machine":
            caption = f"How often a text of each source was chosen ({criterion.replace('_', ' ')})"
            tables[caption] = chosen_cells(rows, criterion, level)
    return tables


def chosen_cells(rows: Rows, criterion: str, level: float) -> Cells:
    """Of each source, the mean over contexts of the share of raters who chose its text, and the chance of that."""
    groups: defaultdict[tuple[int, int], list[tuple[str, bool]]] = defaultdict(list)
    people: dict[int, str] = {}
    for answer in rows.used:
        if answer.criterion != criterion:
            continue
        side = rows.sides[answer.text] or "references"
        groups[rows.texts[answer.text]["context_id"], answer.submission].append((side, answer.code == 1))
        people[answer.submission] = answer.rater
    cells: Cells = {}
    for source in {side for shown in groups.values() for side, _ in shown}:
        picked: defaultdict[int, list[tuple[str, float]]] = defaultdict(list)
        chance: defaultdict[int, list[float]] = defaultdict(list)
        for (context, submission), shown in groups.items():
            sides = [side for side, _ in shown]
            if source in sides and sum(chosen for _, chosen in shown) == 1:
                picked[context].append((people[submission], float((source, True) in shown)))
                chance[context].append(sides.count(source) / len(sides))
        if not picked:
            continue
        share = fmean(fmean(value for _, value in of_context) for of_context in picked.values())
        by_chance = 100 * fmean(map(fmean, chance.values()))
        parts = []
        for context, of_context in picked.items():
            weight = 1 / (len(picked) * len(of_context))
            parts += [Influence(context, rater, 0, weight, weight * (value - share)) for rater, value in of_context]
        limits = mean_limits(share, parts, level, share=True)
        value = Ranged(100 * share, limits and (100 * limits[0], 100 * limits[1]))
        cells[source,] = (value, by_chance, 100 * share - by_chance)
    return cells


def _money(rows: Rows) -> Cells:
    currency = rows.study["currency"]
    cells: Cells = {}
    if by_amount(rows):
        cells[f"Reward per assignment{whose(rows)}",] = (rewards(rows),)
        cells["Rewards of approved work",] = (money(rows.spent["reward"], currency),)
        cells["Fees",] = (money(rows.spent["fee"], currency),)
        cells["Total charged",] = (money(rows.spent["reward"] + rows.spent["fee"] + rows.spent["bonus"], currency),)
    if rows.seconds:
        cells["Time per assignment, median",] = (clock(float(median(rows.seconds))),)
    return cells


def _per_text(rows: Rows) -> Cells:
    """How many texts (or pairs) have how many raters whose answers count."""
    raters: defaultdict[str, set[int]] = defaultdict(set)
    for answer in rows.used:
        raters[answer.text].add(answer.submission)
    counts = Counter(len(submissions) for submissions in raters.values())
    return {(str(number),): (str(texts),) for number, texts in counts.items() if number}


def _hj(rows: Rows) -> Cells:
    hj = rows.hj()
    cells: Cells = {}
    for name in ("", *dict.fromkeys(side for side in rows.sides.values() if side)):
        values = [float(hj[key]) for key, side in rows.sides.items() if side == name and key in hj]
        if values:
            cells[name or "reference",] = (str(len(values)), sum(values) / len(values))
    return cells


def _huse(rows: Rows, asked: Asked) -> Cells:
    cells: Cells = {}
    for name in dict.fromkeys(side for side in rows.sides.values() if side):
        huse, quality = rows.huse(name, asked.k), rows.huse(name, asked.k, quality_only=True)
        if huse and quality:
            values = (huse[0], quality[0], 1 + huse[0] - quality[0])
            spread, wider = spread_of_huse(rows, name, asked.k), other_raters(rows, name)
            hj = rows.hj()
            varies = len({hj[key] for key, side in rows.sides.items() if side in ("", name) and key in hj}) > 1
            cells[name, "exact"] = tuple(
                # Of equal judgments HUSE-Q is 1 by definition.
                OfHuse(value, measure, spread if varies or measure == 0 else None, asked.level, wider)
                for measure, value in enumerate(values)
            )
    return cells


def _conditions(rows: Rows) -> Cells:
    cells: Cells = {}
    base = rows.study["reward_cents"]
    for arm in rows.arms:
        work = [row for row in rows.submissions if row["arm"] == arm["training"]]
        reward = base if arm["reward_cents"] is None else arm["reward_cents"]
        seconds = [row["work_seconds"] for row in work]
        cells[arm["training"],] = (
            arm["training"],
            str(rows.study["evaluators_per_cell"]),
            str(len({row["rater"] for row in work})),
            str(len(work)),
            str(sum(row["used"] == "exclude" for row in work)),
            money(reward, rows.study["currency"]) if by_amount(rows) else None,
            clock(float(median(seconds))) if seconds else None,
        )
    return cells


def mean_cells(rows: Rows, level: float) -> Cells:
    cells: Cells = {}
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        if is_nominal(rows, criterion):
            continue
        hj = rows.hj(criterion)
        for name in ("", *dict.fromkeys(side for side in rows.sides.values() if side)):
            means = {key: float(hj[key]) for key, side in rows.sides.items() if side == name and key in hj}
            if means:
                mean = sum(means.values()) / len(means)
                answers = [each for each in rows.used if each.criterion == criterion and each.text in means]
                counts = Counter(answer.text for answer in answers)
                parts = []
                for answer in answers:
                    weight = 1 / (len(means) * counts[answer.text])
                    psi = weight * (float(answer.code) - mean)
                    parts.append(Influence(_context(rows, answer.text), answer.rater, 0, weight, psi))
                limits = mean_limits(mean, parts, level, share=False)
                cells[criterion, name or "references"] = (Ranged(mean, limits),)
    return cells


def _context(rows: Rows, text: str) -> Hashable:
    """The context of a text; without one the text is its own."""
    context = rows.texts[text]["context_id"]
    return f"text {text}" if context is None else context


def _share(held: Sequence[tuple[Hashable, str, float]], level: float) -> Ranged:
    """The share, in percent, of answers (item, rater, 0 to 1) that each count alike."""
    share = fmean(value for _, _, value in held)
    weight = 1 / len(held)
    parts = [Influence(item, rater, 0, weight, weight * (value - share)) for item, rater, value in held]
    limits = mean_limits(share, parts, level, share=True)
    return Ranged(100 * share, limits and (100 * limits[0], 100 * limits[1]))


def label_cells(rows: Rows, level: float) -> Cells:
    judged: defaultdict[tuple[str, str], defaultdict[tuple[str, int, str], set[str]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for answer in rows.used:
        group = judged[answer.criterion, rows.sides[answer.text] or "references"]
        group[answer.text, answer.submission, answer.rater].add(answer.label)
    cells: Cells = {}
    given = {(answer.criterion, answer.label) for answer in rows.used}
    for key, answers in judged.items():
        for label in (label for criterion, label in given if criterion == key[0]):
            held = [
                (_context(rows, text), rater, float(label in labels)) for (text, _, rater), labels in answers.items()
            ]
            number = sum(label in labels for labels in answers.values())
            cells[*key, label] = (_share(held, level), str(number), None, str(len(held)))
    return cells


def preference_cells(rows: Rows, criterion: str, level: float) -> Cells:
    """Of each two sources in either order, how often the first was preferred, ties half."""
    return {key: (_share(answers, level),) for key, answers in preference_answers(rows, criterion).items()}


def preference_answers(rows: Rows, criterion: str) -> dict[tuple[str, str], list[tuple[Hashable, str, float]]]:
    """Of each two sources the context (or pair), the rater and how far the first was preferred, 0 to 1."""
    held: defaultdict[tuple[str, str], list[tuple[Hashable, str, float]]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion == criterion and answer.partner is not None:
            sides = [rows.sides[text] or "references" for text in (answer.text, answer.partner)]
            contexts = {rows.texts[text]["context_id"] for text in (answer.text, answer.partner)}
            pair: Hashable = frozenset((answer.text, answer.partner))
            item = contexts.pop() if len(contexts) == 1 and None not in contexts else pair
            half = (1 + (answer.code > 0) - (answer.code < 0)) / 2
            turned = sides[0] == "references" or (sides[1] != "references" and sides[1] < sides[0])
            if turned:
                sides, half = sides[::-1], 1 - half
            held[sides[0], sides[1]].append((item, answer.rater, half))
    return held


def choices(rows: Rows, criterion: str) -> dict[str, list[tuple[Hashable, str]]]:
    """Of each source, the context and the rater of each answer that chose one text where its own was among them."""
    groups: defaultdict[tuple[Hashable, int], list[Answer]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion == criterion:
            groups[rows.texts[answer.text]["context_id"], answer.submission].append(answer)
    held: defaultdict[str, list[tuple[Hashable, str]]] = defaultdict(list)
    for (context, _), shown in groups.items():
        if sum(answer.code == 1 for answer in shown) == 1:
            for side in {rows.sides[answer.text] or "references" for answer in shown}:
                held[side].append((context, shown[0].rater))
    return held
