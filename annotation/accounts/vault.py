"""Secrets that must be readable again (SigV4 needs the plain secret): encrypted with a key made from SECRET_KEY."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class UnreadableSecretError(Exception):
    """The stored secret was encrypted under another SECRET_KEY."""


def _cipher() -> Fernet:
    derive = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"assay access keys")
    return Fernet(base64.urlsafe_b64encode(derive.derive(settings.SECRET_KEY.encode())))


def seal(secret: str) -> str:
    """Encrypt `secret` for storage."""
    return _cipher().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """Read a stored secret. Raises UnreadableSecretError when SECRET_KEY has changed since."""
    try:
        return _cipher().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise UnreadableSecretError("The access key was stored under another SECRET_KEY; issue a new one.") from None
