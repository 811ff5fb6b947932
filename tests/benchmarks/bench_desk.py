"""The pages of the review desk at 10,000 assignments, on PostgreSQL and on SQLite.

    python -m tests.benchmarks.bench_desk [assignments]

In a database of its own (TEST_POSTGRES_URL; SQLite in a temporary file) a study of HITs of 25 texts, 20 workers a HIT,
four HITs a worker, is written and measured by every filter; then each page is asked for eleven times by a reviewer,
inside the process: the time is the server's, not the network's. On PostgreSQL the queue of people, the card of a person
and the page of quality may take 100 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 11
WORKERS, TEXTS, HITS_PER_PERSON = 20, 25, 4


def main(assignments: int) -> None:
    """Once in each database, each in a process of its own."""
    postgres = os.environ.get("TEST_POSTGRES_URL")
    with tempfile.TemporaryDirectory() as folder:
        urls = {
            "SQLite": f"sqlite:///{Path(folder) / 'desk.sqlite3'}",
            **({"PostgreSQL": postgres} if postgres else {}),
        }
        for name, url in urls.items():
            command = [sys.executable, "-m", "tests.benchmarks.bench_desk", str(assignments), name]
            subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, check=True)


def measure(assignments: int, name: str) -> None:
    """Everything in a test database, which is dropped at the end."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.test")
    import django

    django.setup()
    from django.test.utils import get_runner, setup_test_environment, teardown_test_environment

    runner = get_runner(django.conf.settings)(verbosity=0, interactive=False)
    setup_test_environment()
    old = runner.setup_databases()
    try:
        _measure(assignments, name)
    finally:
        runner.teardown_databases(old)
        teardown_test_environment()


def _measure(assignments: int, name: str) -> None:
    from datetime import timedelta

    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from annotation.models import Submission
    from annotation.quality.assess import assess
    from annotation.quality.rules import Rule
    from annotation.review.exclude import apply_rules, fix_rules
    from tests.annotation.review.factories import make, member

    now = timezone.now()
    study = make(
        WORKERS,
        assignments // WORKERS,
        TEXTS,
        hits_each=HITS_PER_PERSON,
        now=now,
        ages=lambda at: timedelta(minutes=at % 4000),
    )
    start = time.perf_counter()
    done = assess(study, now=now)
    print(f"{name}: {done.submissions:,} assignments read, measured and stored in {time.perf_counter() - start:.1f} s")
    # As autovacuum does within a minute of so many new rows.
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    one = Submission.objects.filter(hit__study=study).select_related("worker").order_by("pk").first()
    assert one is not None
    client, base = Client(), f"/console/studies/{study.uuid}/"
    client.force_login(member(study, "editor"))
    chosen = list(Submission.objects.filter(hit__study=study).values_list("market_id", flat=True)[:50])
    pages = {
        "people, first page": lambda: client.get(f"{base}review/people/"),
        "one person": lambda: client.get(f"{base}review/people/{one.worker.pseudonym}/"),
        "queue, first page": lambda: client.get(f"{base}review/"),
        "queue, last page": lambda: client.get(f"{base}review/?page={assignments // 50}"),
        "queue, one flag": lambda: client.get(f"{base}review/?flag=one_answer"),
        "one assignment": lambda: client.get(f"{base}review/{one.market_id}/"),
        "bulk preview of 50": lambda: client.post(f"{base}review/bulk/", {"chosen": chosen, "action": "approve"}),
        "workers": lambda: client.get(f"{base}workers/"),
        "one worker": lambda: client.get(f"{base}workers/{one.worker.pseudonym}/"),
        "quality": lambda: client.get(f"{base}quality/"),
        "quality, every rule": lambda: client.get(f"{base}quality/?all=1"),
        "rules for this study": lambda: client.get(f"{base}quality/rules/"),
        "nothing left out": lambda: client.get(f"{base}quality/left-out/"),
        "left out by a rule": lambda: client.get(f"{base}quality/left-out/"),
    }
    for title, ask in pages.items():
        if title.endswith("by a rule"):
            apply_rules(fix_rules(study, "lines", [Rule("one_answer")], actor=None, now=now), actor=None, now=now)
        assert ask().status_code == 200
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            ask()
            times.append(1000 * (time.perf_counter() - start))
        print(f"  {title:<22} {statistics.median(times):7.1f} ms  (longest {max(times):.1f})")


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    measure(wanted, sys.argv[2]) if len(sys.argv) > 2 else main(wanted)
