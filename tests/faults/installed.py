"""Kill the processes of whole installations while studies live in them, and count what must be 0.

    python -m tests.faults.installed --kills 1000    # three installations; writes its section of docs/reliability.md

An installation is what `python -m deploy start` runs: every process of deploy/processes.py but the proxy, each started
again by it where it ends. People submit without a pause and send again until they read that it is recorded; what they
were sent for is counted afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.installation import Installation, Killer, installed
from tests.faults.sections import table, write_section

ROOT = Path(__file__).resolve().parents[2]
FAULTS = {"throttle_every": 29, "fail_every": 41, "drop_after_commit_every": 23}
KINDS = {
    "sqlite": ("sqlite", False, "SQLite, the work loop"),
    "postgresql": ("postgresql", False, "PostgreSQL, the work loop"),
    "celery": ("postgresql", True, "PostgreSQL, Redis, Celery"),
}
# The exception by which a traceback ends: the first line after it that is not indented.
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*([A-Za-z_][\w.]*)", re.MULTILINE)
PAUSE, MOST_STUDIES = (0.8, 2.4), 60


@dataclass
class Whole:
    """One installation: what was done to it, and what was found."""

    title: str
    studies: int = 0
    kills: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    recorded: int = 0
    failed: int = 0
    longest: float = 0.0
    tracebacks: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)


def live_through(
    kind: str,
    *,
    kills: int,
    pages: int,
    seed: int,
    minutes: float,
    title: str = "",
    site: AbstractContextManager[Installation] | None = None,
    after: Callable[[Installation], dict[str, int]] = lambda _: {},
) -> Whole:
    """Studies one after another in one installation, until so many of its processes were killed or it is late.

    site: one of another kind, with its title. after: what else is counted that must be 0.
    """
    if site is None:
        engine, broker, title = KINDS[kind]
        site = installed(engine, broker=broker)
    whole, begun = Whole(title), time.monotonic()
    with site as installation:
        join(installation)
        from tests.faults.findings import findings
        from tests.faults.installed_life import InstalledLife, acknowledged, inject_faults
        from tests.faults.persistent import Met

        inject_faults(FAULTS)
        met, killer = Met(), Killer(installation, random.Random(seed), kills, PAUSE, minutes * 60)
        late = time.monotonic() + minutes * 60
        killer.start()
        lives: list[InstalledLife] = []
        try:
            while not lives or (killer.kills.total() < kills and len(lives) < MOST_STUDIES and time.monotonic() < late):
                life = InstalledLife(f"{kind}-{len(lives)}", pages, met)
                life.live()
                lives.append(life)
                print(
                    f"{title}: {len(lives)} studies, {killer.kills.total()} kills, "
                    f"{len(met.recorded)} recorded, {time.monotonic() - begun:.0f} s",
                    flush=True,
                )
        finally:
            killer.stop()
        found: Counter[str] = Counter()
        for life in lives:
            told = findings(life.study()).told()
            found.update(dict.fromkeys(told, 0))
            found.update(told)
        found["acknowledged answers that are lost or altered"] = acknowledged(met)
        found.update(after(installation))
        whole.studies, whole.kills, whole.found = len(lives), dict(killer.kills), dict(found)
        whole.recorded, whole.failed, whole.longest = len(met.recorded), met.failed, met.longest
        whole.tracebacks = dict(tracebacks(installation.log()))
        keep = os.environ.get("FAULTS_LOG")
        if keep:
            Path(keep, f"{kind}.log").write_text(installation.log())
    whole.seconds = time.monotonic() - begun
    return whole


def tracebacks(log: str) -> Counter[str]:
    """How many tracebacks of a log end with which exception."""
    return Counter(TRACEBACK.findall(log))


def join(installation: Installation) -> None:
    """This process works on the same installation, as its commands do."""
    os.environ.update(installation.environment)
    import django

    django.setup()


def _alone(kind: str, kills: int, pages: int, seed: int, minutes: float) -> Whole:
    """One installation in a process of its own: settings are read once."""
    words = [sys.executable, "-m", "tests.faults.installed", "--part", kind, "--kills", str(kills)]
    words += ["--pages", str(pages), "--seed", str(seed), "--minutes", str(minutes)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as ran:
        assert ran.stdout is not None
        last = ""
        for line in ran.stdout:
            last = line
            if not line.startswith("{"):
                print(line, end="", flush=True)
    if ran.returncode:
        raise SystemExit(f"The installation {kind} did not come to its end.")
    return Whole(**json.loads(last))


HEAD = """## Installations whose processes are killed

By `python -m tests.faults.installed`: each installation is started by `python -m deploy start`, which
runs the processes of `deploy/processes.py` (without the proxy) and starts each again where it ends. Every {low} to
{high} seconds (but only while the site answers, and of processes past their start) one of them, or a process that it
began, is ended by SIGKILL, while studies live through everything named
above and people submit without a pause. The marketplace throttles one call in {throttle_every}, fails one in
{fail_every} and carries out one in {drop_after_commit_every} without an answer. A person's page sends again until it
reads that the answers are recorded. Work that a killed process held is free again after 2 seconds here (after 600,
unless `INTENT_LEASE_SECONDS` says otherwise).

Of the tracebacks, `ClientDisconnected` is the marketplace hanging up as it was asked to, `WorkerLostError` (and
`ExceptionWithTraceback` before it) a Celery process that was killed.
"""


def page(wholes: list[Whole], asked: int, *, head: str = HEAD) -> str:
    """The section of docs/reliability.md."""
    kills = sum(sum(whole.kills.values()) for whole in wholes)
    short = "" if kills >= asked else f", fewer than the {asked:,} asked for"
    head = head.format(low=PAUSE[0], high=PAUSE[1], **FAULTS)
    names = sorted({name for whole in wholes for name in whole.kills})
    rows = [
        ["studies", *(str(whole.studies) for whole in wholes)],
        ["processes killed", *(str(sum(whole.kills.values())) for whole in wholes)],
        ["minutes", *(f"{whole.seconds / 60:.0f}" for whole in wholes)],
        *([f"killed: {name}", *(str(whole.kills.get(name, 0)) for whole in wholes)] for name in names),
        ["submissions acknowledged", *(str(whole.recorded) for whole in wholes)],
        ["requests of people that failed and were made again", *(str(whole.failed) for whole in wholes)],
        *(
            [f"tracebacks in the logs: {name}", *(str(whole.tracebacks.get(name, 0)) for whole in wholes)]
            for name in sorted({name for whole in wholes for name in whole.tracebacks})
        ),
        ["longest time until one submission was acknowledged (s)", *(f"{whole.longest:.1f}" for whole in wholes)],
        *(
            [name.replace("refusals", "rejections"), *(str(whole.found.get(name, 0)) for whole in wholes)]
            for name in wholes[0].found
        ),
    ]
    titles = [whole.title for whole in wholes]
    day = datetime.now(UTC).date().isoformat()
    return f"{head}\n{table(['', *titles], rows)}\n\n{kills:,} processes were killed in all{short}, on {day}."


def main() -> int:
    """Run the installations and write the section; 1 where something is not 0, or too few were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.installed", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="in all")
    parser.add_argument("--pages", type=int, default=12, help="HITs of a study")
    parser.add_argument("--at-once", type=int, default=3, help="installations that run side by side")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=120.0, help="after which nothing is killed any more")
    parser.add_argument("--part", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        whole = live_through(
            options.part, kills=options.kills, pages=options.pages, seed=options.seed, minutes=options.minutes
        )
        print(json.dumps(asdict(whole)))
        return 0
    each = -(-options.kills // len(KINDS))
    with ThreadPoolExecutor(options.at_once) as pool:
        jobs = [
            pool.submit(_alone, kind, each, options.pages, options.seed + number, options.minutes)
            for number, kind in enumerate(KINDS)
        ]
        wholes = [job.result() for job in jobs]
    write_section(ROOT / "docs" / "reliability.md", "installations", page(wholes, options.kills))
    bad = [f"{whole.title}: {number} {name}." for whole in wholes for name, number in whole.found.items() if number]
    if sum(sum(whole.kills.values()) for whole in wholes) < options.kills:
        bad.append(f"Fewer than {options.kills} processes were killed.")
    print("\n".join(bad) or "Nothing lost, nothing paid twice.")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
