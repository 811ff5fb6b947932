"""Server time of the console's pages over a study with many judgments, on SQLite and PostgreSQL.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_console [JUDGMENTS]

HITs of 25 texts, each done by 100 people: 1,000,000 judgments are 400 HITs and 40,000 assignments. Each page is asked for
seven times by Django's test client, after one time that does not count; the median is told, and the page's size when gzipped.
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

from tests.benchmarks.bench_import_texts import fresh_postgres

ROOT = Path(__file__).resolve().parents[2]
PER_HIT, PEOPLE, TIMES = 25, 100, 7
PLACES = ["overview", "texts", "design", "preview", "publish", "progress", "results", "exports", "people", "log"]


def fill(judgments: int) -> str:
    """A published study of that size, written by SQL; its address in the console."""
    from django.db import connection
    from django.utils import timezone

    from annotation.flows.create import Plan, create
    from annotation.models import Study

    study = create("large", mode="live", plan=Plan(), actor="bench", now=timezone.now())
    Study.objects.filter(pk=study.pk).update(status="published")
    cell = study.arms.create(training="none").cells.create()
    label = study.scale.labels.order_by("pk").first()
    assert label is not None
    hits, wording = judgments // PER_HIT // PEOPLE, study.wordings.get().pk
    now = timezone.now().strftime("%Y-%m-%d %H:%M:%S+00:00")

    def rows(name: str, n: int) -> str:
        if connection.vendor == "postgresql":
            return f"generate_series(0, {n - 1}) AS {name}(i)"
        return f"(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < {n - 1}) SELECT i FROM c) AS {name}"

    statements = [
        f"INSERT INTO annotation_text (id, study_id, key, source, body, generation, known_label, corpus_name, original, left_out, split, domain)"
        f" SELECT i + 1, {study.pk}, 'r' || i, 'reference', 'A text to be judged, number ' || i, '{{}}', '', '', '', '', '', '' FROM {rows('s', hits * PER_HIT)}",
        f"INSERT INTO annotation_hit (id, study_id, cell_id, slot, wording_id, page, max_assignments, market_id)"
        f" SELECT i + 1, {study.pk}, {cell.pk}, i, {wording}, i, {PEOPLE}, 'H' || i FROM {rows('s', hits)}",
        f"INSERT INTO annotation_hititem (id, hit_id, text_id, position, role)"
        f" SELECT i + 1, i / {PER_HIT} + 1, i + 1, i % {PER_HIT}, 'item' FROM {rows('s', hits * PER_HIT)}",
        f"INSERT INTO annotation_worker (id, pseudonym) SELECT i + 1, 'w' || i FROM {rows('s', PEOPLE)}",
        f"INSERT INTO annotation_submission (id, hit_id, worker_id, market_id, raw, raw_format, accepted_at, submitted_at, work_seconds, received_at)"
        f" SELECT i + 1, i / {PEOPLE} + 1, i % {PEOPLE} + 1, 'A' || i, '', 'mturk-xml', '{now}', '{now}', 300, '{now}' FROM {rows('s', hits * PEOPLE)}",
        f"INSERT INTO annotation_parse (id, submission_id, parsed_at, problem) SELECT i + 1, i + 1, '{now}', '' FROM {rows('s', hits * PEOPLE)}",
        f"INSERT INTO annotation_presentation (id, submission_id, text_id, position, role, sides_changed)"
        f" SELECT i + 1, i / {PER_HIT} + 1, (i / {PER_HIT * PEOPLE}) * {PER_HIT} + i % {PER_HIT} + 1, i % {PER_HIT}, 'item', "
        f"{'false' if connection.vendor == 'postgresql' else 0} FROM {rows('s', judgments)}",
        f"INSERT INTO annotation_judgment (id, presentation_id, criterion, label_id) SELECT i + 1, i + 1, 'typicality', {label.pk} FROM {rows('s', judgments)}",
        "ANALYZE",
    ]  # fmt: skip
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    return f"/console/studies/{study.uuid}/"


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
    for place in ["studies", *PLACES]:
        address = "/console/" if place == "studies" else base + ("" if place == "overview" else f"{place}/")
        seconds = []
        for _ in range(TIMES + 1):
            begun = time.perf_counter()
            answer = client.get(address)
            seconds.append(time.perf_counter() - begun)
        assert answer.status_code == 200, (place, answer.status_code)
        size = len(gzip.compress(answer.content))
        print(
            f"  {place:<10} {1000 * statistics.median(seconds[1:]):7.1f} ms   {size / 1000:5.1f} kB gzipped", flush=True
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
