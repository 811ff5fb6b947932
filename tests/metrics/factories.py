"""Items for tests, from lists of (HJ, log p) with length 1."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from metrics import Item, Rating
from metrics.types import MODEL, REFERENCE

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


def batch_ratings(data: Path) -> list[Rating]:
    """Every rating of the raw batch file, codes 1 to 6, for the items of `batch_items`."""
    with (data / "huse" / "summarization_batch_results.csv").open(newline="", encoding="utf-8") as file:
        return [
            Rating(f"{row['HITId']}-{i}", row["WorkerId"], Fraction(LABELS.index(row[f"Answer.{i}"]) + 1), row["HITId"])
            for row in csv.DictReader(file)
            for i in range(25)
        ]


def rated_study(
    n: int = 30, raters: int = 8, seed: int = 0, *, apart: bool = False, name: str = "m", shift: float = 0.5
) -> tuple[list[Item], list[Rating]]:
    """n contexts with a reference r0.. and a model text, rated 1 to 6 by all raters (apart: by a pool a source)."""
    rng = np.random.default_rng(seed)
    made, ratings = [], []
    for place, (prefix, source) in enumerate((("r", REFERENCE), (name, MODEL))):
        for i in range(n):
            codes = np.clip(np.rint(4 - shift * place + rng.normal(size=raters)), 1, 6).astype(int).tolist()
            text = f"{prefix}{i}"
            pool = place * raters if apart else 0
            ratings += [Rating(text, f"w{pool + j}", Fraction(code)) for j, code in enumerate(codes)]
            log_prob = -float(np.round(rng.gamma(3), 3))
            made.append(Item(text, source, Fraction(sum(codes), raters), log_prob, 1, f"c{i}", raters))
    return made, ratings
