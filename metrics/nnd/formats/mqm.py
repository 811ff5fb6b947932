"""MQM annotations of WMT (Freitag et al. 2021): translated segments with errors marked, one error a row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

from metrics.data.text_files import read_text
from metrics.errors import BadInput
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.records import Candidate, TestSet

COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
NO_ERROR = "no-error"

Label = Literal["category", "severity"]


def mqm_tests(path: Path, *, label: Label = "category", options: Options | None = None) -> TestSet:
    """Rows without an error against rows with one, of the same segment (rows are paired, not segments).

    path: tab-separated as published, with the columns system, doc, doc_id, seg_id, rater, source, target (the error
    between <v> and </v>), category, severity; quotation marks are part of the text. Rows of more or fewer cells and
    rows without a target are counted as skipped. label: what the categories of the tests are. Two rows of one text
    (of two raters) make no test unless `keep_equal_texts` is set, as in the original. Raises BadInput,
    InsufficientData.
    """
    skipped: Counter[str] = Counter()
    candidates = []
    for line, cells in _rows(path, skipped):
        target = cells["target"].replace("<v>", "").replace("</v>", "")
        if not target.strip() or not cells["source"].strip():
            skipped["rows_without_text"] += 1
            continue
        for column in ("doc_id", "seg_id", "system", label):
            if not cells[column].strip():
                raise BadInput("the cell is blank", where=path.name, row=line, column=column)
        segment = f"{cells['doc_id']}/{cells['seg_id']}/{cells['source']}"
        name = f"{path.name}:{line}"
        mark = NO_ERROR if cells[label].strip().lower() == NO_ERROR else cells[label].strip()
        candidates.append(Candidate(name, segment, cells["source"], target, mark, system=cells["system"]))
    order = best_above_others(NO_ERROR, [*dict.fromkeys(candidate.label for candidate in candidates), "any"])
    return build_tests(candidates, order, "mqm", options=options, skipped=skipped, settings={"label": label})


def _rows(path: Path, skipped: Counter[str]) -> list[tuple[int, dict[str, str]]]:
    # Published without quoting, so that a reader of CSV would join rows at a lone quotation mark.
    lines = read_text(path, "TSV").split("\n")
    header = lines[0].rstrip("\r").split("\t")
    absent = [column for column in COLUMNS if column not in header]
    if absent:
        raise BadInput("the column is missing", where=path.name, row=1, column=absent[0])
    rows = []
    for line, text in enumerate(lines[1:], start=2):
        cells = text.rstrip("\r").split("\t")
        if not text.strip():
            continue
        if len(cells) != len(header):
            skipped["rows_of_another_width"] += 1
        else:
            rows.append((line, dict(zip(header, cells, strict=True))))
    return rows
