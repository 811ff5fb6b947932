"""DataFrames (pandas, polars, pyarrow and others) as rows of text, so that they are read by the rules of CSV files.

A float is read as the decimal that it prints as. Two means that are equal as fractions but were computed in another
order may print differently in their last digit, and are then no tie: where ties matter, pass the ratings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar, cast

from metrics.errors import BadInput, join_names

NAME = "DataFrame"
Record = TypeVar("Record")


class Frame(Protocol):
    """A DataFrame of any library that narwhals reads."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""

    def __getitem__(self, key: Any, /) -> Any:
        """A column by its name."""


def is_frame(data: object) -> TypeGuard[Frame]:
    """Return whether `data` is a table with columns by name, not a list of records or a path."""
    kind = type(data)  # of the class: an instance that computes lazily would begin to
    return hasattr(kind, "columns") and hasattr(kind, "__getitem__")


def check_records(data: object, kind: type[Record], name: str) -> list[Record]:
    """Return records as a list. Raises BadInput where `data` is none of records: a path, a column, other objects."""
    # Of a dict, a column or an array the class of the whole says more than that of its first part.
    listed = isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping) and not hasattr(data, "dtype")
    records: list[Any] = list(cast(Iterable[Any], data)) if listed else [data]
    for record in records:
        if not isinstance(record, kind):
            rule = f"{name} are a DataFrame or records of the class {kind.__name__}, not {type(record).__name__}"
            raise BadInput(rule)
    return records


def read_frame(frame: Frame) -> tuple[list[str], list[list[str]]]:
    """Return the columns' names and the rows' cells as text, with what is missing as "".

    A named index of pandas counts as columns, as in the CSV file that pandas writes. Raises BadInput for two columns of
    one name, a name that is no text, and a table that is not in memory.
    """
    import narwhals as nw

    frame = _with_index(frame)
    try:
        table: Any = nw.from_native(cast(Any, frame), eager_only=True)
    except nw.exceptions.DuplicateError:
        raise _repeated(_names(frame)) from None
    except TypeError:
        raise BadInput("the table is not in memory, or of no known kind; collect it first", where=NAME) from None
    columns = _column_names(frame)
    cells = [[_cell(value) for value in table[column].to_list()] for column in columns]
    return columns, [list(row) for row in zip(*cells, strict=True)]


def _column_names(frame: Frame) -> list[str]:
    names = _names(frame)
    for name in names:
        if not isinstance(name, str):
            raise BadInput(
                f"the name of a column is a text, not {name!r}; rename it, or make one level of several", where=NAME
            )
    if len(set(names)) < len(names):  # pyarrow permits it
        raise _repeated(names)
    return names


def _with_index(frame: Frame) -> Frame:
    """The frame with the named parts of its index as columns; itself where there are none, or columns of that name."""
    levels = getattr(getattr(frame, "index", None), "names", ())
    if not any(isinstance(name, str) for name in levels):  # no pandas, or an index that only counts
        return frame
    named = [name for name in levels if isinstance(name, str) and name not in set(_names(frame))]
    return cast(Any, frame).reset_index(level=named) if named else frame


def _names(frame: Frame) -> list[Any]:
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def _repeated(names: Sequence[Any]) -> BadInput:
    repeated = (str(name) for name, times in Counter(names).items() if times > 1)
    return BadInput("the column occurs more than once; keep one of them", where=NAME, column=join_names(repeated))


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool | str):
        return str(value)
    # pandas writes missing whole numbers and dates as values of its own, which equal nothing, not even themselves.
    if type(value).__name__ in {"NAType", "NaTType"}:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)
