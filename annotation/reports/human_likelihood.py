"""The verb that scores how human-like texts look to a language model, with the files that come of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from annotation.exceptions import StateError
from annotation.models import Study
from annotation.reports import report_rows
from annotation.reports.machine_scores import human_shares, texts_by_key
from annotation.reports.near_negative import Progress
from annotation.reports.shown_tables import write_parts
from annotation.texts import queries
from annotation.texts.scoring_models import open_reader, opening_of_model
from metrics.data.csv_files import read_rows
from metrics.data.evaluator_judgments import HUMAN
from metrics.data.text_files import read_text
from metrics.data.to_json import json_text
from metrics.errors import BadInput, InsufficientData
from metrics.likelihood import TINY, Reader
from metrics.pages.tokens import token_page
from metrics.report.prose.shortened import count_texts_shown
from metrics.report.records import TextRow
from metrics.report.row_records import Attached
from metrics.report.sections import by_source, machine_scores
from metrics.text_scores.gltr import read_gltr
from metrics.text_scores.h_findings import HFindings, Rules, parse_thresholds, summarise_texts
from metrics.text_scores.known_texts import read_origins
from metrics.text_scores.machine_scores import reading_layout, summarise_by_source
from metrics.text_scores.stored_readings import ReadingStore
from metrics.text_scores.token_predictions import Backend, Predictions

RESULT, VIEW, READINGS = "human-likelihood.json", "texts.html", "readings.jsonl"
Format = Literal["lines", "csv", "gltr"]
PART = 16  # texts read between two reports of progress
SHOWN = 100  # texts of the coloured view
Read = tuple[list[Predictions], dict[str, float]]


@dataclass(frozen=True, slots=True)
class HRules:
    """How texts are scored.

    model: name of a model that is offered; "" for GLTR's files, which hold predictions. threshold: `FP` or `FP:FP`;
    "": 0.40, uncalibrated. origins: CSV with the columns text and truth, which calibrates the threshold. backend: the
    model behind GLTR's files, for the record. seed: of the calibration's folds. earlier: folders of runs that stopped,
    whose readings by the same model are used.
    """

    model: str = TINY
    threshold: str = ""
    origins: Path | None = None
    backend: str = ""
    seed: int = 0
    earlier: tuple[Path, ...] = ()


def score_files_of_texts(
    files: Sequence[Path], form: Format, folder: Path, *, rules: HRules, progress: Progress | None = None
) -> dict[str, Any]:
    """Score the texts of files: one text a line, CSV with id and text, or GLTR's JSON.

    Raises BadInput naming file, row and rule, InsufficientData, DegenerateInput, the errors of `metrics.likelihood`.
    """
    names = [path.name for path in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadInput(f"two files are called {twice[0]!r}", column="file")
    if form == "gltr":
        read: Read = ([read_gltr(path, backend=Backend(model=rules.backend)) for path in files], {})
    else:
        read = _read_by_model(_texts(files, form), folder, rules, progress)
    predictions, curvatures = read
    origins = read_origins(rules.origins, [text.id for text in predictions]) if rules.origins else None
    findings = summarise_texts(
        predictions,
        rules=Rules(parse_thresholds(rules.threshold or None, column="threshold"), seed=rules.seed),
        origins=origins,
        curvatures=curvatures,
    )
    return _write(findings, folder, rules, {}, _rows_of_files(predictions, origins or {}))


def score_study(study: Study, folder: Path, *, rules: HRules, progress: Progress | None = None) -> dict[str, Any]:
    """Score the texts of a study. The threshold is calibrated on its own sources where one separates them; shares of
    people who said human are included where results are unblinded. Raises StateError without texts."""
    texts, human = texts_by_key(study)
    if not texts:
        raise StateError(f"The study {study} has no texts yet, so there is nothing to read.")
    predictions, curvatures = _read_by_model(texts, folder, rules, progress)
    shares = human_shares(study)
    findings = summarise_by_source(predictions, curvatures, human, shares, seed=rules.seed)
    rows = [report_rows.text_row(text) for text in queries.texts(study)]
    return _write(findings, folder, rules, shares, rows)


def _rows_of_files(predictions: Sequence[Predictions], origins: Mapping[str, str]) -> list[TextRow]:
    """The texts by source: references where people wrote them, `machine`, or `texts` where that is not known."""
    rows = []
    for text in predictions:
        origin = origins.get(text.id)
        generator = None if origin == HUMAN else origin or "texts"
        rows.append(TextRow(text.id, "reference" if origin == HUMAN else "model", generator, "".join(text.tokens)))
    return rows


def _texts(files: Sequence[Path], form: Format) -> dict[str, str]:
    if len(files) != 1:
        raise BadInput("texts come in one file", column="file")
    path = files[0]
    if form == "lines":
        lines = read_text(path, "text").splitlines()
        texts = {f"line {number}": line for number, line in enumerate(lines, start=1) if line.strip()}
    else:
        texts = {}
        for row in read_rows(path, ("id", "text")):
            name = row.text("id")
            if name in texts:
                raise row.error("id", f"duplicate text {name!r}")
            texts[name] = row.text("text")
    if not texts:
        raise InsufficientData(f"{path.name} holds no text to score.")
    return texts


def _read_by_model(texts: Mapping[str, str], folder: Path, rules: HRules, progress: Progress | None) -> Read:
    """Each part is stored as it comes: begun again, it goes on where it was."""
    opening = opening_of_model(rules.model)
    if progress:
        progress(f"Opening {rules.model}", 0, 0)
    model: Reader = open_reader(rules.model, replace(opening, layout=reading_layout()))
    folder.mkdir(parents=True, exist_ok=True)
    store = ReadingStore(folder / READINGS, [earlier / READINGS for earlier in rules.earlier])
    predictions: list[Predictions] = []
    curvatures: dict[str, float] = {}
    names = list(texts)
    for start in range(0, len(names), PART):
        if progress:
            progress(f"Reading by {rules.model}", start, len(names))
        read, curved = store.read(model, {name: texts[name] for name in names[start : start + PART]})
        predictions += read
        curvatures |= curved
    return predictions, curvatures


def _write(
    findings: HFindings, folder: Path, rules: HRules, shares: Mapping[str, float], texts: Sequence[TextRow]
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    document = findings.document()
    body = json_text(document)
    (folder / RESULT).write_text(body, encoding="utf-8")
    shown = findings.predictions[:SHOWN]
    note = count_texts_shown(SHOWN, len(findings.predictions), RESULT)
    thresholds = findings.result.thresholds
    view = token_page(shown, thresholds, human_share=shares, note=note)
    (folder / VIEW).write_text(view, encoding="utf-8")
    file = Attached("automatic", RESULT, hashlib.sha256(body.encode()).hexdigest(), document)
    by_text = [replace(table, notes=()) for table in machine_scores.tables_of([file])]
    sources = by_source.compute_file_result(file, texts, level=0.95, seed=rules.seed)
    result = findings.result
    facts = {
        "shares": [[name, estimate.value, _ends(estimate)] for name, estimate in _shares(findings)],
        "mean": [result.mean_fp.value, _ends(result.mean_fp)],
        "texts": result.h.n,
        "thresholds": [thresholds.low, thresholds.high, thresholds.origin],
        "calibrated": thresholds.calibrated,
        "people": bool(findings.people),
        "model": findings.backend.model,
        "revision": findings.backend.revision,
        "signature": result.h.signature,
    }
    files = [RESULT, VIEW, *write_parts(folder, [*by_text[:-1], *sources.tables, by_text[-1]], sources.charts, facts)]
    (folder / READINGS).unlink(missing_ok=True)  # the result holds what it held
    return {
        "files": files,
        "texts": result.h.n,
        "tiny": findings.backend.model == TINY,
        "model": findings.backend.model,
    }


def _shares(findings: HFindings) -> list[tuple[str, Any]]:
    result = findings.result
    return [("h", result.h), ("u", result.u), ("m", result.m)]


def _ends(estimate: Any) -> list[float] | None:
    return None if estimate.interval is None else [estimate.interval.low, estimate.interval.high]
