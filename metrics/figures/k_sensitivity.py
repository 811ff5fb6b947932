"""Sensitivity of HUSE to k, to the rule for tied votes, and to normalising by length: one curve a rule, over k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics.data.number_format import number
from metrics.figures import curves
from metrics.figures.chart import Chart
from metrics.figures.curves import At, Panel, Series

if TYPE_CHECKING:
    import plotly.graph_objects as go


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


def data(found: Sensitivity) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
    """The table behind the picture: one row for each k and rule."""
    columns = ("generator", "rule", "k", "huse", "low", "high", "n")
    return columns, [(found.generator, r.rule, r.k, r.huse, r.low, r.high, found.n) for r in found.rows]


def chart(found: Sensitivity, *, name: str = "k-sensitivity") -> Chart:
    """The picture: HUSE over k, one curve a rule, the k that was chosen beforehand marked."""
    return curves.chart(_panel(found, name))


def figure(found: Sensitivity) -> go.Figure:
    """The picture in Plotly."""
    return curves.figure(_panel(found, "k-sensitivity"))


def alt(found: Sensitivity) -> str:
    """The finding in words: how far HUSE moves with k under each rule, and what it is at the chosen k."""
    told = [_rule_sentence(found, rule) for rule in _rules(found.rows)]
    return f"HUSE of {found.generator} by k, from {found.n} texts. " + " ".join(told)


def _rule_sentence(found: Sensitivity, rule: str) -> str:
    own = [row for row in found.rows if row.rule == rule]
    low, high = min(own, key=lambda row: row.huse), max(own, key=lambda row: row.huse)
    chosen = next((row for row in own if row.k == found.chosen), None)
    at = "" if chosen is None else f"; at k = {found.chosen}, fixed beforehand, it is {number(chosen.huse)}"
    if len(own) == 1:
        return f"{rule}: {number(own[0].huse)} at k = {own[0].k}."
    return f"{rule}: between {number(low.huse)} (k = {low.k}) and {number(high.huse)} (k = {high.k}){at}."


def _panel(found: Sensitivity, name: str) -> Panel:
    return Panel(
        name=name,
        title=f"{found.generator}: sensitivity to k",
        series=tuple(Series(rule, _places(found, rule)) for rule in _rules(found.rows)),
        x_title="k (neighbours)",
        y_title="HUSE",
        marked=(found.chosen, f"k = {found.chosen}"),
        words=alt(found),
    )


def _places(found: Sensitivity, rule: str) -> tuple[At, ...]:
    return tuple(At(row.k, row.huse, row.low, row.high, found.n) for row in found.rows if row.rule == rule)


def _rules(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.rule for row in rows))
