"""Records as JSON and back, and the JSON Schema of either: one rule by the types of the fields.

Fractions are numbers where that is exact, else `"a/b"`, minus infinity is `"-inf"`, times are ISO 8601 to the second,
sequences are lists. Records of which there may be many stand as a table: `{"columns": [...], "rows": [[...], ...]}`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache
from itertools import islice, starmap
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from metrics.errors import BadInput
from metrics.report.records import RatingRow, TextRow
from metrics.report.row_records import AssignmentRow, CodeRow, CommentRow
from metrics.types import Item

TABLES = frozenset({Item, TextRow, RatingRow, AssignmentRow, CommentRow, CodeRow})
FRACTION = re.compile(r"-?[0-9]{1,200}/[1-9][0-9]{0,199}")
EXACT = 1 << 50
PLAIN = frozenset({str, int, bool, NoneType})
BATCH = 1000  # rows of a table that are encoded at once
Json = Any
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowTable:
    """Records of one type that stand as a table of JSON, read a batch at a time."""

    records: Sequence[Any]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [field.name for field in fields(self.records[0])]

    def batches(self) -> Iterator[tuple[list[Any], bool]]:
        """Rows of plain JSON values, and whether no cell of them is a list."""
        cells_of, records = attrgetter(*self.names), iter(self.records)
        while batch := [cells_of(record) for record in islice(records, BATCH)]:
            columns = list(zip(*batch, strict=True))
            types = [set(map(type, column)) for column in columns]
            if all(held <= PLAIN for held in types):
                yield batch, True
                continue
            encoded = [
                column if held <= PLAIN else [encode(value) for value in column]
                for held, column in zip(types, columns, strict=True)
            ]
            yield list(zip(*encoded, strict=True)), not any(held & {tuple, list} for held in types)


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """A table of JSON that was read column by column."""

    names: list[str]
    columns: list[list[Json]]


def encode(value: Any, *, lazy_tables: bool = False) -> Json:
    """A record, or any value of a field, as plain JSON values.

    lazy_tables: leave tables as `RowTable`s, which `json_pieces` writes without holding them.
    """
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name), lazy_tables=lazy_tables) for field in fields(value)}
    if isinstance(value, tuple | list):
        if value and type(value[0]) in TABLES:
            table = RowTable(value)
            if lazy_tables:
                return table
            return {
                "columns": table.names,
                "rows": [list(cells) for batch, _ in table.batches() for cells in batch],
            }
        return [encode(member, lazy_tables=lazy_tables) for member in value]
    if isinstance(value, Mapping):
        return {str(name): encode(member, lazy_tables=lazy_tables) for name, member in value.items()}
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, Fraction):
        return _shown(value)
    if isinstance(value, float) and math.isinf(value):
        return "-inf" if value < 0 else "inf"
    return value


def _shown(value: Fraction) -> int | float | str:
    """As a number where that is exact."""
    if value.denominator == 1:
        return value.numerator
    binary = value.denominator & (value.denominator - 1) == 0
    if binary and abs(value.numerator) < EXACT and value.denominator < EXACT:
        return value.numerator / value.denominator
    return f"{value.numerator}/{value.denominator}"


def decode(kind: Any, value: Json, where: str = "") -> Any:
    """The record (or value) of that type. Raises BadInput with the place that breaks a rule."""
    if kind is Any:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _decode_union(inner, value, where)
    if origin is Literal:
        return value if value in inner else _refuse(where, f"one of {', '.join(map(str, inner))} was expected")
    if origin is tuple:
        return _tuple(inner, value, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(inner, value, where)
    if is_dataclass(kind):
        return _record(kind, value, where)
    return _plain(kind, value, where)


def schema(kind: Any, defs: dict[str, Schema]) -> Schema:
    """JSON Schema (2020-12) of what `encode` gives for a type; records go into `defs`, once each."""
    if kind is Any:
        return {}
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [schema(member, defs) for member in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return _tuple_schema(inner, defs)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema(inner[1], defs)}
    if is_dataclass(kind):
        return _record_schema(kind, defs)
    return PLAIN_SCHEMAS[kind]


PLAIN_SCHEMAS: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    float: {"anyOf": [{"type": "number"}, {"enum": ["-inf", "inf"]}]},
    Fraction: {"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{FRACTION.pattern}$"}]},
    datetime: {"type": "string", "format": "date-time"},
}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _refuse(where: str, rule: str) -> Any:
    raise BadInput(rule, where=where)


def _decode_union(kinds: tuple[Any, ...], value: Json, where: str) -> Any:
    if value is None:
        return None if NoneType in kinds else _refuse(where, "a value was expected, not null")
    problem: BadInput | None = None
    for kind in kinds:
        if kind is not NoneType:
            try:
                return decode(kind, value, where)
            except BadInput as error:
                problem = problem or error
    raise problem or BadInput("null was expected", where=where)


def _tuple(inner: tuple[Any, ...], value: Json, where: str) -> tuple[Any, ...]:
    if len(inner) == 2 and inner[1] is Ellipsis:
        if inner[0] in TABLES:
            return _table(inner[0], value, where)
        listed = value if isinstance(value, list) else _refuse(where, "a list was expected")
        return tuple(decode(inner[0], member, f"{where}[{at}]") for at, member in enumerate(listed))
    if not isinstance(value, list) or len(value) != len(inner):
        raise BadInput(f"a list of {len(inner)} was expected", where=where)
    return tuple(decode(kind, member, where) for kind, member in zip(inner, value, strict=True))


def _table(kind: type, value: Json, where: str) -> tuple[Any, ...]:
    if value == []:
        return ()
    names, cells = (value.names, value.columns) if isinstance(value, ColumnTable) else _read_rows(value, where)
    hints = _hints(kind)
    if unknown := [str(name) for name in names if name not in hints]:
        raise BadInput(f"there is no column {unknown[0]!r}", where=where)
    columns = [_column(hints[name], values, where, name) for name, values in zip(names, cells, strict=False)]
    if cells and (missing := _first_missing(kind, set(names))):
        raise BadInput("the column is missing", where=where, column=missing)
    if names == [field.name for field in fields(kind)]:
        return tuple(starmap(kind, zip(*columns, strict=True)))
    return tuple(kind(**dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True))


def _read_rows(value: Json, where: str) -> tuple[list[str], list[Sequence[Json]]]:
    """Names and columns of a table in rows."""
    if not isinstance(value, dict) or set(value) != {"columns", "rows"}:
        raise BadInput("a table of columns and rows was expected", where=where)
    names, rows = value["columns"], value["rows"]
    if not isinstance(names, list) or not isinstance(rows, list) or len(set(map(str, names))) < len(names):
        raise BadInput("columns, each once, and rows were expected", where=where)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(names):
            raise BadInput(f"a row of {len(names)} cells was expected", where=where, row=number)
    return names, list(zip(*rows, strict=True))


def _column(kind: Any, cells: Sequence[Json], where: str, name: str) -> Sequence[Any]:
    """The values of a column: as they are where all are plain values of its type, else one by one."""
    plain = PLAIN.intersection(get_args(kind) or (kind,))
    if set(map(type, cells)) <= plain and get_origin(kind) in (None, Union, UnionType):
        return cells
    values = []
    for number, cell in enumerate(cells, 1):
        try:
            values.append(decode(kind, cell))
        except BadInput as error:
            raise BadInput(error.rule, where=where, row=number, column=name) from None
    return values


def _mapping(inner: tuple[Any, ...], value: Json, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput("an object was expected", where=where)
    return {name: decode(inner[1], member, f"{where}.{name}") for name, member in value.items()}


def _record(kind: Any, value: Json, where: str) -> Any:
    if not isinstance(value, dict):
        raise BadInput("an object was expected", where=where)
    hints = _hints(kind)
    if unknown := [name for name in value if name not in hints]:
        raise BadInput(f"there is no field {unknown[0]!r}", where=where)
    values = {name: decode(hints[name], member, f"{where}.{name}".lstrip(".")) for name, member in value.items()}
    return _construct(kind, values, where)


def _construct(kind: Any, values: dict[str, Any], where: str) -> Any:
    if missing := _first_missing(kind, values.keys()):
        raise BadInput("the field is missing", where=f"{where}.{missing}".lstrip("."))
    return kind(**values)


def _first_missing(kind: Any, names: Set[str]) -> str | None:
    """The first field without a default that is not among the names."""
    needed = (field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING)
    return next((name for name in needed if name not in names), None)


def _plain(kind: Any, value: Json, where: str) -> Any:
    if kind is Fraction:
        return _fraction(value, where)
    if kind is float:
        return _float(value, where)
    if kind is datetime:
        return _datetime(value, where)
    named = {str: "text", int: "a whole number", bool: "true or false", NoneType: "null"}
    if type(value) is not kind:
        raise BadInput(f"{named.get(kind, 'another value')} was expected, not {str(value)[:40]!r}", where=where)
    return value


def _fraction(value: Json, where: str) -> Fraction:
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return Fraction(value)
    if isinstance(value, str) and FRACTION.fullmatch(value):
        return Fraction(value)
    raise BadInput("a number or 'a/b' was expected", where=where)


def _float(value: Json, where: str) -> float:
    if value in ("-inf", "inf"):
        return float(value)
    if type(value) in (int, float) and math.isfinite(value):
        return float(value)
    raise BadInput("a number was expected", where=where)


def _datetime(value: Json, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise BadInput("a time (ISO 8601) was expected", where=where) from None
    return moment if moment.tzinfo else _refuse(where, "a time carries its zone")


def _tuple_schema(inner: tuple[Any, ...], defs: dict[str, Schema]) -> Schema:
    if len(inner) == 2 and inner[1] is Ellipsis:
        if inner[0] in TABLES:
            return _table_schema(inner[0], defs)
        return {"type": "array", "items": schema(inner[0], defs)}
    prefix = [schema(member, defs) for member in inner]
    return {"type": "array", "prefixItems": prefix, "items": False, "minItems": len(inner)}


def _table_schema(kind: Any, defs: dict[str, Schema]) -> Schema:
    names = [field.name for field in fields(kind)]
    cells = [schema(_hints(kind)[name], defs) for name in names]
    row = {"type": "array", "prefixItems": cells, "items": False, "minItems": len(names)}
    properties = {"columns": {"const": names}, "rows": {"type": "array", "items": row}}
    table = {"type": "object", "properties": properties, "required": ["columns", "rows"], "additionalProperties": False}
    return {"anyOf": [{"const": []}, table]}


def _record_schema(kind: Any, defs: dict[str, Schema]) -> Schema:
    name = kind.__name__
    if name not in defs:
        defs[name] = {}
        properties = {field.name: schema(_hints(kind)[field.name], defs) for field in fields(kind)}
        needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
        defs[name] = {
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
