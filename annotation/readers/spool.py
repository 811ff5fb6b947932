"""Records kept in a temporary file: a pile of texts of any size in little memory."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

Record = TypeVar("Record")
CHUNK = 500
IN_MEMORY = 8 * 1024 * 1024  # bytes


class Spool(Sequence[Record], Generic[Record]):
    """An append-only list of records; beyond a few megabytes they are in a private temporary file."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the spool)
        self._starts: list[int] = []
        self._pending: list[Record] = []
        self._count = 0
        for record in records:
            self.append(record)

    def append(self, record: Record) -> None:
        self._pending.append(record)
        self._count += 1
        if len(self._pending) == CHUNK:
            self._starts.append(self._file.seek(0, 2))
            pickle.dump(self._pending, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._pending = []

    def _chunk(self, at: int) -> list[Record]:
        if at == len(self._starts):
            return self._pending
        self._file.seek(self._starts[at])
        records: list[Record] = pickle.load(self._file)  # noqa: S301 (written by this process, in a private file)
        return records

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Record]:
        for at in range(len(self._starts) + 1):
            yield from self._chunk(at)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(self._count))]
        place = at + self._count if at < 0 else at
        if not 0 <= place < self._count:
            raise IndexError(at)
        return self._chunk(place // CHUNK)[place % CHUNK]

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        self._file.close()
