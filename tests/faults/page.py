"""docs/reliability.md: what was done to the studies of a fault run, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.faults.kill_points import ALL
from tests.faults.sections import write_section
from tests.faults.verdict import Run

HEAD = """Made by `make faults` (`python -m tests.faults`). It starts a PostgreSQL and a Redis of its own on free ports,
takes studies through their whole life (publish, collect, pause, resume, leave work out, top up, approve, pay bonuses,
expire, close), kills the processes that do it by SIGKILL, and then counts on both sides, in our tables and in the
marketplace's, what must be 0. Each study's budget is what it costs to the cent: a place or a bonus paid twice could
not be paid for. Wherever a process died, the same command is given again; nobody mends anything by hand. The command
fails (status 1) where one of these numbers is not 0, where a named moment was not met on one of the installations, and
where fewer than 200 processes were killed.

While this happens the marketplace throttles one call in {throttle_every}, fails one in {fail_every} by a 500, carries
out one writing call in {drop_after_commit_every} and closes the connection without an answer, loses one notification in
{lose_notifications_every} and sends one in {double_notifications_every} twice. What a worker has taken and says nothing
of comes back to others after one second, so that slow workers and their successors really meet.

"""


def write(runs: Sequence[Run], faults: Mapping[str, int], failures: Sequence[str], path: Path) -> None:
    """Write the page; `failures`: why this run failed, if it did."""
    parts = [HEAD.format(**faults), "| | " + " | ".join(run.title for run in runs) + " |"]
    parts.append("|---|" + "---|" * len(runs))
    rows = [
        ("studies", [f"{run.studies}" for run in runs]),
        ("processes killed", [f"{sum(run.kills.values())}" for run in runs]),
        ("restarts of PostgreSQL or Redis", [f"{run.restarts}" for run in runs]),
        ("minutes", [f"{run.seconds / 60:.0f}" for run in runs]),
    ]
    names = list(runs[0].found)
    rows += [(name, [f"{run.found[name]}" for run in runs]) for name in names]
    parts += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows]
    parts.append("\n## Where processes were killed\n")
    parts.append("| the moment | " + " | ".join(run.title for run in runs) + " |")
    parts.append("|---|" + "---|" * len(runs))
    points = sorted({*ALL, *(name for run in runs for name in run.kills)})
    parts += [f"| {name} | " + " | ".join(str(run.kills[name]) for run in runs) + " |" for name in points]
    if failures:
        parts += ["\n## This run failed\n", *(f"- {sentence}" for sentence in failures)]
    write_section(path, "points", "\n".join(parts))
