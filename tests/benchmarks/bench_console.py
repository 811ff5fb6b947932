"""Server time of the console's pages over a study with many judgments, on SQLite and PostgreSQL.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_console [JUDGMENTS]

HITs of 25 texts, each done by 100 people: 1,000,000 judgments are 400 HITs and 40,000 assignments. Each page is asked
for seven times by Django's test client, after one time that does not count; told are the median and the gzipped size.
"""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.bench_import_texts import fresh_postgres

if TYPE_CHECKING:
    from annotation.models import Study

ROOT = Path(__file__).resolve().parents[2]
PER_HIT, PEOPLE, TIMES = 25, 100, 7
PLACES = [
    "overview",
    "texts",
    "design",
    "preview",
    "publish",
    "progress",
    "running/wages",
    "review",
    "workers",
    "quality",
    "results",
    "exports",
    "people",
    "log",
]


# A table: how many rows, and each column in terms of i, the row's number from 0.
Table = tuple[int, dict[str, object]]


def fill(judgments: int, people: int = PEOPLE) -> str:
    """A published study of that size, written by SQL, each HIT done by so many; its address in the console."""
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Study
    from annotation.studies.create import Plan, create

    study = create("large", mode="live", plan=Plan(), actor="bench", now=timezone.now())
    Study.objects.filter(pk=study.pk).update(status="published")
    hits, vendor = judgments // PER_HIT // people, connection.vendor
    now = timezone.now().strftime("%Y-%m-%d %H:%M:%S+00:00")
    no = "false" if vendor == "postgresql" else "0"
    tables = {
        **_layout(study, hits, people),
        **_work(hits * people, now, people),
        **_answers(study, judgments, no, people),
    }
    with connection.cursor() as cursor:
        for table, (count, columns) in tables.items():
            names, values = ", ".join(columns), ", ".join(map(str, columns.values()))
            into = f"INSERT INTO annotation_{table} (id, {names}) SELECT i + 1, {values} FROM"
            cursor.execute(f"{into} {_numbers(vendor, count)}")
        cursor.execute("ANALYZE")
    return f"/console/studies/{study.uuid}/"


def _layout(study: Study, hits: int, people: int) -> dict[str, Table]:
    """Texts, and the HITs that hold them."""
    cell = study.arms.create(training="none").cells.create()
    text = {
        "study_id": study.pk, "key": "'r' || i", "source": "'reference'", "body": "'A text, number ' || i",
        "generation": "'{}'", "known_label": "''", "corpus_name": "''", "original": "''", "left_out": "''",
        "split": "''", "domain": "''",
    }  # fmt: skip
    hit = {
        "study_id": study.pk, "cell_id": cell.pk, "slot": "i", "wording_id": study.wordings.get().pk, "page": "i",
        "max_assignments": people, "market_id": "'H' || i", "market_status": "''", "fees": "''",
        "collected": people, "inside": 0, "free": 0, "judged": people * PER_HIT,
    }  # fmt: skip
    place = {"hit_id": f"i / {PER_HIT} + 1", "text_id": "i + 1", "position": f"i % {PER_HIT}", "role": "'item'"}
    return {"text": (hits * PER_HIT, text), "hit": (hits, hit), "hititem": (hits * PER_HIT, place)}


def _work(count: int, now: str, people: int) -> dict[str, Table]:
    """People, and what they handed in."""
    submission = {
        "hit_id": f"i / {people} + 1", "worker_id": f"i % {people} + 1", "market_id": "'A' || i", "raw": "''",
        "raw_format": "'mturk-xml'", "accepted_at": f"'{now}'", "submitted_at": f"'{now}'",
        "work_seconds": 300, "received_at": f"'{now}'",
    }  # fmt: skip
    parse = {"submission_id": "i + 1", "parsed_at": f"'{now}'", "problem": "''"}
    return {"worker": (people, {"pseudonym": "'w' || i"}), "submission": (count, submission), "parse": (count, parse)}


def _answers(study: Study, judgments: int, no: str, people: int) -> dict[str, Table]:
    """Each text shown, and one judgment of it. no: how the database writes that it is not so."""
    label = study.scale.labels.order_by("pk").first()
    assert label is not None
    text = f"(i / {PER_HIT * people}) * {PER_HIT} + i % {PER_HIT} + 1"
    presentation = {
        "submission_id": f"i / {PER_HIT} + 1", "text_id": text, "position": f"i % {PER_HIT}", "role": "'item'",
        "sides_changed": no,
    }  # fmt: skip
    judgment = {"presentation_id": "i + 1", "criterion": "'typicality'", "label_id": label.pk, "text_id": text}
    return {"presentation": (judgments, presentation), "judgment": (judgments, judgment)}


def _numbers(vendor: str, n: int) -> str:
    """Rows i = 0 ... n - 1."""
    if vendor == "postgresql":
        return f"generate_series(0, {n - 1}) AS s(i)"
    up = f"SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < {n - 1}"
    return f"(WITH RECURSIVE c(i) AS ({up}) SELECT i FROM c) AS s"


def measure(judgments: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from annotation.accounts.models import User

    call_command("migrate", verbosity=0)
    base = fill(judgments)
    client = Client(headers={"host": "127.0.0.1:8000"})
    client.force_login(User.objects.create_superuser("root"))
    print(f"{connection.vendor}, {judgments:,} judgments", flush=True)
    across = {
        "studies": "",
        "everybody": "workers/",
        "findings": "results/",
        "money": "money/",
        "activity": "activity/",
    }
    for place in [*across, *PLACES]:
        inside = "" if place == "overview" else f"{place}/"
        address = f"/console/{across[place]}" if place in across else base + inside
        seconds = []
        for _ in range(TIMES + 1):
            begun = time.perf_counter()
            answer = client.get(address)
            seconds.append(time.perf_counter() - begun)
        assert answer.status_code == 200, (place, answer.status_code)
        size = len(gzip.compress(answer.content))
        print(
            f"  {place:<14} {1000 * statistics.median(seconds[1:]):7.1f} ms   {size / 1000:5.1f} kB gzipped", flush=True
        )


def main() -> None:
    if sys.argv[1:2] == ["inside"]:
        measure(int(sys.argv[2]))
        return
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else [100_000, 1_000_000]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            _run(size, f"sqlite:///{folder}/bench.sqlite3")
        with fresh_postgres(os.environ["TEST_POSTGRES_URL"]) as url:
            _run(size, url)


def _run(size: int, url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "deploy.settings.development"}
    command = [sys.executable, "-m", "tests.benchmarks.bench_console", "inside", str(size)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
