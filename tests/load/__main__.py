"""The worker site under a closed loop of workers without think time, on PostgreSQL (--sqlite: on SQLite).

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.load --workers 60 100 200 --seconds 30

Every worker accepts a HIT of 25 texts, views its page and its frame, and hands in 50 fields, over and over. Clients,
web processes and PostgreSQL share the machine; a database of its own is made and dropped. "CPU" is processor time for
one such round, which a busy machine changes less than the clock's. Lost and double submissions are counted in the
database against what the clients were told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.market_world import HIT, TICKS, Market, manage, market
from tests.load.client import Tally, Worker

PLACES = 9
LABELS = ("Very typical", "Somewhat typical", "Neither", "Somewhat rare", "Very rare")

# Run inside the project: open HITs of 25 texts and signed-in workers.
PREPARE = """
import hashlib, json, secrets
from datetime import timedelta
from django.db import connection
from django.utils import timezone
from annotation.marketplace.core import clock
from annotation.marketplace.models import *
now, real = clock.now(), timezone.now()
lab = Requester.objects.get(user__username="bench")
kind, _ = HitType.objects.get_or_create(requester=lab, digest="load", defaults=dict(title="Rate 25 texts",
    description="d", reward_cents=5, assignment_seconds=3600, auto_approval_seconds=2592000, requirements=[],
    created_at=now))
kinds = [kind]
if {cells}:
    # A study whose people are assigned to cells: each HIT is of one of them. A study for each run, so that people are
    # given HITs of this run, whose cells the clients know.
    tag = f"load-{{secrets.token_hex(4)}}"
    StudyDraw.objects.create(requester=lab, study=tag, created_at=now)
    kinds = [HitType.objects.create(requester=lab, digest=f"{{tag}} {{cell}}", title="Rate 25 texts", description="d",
        reward_cents=5, assignment_seconds=3600, auto_approval_seconds=2592000, requirements=[], study=tag,
        cell=f"{{tag}}.{{cell}}", created_at=now) for cell in range({cells})]
end = now + timedelta(days=10)
made = Hit.objects.bulk_create([Hit(requester=lab, hit_type=kinds[number % len(kinds)], kind="HTMLQuestion",
    question={question!r}, max_assignments={places}, status="Assignable", created_at=now, expiration=end, due_at=end)
    for number in range({hits})], batch_size=500)
people = WorkerAccount.objects.bulk_create(
    WorkerAccount(name=f"load {{secrets.token_hex(6)}}", created_at=now) for _ in range({workers}))
tokens = [secrets.token_urlsafe(32) for _ in people]
WorkerSession.objects.bulk_create(WorkerSession(worker=worker, token_hash=hashlib.sha256(token.encode()).hexdigest(),
    created_at=real, expires_at=real + timedelta(days=1)) for worker, token in zip(people, tokens))
with connection.cursor() as cursor:
    cursor.execute("ANALYZE")
print(json.dumps([[hit.hit_id for hit in made], tokens, kinds[0].group_id]))
"""
COUNT = """
import json
from annotation.marketplace.models import *
told = set(json.load(open({file!r})))
stored = set(Submission.objects.values_list("assignment__assignment_id", flat=True))
print(json.dumps([len(told - stored), len(stored - told), Submission.objects.count(),
    Assignment.objects.filter(state="Submitted").count()]))
"""


def question() -> str:
    """An HTMLQuestion of 25 texts, of the size of a real one (some 25 kB)."""
    text = "The council voted on Tuesday to put off its decision about the bridge until more is known of its cost. " * 3
    radios = "".join(f'<label><input type="radio" name="text-NN" value="{name}">{name}</label>' for name in LABELS)
    sets = "".join(
        f"<fieldset><legend>{number} of 25</legend><p>{text}</p>{radios.replace('NN', f'{number:02}')}"
        f'<input type="hidden" name="ms-{number:02}"></fieldset>'
        for number in range(25)
    )
    page = f"<!DOCTYPE html><html lang='en'><title>Rate</title><body><form method='post'>{sets}<button>Submit</button>"
    head = str(HIT["Question"]).split("<![CDATA[")[0]
    return f"{head}<![CDATA[{page}]]></HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>"


def prepared(site: Market, *, hits: int, workers: int, cells: int = 0) -> tuple[list[str], list[str], str]:
    """Ids of new open HITs, the session tokens of new workers, and the group of the first HIT."""
    script = PREPARE.format(hits=hits, places=PLACES, workers=workers, cells=cells, question=question())
    answer = manage(site.environment, "shell", "-v0", "-c", script, tree=site.tree)
    hits_made, sessions, group = json.loads(answer.strip().splitlines()[-1])
    return hits_made, sessions, group


def port(site: Market, number: int) -> int:
    return int(site.servers[number % len(site.servers)].origin.rpartition(":")[2])


async def _work(worker: Worker, queues: Sequence[deque[str]], number: int, until: float, tally: Tally) -> None:
    """Do HITs of one queue; in a study whose people are assigned to cells, of the cell that the first HIT was of."""
    cells = {hit: queue for queue in queues for hit in queue} if len(queues) > 1 else {}
    hits = queues[number % len(queues)]
    while time.monotonic() < until and hits:
        try:
            await worker.do(hits.popleft(), tally)
            hits = cells.get(worker.shown, hits)
        except (OSError, EOFError, TimeoutError) as error:
            tally.errors.append(f"connection: {type(error).__name__}")
            worker.close()
    worker.close()


async def _crowd(
    site: Market, sessions: Sequence[str], queues: Sequence[deque[str]], seconds: float, group: str = ""
) -> tuple[Tally, float]:
    workers = [Worker(port(site, number), session) for number, session in enumerate(sessions)]
    for worker in workers:
        worker.group = group
    tally, started = Tally(), time.monotonic()
    await asyncio.gather(
        *(_work(worker, queues, number, started + seconds, tally) for number, worker in enumerate(workers))
    )
    return tally, time.monotonic() - started


def postgres_cpu() -> float:
    """Processor seconds of the PostgreSQL processes that run on this machine."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = stat.read_text("latin-1").rpartition(")")
        except OSError:
            continue
        if "(postgres" in head:
            total += sum(map(int, rest.split()[11:13]))
    return total / TICKS


def spent(site: Market) -> tuple[float, float, float]:
    """Processor seconds so far of the web processes, of this client, of PostgreSQL."""
    return sum(server.cpu() for server in site.servers), time.process_time(), postgres_cpu()


def loaded(site: Market, *, workers: int, rounds: int, seconds: float, cells: int = 0, by_group: bool = False) -> Tally:
    """One run, printed: rate, seconds of each step, processor time of a round, errors and refusals.

    by_group: the marketplace chooses the HIT of the group, as its button *Accept next* has it.
    """
    hits, sessions, group = prepared(site, hits=rounds, workers=workers, cells=cells)
    queues, before = [deque(hits[number :: max(1, cells)]) for number in range(max(1, cells))], spent(site)
    tally, lasted = asyncio.run(_crowd(site, sessions, queues, seconds, group if by_group else ""))
    tally.lasted = lasted
    after, done = spent(site), len(tally.recorded)
    print(f"\n{workers} workers, {cells or 'no'} cells, {lasted:.1f} s: {done / lasted:.1f} submissions per second")
    for step, times in tally.seconds.items():
        ordered = sorted(times) or [0.0]
        found = [ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))], ordered[-1]]
        print(
            f"  {step:<8}"
            + "".join(f"{name} {1e3 * t:6.0f} ms   " for name, t in zip(("p50", "p95", "max"), found, strict=True))
        )
    each = [1e3 * (late - early) / max(1, done) for early, late in zip(before, after, strict=True)]
    print("  CPU per round: server {:.1f} ms, client {:.1f} ms, PostgreSQL {:.1f} ms".format(*each))
    for name, met in (("errors", tally.errors), ("refusals", tally.refused)):
        print(f"  {name}: {len(met)}" + "".join(f"; {count} x {word}" for word, count in Counter(met).most_common(5)))
    if not all(queues):
        print("  The HITs ran out before the time.")
    return tally


def compared(site: Market, *, workers: int, rounds: int, seconds: float, cells: int, pairs: int) -> list[Tally]:
    """Runs without and with the draw, one after the other and first in turn; their ratios and the median of these."""
    tallies, ratios = [], []
    for number in range(pairs):
        rates = {}
        for each in (0, cells) if number % 2 == 0 else (cells, 0):
            tally = loaded(site, workers=workers, rounds=rounds, seconds=seconds, cells=each)
            rates[each] = len(tally.recorded) / tally.lasted
            tallies.append(tally)
        ratios.append(rates[cells] / rates[0])
    each_ratio = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(f"\nsubmissions per second with {cells} cells to those without: {each_ratio}; median {median(ratios):.3f}")
    return tallies


def compare_trees(sites: Sequence[Market], *, workers: int, rounds: int, seconds: float, pairs: int) -> None:
    """Runs of accepts by group on two checkouts, one after the other and first in turn; ratios of the first to the
    second in submissions per second, and the median of these."""
    ratios = []
    for number in range(pairs):
        rates = [0.0, 0.0]
        for at in (0, 1) if number % 2 == 0 else (1, 0):
            print(f"\n{sites[at].tree.name}", end="")
            tally = loaded(sites[at], workers=workers, rounds=rounds, seconds=seconds, by_group=True)
            rates[at] = len(tally.recorded) / tally.lasted
        ratios.append(rates[0] / rates[1])
    each_ratio = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(f"\nthis checkout to the other, submissions per second: {each_ratio}; median {median(ratios):.3f}")


def counted(site: Market, tallies: Sequence[Tally]) -> None:
    """What the database holds against what was told."""
    told = [assignment for tally in tallies for assignment in tally.recorded]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "told.json"
        file.write_text(json.dumps(told), encoding="utf-8")
        answer = manage(site.environment, "shell", "-v0", "-c", COUNT.format(file=str(file)))
    lost, untold, stored, held = json.loads(answer.strip().splitlines()[-1])
    print(f"\ntold as recorded: {len(told)}; of these lost: {lost}, told twice: {len(told) - len(set(told))}")
    print(f"stored: {stored} submissions of {held} assignments; of these untold: {untold}, double: {stored - held}")


def growth(postgres: str, sizes: Sequence[int]) -> None:
    """What an accept costs with more open HITs: a site for each number, visited in turn, so that a busy machine is
    equally busy for each."""
    rounds = min(300, *sizes)
    warming = rounds // 6
    with ExitStack() as stack:
        sites = [stack.enter_context(market(postgres, processes=1)) for _ in sizes]
        made = [prepared(site, hits=size, workers=1) for site, size in zip(sites, sizes, strict=True)]
        workers = [Worker(port(site, 0), sessions[0]) for site, (_, sessions, _) in zip(sites, made, strict=True)]
        # Spread over all that there are, not side by side in one page of the table.
        chosen = [[hits[number * len(hits) // rounds] for number in range(rounds)] for hits, *_ in made]
        tallies = [Tally() for _ in sizes]
        asyncio.run(_in_turn(workers, chosen, tallies, warming))
    print(f"\none worker, as the number of open HITs grows, {rounds - warming} rounds in turn: median accept")
    middles = [median(tally.seconds["accept"]) for tally in tallies]
    for size, middle in zip(sizes, middles, strict=True):
        print(f"  {size:>7,} open HITs: {1e3 * middle:5.1f} ms   {middle / middles[0]:.2f}x")


async def _in_turn(
    workers: Sequence[Worker], hits: Sequence[Sequence[str]], tallies: Sequence[Tally], warming: int
) -> None:
    for number in range(len(hits[0])):
        for worker, own, tally in zip(workers, hits, tallies, strict=True):
            await worker.do(own[number], tally if number >= warming else Tally())
    for worker in workers:
        worker.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[60, 100, 200])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8, help="of each process")
    parser.add_argument("--sqlite", action="store_true", help="on a file of SQLite, without PostgreSQL")
    parser.add_argument("--rounds", type=int, default=6_000, help="HITs prepared for each run: it ends with them")
    parser.add_argument("--cells", type=int, default=0, help="of a study whose people are assigned to them; 0: none")
    parser.add_argument(
        "--pairs", type=int, default=0, help="runs without and with the --cells, in turn, of the first --workers"
    )
    parser.add_argument(
        "--against", type=Path, metavar="FOLDER", help="another checkout: --pairs of runs by group, in turn"
    )
    parser.add_argument("--growth", type=int, nargs="*", default=[300, 20_000], help="numbers of open HITs")
    given = parser.parse_args()
    postgres = os.environ.get("TEST_POSTGRES_URL", "")
    if given.sqlite:
        postgres = ""
    elif not postgres:
        print("Not measured: set TEST_POSTGRES_URL=postgres://user@host/name.")
        return
    served = {"processes": given.processes, "threads": given.threads}
    if given.against:
        with market(postgres, **served) as this, market(postgres, tree=given.against.resolve(), **served) as other:
            size = {"rounds": given.rounds, "seconds": given.seconds, "pairs": given.pairs or 5}
            compare_trees((this, other), workers=given.workers[0], **size)
        return
    with market(postgres, **served) as site:
        size = {"rounds": given.rounds, "seconds": given.seconds, "cells": given.cells}
        if given.pairs:
            runs = compared(site, workers=given.workers[0], pairs=given.pairs, **size)
        else:
            runs = [loaded(site, workers=each, **size) for each in given.workers]
        counted(site, runs)
    if given.growth:
        growth(postgres, given.growth)


if __name__ == "__main__":
    main()
