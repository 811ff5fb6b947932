"""HJ of 500,000 texts from 10 million ratings: one aggregate in the database, on SQLite and on PostgreSQL.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_hj [TEXTS]

Ratings are written in bulk past the constraints (their presentations are not), into databases that are dropped again.
"The aggregate" is the statement with its rows fetched; "all of it" ends with one exact sum for each text in Python.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import uuid
from pathlib import Path

import psycopg
from psycopg import sql

from tests.benchmarks.market_world import manage

RATERS = 20
ROUNDS = 3
PREPARE = """
from django.db import connection
from django.utils import timezone
from annotation.studies.create import Plan, create
from annotation.models import Judgment, ScaleLabel, Text
study = create("hj", mode="rehearsal", plan=Plan(), actor="bench", now=timezone.now())
Text.objects.bulk_create((Text(study=study, key=str(i), source="reference", body="x") for i in range({texts})),
    batch_size=10_000)
first, label = Text.objects.order_by("pk")[0].pk, ScaleLabel.objects.filter(scale=study.scale).order_by("pk")[0].pk
labels = ScaleLabel.objects.filter(scale=study.scale).count()
with connection.cursor() as cursor:
    if connection.vendor == "sqlite":
        cursor.execute("PRAGMA foreign_keys=OFF")
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type='index' AND tbl_name='annotation_judgment' "
                       "AND sql IS NOT NULL")
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{{name}}"')
        series = "WITH RECURSIVE g(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM g WHERE i < {rows} - 1)"
        again = [made for _, made in indexes]
    else:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename='annotation_judgment' "
                       "AND indexname NOT LIKE '%pkey' AND indexname <> 'label_once_per_criterion'")
        indexes = cursor.fetchall()
        cursor.execute("ALTER TABLE annotation_judgment DROP CONSTRAINT label_once_per_criterion")
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{{name}}"')
        series = "WITH g(i) AS (SELECT generate_series(0::bigint, {rows} - 1))"
        again = [made for _, made in indexes]
    cursor.execute(f"INSERT INTO annotation_judgment (presentation_id, criterion, label_id, text_id) {{series}} "
                   f"SELECT i + 1, 'typicality', {{label}} + (i * 7919 + i / {raters}) % {{labels}}, {{first}} + i / "
                   "{raters} FROM g")
    for made in again:
        cursor.execute(made)
    cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE annotation_judgment")
"""
MEASURE = """
import time
from django.db import connection
from annotation.models import Judgment, Study
from annotation.collecting.ratings import rated, rating_sums, summed_keys
study = Study.objects.get(name="hj")
rows = Judgment.objects.count()
best = whole = cpu = None
for _ in range({rounds}):
    start, used = time.perf_counter(), time.process_time()
    got = summed_keys(rated(study))
    taken, used = time.perf_counter() - start, time.process_time() - used
    best, cpu = (taken, used) if best is None else (min(best, taken), min(cpu, used))
    start = time.perf_counter()
    found = rating_sums(study)
    taken = time.perf_counter() - start
    whole = taken if whole is None else min(whole, taken)
assert sum(row[1] for row in got) == rows == sum(one.count for one in found.values())
print(f"{{connection.vendor:<12}} {{len(found):,}} texts, {{rows:,}} ratings: the aggregate {{best:.2f}} s, "
      f"{{1e9 * best / rows:.0f}} ns a row "
      f"(processor time of this process: {{1e9 * cpu / rows:.0f}} ns a row); all of it {{whole:.2f}} s, "
      f"{{1e9 * whole / rows:.0f}} ns a row (best of {rounds})")
"""


def measured(url: str, texts: int) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": url,
        "LOG_LEVEL": "ERROR",
    }
    manage(environment, "migrate", "-v0")
    manage(environment, "shell", "-v0", "-c", PREPARE.format(texts=texts, rows=texts * RATERS, raters=RATERS))
    print(manage(environment, "shell", "-v0", "-c", MEASURE.format(rounds=ROUNDS)), end="", flush=True)


def main() -> None:
    texts = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    with tempfile.TemporaryDirectory() as folder:
        measured(f"sqlite:///{Path(folder) / 'hj.sqlite3'}", texts)
    postgres = os.environ.get("TEST_POSTGRES_URL")
    if not postgres:
        print("PostgreSQL: not measured, set TEST_POSTGRES_URL=postgres://user@host/name.")
        return
    name = f"assay_bench_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            measured(re.sub(r"/[^/]*$", f"/{name}", postgres), texts)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


if __name__ == "__main__":
    main()
