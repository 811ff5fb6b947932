"""A comparison of studies on disk, in the formats of a report: whole or not at all, equal but for the date."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from metrics.figures.chart import Chart
from metrics.report.comparison.compare import StudyComparison
from metrics.report.data_file import DICTIONARY, DataFile
from metrics.report.formats import pdf, ro_crate
from metrics.report.formats.data_columns import RESULT_COLUMNS, estimate_rows
from metrics.report.formats.draft import Draft, DraftFile, drafting, publish
from metrics.report.formats.html import MANY_ROWS, environment, page_context, render_part, section_signatures
from metrics.report.formats.isolation import isolate_words
from metrics.report.formats.json import section_json
from metrics.report.formats.json_schema import ESTIMATE, INTERVAL, SECTION, TABLE, TEXTS, object_schema
from metrics.report.formats.latex import (
    FIGURES,
    render_bibliography,
    render_document,
    render_figures,
    render_limitations,
    render_section,
    render_subsections,
)
from metrics.report.formats.write import USUAL, Format, as_json, check_formats, is_requested
from metrics.report.prose import bibliography
from metrics.report.record_codec import Schema, encode
from metrics.tables.delimited import lines, table_csv

SCHEMA_VERSION = 1
JSON = "comparison.json"
CONTENTS = (
    ("summary", "Summary"),
    ("results", "Results"),
    ("reproducibility", "Reproducibility"),
    ("limitations", "Limitations"),
)
BY_FORMAT: dict[str, Format] = {
    "comparison.html": "html",
    "comparison.pdf": "pdf",
    "comparison.json": "json",
    "comparison.schema.json": "json",
}


def write_comparison(
    compared: StudyComparison,
    out_dir: Path,
    *,
    now: datetime,
    formats: Sequence[Format] = USUAL,
    chromium: Path | None = None,
    sandbox: bool = True,
) -> list[Path]:
    """Write comparison.html and the others into `out_dir`. Raises as `metrics.report.formats.write.write_report`."""
    check_formats(formats, now=now)
    with drafting(out_dir) as draft:
        files = _draft_files(compared, draft, now=now, formats=formats, chromium=chromium, sandbox=sandbox)
        return publish(files.values(), out_dir)


def _draft_files(
    compared: StudyComparison,
    draft: Draft,
    *,
    now: datetime,
    formats: Sequence[Format],
    chromium: Path | None = None,
    sandbox: bool = True,
) -> dict[str, DraftFile]:
    """Every file of the formats by its name. Raises NoBrowser where PDF is requested without a Chromium."""
    every = "zip" in formats
    included_formats = {*formats, *((*USUAL, "latex") if every else ()), *(("pdf",) if every and chromium else ())}
    at, data, contents = now.astimezone(UTC), tables_of(compared), dict[str, bytes]()
    if included_formats & {"html", "pdf"}:
        page = html(compared, now=now, files=data)
        if "html" in included_formats:
            contents["comparison.html"] = page.encode()
        if "pdf" in included_formats:
            contents["comparison.pdf"] = pdf.print_page(page, chromium=chromium, now=at, sandbox=sandbox)
    if "json" in included_formats:
        contents[JSON] = as_json(payload(compared, now=now))
        contents["comparison.schema.json"] = as_json(document_schema())
    if "csv" in included_formats:
        contents |= data
    if "latex" in included_formats:
        drawn = chromium is not None and bool(charts(compared))
        contents["comparison.tex"] = latex(compared, has_figures=drawn).encode()
        if drawn:
            contents[FIGURES] = pdf.print_figures(charts(compared), chromium=chromium, now=at, sandbox=sandbox)
    contents["references.bib"] = bibliography.entries(bibliography.cited_by(compared.sections)).encode()
    files = {name: draft.add(name, content) for name, content in contents.items()}
    if every:
        about = ro_crate.About(f"Comparison of {compared.title}", " ".join(compared.verdicts))
        archived = ro_crate.build_archive(draft, about, files, now=now)
        files = {name: file for name, file in files.items() if is_requested(name, formats, data, BY_FORMAT)}
        files[ro_crate.NAME] = archived
    return files


def charts(compared: StudyComparison) -> list[Chart]:
    """Every figure, in the order of the sections."""
    return [chart for section in compared.sections for chart in section.charts]


def tables_of(compared: StudyComparison) -> dict[str, bytes]:
    """`results.csv` with every number, and each table as a CSV of its own."""
    tables = [(section.key, table) for section in compared.sections for table in section.tables]
    out = {f"{table.name}.csv": table_csv(table) for _, table in tables}
    results = DataFile("results", RESULT_COLUMNS, estimate_rows(tables))
    out["results.csv"] = "".join(results.lines())
    out["dictionary.csv"] = lines(DICTIONARY, results.describe())
    return {name: text.encode() for name, text in out.items()}


def data_hashes(compared: StudyComparison) -> list[tuple[str, str]]:
    """SHA-256 of what each study was compared from, by its name."""
    return [
        (report_input.study.name, _digest(json.dumps(encode(report_input), sort_keys=True).encode()))
        for report_input in compared.studies
    ]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def html(compared: StudyComparison, *, now: datetime, files: Mapping[str, bytes]) -> str:
    """The whole page, for a reader without a network."""
    context: dict[str, Any] = {
        **page_context(f"{compared.title}: comparison", CONTENTS, charts(compared), now=now),
        "compared": compared,
        "studies": compared.studies,
        "systems": len(compared.systems),
        "parts": [render_part(section, file=JSON) for section in compared.sections],
        "many": MANY_ROWS,
        "versions": compared.studies[0].versions,
        "hashes": [*data_hashes(compared), *((name, _digest(content)) for name, content in sorted(files.items()))],
        "signatures": section_signatures(compared.sections),
    }
    return isolate_words(environment().get_template("comparison.html").render(context))


def payload(compared: StudyComparison, *, now: datetime) -> dict[str, Any]:
    """Everything of `comparison.json`; `created` alone depends on `now`."""
    hashes = dict(data_hashes(compared))
    return {
        "schema_version": SCHEMA_VERSION,
        "created": now.isoformat(timespec="seconds"),
        "studies": [
            {
                "study": encode(report_input.study),
                "data_sha256": hashes[report_input.study.name],
                "command": report_input.command,
            }
            for report_input in compared.studies
        ],
        "results": [section_json(section) for section in compared.sections],
        "warnings": [asdict(warn) for warn in compared.warnings],
        "verdicts": list(compared.verdicts),
        "limits": list(compared.limits),
        "methods": list(compared.methods),
        "reproducibility": {
            "versions": dict(compared.studies[0].versions),
            "command": compared.command,
            "seed": compared.seed,
            "k": compared.k,
            "level": compared.level,
        },
    }


def document_schema() -> Schema:
    """The JSON Schema (2020-12) of `comparison.json`."""
    study = object_schema(
        {"study": {"type": "object"}, "data_sha256": {"type": "string"}, "command": {"type": ["string", "null"]}}
    )
    warn = object_schema({"kind": {"type": "string"}, "sentence": {"type": "string"}})
    properties: dict[str, Schema] = {
        "schema_version": {"const": SCHEMA_VERSION},
        "created": {"type": "string", "format": "date-time"},
        "studies": {"type": "array", "minItems": 2, "items": study},
        "results": {"type": "array", "items": {"$ref": "#/$defs/Section"}},
        "warnings": {"type": "array", "items": warn},
        **dict.fromkeys(("verdicts", "limits", "methods"), TEXTS),
        "reproducibility": {"type": "object"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Comparison of studies by Assay",
        **object_schema(properties),
        "$defs": {"Estimate": ESTIMATE, "Interval": INTERVAL, "Section": SECTION, "Table": TABLE},
    }


def latex(compared: StudyComparison, *, has_figures: bool) -> str:
    """A document that compiles alone with pdflatex."""
    parts = [
        render_section("Summary", [*compared.verdicts, *compared.limits]),
        render_section("Methods", compared.methods),
        r"\section{Results}",
        *render_subsections(compared.sections, JSON),
        render_limitations(compared.warnings),
        *(render_figures(charts(compared)) if has_figures else ()),
        render_bibliography(bibliography.cited_by(compared.sections)),
    ]
    return render_document(compared.title, "Comparison of studies", parts)
