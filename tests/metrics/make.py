"""Items for tests, from lists of (HJ, log p) with length 1."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from metrics import MODEL, REFERENCE, Item

Pairs = Sequence[tuple[object, float | None]]


def items(reference: Pairs, model: Pairs, length: int = 1) -> list[Item]:
    """Items named r0, r1 ... and m0, m1 ...; HJ as written ("4.2"), whole or a Fraction."""
    made = []
    for source, pairs in ((REFERENCE, reference), (MODEL, model)):
        for i, (hj, log_prob) in enumerate(pairs):
            exact = None if hj is None else Fraction(str(hj))
            made.append(Item(f"{source[0]}{i}", source, exact, log_prob, length))
    return made


def summary_rows(data: Path) -> list[tuple[str, str, str, str]]:
    """hj, log_prob, length, source of the released study, as written."""
    with (data / "huse" / "summary_clean.csv").open(newline="", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)][1:]
    return [(hj, log_prob, length, MODEL if label == "True" else REFERENCE) for hj, log_prob, label, length in rows]


def summary_items(data: Path) -> list[Item]:
    """The released study, 200 items."""
    return [
        Item(str(i), source, Fraction(hj), float(log_prob), int(length))  # type: ignore[arg-type]
        for i, (hj, log_prob, length, source) in enumerate(summary_rows(data))
    ]


LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")


def batch_items(data: Path, replicates: int) -> list[Item]:
    """The released study from its raw batch file, HJ over the first ratings in file order."""
    with (data / "huse" / "summarization_batch_results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    codes: dict[str, list[int]] = {}
    texts: dict[str, dict[str, str]] = {}
    for row in rows:
        for i in range(25):
            name = f"{row['HITId']}-{i}"
            texts[name] = {part: row[f"Input.{part}{i}"] for part in ("CTX", "TYPE", "OUT", "LOGP")}
            codes.setdefault(name, []).append(LABELS.index(row[f"Answer.{i}"]) + 1)
    return [
        Item(
            name,
            MODEL if text["TYPE"] == "SUM" else REFERENCE,
            Fraction(sum(codes[name][:replicates]), replicates),
            float(text["LOGP"]),
            len(text["OUT"].split(" ")),
            text["CTX"],
            replicates,
        )
        for name, text in texts.items()
    ]
