"""Names that are shown outside: random, so that one reveals nothing about another."""

from __future__ import annotations

import re
import secrets
import string

ALPHABET = string.ascii_uppercase + string.digits
# Has the form of an id and is nobody's: random ids are this one never.
NOBODYS_ID = "3" + 29 * "0"


def _random(length: int) -> str:
    # One look at the system's random source: a choice for each character would take ten times as long.
    number, base = secrets.randbelow(len(ALPHABET) ** length), len(ALPHABET)
    return "".join(ALPHABET[number // base**place % base] for place in range(length))


def public_id() -> str:
    """A new id of a HIT, HIT type, group, assignment or qualification type: 3 and 29 characters (150 random bits)."""
    return "3" + _random(29)


def worker_id() -> str:
    """A new worker id: A and 13 characters."""
    return "A" + _random(13)


def account_number() -> str:
    """A new account number, as ARNs and queue addresses carry it: 12 digits."""
    return "".join(secrets.choice(string.digits) for _ in range(12))


def document_id() -> str:
    """A new id of a notification document: 40 hexadecimal digits."""
    return secrets.token_hex(20)


def is_public_id(text: str) -> bool:
    """Whether `text` has the form of an id, so that it is safe to look up."""
    return re.fullmatch("3[A-Z0-9]{29}", text) is not None
