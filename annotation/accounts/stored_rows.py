"""Everything that is stored below a row: the rows that refer to it, the rows that refer to those, and so on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import models

# Of a secret even its holder is shown nothing: who reads the answer could use it.
SECRETS = ("token", "password", "sealed", "digest", "look_up", "hash")
BATCH = 500
Rows = dict[str, list[dict[str, Any]]]


def rows_below(roots: Iterable[models.Model]) -> Rows:
    """The rows themselves and all that refer to them, by table: column -> value, as JSON has it.

    Only references to a row are followed, never those that it has: so nothing of anybody else is reached.
    """
    waiting: dict[type[models.Model], set[Any]] = {}
    for root in roots:
        waiting.setdefault(type(root), set()).add(root.pk)
    seen: dict[type[models.Model], set[Any]] = {}
    while waiting:
        model, keys = waiting.popitem()
        fresh = keys - seen.setdefault(model, set())
        seen[model] |= fresh
        for relation in model._meta.related_objects:
            if relation.many_to_many or not fresh:
                continue
            below = set(_keys_below(relation, fresh)) - seen.get(relation.related_model, set())
            if below:
                waiting.setdefault(relation.related_model, set()).update(below)
    return {
        model._meta.db_table: [
            _as_json(row) for row in model._default_manager.filter(pk__in=keys).order_by("pk")[: len(keys)]
        ]
        for model, keys in sorted(seen.items(), key=lambda item: item[0]._meta.db_table)
        if keys
    }


def _keys_below(relation: Any, keys: set[Any]) -> Iterable[Any]:
    ordered, field = sorted(keys), relation.field.name
    for start in range(0, len(ordered), BATCH):
        rows = relation.related_model._default_manager.filter(**{f"{field}__in": ordered[start : start + BATCH]})
        yield from rows.order_by("pk").values_list("pk", flat=True)


def _as_json(row: models.Model) -> dict[str, Any]:
    fields = (field for field in row._meta.concrete_fields if not _is_secret(field.name))
    return {field.attname: _plain(getattr(row, field.attname)) for field in fields}


def _is_secret(name: str) -> bool:
    return any(part in name for part in SECRETS)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int | float | str | list | dict) else str(value)
