"""CSV files of ratings with who wrote each text: for comparisons of sources, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from metrics.data.criterion_names import TYPICAL
from metrics.data.csv_files import CHOOSE, RATING_COLUMNS, Row, of_condition, read_rows
from metrics.errors import BadInput
from metrics.types import MODEL, REFERENCE, Source

REFERENCE_NAMES = ("reference", "references")


@dataclass(frozen=True, slots=True)
class SourceText:
    """Who wrote a text, for which context. generator: None for a reference."""

    generator: str | None
    context: str | None

    @property
    def source(self) -> Source:
        """Reference or model."""
        return REFERENCE if self.generator is None else MODEL


@dataclass(frozen=True, slots=True)
class SourceRating:
    """One rating of a text by a rater, on a criterion."""

    item: str
    rater: str
    value: Fraction
    criterion: str


def read_texts(path: Path) -> dict[str, SourceText]:
    """Texts by id from a CSV with `id` and `source` (reference or model), and optionally `generator` and `context`.

    A text may occur again, as references do in the items of a report with several generators. Raises BadInput.
    """
    texts: dict[str, tuple[SourceText, int]] = {}
    for row in read_rows(path, ("id", "source")):
        source = row.text("source")
        if source not in (REFERENCE, MODEL):
            raise row.error("source", f"the source must be 'reference' or 'model', not {source!r}")
        name = None if source == REFERENCE else row.cells.get("generator") or MODEL
        text = SourceText(name, _context(row))
        known, line = texts.setdefault(row.text("id"), (text, row.line))
        if known != text:
            raise row.error("id", f"the text {row.text('id')!r} was described otherwise in row {line}")
    return {name: text for name, (text, _) in texts.items()}


def read_source_ratings(
    path: Path, texts: Mapping[str, SourceText] | None = None, *, condition: str = ""
) -> tuple[list[SourceRating], dict[str, SourceText]]:
    """Ratings from a CSV with `item`, `rater`, `value` and optionally `criterion`, and the texts that they are of.

    texts: by id; None: the CSV has the columns `source` (the generator's name, or `reference`) and optionally
    `context`. condition: of several in a column `condition`, in each of which a rater may rate a text. A rater rates
    a text once on each criterion. Raises BadInput.
    """
    required = RATING_COLUMNS if texts is not None else (*RATING_COLUMNS, "source")
    known: dict[str, SourceText] = dict(texts or {})
    seen: dict[tuple[str, str, str], int] = {}
    ratings = []
    for row in of_condition(read_rows(path, required), condition):
        rating = _rating(row)
        if texts is None:
            _describe(row, rating.item, known)
        elif rating.item not in known:
            raise row.error("item", f"no text has the id {rating.item!r}")
        line = seen.setdefault((rating.item, rating.rater, rating.criterion), row.line)
        if line != row.line:
            rule = f"rater {rating.rater!r} has already rated item {rating.item!r} in row {line}"
            if "condition" in row.cells:
                rule += CHOOSE
            raise row.error("rater", rule)
        ratings.append(rating)
    _require_sources(path, [known[rating.item] for rating in ratings])
    return ratings, known


def _rating(row: Row) -> SourceRating:
    if row.cells.get("partner"):
        raise row.error("partner", "ratings of single texts were expected, and this one is of a pair")
    criterion = row.cells.get("criterion") or TYPICAL
    return SourceRating(row.text("item"), row.text("rater"), row.number("value"), criterion)


def _context(row: Row) -> str | None:
    return row.cells.get("context") or row.cells.get("context_id") or None


def _describe(row: Row, item: str, known: dict[str, SourceText]) -> None:
    source = row.text("source")
    text = SourceText(None if source.lower() in REFERENCE_NAMES else source, _context(row))
    if known.setdefault(item, text) != text:
        raise row.error("item", f"the item {item!r} had another source or context above")


def _require_sources(path: Path, texts: Sequence[SourceText]) -> None:
    if len({text.generator for text in texts}) < 2:
        raise BadInput("ratings of at least two sources are needed", where=path.name)
