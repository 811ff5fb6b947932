"""New rows of one table, thousands at a time, without a model's object for each: COPY where the database has it.

Keys are drawn first, so that rows of other tables can name them. No signal is sent and no default applied; the
database checks what it always checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

Row = tuple[int | str | bool | None, ...]
ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def new_keys(model: type[Model], number: int) -> Sequence[int]:
    """Reserve `number` primary keys (call it in the transaction that inserts the rows)."""
    table = model._meta.db_table
    if not number:
        return range(0)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
            cursor.execute(sequence, [table, number])
            return [key for (key,) in cursor.fetchall()]
        # A transaction of SQLite has the file to itself from its first statement on.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = (cursor.fetchone() or (0,))[0]
    return range(last + 1, last + number + 1)


def insert(model: type[Model], fields: Sequence[str], rows: Iterable[Row]) -> None:
    """Write the rows; `fields` names their columns, and must include each that needs a value."""
    quoted = connection.ops.quote_name
    columns = ", ".join(quoted(_column(model, name)) for name in fields)
    into = f"{quoted(model._meta.db_table)} ({columns})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy_rows(cursor, into, rows)
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", list(rows))  # noqa: S608 - names of models


def _column(model: type[Model], name: str) -> str:
    return str(model._meta.get_field(name).column)  # type: ignore[union-attr]


def _copy_rows(cursor: Any, into: str, rows: Iterable[Row]) -> None:
    with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
        copy.write("".join("\t".join(map(_cell, row)) + "\n" for row in rows))


def _cell(value: int | str | bool | None) -> str:
    if value is None:
        return "\\N"
    return value.translate(ESCAPED) if isinstance(value, str) else str(value)
