"""Readers of the ratings beside the project, and slow obvious references for agreement."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

from tests.metrics.factories import LABELS

Columns = tuple[list, list, list]

KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 * * *
1 2 3 3 2 2 4 1 2 5 * 3
* 3 3 3 2 3 4 2 2 5 1 *
1 2 3 3 2 4 4 1 2 5 1 *
"""


def long(table: str) -> Columns:
    """item, rater, value of a table of raters by items, * where a rater gave none."""
    rows = [line.split() for line in table.strip().splitlines()]
    cells = [(i, r, float(c)) for r, row in enumerate(rows) for i, c in enumerate(row) if c != "*"]
    return tuple(map(list, zip(*cells, strict=True)))  # type: ignore[return-value]


def plain_alpha(item, value, level: str) -> float:
    """Krippendorff's alpha pair by pair, as the definition reads."""
    units = defaultdict(list)
    for i, v in zip(item, value, strict=True):
        units[i].append(v)
    pairable = [unit for unit in units.values() if len(unit) > 1]
    flat = [v for unit in pairable for v in unit]
    count = {v: flat.count(v) for v in flat}

    def difference(c, k) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        if level == "ratio":
            return ((c - k) / (c + k)) ** 2 if c != k else 0.0
        between = sum(times for v, times in count.items() if min(c, k) <= v <= max(c, k))
        return (between - (count[c] + count[k]) / 2) ** 2

    n = len(flat)
    observed = sum(
        difference(unit[a], unit[b]) / (len(unit) - 1)
        for unit in pairable
        for a in range(len(unit))
        for b in range(len(unit))
        if a != b
    )
    expected = sum(difference(c, k) for c in flat for k in flat) / (n - 1)
    return 1 - observed / expected


def batch_ratings(data: Path, source: str = "") -> Columns:
    """item, rater, value of the released summarisation study; source: all, SUM or the other."""
    with (data / "huse" / "summarization_batch_results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cells = [
        (f"{row['HITId']}-{i}", row["WorkerId"], LABELS.index(row[f"Answer.{i}"]) + 1)
        for row in rows
        for i in range(25)
        if not source or (row[f"Input.TYPE{i}"] == "SUM") == (source == "model")
    ]
    return tuple(map(list, zip(*cells, strict=True)))  # type: ignore[return-value]


def squality_ratings(data: Path, kind: str) -> Columns:
    """item, rater, value of the per-annotator ratings from 0 to 100 of one kind."""
    cells = []
    with (data / "squality" / "all-responses.jsonl").open(encoding="utf-8") as file:
        for line in file:
            passage = json.loads(line)
            for number, question in passage["questions"].items():
                for system in ("bart", "bart-dpr", "human"):
                    name = f"{passage['passage-id']}-{number}-{system}"
                    for review in question[system]["reviews"]:
                        cells.append((name, review["worker_id"], review[f"{kind}-rating"]))
    return tuple(map(list, zip(*cells, strict=True)))  # type: ignore[return-value]


GOLD = {"Paragraph 1": 1, "Paragraph 2": 2, "Paragraph 3": 3}


def guesses(data: Path, *files: str) -> Columns:
    """item, rater, chosen paragraph of the study with three paragraphs; a rater's first answer to an item counts."""
    first: dict[tuple[str, str], int] = {}
    for name in files:
        hits = json.loads((data / "human_or_machine" / f"{name}.json").read_text(encoding="utf-8"))
        for hit, content in hits.items():
            for answer in content["Answers"]:
                for i in range(1, 6):
                    given = answer.get(f"A{i}Q1")
                    if given in GOLD:
                        first.setdefault((f"{int(hit[3:]) + i - 1}", answer["WorkerID"]), GOLD[given])
    return [i for i, _ in first], [r for _, r in first], list(first.values())
