"""The report as JSON: plain values in a fixed order, no NaN, one home for each thing.

`data` holds what the results were computed from; together with `study`, `money`, `crowd` and `quality` it is the whole
`ReportInput`, and `read` gives it back.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from metrics.data.to_json import estimate_json, modes_json
from metrics.errors import BadInput
from metrics.report.checklists.completeness import completeness_score
from metrics.report.checklists.missing import list_missing
from metrics.report.record_codec import decode, encode
from metrics.report.records import GeneratorFacts, KnownValue, ReportInput, Truth
from metrics.report.result import GeneratorReport, Report
from metrics.report.section import Section
from metrics.report.snapshot import Header
from metrics.tables.structured import table_json
from metrics.types import MODEL, REFERENCE

SCHEMA_VERSION = 2
ABOVE = {"study": "study", "money": "money", "crowd": "crowd", "flags": "quality"}  # the key of each part of the input


def payload(report: Report, *, now: datetime, lazy_tables: bool = False) -> dict[str, Any]:
    """Everything of `report.json`. `created` is the only part that depends on `now`; None means "not recorded".

    generators: {name: {"modes": {mode: {measure: estimate}}, ...}}. truth: {name: ...}, only where some is known.
    lazy_tables: as `metrics.report.record_codec.encode` takes it.
    """
    data = {
        field.name: encode(getattr(report.input, field.name), lazy_tables=lazy_tables)
        for field in fields(report.input)
        if field.name not in ABOVE
    }
    return {**numbers(report, now=now), "data": data}


def numbers(report: Report, *, now: datetime) -> dict[str, Any]:
    """The payload without what it was computed from."""
    report_input = report.input
    encoded = {name: encode(getattr(report_input, name)) for name in ABOVE}
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "created": now.isoformat(timespec="seconds"),
        "study": encoded["study"],
        "generators": {generator.facts.name: _generator(generator) for generator in report.generators},
        "hj": {row.name: estimate_json(row.mean) for row in report.sources},
        "money": encoded["money"],
        "crowd": encoded["crowd"],
        "ratings_per_text": {str(count): texts for count, texts in report.ratings_per_text},
        "quality": encoded["flags"],
        "items": section_json(report.items),
        "results": [section_json(section) for section in report.sections],
        "warnings": [asdict(warn) for warn in report.warnings],
        "verdicts": list(report.verdicts),
        "limits": list(report.limits),
        "methods": list(report.methods),
        "completeness": {
            "score": completeness_score(report.checklist),
            "items": [encode(item) for item in report.checklist],
        },
        "missing": [{"key": fact.key, "name": fact.name, "hint": fact.hint} for fact in list_missing(report_input)],
        "datasheet": [encode(entry) for entry in report.sheet],
        "reproducibility": {
            "versions": dict(report_input.versions),
            "commit": report_input.commit,
            "command": report_input.command,
            "settings": dict(report_input.settings),
            "seed": report.seed,
            "k": report.k,
            "level": report.level,
            "raters": "new" if report.new_raters else "these",
            **({"snapshot": _snapshot(report.snapshot)} if report.snapshot else {}),
        },
    }
    truths = {facts.name: truth(facts.truth) for facts in report_input.generators if facts.truth is not None}
    return {**body, **({"truth": truths} if truths else {})}


def _snapshot(header: Header) -> dict[str, Any]:
    return {"number": header.number, "sha256": header.content_sha256, "header_sha256": header.sha256}


def read(document: Any) -> ReportInput:
    """What the report was made from. Raises BadInput with the place that is wrong."""
    if isinstance(document, dict) and {"studies", "results"} <= document.keys():
        raise BadInput(
            "a comparison holds no ratings, so it cannot be read back: read the report.json of each of its studies, "
            "and compare them again"
        )
    if not isinstance(document, dict) or "data" not in document:
        raise BadInput("the file is not a report of Assay (report.json)")
    if document.get("schema_version") != SCHEMA_VERSION:
        version = document.get("schema_version")
        raise BadInput(f"the report is of version {version}, and version {SCHEMA_VERSION} was expected")
    if not isinstance(document["data"], dict):
        raise BadInput("an object was expected", where="data")
    absent = [name for name in ABOVE.values() if name not in document]
    if absent:
        raise BadInput("the part is missing", where=absent[0])
    above = {name: document[place] for name, place in ABOVE.items()}
    report_input: ReportInput = decode(ReportInput, {**document["data"], **above})
    return report_input


def section_json(section: Section) -> dict[str, Any]:
    """A part of the results; figures are not in it, their numbers are."""
    return {
        "key": section.key,
        "title": section.title,
        "lead": list(section.lead),
        "tables": [table_json(table) for table in section.tables],
        "missing": [{"part": part, "why": why} for part, why in section.missing],
        "measures": [
            {"subject": measured.subject, "title": measured.title, **estimate_json(measured.estimate)}
            for measured in section.measures
        ],
        "references": [reference.key for reference in section.references],
    }


def truth(known: Truth) -> dict[str, Any]:
    """What a rehearsal knows of a generator; each value with its Monte-Carlo standard error."""
    return {
        "temperature": known.temperature,
        "l_star": _known(known.l_star),
        "l_phi": _known(known.l_phi),
        "l_phi_q": _known(known.l_phi_q),
        "expected": {"huse": _known(known.huse), "huse_q": _known(known.huse_q), "huse_d": _known(known.huse_d)},
        "studies": known.studies,
        "raters": known.raters,
        "texts": known.texts,
    }


def _generator(generator: GeneratorReport) -> dict[str, Any]:
    facts = generator.facts
    return {
        "modes": modes_json(generator.modes),
        "n": generator.n,
        "n_reference": _count(facts, REFERENCE),
        "n_model": _count(facts, MODEL),
        "decoding": facts.decoding,
        "log_prob_decoding": facts.log_prob_decoding,
        "length_unit": facts.length_unit,
    }


def _count(facts: GeneratorFacts, source: str) -> int:
    return sum(item.source == source for item in facts.items)


def _known(value: KnownValue) -> dict[str, float]:
    return {field.name: getattr(value, field.name) for field in fields(value)}
