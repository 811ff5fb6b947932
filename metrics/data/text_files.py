"""Text files read strictly: what keeps one from being read is a sentence that names the file and the line."""

from __future__ import annotations

from pathlib import Path

from metrics.errors import BadInput


def read_text(path: Path, kind: str) -> str:
    """The text of a file in UTF-8 (BOM or not); kind: what was expected, for the sentence (`CSV`). Raises BadInput."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadInput("the file does not exist", where=str(path)) from None
    except IsADirectoryError:
        raise BadInput(f"this is a folder, and a {kind} file was expected", where=str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInput(f"the file cannot be read ({reason})", where=str(path)) from None
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise BadInput(f"the file holds a NUL byte; save it as {kind} in UTF-8", where=path.name, row=line)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"the file is not in UTF-8; save it as {kind} in UTF-8", where=path.name, row=line) from None
