"""What a database says when nothing can be stored or read, in a sentence: what happened and what to do."""

from __future__ import annotations

import errno
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

FULL = "The disk of {place} is full. Free some space, then run the command again."
BUSY = "{place} is locked by another process. Wait until it has finished (or end it), then run the command again."
READ_ONLY = "{place} cannot be written: it is read-only. Make it writable for this user, then run the command again."
CANNOT_OPEN = "{place} cannot be opened. Check that its folder exists and that this user may write there."
DAMAGED = "{place} is damaged, or is not a database. Move it away, then restore the latest backup (manage.py restore)."
CANNOT_WRITE = "{place} cannot be written: the disk reports an error. Check the disk, then run the command again."
CANNOT_CONNECT = "{place} cannot be reached: {reason}. Check that the server runs and DATABASE_URL is right."

# By SQLite's names of results, without their extensions.
SQLITE = {
    "SQLITE_FULL": FULL,
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_CANTOPEN": CANNOT_OPEN,
    "SQLITE_IOERR": CANNOT_WRITE,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
}
# By the classes (two letters) and codes of SQLSTATE; connections that fail carry none.
POSTGRESQL = {
    "53100": FULL,
    "25006": READ_ONLY,
    "55P03": BUSY,
    "08": CANNOT_CONNECT,
    "28": CANNOT_CONNECT,
    "3D": CANNOT_CONNECT,
    "53": CANNOT_CONNECT,
    "57P": CANNOT_CONNECT,
}
FILES = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY}


def cause_of(error: BaseException) -> str:
    """Return FULL, BUSY or another of the words above; "" for an error with another cause than the database's state or
    the disk."""
    if isinstance(error, OSError):
        return FILES.get(error.errno or 0, "")
    is_of_sqlite = type(error) is DatabaseError and hasattr(error.__cause__, "sqlite_errorname")
    if not (is_of_sqlite or isinstance(error, OperationalError | InternalError | InterfaceError)):
        return ""
    return _words(error.__cause__ or error)


def sentence_of(error: BaseException) -> str:
    """Return what happened and what to do; "" where `cause_of` returns none."""
    if isinstance(error, OSError):
        place = f"the file {error.filename}" if error.filename else "the files that Assay writes"
    else:
        place = _database()
    return _sentence(cause_of(error), place, error)


def _words(cause: Any) -> str:
    if name := getattr(cause, "sqlite_errorname", ""):
        return next((words for known, words in SQLITE.items() if name == known or name.startswith(f"{known}_")), "")
    if state := getattr(cause, "sqlstate", None):
        return next((words for known, words in POSTGRESQL.items() if state.startswith(known)), "")
    return "" if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") else CANNOT_CONNECT


def _sentence(words: str, place: str, error: BaseException) -> str:
    reason = " ".join(str(error).split()).rstrip(".?")
    sentence = words.format(place=place, reason=reason)
    return sentence[:1].upper() + sentence[1:]


def _database() -> str:
    """As people know it; of a server without the password."""
    known = settings.DATABASES["default"]
    if known["ENGINE"].endswith("sqlite3"):
        return f"the database {known['NAME']}"
    return f"the database {known['NAME']} on {known.get('HOST') or 'this machine'}"
