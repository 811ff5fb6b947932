"""Importing 100,000 texts: seconds by the clock, processor time and the most memory, on SQLite and PostgreSQL.

    TEST_POSTGRES_URL=postgres://user@host/name python -m tests.benchmarks.bench_import_texts

Pairs of 50,000 contexts with 30 words each and texts of 20 to 120 words, 93 MB of CSV; each database is fresh.
"""

from __future__ import annotations

import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 50_000
HEAD = ("id", "text", "source", "generator", "context", "context_text", "log_prob", "length", "length_unit", "decoding")


def write_texts(path: Path, pairs: int = PAIRS) -> None:
    rng = random.Random(1)
    words = [f"wort{at}" for at in range(5000)]
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(HEAD)
        for at in range(pairs):
            context = " ".join(rng.choices(words, k=30))
            for source, generator in (("reference", ""), ("model", "tiny")):
                length = rng.randint(20, 120)
                body, decoding = " ".join(rng.choices(words, k=length)), "t=0.7" if generator else ""
                log_prob = f"-{rng.random() * 100:.3f}"
                key = f"{source[0]}{at}"
                out.writerow(
                    [key, body, source, generator, f"c{at}", context, log_prob, length, "model_token", decoding]
                )


@contextmanager
def fresh_postgres(url: str) -> Iterator[str]:
    name = f"bench_import_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{url.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def measure(title: str, url: str, texts: Path) -> None:
    environment = {**os.environ, "DATABASE_URL": url}
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], check=True, env=environment)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [*manage, "import_texts", str(texts), "--study", "bench", "--create"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{title:12} {seconds:6.1f} s by the clock, {cpu:6.1f} s of processor time, {after.ru_maxrss / 1024:.0f} MB")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.csv"
        write_texts(texts)
        measure("SQLite", f"sqlite:///{folder}/bench.sqlite3", texts)
        postgres = os.environ.get("TEST_POSTGRES_URL")
        if postgres:
            with fresh_postgres(postgres) as url:
                measure("PostgreSQL", url, texts)


if __name__ == "__main__":
    main()
