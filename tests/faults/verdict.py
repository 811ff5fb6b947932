"""What a fault run has shown, and what it failed to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.faults.kill_points import ALL


@dataclass
class Run:
    """One installation: what was done to it, and what was found."""

    title: str
    studies: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    seconds: float = 0.0
    found: Counter[str] = field(default_factory=Counter)


def faults_of(runs: Sequence[Run], *, kills: int) -> list[str]:
    """A sentence for everything found that must be 0, every named point that a run did not reach, and too few kills."""
    return [*_found(runs), *_unreached(runs), *_too_few(runs, kills)]


def _found(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        if not run.studies or not run.found:
            yield f"{run.title}: no study was looked at."
        for name, number in run.found.items():
            if number:
                yield f"{run.title}: {number} {name}."


def _unreached(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        for name in sorted(ALL):
            if not run.kills[name]:
                yield f"{run.title}: no process was killed at the point: {name}."


def _too_few(runs: Sequence[Run], kills: int) -> Iterator[str]:
    done = sum(run.kills.total() for run in runs)
    if done < kills:
        yield f"{done} processes were killed, not {kills}."
