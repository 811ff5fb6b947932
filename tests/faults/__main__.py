"""`make faults`: kill, drop, lose and restart, and count what must be 0.

    python -m tests.faults                 # everything, on own servers; writes docs/reliability.md, if not smaller
    python -m tests.faults --short         # one small study on SQLite: what the normal suite runs

Servers run on free ports of 127.0.0.1 in a temporary folder, and are ended and removed afterwards. Fails (status 1)
where anything was found that must be 0, a named point was not reached, or fewer processes were killed than asked for.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.faults.verdict import Run, faults_of

ROOT = Path(__file__).resolve().parents[2]
FAULTS = {
    "throttle_every": 9,
    "fail_every": 14,
    "drop_after_commit_every": 6,
    "lose_notifications_every": 3,
    "double_notifications_every": 4,
}
RECORDED = r"fewer than ([\d,]+) processes were killed"
SEED = 7
# Studies of an installation, until all points were reached.
MOST_STUDIES = 4


def embedded(
    engine: str,
    *,
    kills: int,
    pages: int,
    doomed: int | None,
    seed: int,
    brief: bool = False,
    migrated: Path | None = None,
) -> Run:
    """Studies one after another, their processes killed at every point, until `kills` were done."""
    from tests.faults.servers import Nursery, world

    run, begun = Run(f"{_named(engine)}, the embedded work loop, two processes at a time"), time.monotonic()
    with world(engine, FAULTS, migrated) as (environment, _, _, log):
        _set_up(environment)
        from tests.faults.life import Life, Tally

        nursery, tally, dice = Nursery(environment, log), Tally(), random.Random(seed)
        while not run.studies or tally.total < kills or (doomed is None and tally.unreached):
            if run.studies == MOST_STUDIES:
                break
            life = Life(f"faults-{run.studies}", pages, nursery, tally, dice, doomed, brief)
            life.live()
            _count(run, life)
            print(f"{run.title}: {run.studies} studies, {tally.total} kills, {_told(run)}", flush=True)
        nursery.stop()
        run.kills = tally.kills
    run.seconds = time.monotonic() - begun
    return run


def queued(*, kills: int, pages: int, seed: int) -> Run:
    """One study over the queue: two Celery workers and beat, killed; PostgreSQL and Redis restarted in the middle."""
    from tests.faults.servers import world

    run, begun = Run("PostgreSQL, Redis, two Celery workers and beat"), time.monotonic()
    with world("postgresql", FAULTS) as (environment, postgres, redis, log), ExitStack() as stack:
        assert postgres is not None
        assert redis is not None
        environment |= {"CELERY_BROKER_URL": redis.url, "POLL_SECONDS": "1"}
        _set_up(environment)
        from tests.faults.life import Life, Tally
        from tests.faults.queued import QueuedLife, crewed

        dice, tally = random.Random(seed), Tally()
        crew = crewed(environment, log, dice, tally, stack)
        life = Life("queued", pages, None, tally, dice)  # type: ignore[arg-type]
        whole = QueuedLife(life, crew, postgres, redis, kills)
        whole.live()
        _count(run, life)
        run.kills, run.restarts = tally.kills, whole.restarts
        print(f"{run.title}: {tally.total} kills, {run.restarts} restarts, {_told(run)}", flush=True)
    run.seconds = time.monotonic() - begun
    return run


def _named(engine: str) -> str:
    return {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[engine]


def _set_up(environment: dict[str, str]) -> None:
    """This process looks at the same installation."""
    os.environ.update(environment)
    import django

    django.setup()


def _count(run: Run, life: Any) -> None:
    from django.db import connections

    from tests.faults.findings import findings

    run.studies += 1
    run.found.update(dict.fromkeys(findings(life.study()).told(), 0))
    run.found.update(findings(life.study()).told())
    connections.close_all()


def _told(run: Run) -> str:
    bad = {name: number for name, number in run.found.items() if number}
    return "nothing lost, nothing paid twice" if not bad else f"FOUND {bad}"


def _alone(words: list[Any]) -> Run:
    """One run in a process of its own: settings are read once."""
    import json

    command = [sys.executable, "-m", "tests.faults", "--part", json.dumps(words)]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(ran.stdout.rpartition("\n{")[0] or ran.stdout, flush=True)
    if ran.returncode:
        raise SystemExit(f"The run {words} did not come to its end.")
    told = json.loads(ran.stdout.strip().splitlines()[-1])
    return Run(**{**told, "kills": Counter(told["kills"]), "found": Counter(told["found"])})


def _part(words: list[Any]) -> None:
    import json

    kind, kills, pages, seed = words
    run = (
        queued(kills=kills, pages=pages, seed=seed)
        if kind == "queue"
        else embedded(kind, kills=kills, pages=pages, doomed=None, seed=seed)
    )
    print(json.dumps(vars(run)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--migrated", type=Path, help="with --short: an empty SQLite database, copied and used")
    parser.add_argument("--kills", type=int, default=200, help="in all, on PostgreSQL and on SQLite")
    parser.add_argument("--pages", type=int, default=8, help="HITs of a study")
    parser.add_argument("--at-once", type=int, default=1, help="installations that run side by side")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        import json

        _part(json.loads(options.part))
        return
    if options.short:
        run = embedded("sqlite", kills=1, pages=2, doomed=2, seed=SEED, brief=True, migrated=options.migrated)
        sys.exit(1 if any(run.found.values()) or not sum(run.kills.values()) else 0)
    parts = [
        ["postgresql", options.kills // 2, options.pages, SEED],
        ["sqlite", options.kills // 4, options.pages, SEED + 1],
        ["queue", options.kills // 4, options.pages, SEED + 2],
    ]
    with ThreadPoolExecutor(options.at_once) as pool:
        runs = list(pool.map(_alone, parts))
    from tests.faults.page import write
    from tests.faults.sections import is_smaller

    failures, page = faults_of(runs, kills=options.kills), ROOT / "docs" / "reliability.md"
    if not is_smaller(options.kills, page, RECORDED):
        write(runs, FAULTS, failures, page)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
