"""Secrets in addresses and on pages: random, stored as hashes."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.conf import settings

# Without I, L, O and U: what is read out or typed off a page is read right.
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans("ILO", "110")
GROUP = 4


def new_token() -> str:
    """43 characters for an address: 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_code() -> str:
    """A completion code: 12 characters in groups of four, 60 random bits."""
    return grouped("".join(secrets.choice(LETTERS) for _ in range(12)))


def grouped(letters: str) -> str:
    return "-".join(letters[i : i + GROUP] for i in range(0, len(letters), GROUP))


def as_written(typed: str) -> str:
    """Return a typed code as it was issued: capitals, groups of four, letters that are easily misread put right."""
    letters = "".join(letter for letter in typed.upper() if letter.isalnum()).translate(_MISREAD)
    return grouped(letters[:60])


def derived(purpose: str, *parts: object) -> str:
    """24 characters in groups of four that only this installation can make of `parts`, always the same."""
    text = "\0".join(map(str, (purpose, *parts)))
    number = int.from_bytes(hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).digest())
    return grouped("".join(LETTERS[number >> 5 * place & 31] for place in range(24)))
