"""Checks of the texts themselves: texts that occur twice, and model texts that occur in a reference."""

from __future__ import annotations

from collections import Counter

from metrics.data.sentence import plain
from metrics.report.records import ReportInput
from metrics.report.section import Section
from metrics.tables.record import Column, Row, Table

N = 8  # words of a run that two texts share
MAX_OVERLAP = 0.8  # share of a text inside such runs from which on it counts as taken over
REFERENCES = "references"


def section(report_input: ReportInput) -> Section:
    """Return one row per source: its texts, those that occur again, and how much of them occurs in other texts."""
    side = {text.id: text.generator or REFERENCES for text in report_input.texts}
    same = Counter(_normal(text.body) for text in report_input.texts)
    references = {_normal(text.body) for text in report_input.texts if text.generator is None}
    runs = {run for text in report_input.texts if text.generator is None for run in _runs(text.body)}
    rows: list[Row] = []
    for name in sorted(set(side.values()), key=lambda name: (name != REFERENCES, name)):
        texts = [text for text in report_input.texts if side[text.id] == name]
        again = sum(same[_normal(text.body)] > 1 for text in texts)
        equal: int | None = None
        copied: int | None = None
        if name != REFERENCES and references:
            equal = sum(_normal(text.body) in references for text in texts)
            copied = sum(_overlap(text.body, runs) > MAX_OVERLAP for text in texts)
        in_context = sum(
            bool(text.context) and _overlap(text.body, _runs(text.context or "")) > MAX_OVERLAP for text in texts
        )
        contexts = any(text.context for text in texts)
        rows.append((name, len(texts), again, equal, copied, in_context if contexts else None))
    columns = (
        Column("source", "Source"),
        Column("texts", "Texts", "count"),
        Column("again", "Occur more than once", "count"),
        Column("equal", "Equal to a reference", "count"),
        Column("taken", f"Over {MAX_OVERLAP:.0%} in runs of {N} words of references", "count"),
        Column("context", f"Over {MAX_OVERLAP:.0%} in runs of {N} words of their context", "count"),
    )
    title = plain("Duplicates and overlap of texts, without regard to case and space.")
    tables = (Table("overlap", title, columns, tuple(rows), ("A dash: does not apply.",)),) if rows else ()
    return Section("items", "Duplicates and overlap", (), tables)


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return {tuple(words[at : at + N]) for at in range(len(words) - N + 1)}


def _overlap(text: str, runs: set[tuple[str, ...]]) -> float:
    """Share of the text's words that are in one of the runs, in [0, 1]."""
    words = text.casefold().split()
    inside = {at + i for at in range(len(words) - N + 1) if tuple(words[at : at + N]) in runs for i in range(N)}
    return len(inside) / len(words) if words else 0.0
