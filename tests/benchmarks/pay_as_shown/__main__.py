"""`make pay`: 1,000 people read, work and are paid, on SQLite and on PostgreSQL; writes docs/pay.md.

TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.pay_as_shown [people]
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any
from unittest import mock

from tests.benchmarks.engines import ONE, ROOT, lines_by_engine, own_database

PAGE = ROOT / "docs" / "pay.md"
SEED = 20
PLANTED_PEOPLE = 28
HEAD = """# Paid as shown, tried

Made by `make pay`. Simulated people come to seven studies by links and with accounts, and read the pages of the worker
site in English or German. Pay differs by condition in three of the studies. The currencies are USD, EUR, CHF and JPY,
which has no decimals. People think for up to 15 minutes before they press a button, so the median time of others moves
on in between. In two studies the requester changes the pay on the way: who has a task, or has submitted some, reads
their pages again, and may never read less than before. People return tasks, stop early, are rejected and receive
bonuses.

A parser that shares no code with the pages reads minutes, pay and currency before each start
(`tests/benchmarks/pay_as_shown`). Afterwards they are compared with what is stored, with the ledger, and with the files
by which people are paid here or elsewhere.
"""


def main(arguments: list[str]) -> int:
    if arguments[:1] == [ONE]:
        _one_engine(int(arguments[1]))
        return 0
    people = arguments[0] if arguments else "1000"
    parts, sound = [HEAD], True
    for name, run in lines_by_engine("tests.benchmarks.pay_as_shown", people):
        part = f"## {name}: {run['title']}\n\n{run['text']}\n"
        print(part, *run["faults"][:20], sep="\n", flush=True)
        parts.append(part)
        sound &= run["holds"]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return 0 if sound else 1


def _one_engine(people: int) -> None:
    with own_database("pay"):
        from django.test import override_settings

        from tests.benchmarks.pay_as_shown.people import HIT_ORIGIN, SITE, WORKER_ORIGIN

        logging.disable(logging.WARNING)
        hosts = {"WORKER_ORIGIN": WORKER_ORIGIN, "HIT_ORIGIN": HIT_ORIGIN, "ALLOWED_HOSTS": [SITE, "hits.example"]}
        with override_settings(**hosts, MARKETPLACE_FEES="mturk"):
            print(json.dumps(_run(people)), flush=True)
            print(json.dumps(_planted()), flush=True)


def _run(people: int) -> dict[str, Any]:
    from tests.benchmarks.pay_as_shown.findings import compare
    from tests.benchmarks.pay_as_shown.people import Town

    start = time.perf_counter()
    town = Town(people, seed=SEED)
    town.run()
    town.decide()
    result = compare(town)
    approved = sum(len(person.approved) for person in town.people)
    bonuses = sum(len(person.bonuses) for person in town.people)
    text = (
        f"For {result.equal:,} of {result.people:,} people minutes, pay and currency of every task are those they had "
        f"read, and what is paid is what was shown. {result.assignments:,} tasks were accepted and kept, {approved:,} "
        f"approved; {bonuses:,} bonuses were given, and {town.refused:,} times the pay had changed between reading and "
        f"starting, so the task was not accepted and the new pay was shown. Differences: {len(result.faults)}. "
        f"Seed {SEED}, {time.perf_counter() - start:.0f} s."
    )
    holds = result.equal == result.people and not result.faults
    return {"title": f"{people:,} people", "text": text, "holds": holds, "faults": result.faults}


def _planted() -> dict[str, Any]:
    from tests.benchmarks.pay_as_shown.findings import compare
    from tests.benchmarks.pay_as_shown.people import Town
    from tests.benchmarks.pay_as_shown.planted import PLANTED

    rows, holds = ["| planted | is found by |", "|---|---|"], True
    for number, (lie, words) in enumerate(PLANTED):
        patches: list[Any] = []

        def patch(target: Any, name: str, value: Any, patches: list[Any] = patches) -> None:
            patches.append(mock.patch.object(target, name, value))
            patches[-1].start()

        lie(patch)
        try:
            town = Town(PLANTED_PEOPLE, seed=SEED + 1 + number)
            town.run()
            town.decide()
            faults = [fault for fault in compare(town).faults if words in fault]
        finally:
            for each in patches:
                each.stop()
        holds &= bool(faults)
        rows.append(
            f"| {(lie.__doc__ or '').strip()} | {len(faults)} sentences{', first: ' + faults[0] if faults else ''} |"
        )
    text = f"Each among {PLANTED_PEOPLE} people.\n\n" + "\n".join(rows)
    return {"title": "planted lies", "text": text, "holds": holds, "faults": []}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
