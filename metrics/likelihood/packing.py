"""Which candidates share a row and which rows share a batch. Pure counting: no model is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """Tokens to score: log p of every token of `target` after `prefix` and the target's tokens before it.

    lead: of an encoder-decoder model, what the decoder starts with; its encoder reads `prefix`.
    """

    prefix: tuple[int, ...]
    target: tuple[int, ...]
    lead: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One sequence: a prefix (read once) and the jobs, by number, whose targets follow it side by side."""

    prefix: tuple[int, ...]
    members: tuple[int, ...]
    length: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What a model makes of a row.

    budget: tokens in a batch, padding included. room: most tokens in a row. width: hidden size. share: whether
    candidates of one prefix may share a row. two_sided: an encoder reads the prefix, rows hold targets only.
    """

    budget: int
    room: int
    width: int
    share: bool = True
    two_sided: bool = False

    def needs(self, job: Job) -> int:
        """Tokens that a job adds to a row: its last one is predicted, never read."""
        return len(job.lead) + len(job.target) - 1


def build_batches(jobs: Sequence[Job], shape: Shape) -> Iterator[list[Row]]:
    """All jobs, in rows of like length, in batches within the token budget (a row above it goes alone)."""
    ordered = sorted(build_rows(jobs, shape), key=lambda row: (_cost(row, shape), row.members), reverse=True)
    batch: list[Row] = []
    for row in ordered:
        if batch and (len(batch) + 1) * _cost(batch[0], shape) > shape.budget:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def build_rows(jobs: Sequence[Job], shape: Shape) -> Iterator[Row]:
    """Rows of jobs with the same prefix and lead, shorter targets first."""
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for number, job in enumerate(jobs):
        groups.setdefault((job.prefix, job.lead), []).append(number)
    for (prefix, _), members in groups.items():
        members.sort(key=lambda number: (len(jobs[number].target), number))
        yield from _split(prefix, members, [shape.needs(jobs[number]) for number in members], shape)


def _split(prefix: tuple[int, ...], members: list[int], needs: list[int], shape: Shape) -> Iterator[Row]:
    base = 0 if shape.two_sided else len(prefix)
    max_members = best_share(len(prefix), max(1, round(sum(needs) / len(needs))), len(members), shape)
    chosen: list[int] = []
    length = base
    for number, need in zip(members, needs, strict=True):
        if chosen and (len(chosen) >= max_members or length + need > shape.room):
            yield Row(prefix, tuple(chosen), length)
            chosen, length = [], base
        chosen.append(number)
        length += need
    yield Row(prefix, tuple(chosen), length)


def best_share(prefix: int, target: int, candidates: int, shape: Shape) -> int:
    """How many candidates of `target` tokens should share a row behind `prefix` tokens: least work a candidate.

    A row costs its tokens plus dense attention, 1 / (6 width) of a token for each pair of places; an encoder's
    token costs its keys and values, a seventh of a decoder's token.
    """
    if not shape.share:
        return 1
    fixed, read = (prefix / 7, 0) if shape.two_sided else (float(prefix), prefix)

    def work(k: int) -> float:
        return (fixed + k * target + (read + k * target) ** 2 / (6 * shape.width)) / k

    best = min(range(1, candidates + 1), key=work)
    turns = -(-candidates // best)
    return -(-candidates // turns)


def split_batch(batch: Sequence[Row], jobs: Sequence[Job], shape: Shape) -> tuple[list[Row], list[Row]] | None:
    """The batch as two smaller ones (by rows, else by the targets of its only row); None where one target is left."""
    if len(batch) > 1:
        middle = len(batch) // 2
        return list(batch[:middle]), list(batch[middle:])
    (row,) = batch
    if len(row.members) == 1:
        return None
    middle = len(row.members) // 2
    return [_part(row, row.members[:middle], jobs, shape)], [_part(row, row.members[middle:], jobs, shape)]


def _part(row: Row, members: Iterable[int], jobs: Sequence[Job], shape: Shape) -> Row:
    chosen = tuple(members)
    base = 0 if shape.two_sided else len(row.prefix)
    return Row(row.prefix, chosen, base + sum(shape.needs(jobs[number]) for number in chosen))


def _cost(row: Row, shape: Shape) -> int:
    return max(1, row.length + len(row.prefix) if shape.two_sided else row.length)
