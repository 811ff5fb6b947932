"""The main comparison of a study, counted anew: two sources, the difference between them, contexts and raters."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from tests.report_checker.recount import Answer, Rows

STEPS = 20_000  # of the fit of strengths, more than it ever needs
ENOUGH = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """first less second. kind: of ANSWERS. on: the criterion in words, or "". items: contexts, or texts (`unit`)."""

    kind: str
    first: str
    second: str
    on: str
    chosen: str
    value: float
    unit: str
    items: int
    raters: int


def compare(rows: Rows) -> Comparison:
    """Compare the two generators, or the generator with the references, on the first criterion."""
    criterion, kind = _criterion(rows)
    answers = [answer for answer in rows.used if answer.criterion == criterion]
    judged = {side for answer in answers for side in _sides(rows, answer)}
    generators = [name for name in dict.fromkeys(rows.sides.values()) if name and name in judged]
    pair = (generators[0], generators[1] if len(generators) > 1 else "")
    assert len(generators) <= 2, "the studies of the checker have at most two generators"
    chosen = "the two generators" if len(generators) > 1 else "the generator against the references"
    if kind == "preference":
        value, items, raters, unit = _preferred(rows, answers, pair)
    else:
        value, items, raters, unit = _rated(rows, answers, pair, kind)
    on = "" if kind == "human_or_machine" else f" on {criterion.replace('_', ' ')}"
    return Comparison(kind, pair[0], pair[1] or "the references", on, chosen, value, unit, items, raters)


def _criterion(rows: Rows) -> tuple[str, str]:
    names = list(dict.fromkeys(answer.criterion for answer in rows.used))
    # Error labels have no mean; their severity, where it is asked, has one.
    ordered = [name for name in names if name == "severity"] if rows.study["task"] == "error_labels" else names
    first = "typicality" if "typicality" in names else (ordered or names)[0]
    if rows.pairs:
        return first, "preference"
    return first, "human_or_machine" if first == "human_or_machine" else "rating"


def _sides(rows: Rows, answer: Answer) -> list[str]:
    return [rows.sides[text] for text in (answer.text, answer.partner) if text]


def _rated(rows: Rows, answers: list[Answer], pair: tuple[str, str], kind: str) -> tuple[float, int, int, str]:
    """Mean over contexts (of both sources), or over texts where none has a context, of their mean ratings."""
    contexts = {text: row["context_id"] for text, row in rows.texts.items()}
    of_pair = [answer for answer in answers if rows.sides[answer.text] in pair]
    paired = any(contexts[answer.text] is not None for answer in of_pair)
    values: defaultdict[tuple[str, object], list[float]] = defaultdict(list)
    raters: defaultdict[object, set[str]] = defaultdict(set)
    for answer in of_pair:
        item = contexts[answer.text] if contexts[answer.text] is not None else f"text {answer.text}"
        number = float(answer.code <= 2) if kind == "human_or_machine" else float(answer.code)
        values[rows.sides[answer.text], item].append(number)
        raters[item].add(answer.rater)
    items = {item for _, item in values}
    if paired:
        items = {item for item in items if all((side, item) in values for side in pair)}
    means = []
    for side in pair:
        of_items = [sum(values[side, item]) / len(values[side, item]) for item in items if (side, item) in values]
        means.append(sum(of_items) / len(of_items))
    people = set().union(*(raters[item] for item in items))
    return means[0] - means[1], len(items), len(people), "context" if paired else "text"


def _preferred(rows: Rows, answers: list[Answer], pair: tuple[str, str]) -> tuple[float, int, int, str]:
    """The difference of the strengths that make the votes likeliest, ties half to each."""
    wins: defaultdict[tuple[str, str], float] = defaultdict(float)
    contexts, raters = set(), set()
    for answer in answers:
        first, second = _sides(rows, answer)
        if first != second:
            half = (1 + (answer.code > 0) - (answer.code < 0)) / 2
            wins[first, second] += half
            wins[second, first] += 1 - half
            contexts.add(rows.texts[answer.text]["context_id"])
            raters.add(answer.rater)
    names = sorted({name for names in wins for name in names})
    strength = dict.fromkeys(names, 1.0)
    for _ in range(STEPS):
        updated = {}
        for name in names:
            won = sum(wins[name, other] for other in names)
            met = sum(
                (wins[name, other] + wins[other, name]) / (strength[name] + strength[other])
                for other in names
                if other != name
            )
            updated[name] = won / met
        change = max(abs(math.log(updated[name] / strength[name])) for name in names)
        strength = updated
        if change < ENOUGH:
            break
    return math.log(strength[pair[0]] / strength[pair[1]]), len(contexts), len(raters), "context"
