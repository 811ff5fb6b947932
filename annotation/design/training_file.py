"""Training items in a file: CSV or JSON Lines with named columns, read strictly, written so that they read equal."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from annotation.design.training_items import ARMS, Item, items_of
from annotation.design.wording import Practice, PracticePair, Training
from annotation.readers.cells import optional_text, text_of
from annotation.readers.columns import Cells, Names, read_cells
from annotation.readers.problems import Findings
from annotation.readers.tabular import FileForm

COLUMNS = ("training", "text", "source", "human", "machine", "context", "explanation")
USED = {
    "instructions": ("text",),
    "examples": ("text", "source", "context", "explanation"),
    "comparison": ("human", "machine", "context", "explanation"),
}
NAMES_OF_SOURCES = {"human": "human", "person": "human", "machine": "machine"}
MAX_ITEMS = 200
# A page of a task holds 65,535 bytes, all of its texts together.
MAX_CHARS = 8_000
FORMATS = ("csv", "jsonl")


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """What a file holds: its items, and what a reader should know that stops nothing."""

    training: Training
    warnings: tuple[str, ...] = ()


def read_training(path: Path, *, form: FileForm | None = None) -> TrainingFile:
    """Read the items of a file, all or nothing. Raises FileProblems naming row, column and rule of what is wrong.

    Blank lines and columns of other names are no fault: the latter are named among the warnings.
    """
    findings = Findings(path)
    items: dict[str, list[Item]] = {arm: [] for arm in ARMS}
    for row in read_cells(path, findings, Names(), needed=("training",), known=COLUMNS, form=form):
        arm = row.get("training").strip().lower()
        if arm not in ARMS:
            rule = f"must be one of {', '.join(ARMS)}" + (f", not {arm[:40]!r}" if arm else "; it is empty")
            findings.problem(row.row, "training", rule)
            continue
        for column in COLUMNS:
            if column not in ("training", *USED[arm]) and row.get(column).strip():
                findings.problem(row.row, column, f"must be empty in an item of the training {arm}")
        items[arm].append(READERS[arm](row, findings))
        if len(items[arm]) > MAX_ITEMS:
            raise findings.stop(row.row, "training", f"a training has at most {MAX_ITEMS} items")
    findings.raise_if_any()
    training = Training(**{arm: tuple(items[arm]) for arm in ARMS})  # type: ignore[arg-type]
    return TrainingFile(training, findings.warning_sentences())


def _instruction(row: Cells, findings: Findings) -> str:
    return _text(row, "text", findings)


def _example(row: Cells, findings: Findings) -> Practice:
    source = NAMES_OF_SOURCES.get(row.get("source").strip().lower(), "")
    if not source:
        cell = row.get("source").strip()
        findings.problem(
            row.row, "source", "must be human or machine" + (f", not {cell[:40]!r}" if cell else "; it is empty")
        )
    return Practice(_text(row, "text", findings), source, _text(row, "explanation", findings), _context(row, findings))


def _pair(row: Cells, findings: Findings) -> PracticePair:
    return PracticePair(
        _text(row, "human", findings),
        _text(row, "machine", findings),
        _text(row, "explanation", findings),
        _context(row, findings),
    )


READERS: dict[str, Callable[[Cells, Findings], Item]] = {
    "instructions": _instruction,
    "examples": _example,
    "comparison": _pair,
}


def _text(row: Cells, column: str, findings: Findings) -> str:
    text = text_of(_broken_evenly(row.get(column)), row.row, column, findings, limit=MAX_CHARS)
    return text.strip() if text else ""


def _context(row: Cells, findings: Findings) -> str:
    text = optional_text(_broken_evenly(row.get("context")), row.row, "context", findings, limit=MAX_CHARS)
    return text.strip()


def _broken_evenly(cell: str) -> str:
    """`cell` with one kind of line break, as a form stores it."""
    return cell.replace("\r\n", "\n").replace("\r", "\n")


def rows_of(training: Training) -> list[dict[str, str]]:
    """The items as rows of a file, arm by arm, in their order."""
    return [{"training": arm, **_cells(item)} for arm in ARMS for item in items_of(training, arm)]


def _cells(item: Item) -> dict[str, str]:
    if isinstance(item, str):
        return {"text": item}
    return {name: getattr(item, name) for name in USED["examples" if isinstance(item, Practice) else "comparison"]}


def write_training(training: Training, file_format: str) -> str:
    """The items as the text of a file: `csv` with all columns, or `jsonl` with one object per item."""
    rows = rows_of(training)
    if file_format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return _as_csv(rows)


def write_example() -> str:
    """A CSV with the header and one row of each training, to be filled in: its texts say what belongs there."""
    return _as_csv(
        (
            {"training": "instructions", "text": "A paragraph that participants read before the task."},
            {
                "training": "examples",
                "text": "A text that participants practice on.",
                "source": "machine",
                "context": "What the text answers or continues, or nothing.",
                "explanation": "How you can see who wrote it.",
            },
            {
                "training": "comparison",
                "human": "A text that a person wrote.",
                "machine": "A text that a machine wrote for the same prompt.",
                "context": "The prompt of both, or nothing.",
                "explanation": "{machine} repeats itself, {human} does not.",
            },
        )
    )


def _as_csv(rows: Iterable[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
