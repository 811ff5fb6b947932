"""Sensitivity of HUSE to k, to the rule for tied votes, and to normalising by length: one curve a rule, over k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import number
from metrics.figures import curves
from metrics.figures.chart import Chart
from metrics.figures.curves import At, Panel, Series


@dataclass(frozen=True, slots=True)
class Row:
    """HUSE at one k under one rule ("exact, to the reference"); low and high: its interval where one is known."""

    rule: str
    k: int
    huse: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What was tried for one generator. chosen: the k fixed beforehand. n: texts. The first rule is the default one."""

    generator: str
    rows: tuple[Row, ...]
    n: int
    chosen: int = 16


def chart(sensitivity: Sensitivity, *, name: str = "k-sensitivity") -> Chart:
    """The picture: HUSE over k, one curve a rule, the k that was chosen beforehand marked."""
    return curves.chart(_panel(sensitivity, name))


def alt(sensitivity: Sensitivity) -> str:
    """The finding in words: how far HUSE moves with k under each rule, and what it is at the chosen k."""
    sentences = [_rule_sentence(sensitivity, rule) for rule in _rules(sensitivity.rows)]
    return f"HUSE of {sensitivity.generator} by k, from {sensitivity.n} texts. " + " ".join(sentences)


def _rule_sentence(sensitivity: Sensitivity, rule: str) -> str:
    rule_rows = [row for row in sensitivity.rows if row.rule == rule]
    low, high = min(rule_rows, key=lambda row: row.huse), max(rule_rows, key=lambda row: row.huse)
    chosen = next((row for row in rule_rows if row.k == sensitivity.chosen), None)
    at = "" if chosen is None else f"; at k = {sensitivity.chosen}, fixed beforehand, it is {number(chosen.huse)}"
    if len(rule_rows) == 1:
        return f"{rule}: {number(rule_rows[0].huse)} at k = {rule_rows[0].k}."
    return f"{rule}: between {number(low.huse)} (k = {low.k}) and {number(high.huse)} (k = {high.k}){at}."


def _panel(sensitivity: Sensitivity, name: str) -> Panel:
    return Panel(
        name=name,
        title=f"{sensitivity.generator}: sensitivity to k",
        series=tuple(Series(rule, _places(sensitivity, rule)) for rule in _rules(sensitivity.rows)),
        x_title="k (neighbors)",
        y_title="HUSE",
        marked=(sensitivity.chosen, f"k = {sensitivity.chosen}"),
        words=alt(sensitivity),
    )


def _places(sensitivity: Sensitivity, rule: str) -> tuple[At, ...]:
    return tuple(At(row.k, row.huse, row.low, row.high, sensitivity.n) for row in sensitivity.rows if row.rule == rule)


def _rules(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.rule for row in rows))
