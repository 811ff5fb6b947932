"""Files of numbers about a study's texts: what `python -m metrics` writes as JSON, or a CSV with named columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.data.csv_files import Row, read_rows
from metrics.errors import BadInput
from metrics.report.row_records import AttachedKind
from metrics.report.sections.external_scores import kind_of

ID = "id"
MAX_MEASURE_CHARS = 60


@dataclass(frozen=True, slots=True)
class ScoresRead:
    """A file's content. model, version: what its own content says of its making, "" for nothing."""

    kind: AttachedKind
    sha256: str
    document: Mapping[str, Any]
    model: str = ""
    version: str = ""


def read_scores(path: Path, texts: Collection[str], columns: Sequence[str] = ()) -> ScoresRead:
    """The file's numbers. texts: ids of the study's texts. columns: of a CSV, those to take; none: all but `id`.

    Raises BadInput naming file, row, column and rule.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"the file cannot be read ({error.strerror})", where=path.name) from None
    digest = hashlib.sha256(content).hexdigest()
    if content.lstrip()[:1] in (b"{", b"["):
        document = _document(content, path.name)
        backend = document.get("backend") or {}
        return ScoresRead(kind_of(document), digest, document, *(str(backend.get(key) or "") for key in BACKEND))
    scores = _table(path, frozenset(texts), columns)
    return ScoresRead("scores", digest, {"schema_version": 1, "scores": scores})


BACKEND = ("model", "revision")


def _document(content: bytes, name: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        raise BadInput("the file is not JSON", where=name) from None
    if not isinstance(document, dict):
        raise BadInput("a JSON object was expected", where=name)
    return document


def _table(path: Path, texts: frozenset[str], columns: Sequence[str]) -> dict[str, dict[str, float]]:
    rows = read_rows(path, (ID, *columns))
    measures = list(columns) or [name for name in rows[0].cells if name and name != ID]
    if not measures:
        raise BadInput("a column of scores in addition to `id` was expected", where=path.name)
    if long := [name for name in measures if len(name) > MAX_MEASURE_CHARS]:
        raise BadInput(
            f"a name of at most {MAX_MEASURE_CHARS} characters was expected", where=path.name, column=long[0]
        )
    scores: dict[str, dict[str, float]] = {name: {} for name in measures}
    seen: dict[str, int] = {}
    for row in rows:
        text = _text(row, texts, seen)
        for name in measures:
            if row.cells[name]:  # a blank cell means: not scored
                scores[name][text] = float(row.number(name))
    if empty := [name for name, values in scores.items() if not values]:
        raise BadInput("the column holds no score", where=path.name, column=empty[0])
    return scores


def _text(row: Row, texts: frozenset[str], seen: dict[str, int]) -> str:
    text = row.text(ID)
    if text not in texts:
        raise row.error(ID, f"no text of the study has the id {text!r}")
    if text in seen:
        raise row.error(ID, f"the text {text!r} has scores in row {seen[text]} already")
    seen[text] = row.line
    return text
