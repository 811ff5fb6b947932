"""The released HUSE study as report records, read from its batch CSV (the product's importer has tests of its own)."""

from __future__ import annotations

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

from metrics.report.records import GeneratorFacts, RatingRow, ReportInput, ScaleLabel, StudyFacts, TextRow
from metrics.types import MODEL, REFERENCE, Item

LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")


def huse_study(path: Path) -> ReportInput:
    """200 texts in 8 HITs, 20 assignments each."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts: dict[str, tuple[TextRow, float, int]] = {}
    ratings: list[RatingRow] = []
    raters: dict[str, str] = {}
    for row in rows:
        rater = raters.setdefault(row["WorkerId"], f"w{len(raters) + 1:03}")
        for at in range(25):
            name = f"{row['HITId'][-4:]}-{at}"
            if name not in texts:
                texts[name] = _text(name, row, at)
            label = row[f"Answer.{at}"]
            rating = RatingRow(name, rater, label, LABELS.index(label) + 1, row["HITId"][-4:], at + 1)
            ratings.append(rating)
    codes: defaultdict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        codes[rating.text].append(rating.value)
    items = tuple(
        Item(name, text.source, _mean(codes[name]), log_prob, length, text.context_id, len(codes[name]))
        for name, (text, log_prob, length) in texts.items()
    )
    scale = tuple(ScaleLabel(name, code) for code, name in enumerate(LABELS, 1))
    facts = StudyFacts(
        "huse",
        "imported batch",
        "How typical is the exact title?",
        "title",
        scale,
        "1 to 6, as the original code has it",
        "imported",
    )
    generators = (GeneratorFacts("model", items),)
    return ReportInput(facts, generators, tuple(text for text, _, _ in texts.values()), tuple(ratings))


def _text(name: str, row: dict[str, str], at: int) -> tuple[TextRow, float, int]:
    source = MODEL if row[f"Input.TYPE{at}"] == "SUM" else REFERENCE
    body, context = row[f"Input.OUT{at}"], row[f"Input.CTX{at}"]
    text = TextRow(name, source, "model" if source == MODEL else None, body, context, context)
    return text, float(row[f"Input.LOGP{at}"]), len(body.split(" "))


def _mean(codes: list[int]) -> Fraction:
    return Fraction(sum(codes), len(codes))
