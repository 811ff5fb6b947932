"""Rows of the web API and files of a report as DataFrames, and DataFrames as files of texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import narwhals as nw

from annotation.client.connection import Record, column_names
from annotation.client.errors import StudioError
from metrics.data.frames import is_frame, read_frame


def frame_of(rows: Sequence[Record], backend: str, names: Sequence[str] = ()) -> Any:
    """Return rows as a DataFrame of `backend` (`pandas`, `polars`, `pyarrow`). names: columns where there is no row."""
    columns = {name: [_cell(row.get(name)) for row in rows] for name in column_names(rows) or names}
    try:
        return nw.from_dict(columns, backend=cast(Any, backend)).to_native()
    except (ImportError, ValueError) as error:
        raise StudioError(f"A DataFrame of {backend!r} cannot be made: {error}", code="input") from None


def frame_of_csv(content: bytes, backend: str) -> Any:
    """Return a CSV file of a report as a DataFrame: a column of numbers holds numbers, an empty cell none."""
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    columns = {name: _typed([row[at] for row in rows]) for at, name in enumerate(header)}
    return frame_of(
        [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)], backend, header
    )


def csv_of_texts(texts: object) -> bytes:
    """Return texts as the CSV file that a studio reads. texts: a DataFrame, or an iterable of texts alone.

    Raises StudioError for what is neither, and for texts alone of which one is no text.
    """
    if is_frame(texts):
        names, rows = read_frame(texts)
        return _csv(names, rows)
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        raise StudioError(f"Texts are a DataFrame or a list of texts, not {type(texts).__name__}.", code="input")
    listed = list(texts)
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise StudioError(f"Text {number} is not a string, but {type(text).__name__}.", code="input")
    rows = [[f"t{number}", text, "model"] for number, text in enumerate(listed, 1)]
    return _csv(("id", "text", "source"), rows)


def _csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    """A cell of a column: what has parts of its own, as the web API's counts have, is written as it is."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _typed(cells: list[str]) -> Sequence[object]:
    for kind in (int, float):
        try:
            return [kind(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return cells
