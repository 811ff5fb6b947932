"""A small batch-results file in the layout of HUSE, to be spoiled in one place at a time."""

from __future__ import annotations

import csv
from pathlib import Path

ITEMS = 3
LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")

Rows = list[dict[str, str]]


def rows(hits: int = 8, workers: int = 3) -> Rows:
    """Rows of `hits` HITs, each rated by the same `workers`; within a HIT the sources alternate."""
    return [_row(hit, worker) for hit in range(hits) for worker in range(workers)]


def _row(hit: int, worker: int) -> dict[str, str]:
    row = {
        "HITId": f"3HIT{hit}",
        "Reward": "$0.50",
        "AssignmentId": f"3ASSIGNMENT{hit}X{worker}",
        "WorkerId": f"A1WORKER{worker}",
        "AssignmentStatus": "Submitted",
        "AcceptTime": "Thu Nov 08 14:10:00 PST 2018",
        "SubmitTime": f"Thu Nov 08 14:{worker + 11}:00 PST 2018",
        "RequesterFeedback": "",
    }
    for at in range(ITEMS):
        row |= {
            f"Input.CTX{at}": f"context {hit // 2}.{at}",
            f"Input.TYPE{at}": "SUM" if (hit + at) % 2 else "HUMAN_SUM",
            f"Input.OUT{at}": f"text {hit}.{at} of words",
            f"Input.LOGP{at}": str(-1.5 - hit - at / 10),
            f"Answer.{at}": LABELS[(hit * 5 + at * 3 + worker) % 6],
        }
    return row


def written(path: Path, content: Rows, *, tail: str = "") -> Path:
    """The rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(content[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(content)
        file.write(tail)
    return path
