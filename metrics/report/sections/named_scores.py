"""Scores of texts from an uploaded table: means by source, and how well each score separates the sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metrics.data.sentence import plain
from metrics.report.records import TextRow
from metrics.report.row_records import Attached
from metrics.report.sections.rating_scales import REFERENCES, mean_of, separation_of
from metrics.tables.record import Column, Row, Table
from metrics.types import Setting

Sides = Mapping[str, Sequence[TextRow]]


def tables(files: Sequence[Attached], texts: Sequence[TextRow], *, level: float) -> Iterator[Table]:
    """One table of all measures of all files; none without a file."""
    sides: dict[str, list[TextRow]] = {REFERENCES: []}
    for text in texts:
        sides.setdefault(text.generator or REFERENCES, []).append(text)
    rows = [row for file in files for row in _rows(file, sides, level)]
    columns = (
        Column("file", "File"),
        Column("measure", "Measure"),
        Column("source", "Source"),
        Column("mean", "Mean", "estimate", n="n", digits=3),
        Column("auc", "AUC against the references", "estimate", n="n"),
        Column("n", "Texts with a score", "count"),
    )
    notes = (
        "AUC: how often a text of the generator scores higher than a reference, ties half; 0.5 is chance.",
        f"{100 * level:g}% intervals over new texts; those of one context are taken together.",
    )
    if rows:
        yield Table("automatic-scores", plain("Scores from files, by source."), columns, tuple(rows), notes)


def _rows(file: Attached, sides: Sides, level: float) -> Iterator[Row]:
    contexts = {text.id: text.context_id for rows in sides.values() for text in rows}
    references = [text.id for text in sides[REFERENCES]]
    for measure, values in file.document["scores"].items():
        for name, rows in sides.items():
            scored = {text.id: float(values[text.id]) for text in rows if text.id in values}
            if scored:
                settings: dict[str, Setting] = {"measure": measure, "source": name}
                theirs = [] if name == REFERENCES else [text.id for text in rows]
                named = f"auc|{measure}|{name}"
                separation = separation_of(
                    references, theirs, values, contexts, level=level, named=named, settings=settings
                )
                mean = mean_of(measure, name, scored, contexts, level)
                yield (file.name, measure, name, mean, separation, len(scored))
