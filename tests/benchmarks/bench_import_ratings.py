"""Import of tidy ratings into a new SQLite database: wall clock, processor time and memory of the command, in turn.

    python -m tests.benchmarks.bench_import_ratings [ratings] [rounds] [folder of another checkout]

Twenty ratings of each text, HITs of 20 texts, labels and HIT in the file. With another checkout, whose command runs in
this environment, both import the same files one after the other, and the ratio is printed.
"""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.market_world import ROOT

RATERS = TEXTS_OF_HIT = 20
LABELS = ("Very rare", "Somewhat rare", "Neither", "Somewhat typical", "Very typical")
# The largest of a process's children is told by the process that waited for it.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "manage.py", *sys.argv[1:]], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.exit(done.stderr[-2000:]) if done.returncode else print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock and of the processor, megabytes at most."""

    wall: float
    cpu: float
    memory: float


def write_files(folder: Path, ratings: int) -> None:
    """items.csv and ratings.csv."""
    rng, texts = random.Random(1), ratings // RATERS
    with (folder / "items.csv").open("w", newline="") as file:
        items = csv.writer(file)
        items.writerow(["id", "source", "generator", "text"])
        for text in range(texts):
            source = ("reference", "") if text % 2 else ("model", "gpt")
            items.writerow([f"t{text:06}", *source, f"The council of town {text} put off its decision on the bridge."])
    with (folder / "ratings.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "rater", "value", "label", "hit"])
        for hit in range(texts // TEXTS_OF_HIT):
            for rater in rng.sample(range(max(50, ratings // 1000)), RATERS):
                for text in range(TEXTS_OF_HIT):
                    value = rng.randint(1, 5)
                    item = f"t{hit * TEXTS_OF_HIT + text:06}"
                    rows.writerow([item, f"rater-{rater:05}", value, LABELS[value - 1], f"h{hit}"])


def imported(tree: Path, files: Path) -> Cost:
    """What the command of a checkout costs."""
    with TemporaryDirectory() as var:
        environment = {
            **os.environ,
            "ASSAY_VAR": var,
            "DATABASE_URL": f"sqlite:///{var}/a.sqlite3",
            "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=tree, env=environment, check=True)
        command = ["import_ratings", "--items", str(files / "items.csv"), "--ratings", str(files / "ratings.csv")]
        started = time.perf_counter()
        answer = subprocess.run(
            [sys.executable, "-c", MEASURED, *command, "--study", "large"],
            cwd=tree,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        wall = time.perf_counter() - started
    cpu, memory = map(float, answer.stdout.split())
    return Cost(wall, cpu, memory)


def main(ratings: int = 1_000_000, rounds: int = 1, other: Path | None = None) -> None:
    """Measure and print."""
    trees = {"this": ROOT, **({"other": other} if other else {})}
    costs: dict[str, list[Cost]] = {name: [] for name in trees}
    with TemporaryDirectory() as folder:
        write_files(Path(folder), ratings)
        for number in range(rounds):
            for name in sorted(trees, reverse=bool(number % 2)):
                cost = imported(trees[name], Path(folder))
                costs[name].append(cost)
                seconds = f"{cost.wall:6.1f} s, processor {cost.cpu:6.1f} s"
                print(f"{name:<6} {ratings:,} ratings: {seconds}, {cost.memory:5.0f} MB", flush=True)
    if other:
        pairs = list(zip(costs["other"], costs["this"], strict=True))
        print(f"clock {median(theirs.wall / ours.wall for theirs, ours in pairs):.2f}x", end=", ")
        print(f"processor {median(theirs.cpu / ours.cpu for theirs, ours in pairs):.2f}x (medians of {rounds} pairs)")


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((int, int, Path), sys.argv[1:], strict=False)))
