"""What is simulated for one row of a table: chunks of studies and, where a target must be found, further studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import Tally, Total, total

Means = tuple[float, ...]


@dataclass(frozen=True)
class Work:
    """One world. count: tallies, one a measure, of a chunk's arrays and the target's means (none: known otherwise).

    counting: files, from the root, whose change makes the counts anew though not the arrays.
    """

    world: str
    measures: tuple[str, ...]
    chunks: tuple[Job, ...]
    count: Callable[[Arrays, Means], list[Tally]]
    counting: tuple[str, ...]
    target: Job | None = None

    def jobs(self) -> Iterator[Job]:
        """The target first: nothing is counted without it."""
        if self.target:
            yield self.target
        yield from self.chunks


@dataclass(frozen=True)
class Sums:
    """Studies of which sums are enough. sums: of a job's arrays."""

    name: str
    chunks: tuple[Job, ...]
    sums: Callable[[Arrays], Total]

    def jobs(self) -> Iterator[Job]:
        yield from self.chunks


def values_total(arrays: Arrays) -> Total:
    """Sums of `values`: (studies,) or (studies, measures)."""
    values = arrays["values"]
    return total(values.reshape(len(values), -1))


def chunk_sizes(studies: int, chunk: int) -> list[int]:
    """So many studies in chunks."""
    return [min(chunk, studies - begin) for begin in range(0, studies, chunk)]


def in_rounds(works: Sequence[Work | Sums]) -> list[Job]:
    """All jobs once, the first two of each before the third of any, so that an early look has all rows in it."""
    queues = [list(work.jobs()) for work in works]
    longest = max(map(len, queues), default=0)
    first = [job for queue in queues for job in queue[:2]]
    return [*first, *(queue[i] for i in range(2, longest) for queue in queues if i < len(queue))]
