"""FRANK (Pagnoni et al. 2021): summaries with the share of sentences free of each error, in a hierarchy of errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from metrics.data.json_files import Record, read_records
from metrics.errors import BadInput
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.records import Candidate, TestSet

NO_ERROR, ERROR = "no_error", "error"
# Leaf -> group (Laban et al. 2022, section 3.3); OtherE is a group of its own.
HIERARCHY: Mapping[str, str] = {
    "RelE": "semantic_frame",
    "EntE": "semantic_frame",
    "CircE": "semantic_frame",
    "CorefE": "discourse",
    "LinkE": "discourse",
    "OutE": "verifiability",
    "GramE": "verifiability",
    "OtherE": "other",
}
GROUP_COLUMNS = {
    "Semantic_Frame_Errors": "semantic_frame",
    "Discourse_Errors": "discourse",
    "Content_Verifiability_Errors": "verifiability",
    "Other": "other",
}
LEAF_COLUMNS = {**{leaf: leaf for leaf in HIERARCHY if leaf != "OtherE"}, "Other": "OtherE"}

Level = Literal["group", "leaf"]


def frank_tests(
    annotations: Path,
    texts: Path | None = None,
    *,
    dataset: str = "cnndm",
    split: str = "test",
    level: Level = "group",
    options: Options | None = None,
) -> TestSet:
    """Summaries without any error (Factuality 1) against those with one. Raises BadInput, InsufficientData.

    annotations: a list of {hash, model_name, dataset, split, Factuality, and a share per error, 1 = none}. texts:
    a list of {hash, model_name, article, summary}; without it the tests carry ids only (flag `without_texts`).
    dataset: cnndm, bbc or all; split: test, valid or all; others are counted as skipped. level: categories are the
    groups of the hierarchy, or its leaves; a summary counts in each it carries.
    """
    columns = GROUP_COLUMNS if level == "group" else LEAF_COLUMNS
    written = _texts(texts) if texts else {}
    skipped: Counter[str] = Counter()
    candidates, seen = [], dict[str, int]()
    for record in read_records(annotations):
        candidate = _candidate(record, columns, written if texts else None)
        if candidate.id in seen:
            raise record.error("hash", f"duplicate summary {candidate.id}, first in row {seen[candidate.id]}")
        seen[candidate.id] = record.row
        if dataset not in ("all", record.text("dataset")):
            skipped["summaries_of_other_datasets"] += 1
        elif split not in ("all", record.text("split")):
            skipped["summaries_of_other_splits"] += 1
        else:
            candidates.append(candidate)
    settings = {"dataset": dataset, "split": split, "level": level}
    order = best_above_others(NO_ERROR, [ERROR])
    return build_tests(candidates, order, "frank", options=options, skipped=skipped, settings=settings)


def _candidate(record: Record, columns: Mapping[str, str], texts: Mapping[str, tuple[str, str]] | None) -> Candidate:
    document, system = record.text("hash"), record.text("model_name")
    name = f"{document}/{system}"
    article, summary = (None, None) if texts is None else texts.get(name, ("", ""))
    if summary == "":
        raise record.error("hash", f"the file of texts has no summary {name}")
    good = _share(record, "Factuality") == 1
    marks = tuple(mark for column, mark in columns.items() if _share(record, column) < 1)
    if good == bool(marks):
        rule = "the summary is free of errors and carries one" if good else "the summary has an error of no kind"
        raise record.error("Factuality", rule)
    return Candidate(name, document, article, summary, NO_ERROR if good else ERROR, marks=marks, system=system)


def _share(record: Record, column: str) -> float:
    value = record.number(column)
    if not 0 <= value <= 1:
        raise record.error(column, "a share lies between 0 and 1")
    return value


def _texts(path: Path) -> dict[str, tuple[str, str]]:
    texts: dict[str, tuple[str, str]] = {}
    for record in read_records(path):
        name = f"{record.text('hash')}/{record.text('model_name')}"
        if name in texts:
            raise BadInput(f"duplicate summary {name}", where=path.name, row=record.row, column="hash")
        texts[name] = (record.text("article"), record.text("summary"))
    return texts
