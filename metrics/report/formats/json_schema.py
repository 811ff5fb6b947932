"""The JSON Schema (2020-12) of `report.json`: the records by their types, the results by hand."""

from __future__ import annotations

from metrics.report.checklists.completeness import ChecklistItem
from metrics.report.checklists.heds import Entry
from metrics.report.formats.json import ABOVE, SCHEMA_VERSION
from metrics.report.record_codec import Schema, schema
from metrics.report.records import ReportInput, Warn


def _each(member: Schema) -> Schema:
    return {"type": "object", "additionalProperties": member}


def object_schema(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object with these fields and no others; all but `optional` are needed."""
    needed = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


NUMBER = {"type": ["number", "null"]}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
INTERVAL = object_schema(
    {"low": NUMBER, "high": NUMBER, "level": NUMBER, "method": TEXT, "target": TEXT}, optional=("target",)
)
ESTIMATE = object_schema(
    {
        "value": NUMBER,
        "n": {"type": "integer"},
        "interval": {"anyOf": [{"$ref": "#/$defs/Interval"}, {"type": "null"}]},
        "settings": {"type": "object"},
        "flags": TEXTS,
        "signature": TEXT,
    }
)
CELL = {"anyOf": [{"type": ["string", "number", "null"]}, {"$ref": "#/$defs/Estimate"}]}
TABLE = object_schema(
    {
        "schema_version": {"type": "integer"},
        "name": TEXT,
        "title": TEXT,
        "columns": {"type": "array", "items": object_schema({"key": TEXT, "title": TEXT, "kind": TEXT})},
        "rows": {"type": "array", "items": _each(CELL)},
        "notes": TEXTS,
        "signatures": TEXTS,
    }
)
MEASURED = object_schema({"subject": TEXT, "title": TEXT, **ESTIMATE["properties"]})
SECTION = object_schema(
    {
        "key": TEXT,
        "title": TEXT,
        "lead": TEXTS,
        "tables": {"type": "array", "items": {"$ref": "#/$defs/Table"}},
        "missing": {"type": "array", "items": object_schema({"part": TEXT, "why": TEXT})},
        "measures": {"type": "array", "items": MEASURED},
        "references": TEXTS,
    }
)
MEASURES = object_schema({name: {"$ref": "#/$defs/Estimate"} for name in ("huse", "huse_q", "huse_d", "log_prob_only")})
GENERATOR = object_schema(
    {
        "modes": object_schema({"exact": MEASURES, "paper": MEASURES}),
        **{name: {"type": "integer"} for name in ("n", "n_reference", "n_model")},
        **{name: {"type": ["string", "null"]} for name in ("decoding", "log_prob_decoding", "length_unit")},
    }
)


def document_schema() -> Schema:
    """The JSON Schema (2020-12) of `report.json`."""
    defs: dict[str, Schema] = {}
    input_name = schema(ReportInput, defs)["$ref"].rsplit("/", 1)[1]
    parts = dict(defs[input_name]["properties"])
    needed = [name for name in defs.pop(input_name)["required"] if name not in ABOVE]
    data = {name: part for name, part in parts.items() if name not in ABOVE}
    entries = {"type": "array", "items": schema(Entry, defs)}
    checklist = {"type": "array", "items": schema(ChecklistItem, defs)}
    defs |= {"Estimate": ESTIMATE, "Interval": INTERVAL, "Table": TABLE, "Section": SECTION, "Generator": GENERATOR}
    properties: dict[str, Schema] = {
        "schema_version": {"const": SCHEMA_VERSION},
        "created": {"type": "string", "format": "date-time"},
        **{place: parts[name] for name, place in ABOVE.items()},
        "generators": _each({"$ref": "#/$defs/Generator"}),
        "hj": _each({"$ref": "#/$defs/Estimate"}),
        "ratings_per_text": _each({"type": "integer"}),
        "items": {"$ref": "#/$defs/Section"},
        "results": {"type": "array", "items": {"$ref": "#/$defs/Section"}},
        "warnings": {"type": "array", "items": schema(Warn, defs)},
        **{name: {"type": "array", "items": {"type": "string"}} for name in ("verdicts", "limits", "methods")},
        "completeness": object_schema({"score": {"type": "string"}, "items": checklist}),
        "missing": {"type": "array", "items": object_schema({"key": TEXT, "name": TEXT, "hint": TEXT})},
        "datasheet": entries,
        "reproducibility": {"type": "object"},
        "truth": {"type": "object"},
        "data": {"type": "object", "properties": data, "required": needed, "additionalProperties": False},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Report of Assay",
        **object_schema(properties, optional=("truth",)),
        "$defs": dict(sorted(defs.items())),
    }
