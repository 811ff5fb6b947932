"""The marketplace on PostgreSQL: calls per second, publishing, and what a call costs as stored work grows.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_marketplace

Two web processes (`manage.py serve`) answer boto3 over loopback; databases of its own are made beside the one named
and dropped afterwards. "CPU" is the processor time of the web processes, which a busy machine changes less than the
clock's; the client and PostgreSQL have theirs beside it. Costs at two sizes are medians of calls that take turns.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.benchmarks.market_world import HIT, QUESTION, Market, market

SMALL, LARGE = 1_000, 100_000
THREADS = 4


def timed(market: Market, jobs: Sequence[Callable[[], object]], threads: int) -> tuple[float, float, float]:
    """Run all `jobs` on threads: seconds, CPU seconds of the web processes, CPU seconds of this client."""
    before = sum(server.cpu() for server in market.servers)
    own, start = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()
    seconds = time.perf_counter() - start
    return seconds, sum(server.cpu() for server in market.servers) - before, time.process_time() - own


def throughput(market: Market, calls: int = 3_000) -> None:
    """Small calls of every kind a study makes, on eight threads."""
    clients = [market.client(number) for number in range(8)]
    hit = clients[0].create_hit(**HIT)["HIT"]["HITId"]
    kinds: list[Callable[[Any], object]] = [
        lambda client: client.get_account_balance(),
        lambda client: client.get_hit(HITId=hit),
        lambda client: client.list_assignments_for_hit(HITId=hit),
        lambda client: client.list_bonus_payments(HITId=hit),
    ]
    jobs = [lambda n=n: kinds[n % len(kinds)](clients[n % 8]) for n in range(calls)]
    timed(market, jobs[:200], 8)
    seconds, server, own = timed(market, jobs, 8)
    print(f"{'small calls, 8 threads':<28} {calls / seconds:7.0f} per second", end="")
    print(f"   CPU per call: server {1e3 * server / calls:.2f} ms, client {1e3 * own / calls:.2f} ms")


def publishing(market: Market, hits: int = 1_000) -> None:
    """1,000 HITs of 20 kB by four threads."""
    page = QUESTION.format("x" * (20_480 - len(QUESTION)))
    clients = [market.client(number) for number in range(THREADS)]
    made = [HIT | {"Question": page, "UniqueRequestToken": f"bench-{number}"} for number in range(hits)]
    jobs = [lambda n=n: clients[n % THREADS].create_hit(**made[n]) for n in range(hits)]
    seconds, server, own = timed(market, jobs, THREADS)
    print(f"{f'{hits:,} HITs of 20 kB':<28} {seconds:7.2f} seconds     ", end="")
    print(f"   CPU per call: server {1e3 * server / hits:.2f} ms, client {1e3 * own / hits:.2f} ms")


def steps(market: Market, rounds: int) -> dict[str, Callable[[int], object]]:
    """What is compared at two sizes: each step takes the number of its round."""
    client, browser = market.client(), market.browser()
    hits = [client.create_hit(**HIT)["HIT"]["HITId"] for _ in range(rounds)]
    waiting: list[str] = []
    for found in client.get_paginator("list_reviewable_hits").paginate(PaginationConfig={"PageSize": 100}):
        for hit in found["HITs"][: rounds - len(waiting)]:
            rows = client.list_assignments_for_hit(HITId=hit["HITId"], AssignmentStatuses=["Submitted"])["Assignments"]
            waiting.append(rows[0]["AssignmentId"])
        if len(waiting) >= rounds:
            break
    browser.get(f"/hits/{hits[0]}/")
    form = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
    return {
        "GetAccountBalance": lambda n: client.get_account_balance(),
        "GetAssignment": lambda n: client.get_assignment(AssignmentId=waiting[n % len(waiting)]),
        "ListAssignmentsForHIT": lambda n: client.list_assignments_for_hit(HITId=hits[n]),
        "ListHITs, first page": lambda n: client.list_hits(MaxResults=10),
        "CreateHIT": lambda n: client.create_hit(**HIT),
        "ApproveAssignment": lambda n: client.approve_assignment(AssignmentId=waiting[n]),
        "accept (worker)": lambda n: accepted(browser.post(f"/hits/{hits[n]}/accept/", data=form).status_code),
        "list of tasks (worker)": lambda n: browser.get("/hits/").raise_for_status(),
    }


def accepted(status: int) -> None:
    if status != 302:
        raise RuntimeError(f"an acceptance was answered by {status}")


def growth(small: Market, large: Market, rounds: int = 90) -> None:
    """The median cost of each step at both sizes, taking turns, and the ratio."""
    print(f"\ncost at {SMALL:,} and at {LARGE:,} stored assignments, medians of {rounds} calls taking turns")
    sides = [steps(small, rounds), steps(large, rounds)]
    for name in sides[0]:
        times: list[list[float]] = [[], []]
        for number in range(rounds):
            for side in (0, 1) if number % 2 else (1, 0):
                start = time.perf_counter()
                sides[side][name](number)
                times[side].append(time.perf_counter() - start)
        less, more = (1e3 * statistics.median(side) for side in times)
        print(f"{name:<28} {less:6.2f} ms   {more:6.2f} ms   ratio {more / less:.2f}")


def main() -> None:
    """Measure and print."""
    postgres = os.environ.get("TEST_POSTGRES_URL")
    if not postgres:
        print("Not measured: set TEST_POSTGRES_URL=postgres://user@host/name.")
        return
    with market(postgres, processes=2) as two:
        throughput(two)
        publishing(two)
    with market(postgres, processes=1, rows=SMALL) as small, market(postgres, processes=1, rows=LARGE) as large:
        growth(small, large)


if __name__ == "__main__":
    main()
