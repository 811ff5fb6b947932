"""The main comparison of a study, counted anew: two sources, the difference between them, contexts and raters."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

from tests.report_checker.intervals import Influence, clustered
from tests.report_checker.recount import Answer, Rows

STEPS = 20_000  # of the fit of strengths, more than it ever needs
ENOUGH = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """first less second. kind: of ANSWERS. on: the criterion in words, or "". items: contexts, or texts (`unit`).

    limits: low, high and p for new items and new raters; None where there is no interval.
    """

    kind: str
    first: str
    second: str
    on: str
    chosen: str
    value: float
    unit: str
    items: int
    raters: int
    limits: tuple[float, float, float] | None = None


def compare(rows: Rows, level: float = 0.95, on: str = "") -> Comparison:
    """Compare the two generators, or the generator with the references, on the first criterion, or on another."""
    criterion, kind = _criterion(rows)
    criterion = on or criterion
    answers = [answer for answer in rows.used if answer.criterion == criterion]
    judged = {side for answer in answers for side in _sides(rows, answer)}
    generators = [name for name in dict.fromkeys(rows.sides.values()) if name and name in judged]
    pair = (generators[0], generators[1] if len(generators) > 1 else "")
    if "first" in rows.declared:
        pair = (rows.declared["first"], rows.declared["second"])
    assert len(generators) <= 2, "the studies of the checker have at most two generators"
    chosen = "the two generators" if len(generators) > 1 else "the generator against the references"
    named = f"“{criterion.replace('_', ' ')}”" if kind == "preference" else criterion.replace("_", " ")
    if kind != "preference" and not share_a_context(rows, answers, pair):
        return Comparison(kind, pair[0], pair[1] or "the references", f" on {criterion}", chosen, 0.0, "context", 0, 0)
    if kind == "preference":
        value, unit, parts = _preferred(rows, answers, pair)
    else:
        value, unit, parts = rated(rows, answers, pair, kind)
    items, raters = (len({getattr(part, name) for part in parts}) for name in ("item", "rater"))
    limits = clustered(value, parts, level, votes=kind == "preference") if parts else None
    on = "" if kind == "human_or_machine" else f" on {named}"
    return Comparison(kind, pair[0], pair[1] or "the references", on, chosen, value, unit, items, raters, limits)


def other_criteria(rows: Rows) -> list[str]:
    """Criteria besides that of the main comparison on which sources are compared, in the order of the answers."""
    nominal = rows.study["task"] in ("error_labels", "which_machine")
    names = dict.fromkeys(answer.criterion for answer in rows.used)
    return [name for name in names if name != _criterion(rows)[0] and not nominal]


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


def share_a_context(rows: Rows, answers: list[Answer], pair: tuple[str, str]) -> bool:
    """Whether some context has answers of both sources, or no text has a context."""
    contexts = [
        {rows.texts[answer.text]["context_id"] for answer in answers if rows.sides[answer.text] == side}
        for side in pair
    ]
    return contexts == [{None}, {None}] or bool((contexts[0] & contexts[1]) - {None})


def rated(rows: Rows, answers: list[Answer], pair: tuple[str, str], kind: str) -> tuple[float, str, list[Influence]]:
    """Mean over contexts (of both sources), or over texts where none has a context, of their mean ratings."""
    contexts = {text: row["context_id"] for text, row in rows.texts.items()}
    of_pair = [answer for answer in answers if rows.sides[answer.text] in pair]
    paired = any(contexts[answer.text] is not None for answer in of_pair)
    held: defaultdict[tuple[str, Hashable], list[tuple[str, float]]] = defaultdict(list)
    for answer in of_pair:
        item = contexts[answer.text] if contexts[answer.text] is not None else f"text {answer.text}"
        number = float(answer.code <= 2) if kind == "human_or_machine" else float(answer.code)
        held[rows.sides[answer.text], item].append((answer.rater, number))
    items = {item for _, item in held}
    if paired:
        items = {item for item in items if all((side, item) in held for side in pair)}
    means, parts = [], []
    for at, side in enumerate(pair):
        of_side = {item: held[side, item] for item in items if (side, item) in held}
        means.append(sum(sum(number for _, number in group) / len(group) for group in of_side.values()) / len(of_side))
        for item, group in of_side.items():
            weight = 1 / (len(of_side) * len(group))
            parts += [
                Influence(item, rater, at, weight, (1, -1)[at] * weight * (number - means[-1]))
                for rater, number in group
            ]
    return means[0] - means[1], "context" if paired else "text", parts


def _preferred(rows: Rows, answers: list[Answer], pair: tuple[str, str]) -> tuple[float, str, list[Influence]]:
    """The difference of the strengths that make the votes likeliest, ties half to each."""
    wins: defaultdict[tuple[str, str], float] = defaultdict(float)
    votes: list[tuple[Hashable, str, float]] = []
    for answer in answers:
        first, second = _sides(rows, answer)
        if first != second:
            half = (1 + (answer.code > 0) - (answer.code < 0)) / 2
            wins[first, second] += half
            wins[second, first] += 1 - half
            votes.append((rows.texts[answer.text]["context_id"], answer.rater, half if first == pair[0] else 1 - half))
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
    # Of two sources the likeliest chance is the share of wins, and each vote adds its deviation from it.
    p = strength[pair[0]] / sum(strength[name] for name in pair)
    information = len(votes) * p * (1 - p)
    parts = [Influence(context, rater, 0, 1 / len(votes), (won - p) / information) for context, rater, won in votes]
    return math.log(strength[pair[0]] / strength[pair[1]]), "context", parts
