"""Results at a notebook: their estimates as rows, a DataFrame, LaTeX, HTML and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, cast

from metrics.data.human_judgment import HumanJudgments, hj_estimates
from metrics.errors import BadInput
from metrics.figures import forest, static
from metrics.figures.chart import Chart
from metrics.tables.latex import table_latex
from metrics.tables.markup import table_html
from metrics.tables.record import Column, Table
from metrics.types import Estimate, Result

WORDS = {
    "huse": "HUSE",
    "huse_q": "HUSE-Q",
    "huse_d": "HUSE-D",
    "log_prob_only": "log p only",
    "f1": "F1",
    "h": "Human-like",
    "u": "Undecided",
    "m": "Machine-like",
    "mean_fp": "Mean Fp",
    "cohens_d": "Cohen's d",
    "hedges_g": "Hedges' g",
}
COLUMNS = (
    Column("measure", "Measure"),
    Column("value", "Value [interval]", "estimate", n="n"),
    Column("n", "n", "count"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn result: shown by a notebook, and saved as SVG."""

    chart: Chart

    def _repr_svg_(self) -> str:
        return static.svg(self.chart, standalone=True)

    def save(self, path: str | Path) -> Path:
        """Write the SVG file and return its path."""
        file = Path(path)
        file.write_text(self._repr_svg_(), encoding="utf-8")
        return file


def estimates_of(result: Result | Estimate) -> list[tuple[tuple[str, ...], Estimate]]:
    """Every estimate of a result with the names that lead to it, in the order of the result's fields."""
    return list(_walk((), result))


def to_frame(result: Result, backend: str) -> Any:
    """Return a DataFrame with a row per estimate: measure, value, low, high, level, n, method, target, flags.

    Raises BadInput where the library `backend` is not installed or makes no DataFrames.
    """
    import narwhals as nw

    rows = estimates_of(result)
    spans = [estimate.interval for _, estimate in rows]
    columns: dict[str, list[Any]] = {
        "measure": [" / ".join(names) for names, _ in rows],
        "value": [estimate.value for _, estimate in rows],
        "low": [span.low if span else None for span in spans],
        "high": [span.high if span else None for span in spans],
        "level": [span.level if span else None for span in spans],
        "n": [estimate.n for _, estimate in rows],
        "method": [span.method if span else "" for span in spans],
        "target": [span.target if span else "" for span in spans],
        "flags": [" ".join(estimate.flags) for _, estimate in rows],
    }
    try:
        return nw.from_dict(columns, backend=cast(Any, backend)).to_native()
    except (ImportError, ValueError) as error:
        raise BadInput(f"a DataFrame of {backend!r} cannot be made: {error}", column="backend") from None


def to_latex(result: Result) -> str:
    """Return the table as LaTeX (booktabs)."""
    return table_latex(result_table(result))


def to_html(result: Result) -> str:
    """Return the table as HTML, which a notebook shows."""
    return table_html(result_table(result))


def to_picture(result: Result) -> Picture:
    """Return the estimates with their intervals, one below the other. Raises DegenerateInput without a value."""
    rows = [forest.ForestRow(_title(names), estimate) for names, estimate in estimates_of(result)]
    counted = "the texts, raters or tests behind each"
    return Picture(forest.chart(rows, name="result", title="Estimates", x_title="Value", counted=counted))


def result_table(result: Result) -> Table:
    """Return the table: a row per estimate, what the intervals are for below it."""
    rows = estimates_of(result)
    levels = sorted({f"{100 * entry.interval.level:g}%" for _, entry in rows if entry.interval})
    title = f"Estimates with {' and '.join(levels)} intervals." if levels else "Estimates."
    targets = dict.fromkeys(entry.interval.target for _, entry in rows if entry.interval and entry.interval.target)
    return Table(
        name="result",
        title=title,
        columns=COLUMNS,
        rows=tuple((_title(names), estimate, estimate.n) for names, estimate in rows),
        notes=tuple(f"Interval: {target}." for target in targets),
    )


def _walk(names: tuple[str, ...], value: object) -> Iterator[tuple[tuple[str, ...], Estimate]]:
    if isinstance(value, Estimate):
        yield names or ("estimate",), value
    elif isinstance(value, HumanJudgments):
        yield from (((*names, item), estimate) for item, estimate in hj_estimates(value).items())
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _walk((*names, str(name)), inner)
    elif isinstance(value, tuple):
        for inner in value:
            pair = [getattr(inner, side, None) for side in ("a", "b")]
            yield from _walk((*names, " − ".join(map(str, pair))), inner) if None not in pair else ()
    elif is_dataclass(value):
        for field in fields(value):
            yield from _walk((*names, field.name), getattr(value, field.name))


def _title(names: tuple[str, ...]) -> str:
    return ", ".join(WORDS.get(name, name.replace("_", " ")) for name in dict.fromkeys(names))
