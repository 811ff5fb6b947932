"""`make draws`: 10,000 arrivals on SQLite and on PostgreSQL, and wrong draws that must be found; writes docs/draws.md.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.arrivals [arrivals]

Each engine runs in a process of its own, on a test database that is removed afterwards.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any
from unittest import mock

from tests.benchmarks.engines import ONE, ROOT, lines_by_engine, own_database

PAGE = ROOT / "docs" / "draws.md"
UNEQUAL = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
# Title, drop-out, and the share of the arrivals that are places of each cell: the study ends when all are finished.
RUNS = (
    ("drop-out of 10, 20, 30 and 40%", UNEQUAL, 0.2),
    ("drop-out of 20% everywhere", dict.fromkeys("abcd", 0.2), 0.215),
)
SEED = 20
PLANTED_ARRIVALS = 300
HEAD = """# The draw, tried

Made by `make draws`. Simulated people come to a study of four conditions, 50 of them inside at a time. Some
return the task, of some the time runs out, a quarter of these come back later. The program keeps its own count of who
is where and shares no code with the draw (`tests/benchmarks/arrivals`). Every line of the draw's log is replayed.

A person is put into the condition with the fewest people who have finished or are inside, among the conditions with a
place that this person can take. Ties are broken by a random number made of the study's seed, its tag and the number of
the line in the log: Python's `random.Random(f"{seed}:{tag}:{number}").random()`.
"""


def main(arguments: list[str]) -> int:
    if arguments[:1] == [ONE]:
        _one_engine(int(arguments[1]))
        return 0
    arrivals = int(arguments[0]) if arguments else 10_000
    parts, sound = [HEAD], True
    for name, run in lines_by_engine("tests.benchmarks.arrivals", str(arrivals)):
        part, holds = _section(name, run)
        print(part, flush=True)
        parts.append(part)
        sound &= holds
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return 0 if sound else 1


def _section(engine: str, run: dict[str, Any]) -> tuple[str, bool]:
    rows = [f"| {rule} | {seen} | {'yes' if holds else 'NO'} |" for rule, seen, holds in run["findings"]]
    table = "\n".join(["| must hold | seen | holds |", "|---|---|---|", *rows])
    return f"## {engine}: {run['title']}\n\n{run['text']}\n\n{table}\n", all(row[2] for row in run["findings"])


def _one_engine(arrivals: int) -> None:
    """Print the runs on the database of this process, a line of JSON each."""
    with own_database("draws"):
        for number, (title, drop_out, share) in enumerate(RUNS):
            equal = len(set(drop_out.values())) == 1
            run = _run(title, drop_out, round(arrivals * share), SEED + number, equal=equal)
            print(json.dumps(run), flush=True)
        print(json.dumps(_planted()), flush=True)


def _run(title: str, drop_out: dict[str, float], places: int, seed: int, *, equal: bool) -> dict[str, Any]:
    from annotation.marketplace.models import StudyDraw
    from tests.benchmarks.arrivals.findings import findings
    from tests.benchmarks.arrivals.people import Life, Plan

    start = time.perf_counter()
    plan = Plan(places=places, drop_out=drop_out, seed=seed)
    life = Life(plan)
    StudyDraw.objects.filter(requester=life.requester).update(seed=str(seed))
    seen = life.run(sys.maxsize)
    text = (
        f"{life.people:,} people came and {len(seen.drawn):,} were assigned, to {len(drop_out)} conditions of "
        f"{places:,} places; {statistics.mean(seen.inside):.0f} were inside on average. "
        f"{seen.returned:,} tasks were returned, of "
        f"{seen.stale:,} the time ran out, {seen.rejoined:,} times a person came back, and {seen.turned_away:,} times "
        f"the person found no place. Seed {seed}, {time.perf_counter() - start:.0f} s."
    )
    rows = findings(seen, plan, life.requester, equal=equal)
    return {"title": title, "text": text, "findings": [(row.rule, row.seen, row.holds) for row in rows]}


def _planted() -> dict[str, Any]:
    from annotation.marketplace.models import StudyDraw
    from tests.benchmarks.arrivals.findings import findings
    from tests.benchmarks.arrivals.people import Life, Plan
    from tests.benchmarks.arrivals.planted import PLANTED

    rows = []
    for number, (wrong, rule) in enumerate(PLANTED):
        patches: list[Any] = []

        def patch(target: Any, name: str, value: Any, patches: list[Any] = patches) -> None:
            patches.append(mock.patch.object(target, name, value))
            patches[-1].start()

        wrong(patch)
        plan = Plan(places=PLANTED_ARRIVALS, drop_out=UNEQUAL, seed=SEED + 2 + number)
        life = Life(plan)
        StudyDraw.objects.filter(requester=life.requester).update(seed=str(plan.seed))
        seen = life.run(PLANTED_ARRIVALS)
        for each in patches:
            each.stop()
        found = {row.rule: row for row in findings(seen, plan, life.requester, equal=False)}
        title = (wrong.__doc__ or "").split(".")[0]
        rows.append((f"is found: {title}", f"{rule}: {found[rule].seen}", not found[rule].holds))
    text = f"Each in the place of the right draw, for {PLANTED_ARRIVALS} arrivals."
    return {"title": "wrong draws", "text": text, "findings": rows}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
