"""The page: each figure as its source prints it, Assay's to as many digits, and whether they are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tests.benchmarks.replication.figures import PARTS, Figure

MAX_DECIMALS = 12
HEAD = """# Replication

Figures that others published, or that their code or an independent script gives on their data, next to those of Assay
on the same data. Made by `make replicate DATA=FOLDER`, which needs the data; they are not part of Assay. A difference
is counted where the two are not equal when rounded to the decimals of the printed figure, at most 12.

- *published*: printed by the authors.
- *original code*: what the authors' code gives, run on their data.
- *independent script*: computed once without any code of Assay (exact rational arithmetic; krippendorff 0.9.0; scipy).

{summary}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, and Assay's value with as many decimals as the printed one has, at most 12."""

    figure: Figure
    ours: Decimal

    @property
    def is_same(self) -> bool:
        """Whether both are equal when rounded to these decimals."""
        return self.ours == round_to(Decimal(self.figure.printed), self.figure.printed)


def round_to(value: Decimal, printed: str) -> Decimal:
    """`value` with the decimals of `printed`. Sums in another order differ beyond the twelfth."""
    decimals = min(-int(Decimal(printed).as_tuple().exponent), MAX_DECIMALS)
    return value.quantize(Decimal(1).scaleb(-decimals))


def replicate(data: Path) -> list[list[Row]]:
    """The rows of each part."""
    return [
        [Row(figure, round_to(Decimal(figure.compute(data)), figure.printed)) for figure in part.figures]
        for part in PARTS
    ]


def write(parts: list[list[Row]]) -> str:
    """The page of the rows."""
    rows = [row for part in parts for row in part]
    different = sum(not row.is_same for row in rows)
    summary = f"**{len(rows)} figures, {different} differences.**"
    return "\n".join([HEAD.format(summary=summary), *_tables(parts)]) + "\n"


def _tables(parts: list[list[Row]]) -> Iterator[str]:
    for part, rows in zip(PARTS, parts, strict=True):
        yield f"## {part.title}\n\n{part.about}\n\n| data | figure | theirs | Assay | source |\n|---|---|---|---|---|"
        for row in rows:
            mark = "" if row.is_same else " (differs)"
            figure = row.figure
            yield f"| {figure.data} | {figure.what} | {figure.printed} | {row.ours}{mark} | {figure.source} |"
        yield ""
