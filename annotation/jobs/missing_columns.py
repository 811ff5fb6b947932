"""A database of an early version has its migrations on record, and columns are missing: a sentence on it."""

from __future__ import annotations

from django.apps import apps
from django.db import connection
from django.template.defaultfilters import pluralize

COLUMNS = {
    "sqlite": "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
    "postgresql": (
        "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE a.attnum > 0 AND NOT a.attisdropped AND pg_table_is_visible(c.oid)"
    ),
}
SHOWN = 3


def missing_columns() -> list[str]:
    """Columns of models (`table.column`) that the database does not have."""
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS[connection.vendor])
        existing = set(cursor.fetchall())
    return sorted(
        f"{model._meta.db_table}.{field.column}"
        for model in apps.get_models()
        if model._meta.managed and not model._meta.proxy
        for field in model._meta.local_concrete_fields
        if (model._meta.db_table, field.column) not in existing
    )


def sentence_on(missing: list[str]) -> str:
    """What is wrong with a database without these columns, and what to do; "" where none is missing."""
    if not missing:
        return ""
    named = ", ".join(missing[:SHOWN]) + (" and others" if len(missing) > SHOWN else "")
    columns = pluralize(len(missing), "column is,columns are")
    return (
        "This database was made by a version before commit b84dd261, whose first migration was another: "
        f"{len(missing)} {columns} missing ({named}), and no migration adds them. Nothing was changed. "
        "Use it with the version that made it, and give this version a new database."
    )
