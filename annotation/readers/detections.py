"""A file of a detector's scores: one row an explanation, named as in the comments.csv of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics.data.csv_files import read_rows

COLUMNS = ("item", "rater", "question", "score")


def read_detections(path: Path, known: Mapping[tuple[str, str, str], Sequence[int]]) -> dict[int, float]:
    """Scores by explanation. known: explanations by item, rater and question. Raises BadInput naming row and column."""
    scores: dict[int, float] = {}
    for row in read_rows(path, COLUMNS):
        item, rater, question = (row.text(column) for column in COLUMNS[:3])
        named = known.get((item, rater, question), ())
        if not named:
            raise row.error("item", f"no explanation of {item!r} by {rater!r} answers {question!r}")
        if len(named) > 1:
            raise row.error(
                "item",
                f"{rater!r} explained {item!r} more than once, so the score cannot be matched to one explanation",
            )
        if named[0] in scores:
            raise row.error("item", "this explanation has a score in an earlier row")
        scores[named[0]] = float(row.number("score"))
    return scores
