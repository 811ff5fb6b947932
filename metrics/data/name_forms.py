"""Names that look the same: of two that differ in their Unicode form alone, the second is a fault."""

from __future__ import annotations

import unicodedata


def is_same_letters(first: str, second: str) -> bool:
    """Whether two names are equal but for their Unicode form."""
    return unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)


def other_forms(name: str) -> tuple[str, ...]:
    """Return the composed and the decomposed form of a name, those that are not the name itself."""
    return tuple({unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)} - {name})


def state_other_form(item: str) -> str:
    """Return the rule that the id of a rating breaks which differs from an item's in its Unicode form alone."""
    return f"an item has the id {item!r} in another Unicode form; write both in one form (NFC)"


class NameForms:
    """The names of a column so far: `é` is one letter in form NFC and two in NFD, which files of macOS often have."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, int]] = {}

    def rule(self, name: str, row: int) -> str:
        """Return the rule that a name breaks which looks like that of an earlier row; "" where it breaks none."""
        if name.isascii():
            return ""
        first, first_row = self._first.setdefault(unicodedata.normalize("NFC", name), (name, row))
        if first == name:
            return ""
        return (
            f"{name!r} looks like the name in row {first_row} and is another in its Unicode form; "
            "write both in one form (NFC)"
        )
