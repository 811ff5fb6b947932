"""Files that are being written: each is hashed while it is written, and all are put into their folder at once."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A file that was written: where it is for now, its size in bytes, and its SHA-256."""

    path: Path
    size: int
    sha256: str

    def blocks(self) -> Iterator[bytes]:
        """Its content, a block at a time."""
        with self.path.open("rb") as source:
            while block := source.read(BLOCK):
                yield block


@dataclass(frozen=True, slots=True)
class Draft:
    """A folder of its own for files that nobody may read yet."""

    folder: Path

    def add(self, name: str, content: bytes | Iterable[bytes]) -> DraftFile:
        """Write a file, whole or from blocks. Raises OSError."""
        path, digest, size = self.folder / _encodable(name), hashlib.sha256(), 0
        with path.open("wb") as target:
            for block in [content] if isinstance(content, bytes) else content:
                digest.update(block)
                size += target.write(block)
        return DraftFile(path, size, digest.hexdigest())


@contextmanager
def drafting(out_dir: Path) -> Iterator[Draft]:
    """A draft of files for a folder, which is created if absent; what is not published is removed. Raises OSError."""
    out_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out_dir, prefix=".writing-") as folder:
        yield Draft(Path(folder))


def publish(files: Iterable[DraftFile], out_dir: Path) -> list[Path]:
    """Put files of a draft into the folder; return where they are."""
    return [file.path.replace(out_dir / file.path.name) for file in files]


def _encodable(name: str) -> str:
    """The name, where this system can write it. Raises OSError."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        message = f"names of files are written in {error.encoding} here, which cannot write {name!a}; set PYTHONUTF8=1"
        raise OSError(errno.EILSEQ, message) from None
    return name
