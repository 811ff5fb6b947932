"""Statements that every call needs: their SQL is written once, later runs fill in other values.

Writing the SQL takes Django several times as long as the database takes to answer it. What is kept of a query is the
compiler's own result, so rows become instances, tuples and relations as ever, on every database.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")

# The release of Django whose private parts this module was read against: the compiler's `as_sql`, `get_converters`,
# `select` and `connection`, the query's `get_compiler`, the query set's `_iterable_class` and `_fields`. With another
# minor release, read these again, run tests/marketplace/core/test_prepared.py on both databases, then change this.
CHECKED_WITH_DJANGO = (5, 2)


@dataclass(frozen=True)
class _Written(Generic[Row]):
    """What Django found out about a query: its SQL, and how rows are read."""

    pattern: QuerySet[Any, Row]
    compiler: SQLCompiler
    sql: str
    parameters: tuple[Any, ...]
    converters: dict[int, Any]


class Prepared(Generic[Row]):
    """`build` makes the query set from texts, whole numbers and moments (`kinds`): only there may values differ.

    Values must be in conditions: not where they would change the SQL, as None or a limit does.
    """

    def __init__(
        self, build: Callable[..., QuerySet[Any, Row]], *kinds: type[str] | type[int] | type[datetime]
    ) -> None:
        self._build = build
        self._marks = [_mark(kind, place) for place, kind in enumerate(kinds)]
        self._written: dict[str, _Written[Row]] = {}

    def __call__(self, *values: str | int | datetime) -> list[Row]:
        """The rows for `values`."""
        vendor = connections[DEFAULT_DB_ALIAS].vendor
        if vendor not in self._written:
            self._written[vendor] = self._write()
        written = self._written[vendor]
        values_by_mark = dict(zip(_sent(self._marks), _sent(values), strict=True))
        return list(_filled(written, tuple(values_by_mark.get(value, value) for value in written.parameters)))

    def _write(self) -> _Written[Row]:
        pattern = self._build(*self._marks)
        compiler = pattern.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        if set(_sent(self._marks)) - set(parameters):
            raise TypeError(f"a value does not reach the SQL unchanged: {sql}")
        converters = compiler.get_converters([row[0] for row in compiler.select])
        compiler.connection = connection  # of whatever thread: this one's need not live on
        return _Written(pattern, compiler, sql, tuple(parameters), converters)


def _mark(kind: type, place: int) -> str | int | datetime:
    """A value that stands for the one at `place` until there is one: none that anybody uses."""
    if kind is datetime:
        return datetime(1000 + place, 1, 1, tzinfo=UTC)
    return f"\x1e{place}" if kind is str else -(2**61) - place


def _sent(values: Iterable[str | int | datetime]) -> list[Any]:
    """The values as they go to the database."""
    written = connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value
    return [written(value) if isinstance(value, datetime) else value for value in values]


def _filled(written: _Written[Row], values: tuple[Any, ...]) -> Iterable[Row]:
    """Return a copy of the query set, with a compiler of this thread's connection and the SQL that is known."""
    runner: Any = copy.copy(written.compiler)
    runner.connection = connections[DEFAULT_DB_ALIAS]
    runner.as_sql = lambda *_, **__: (written.sql, values)
    runner.get_converters = lambda _: written.converters
    pattern: Any = written.pattern
    query = copy.copy(pattern.query)
    query.get_compiler = lambda *_, **__: runner
    rows = type(pattern)(pattern.model, query)
    rows._iterable_class, rows._fields = pattern._iterable_class, pattern._fields
    return rows


class RowChange(NamedTuple):
    """A statement that changes rows and returns none, and its values."""

    sql: str
    values: Sequence[Any]


def change_of(row: Model, fields: Sequence[str]) -> RowChange:
    """`row.save(update_fields=fields)` of a plain model of ours, to be carried out."""
    database = connections[DEFAULT_DB_ALIAS]
    sql, model_fields = _change(type(row), tuple(fields))
    values = [field.get_db_prep_save(field.pre_save(row, add=False), database) for field in model_fields]
    return RowChange(sql, (*values, row.pk))


def update(row: Model, fields: Sequence[str]) -> None:
    """Carry `change_of` out. Raises DatabaseError when the row is gone."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(*change_of(row, fields))
        if cursor.rowcount != 1:
            raise DatabaseError(f"{type(row).__name__} {row.pk} is not there any more.")


@cache
def _change(model: type[Model], names: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    quoted = connection.ops.quote_name
    fields: tuple[Any, ...] = tuple(model._meta.get_field(name) for name in names)
    table, key = quoted(model._meta.db_table), quoted(str(model._meta.pk.column))
    changed = ", ".join(f"{quoted(str(field.column))} = %s" for field in fields)
    return f"UPDATE {table} SET {changed} WHERE {key} = %s", fields  # noqa: S608 - our names


def insert(rows: Sequence[Model], *changes: RowChange) -> None:
    """Insert new `rows` of one model by one statement, and set their keys: `bulk_create` without its generality.

    For plain models of ours (one table, a key that the database makes, no signals).

    Args:
        changes: made before it, by PostgreSQL in the same statement. Each of other rows, of which none is read by
            another: their rows are locked, so that there is nothing to be told of them.
    """
    database, model = connections[DEFAULT_DB_ALIAS], type(rows[0])
    fields = _inserted(model)
    values = [field.get_db_prep_save(field.pre_save(row, add=True), database) for row in rows for field in fields]
    insertion = _insertion(model, len(rows), database.vendor)
    with database.cursor() as cursor:
        if changes and database.vendor == "postgresql":
            named = ", ".join(f"change_{place} AS ({change.sql})" for place, change in enumerate(changes))
            before = [value for change in changes for value in change.values]
            cursor.execute(f"WITH {named} {insertion}", [*before, *values])
        else:
            for change in changes:
                cursor.execute(*change)
            cursor.execute(insertion, values)
        keys = cursor.fetchall()
    for row, (key,) in zip(rows, keys, strict=True):
        row.pk, row._state.adding, row._state.db = key, False, DEFAULT_DB_ALIAS


@cache
def _inserted(model: type[Model]) -> tuple[Any, ...]:
    return tuple(field for field in model._meta.concrete_fields if not field.primary_key)


@cache
def _insertion(model: type[Model], number: int, vendor: str) -> str:
    """The statement for `number` rows, in the words of the database of this `vendor`."""
    quoted, fields = connection.ops.quote_name, [field.column for field in _inserted(model)]
    names, placeholders = ", ".join(quoted(name) for name in fields), f"({', '.join(['%s'] * len(fields))})"
    table, key = quoted(model._meta.db_table), quoted(str(model._meta.pk.column))
    return f"INSERT INTO {table} ({names}) VALUES {', '.join([placeholders] * number)} RETURNING {key}"  # noqa: S608 - our names
