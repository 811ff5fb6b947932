"""Remember how a file was read, and save it by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from annotation.accounts.models import User
from annotation.exceptions import DesignError
from annotation.models import SavedMapping
from annotation.readers.foreign.text_mapping import mapping_from_json

GUESS = "guess"
MAX_NAMED = 200  # of one person


def digest_columns(fields: Iterable[str]) -> str:
    """Return what identifies files of the same columns, in any order."""
    return hashlib.sha256(json.dumps(sorted(fields)).encode()).hexdigest()


def remember_mapping(
    user: User, kind: str, fields: Iterable[str], content: Mapping[str, Any], *, now: datetime, name: str = ""
) -> SavedMapping:
    """Store how files of these columns are read; with a name, store it under that too. Raises DesignError.

    The latest mapping of a name, or of the same columns, replaces the one before.
    """
    values = {"content": dict(content), "saved_at": now}
    columns = digest_columns(fields)
    saved, _ = SavedMapping.objects.update_or_create(user=user, kind=kind, name="", columns=columns, defaults=values)
    if name:
        named = SavedMapping.objects.filter(user=user, kind=kind).exclude(name="")
        if named.count() >= MAX_NAMED and not named.filter(name=name).exists():
            raise DesignError(f"You have {MAX_NAMED} saved mappings. Delete one of them first.").at("name")
        saved, _ = SavedMapping.objects.update_or_create(
            user=user, kind=kind, name=name, defaults={**values, "columns": columns}
        )
    return saved


def recall_mapping(user: User, kind: str, fields: Iterable[str]) -> dict[str, Any] | None:
    """Return how this person last read a file of these columns; None for a new kind of file."""
    rows = SavedMapping.objects.filter(user=user, kind=kind, name="", columns=digest_columns(fields))
    content: dict[str, Any] | None = rows.values_list("content", flat=True).first()
    return content


def named_mappings(user: User, kind: str) -> list[SavedMapping]:
    """The mappings that a person saved by name."""
    return list(SavedMapping.objects.filter(user=user, kind=kind).exclude(name="").order_by("name"))


def mapping_named(user: User, kind: str, name: str) -> dict[str, Any]:
    """Return the content of a saved mapping. Raises DesignError for an unknown name."""
    saved = SavedMapping.objects.filter(user=user, kind=kind, name=name).exclude(name="").first()
    if saved is None:
        known = ", ".join(mapping.name for mapping in named_mappings(user, kind)) or "none is saved"
        raise DesignError(f"There is no saved mapping {name!r} ({known}).").at("mapping")
    return dict(saved.content)


def chosen_mapping(word: str, user: User) -> dict[str, Any] | str:
    """Return what a caller means: `guess` (left to the job), a mapping in JSON, or the name of a saved one.

    Raises DesignError for JSON that is no mapping, and for an unknown name.
    """
    if word == GUESS:
        return GUESS
    if not word.lstrip().startswith("{"):
        return mapping_named(user, SavedMapping.Kind.TEXTS, word)
    try:
        return mapping_from_json(json.loads(word)).as_json()
    except (ValueError, RecursionError) as error:
        raise DesignError(f"This is not a mapping: {error}.").at("mapping") from None
