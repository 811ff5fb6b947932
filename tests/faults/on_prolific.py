"""Studies of 12 people on the stub of Prolific, their processes killed at named points; what must be 0 is counted.

    python -m tests.faults.on_prolific --runs 1000    # on SQLite; writes docs/prolific-faults.md, if not smaller
    python -m tests.faults.on_prolific --short --migrated FILE    # one study, a planted fault of each kind: the suite

Each run opens a channel, publishes, sends 14 people (of whom one returns the place, one runs out of time, one enters a
wrong code and one closes the tab), collects, approves, rejects by two people, pays bonuses, stops and books the fees.
Every deed of the requester and every pass of the loop is a process of its own, ended by SIGKILL at a point; then
another goes on. In some runs the marketplace's server dies, too. What was counted is kept in a file after each batch:
called again, the run goes on there.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults import kill_points
from tests.faults.prolific_site import Site, installation
from tests.faults.prolific_study import FINDINGS, OPEN, PLACES, Run, Tally
from tests.faults.sections import is_smaller

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "prolific-faults.md"
RECORDED = r"wrote this page: ([\d,]+) studies"
SEED, BATCH = 7, 5
# Of a long run: it costs less, and over all studies every point is met often.
SPARED = 0.5
# So many studies reach every point.
MANY = 200


def _nothing(_called: Any) -> Callable[..., None]:
    return lambda *_args, **_options: None


def _true(_called: Any) -> Callable[..., bool]:
    return lambda *_args, **_options: True


def _cut(called: Any) -> Callable[..., Any]:
    return lambda *args, **options: called(*args, **options)[:-1]


def _other_token(called: Any) -> Callable[..., Any]:
    return lambda *args, **options: called(*args, **{**options, "token": uuid.uuid4().hex})


# A fault that somebody could write: the function, what replaces it, what the run must find, and at which point a
# process must die for it to show ("" where none has to).
PLANTED: dict[str, tuple[str, Callable[[Any], Any], str, str]] = {
    "a study is created again": (
        "annotation.marketplace.prolific.client:Client.find_study",
        _nothing,
        "doubled studies",
        "after the call that creates a study",
    ),
    "a payment is not noted before it is sent": (
        "annotation.marketplace.prolific.pay:_note_sent",
        _true,
        "doubled bonuses",
        "after the call that pays bonuses",
    ),
    "a page of submissions is cut": (
        "annotation.marketplace.prolific.client:Client.list_submissions",
        _cut,
        "lost submissions",
        "",
    ),
    "a returned place stays held": (
        "annotation.marketplace.prolific.follow:_leave",
        lambda _called: lambda *_args, **_options: "",
        "lost places",
        "",
    ),
    "a reward is not booked": (
        "annotation.marketplace.prolific.sync:APPROVED",
        lambda _called: "NEVER",
        "books that differ",
        "",
    ),
    "a bonus is sent again under another token": (
        "annotation.mturk.client:Market.send_bonus",
        _other_token,
        "doubled bonuses",
        "after the call that pays a bonus",
    ),
    "collected work is not stored": (
        "annotation.collecting.collect:_insert_submissions",
        lambda _called: lambda *_args, **_options: [],
        "lost submissions",
        "",
    ),
    "a payment is not in the study's ledger": ("annotation.ledger:spend", _nothing, "books that differ", ""),
}


def plant(name: str) -> None:
    """Put a planted fault into this process."""
    target, fault, _finding, _point = PLANTED[name]
    module, _, path = target.partition(":")
    holder: Any = import_module(module)
    *parents, last = path.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    setattr(holder, last, fault(getattr(holder, last)))


def run_batch(site: Site, tally: Tally, runs: int, spared: float = SPARED) -> None:
    """Further studies, one after another."""
    begun = time.monotonic()
    for _ in range(runs):
        number = tally.runs + 1
        before = +tally.counts
        run = Run(site, number, random.Random(SEED + number), tally, spared=spared)
        run.live()
        if +tally.counts != before:
            print(f"run {number}: {dict(+tally.counts - before)}; {'; '.join(run.notes)}", flush=True)
    tally.seconds += time.monotonic() - begun


def find_planted(site: Site, names: Collection[str] = PLANTED) -> list[str]:
    """Of these planted faults those that a run did not find."""
    unseen = []
    for number, name in enumerate(names, start=100_000):
        _target, _fault, finding, point = PLANTED[name]
        tally = Tally()
        Run(site, number, random.Random(number), tally, partial(plant, name), point).live()
        print(f"planted: {name}: {dict(+tally.counts)}", flush=True)
        if not tally.counts[finding]:
            unseen.append(f"{name}: no {finding} counted")
    return unseen


@contextmanager
def stored(path: Path) -> Iterator[Tally]:
    """What earlier batches counted; with this one's written afterwards."""
    tally = Tally()
    if path.exists():
        data = json.loads(path.read_text(encoding="utf-8"))
        counted = {name: Counter(data[name]) for name in ("kills", "counts", "answers")}
        tally = Tally(runs=data["runs"], seconds=data["seconds"], once=set(data["once"]), **counted)
    yield tally
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(vars(tally) | {"once": sorted(tally.once)}, indent=1), encoding="utf-8")
    draft.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.on_prolific", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument(
        "--minutes", type=float, default=60, help="no batch begins later (0: none); called again, it goes on"
    )
    parser.add_argument("--counts", type=Path, default=ROOT / "var" / "prolific-faults.json", help="what was counted")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--migrated", type=Path, help="an empty SQLite database of this version, copied and used")
    options = parser.parse_args()
    if options.short:
        tally = Tally()
        with installation(options.migrated) as site:
            run_batch(site, tally, 1, spared=0)
            # The last of each kind.
            of_kind = {finding: name for name, (_, _, finding, _) in PLANTED.items()}
            problems = problems_of(tally, find_planted(site, list(of_kind.values())))
    else:
        tally, problems = run_long(options)
    print(f"{tally.runs} studies, {tally.kills.total()} kills in {tally.seconds:.0f} s.")
    if problems or not tally.kills:
        sys.exit("\n".join(problems) or "no process was killed")
    print("nothing doubled, nothing lost, the books agree")


def run_long(options: argparse.Namespace) -> tuple[Tally, list[str]]:
    """Batches until all runs are done or the time is over, then the planted faults; a run not too small is written."""
    until = time.monotonic() + options.minutes * 60
    with installation(options.migrated) as site:
        while True:
            with stored(options.counts) as tally:
                is_over = tally.runs >= options.runs or time.monotonic() >= until
                run_batch(site, tally, 0 if is_over else min(BATCH, options.runs - tally.runs))
            print(f"{tally.runs} studies, {tally.kills.total()} kills, {tally.seconds:.0f} s", flush=True)
            if is_over:
                break
        unseen = find_planted(site)
    problems = problems_of(tally, unseen)
    if tally.runs >= MANY:
        problems += [f"no kill at the point: {name}" for name in tally.unreached]
    if not is_smaller(tally.runs, PAGE, RECORDED):
        write_page(tally, options.runs, problems)
    if tally.runs >= options.runs:
        options.counts.unlink()
    return tally, problems


def problems_of(tally: Tally, unseen: list[str]) -> list[str]:
    """What was counted that must be 0, and planted faults that were not found."""
    return [f"{number} {name}" for name, number in tally.counts.items() if number] + unseen


def write_page(tally: Tally, asked: int, problems: list[str]) -> None:
    """What the run has shown, for docs/prolific-faults.md."""
    kills = "\n".join(f"| {name} | {tally.kills[name]} |" for name in kill_points.ON_PROLIFIC)
    counts = "\n".join(f"| {name} | {tally.counts[name]} |" for name in FINDINGS)
    answers = "\n".join(f"| {name} | {tally.answers[name]:,} |" for name in OPEN)
    planted = "\n".join(f"| {name} | {finding} |" for name, (_, _, finding, _) in PLANTED.items())
    result = "All that must be 0 is 0." if not problems else "Problems: " + "; ".join(problems)
    if tally.runs < asked:
        result += f" The run was ended by its time limit: {asked:,} studies were planned."
    if tally.unreached:
        result += f" {len(tally.unreached)} of {len(kill_points.ON_PROLIFIC)} points were not met by so few studies."
    text = f"""# Studies on Prolific whose processes are killed

`make faults` wrote this page: {tally.runs:,} studies of {PLACES} people on the stub of Prolific,
{tally.kills.total():,} processes ended by SIGKILL in {tally.seconds / 60:.0f} minutes. {result}

Each study goes from the draft to the booked fees: a channel is opened, the study is published, 14 people come (one
returns the place, one runs out of time, one enters a wrong code, one closes the tab), work is collected, approved, and
rejected by two people, bonuses are paid, recruitment ends. Every deed of the researcher and every pass of the work loop
is a process of its own. In some studies the marketplace's server dies while it answers. People come to the marketplace
by function calls, without a browser. The books are both the marketplace's and the study's own ledger.

| what must be 0 | counted |
|---|---|
{counts}

The same run finds each of these faults when it is planted:

| planted fault | found as |
|---|---|
{planted}

What the documentation leaves open was answered in each of these ways:

| Prolific answered | studies |
|---|---|
{answers}

| killed at the point | times |
|---|---|
{kills}
"""
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
