"""Ratings between their check and their storage: a few numbers each in memory, their cells in a temporary file."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring_ascii as quoted
from tempfile import TemporaryFile
from typing import overload

import numpy as np

from annotation.readers.records import HitRecord, JudgmentRecord, SubmissionRecord

NO_POSITION = -1
RATER = "rater"


class RatingBuffer:
    """Ratings in the order of the file. Items, raters and labels are named by their numbers."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}
        self.raters: dict[str, int] = {}
        self.labels: list[str] = []
        self._groups: dict[tuple[str, int], int] = {}  # HIT and rater: the number of their submission
        self._pairs: set[int] = set()
        self._rows_of_pairs: dict[int, int] | None = None
        self._row, self._end = array("Q"), array("Q")  # line; end of its cells in the file
        self._item, self._rater, self._group, self._label = array("L"), array("L"), array("L"), array("L")
        self._position = array("q")
        self._form: tuple[str, list[str]] | None = None  # JSON of a row with gaps, and the columns that fill them
        self._names: tuple[str, ...] = ()  # the columns of the rows that it fits
        self._cells = TemporaryFile()  # noqa: SIM115 - closed, and with that deleted, in __del__

    def __del__(self) -> None:
        self._cells.close()

    def row_of(self, item: str, rater: int) -> int | None:
        """The line in which a rater has rated the item already; None where they have not."""
        number = self.items.get(item)
        if number is None or (number << 32 | rater) not in self._pairs:
            return None
        if self._rows_of_pairs is None:  # only a file that breaks the rule needs it
            pairs = (number << 32 | rater for number, rater in zip(self._item, self._rater, strict=True))
            self._rows_of_pairs = dict(zip(pairs, self._row, strict=True))
        return self._rows_of_pairs[number << 32 | rater]

    def add(
        self, row: int, item: str, rater: int, *, hit: str, label: int, position: int | None, cells: Mapping[str, str]
    ) -> None:
        """Append a rating. rater, label: numbers in `raters` and `labels`. position: from 1.

        cells: of the row in the file; what it calls the rater is not stored.
        """
        number = self.items.setdefault(item, len(self.items))
        self._pairs.add(number << 32 | rater)
        if self._rows_of_pairs is not None:
            self._rows_of_pairs[number << 32 | rater] = row
        written = self._json_of(cells).encode("ascii")
        self._cells.write(written)
        self._end.append((self._end[-1] if self._end else 0) + len(written))
        self._row.append(row)
        self._item.append(number)
        self._rater.append(rater)
        self._group.append(self._groups.setdefault((hit, rater), len(self._groups)))
        self._label.append(label)
        self._position.append(NO_POSITION if position is None else position)

    def _json_of(self, cells: Mapping[str, str]) -> str:
        """What json.dumps writes, but for the column `rater`, in a fraction of its time."""
        names = tuple(cells)
        if self._form is None or names != self._names:
            shown = [name for name in names if name != RATER]
            gaps = ", ".join(f"{quoted(name)}: ".replace("%", "%%") + "%s" for name in shown)
            self._names, self._form = names, ("{" + gaps + "}", shown)
        form, shown = self._form
        return form % tuple([quoted(cells[name]) for name in shown])

    def submissions(self, twice: Callable[[int, int], None]) -> tuple[tuple[HitRecord, ...], StoredSubmissions]:
        """HITs and submissions in the order of the file. twice: takes the line of a rating whose position its
        submission has already, and that position."""
        self._cells.flush()
        groups = np.frombuffer(self._group, dtype=np.dtype(self._group.typecode))
        by_group = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups)) if len(groups) else np.zeros(0, dtype=int)
        of_hit: dict[str, list[int]] = {}
        for (hit, _), group in self._groups.items():
            of_hit.setdefault(hit, []).append(group)
        order = np.array([group for members in of_hit.values() for group in members], dtype=int)
        stored = StoredSubmissions(self, by_group, np.concatenate(([0], ends)), order)
        stored.check_positions(twice)
        items, at = list(self.items), 0
        hits = []
        for hit, members in of_hit.items():
            places = range(at, at + len(members))
            rated = dict.fromkeys(self._item[rating] for place in places for rating in stored.ratings(place))
            hits.append(HitRecord(hit, tuple(items[number] for number in rated), len(members)))
            at += len(members)
        return tuple(hits), stored


class StoredSubmissions(Sequence[SubmissionRecord]):
    """Submissions that are made when they are asked for."""

    def __init__(self, buffer: RatingBuffer, by_group: np.ndarray, bounds: np.ndarray, order: np.ndarray) -> None:
        self._buffer, self._by_group, self._bounds, self._order = buffer, by_group, bounds, order
        self._who = list(buffer._groups)
        self._items, self._raters = list(buffer.items), list(buffer.raters)
        # A row of somebody's file may hold the ratings of several raters.
        used: Counter[int] = Counter()
        self._again = array("L")
        for place in range(len(order)):
            row = buffer._row[self.ratings(place)[0]]
            used[row] += 1
            self._again.append(used[row])

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> SubmissionRecord: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[SubmissionRecord]: ...
    def __getitem__(self, place: int | slice) -> SubmissionRecord | Sequence[SubmissionRecord]:
        if isinstance(place, slice):
            return [self._submission(at) for at in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._submission(place % len(self))

    def __iter__(self) -> Iterator[SubmissionRecord]:
        return map(self._submission, range(len(self)))

    def ratings(self, place: int) -> list[int]:
        """The numbers of a submission's ratings, in the order of the file."""
        group = self._order[place]
        ratings: list[int] = self._by_group[self._bounds[group] : self._bounds[group + 1]].tolist()
        return ratings

    def check_positions(self, twice: Callable[[int, int], None]) -> None:
        """Call `twice` for each rating whose position its submission has already."""
        written = np.frombuffer(self._buffer._position, dtype=np.dtype(self._buffer._position.typecode))
        if (written == NO_POSITION).all():
            return
        for place in range(len(self)):
            seen: set[int] = set()
            for at, position in zip(self.ratings(place), self._positions(self.ratings(place)), strict=True):
                if position in seen:
                    twice(self._buffer._row[at], position + 1)
                seen.add(position)

    def _positions(self, ratings: list[int]) -> list[int]:
        """From 0: by the column where every rating has one, else by the order of the file."""
        positions = [self._buffer._position[at] for at in ratings]
        if NO_POSITION in positions:
            return list(range(len(ratings)))
        return [position - 1 for position in positions]

    def _submission(self, place: int) -> SubmissionRecord:
        buffer, ratings = self._buffer, self.ratings(place)
        hit, rater = self._who[self._order[place]]
        again = self._again[place]
        name = f"rows-{buffer._row[ratings[0]]}" + (f"-{again}" if again > 1 else "")
        judgments = {
            position: JudgmentRecord(self._items[buffer._item[at]], position, buffer.labels[buffer._label[at]])
            for at, position in zip(ratings, self._positions(ratings), strict=True)
        }
        raw = tuple(
            (f"row {buffer._row[at]}", cells) for at, cells in zip(ratings, self._cells_of(ratings), strict=True)
        )
        return SubmissionRecord(hit, name, self._raters[rater], raw, tuple(judgments.values()))

    def _cells_of(self, ratings: list[int]) -> list[str]:
        """The stored cells of each rating; of neighbors in the file, in one read."""
        ends, file = self._buffer._end, self._buffer._cells.fileno()
        starts = [ends[at - 1] if at else 0 for at in ratings]
        if ratings[-1] - ratings[0] == len(ratings) - 1:
            stored = os.pread(file, ends[ratings[-1]] - starts[0], starts[0]).decode("ascii")
            return [stored[start - starts[0] : ends[at] - starts[0]] for at, start in zip(ratings, starts, strict=True)]
        return [
            os.pread(file, ends[at] - start, start).decode("ascii") for at, start in zip(ratings, starts, strict=True)
        ]
