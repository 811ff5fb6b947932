"""Croissant metadata of a release: its files and the columns of its tables.

Source: Croissant Format Specification 1.1, http://mlcommons.org/croissant/1.1 (published 2026-01-29).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from metrics.report.formats.ro_crate import TYPES
from metrics.report.formats.write import as_json

NAME = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "sc": "https://schema.org/",
    "source": "cr:source",
}


def croissant_metadata(
    name: str,
    description: str,
    *,
    licence: str,
    now: datetime,
    hashes: Mapping[str, tuple[int, str]],
    tables: Mapping[str, bytes],
    meanings: Mapping[tuple[str, str], str],
    url: str = "",
) -> bytes:
    """The metadata as JSON-LD.

    hashes: size and SHA-256 of each file by its path. tables: the CSV files among them. meanings: of (table, column).
    url: where the release is deposited; "" leaves it for the depositor to add, as the address is not known before.
    """
    return as_json(
        {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": CONFORMS_TO,
            "name": name,
            "description": description,
            "license": licence,
            "datePublished": now.date().isoformat(),
            **({"url": url} if url else {}),
            "distribution": [_file(path, *hashes[path]) for path in sorted(hashes)],
            "recordSet": [_record_set(path, tables[path], meanings) for path in sorted(tables)],
        }
    )


def _file(path: str, size: int, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{size} B",
        "encodingFormat": TYPES.get(path.rsplit(".", 1)[-1], "text/plain"),
        "sha256": sha256,
    }


def _record_set(path: str, content: bytes, meanings: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    table = path.rsplit("/", 1)[-1]
    key = table.removesuffix(".csv")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    return {
        "@type": "cr:RecordSet",
        "@id": key,
        "name": key,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{key}/{column}",
                "name": column,
                "description": meanings.get((table, column), column),
                "dataType": kind,
                "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
            }
            for column, kind in _typed_columns(rows)
        ],
    }


def _typed_columns(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """A column is of numbers where each of its cells is one; all else, and what has empty cells, is text."""
    for place, column in enumerate(rows[0] if rows else ()):
        cells = [row[place] for row in rows[1:]]
        yield column, "sc:Float" if cells and all(_is_number(cell) for cell in cells) else "sc:Text"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
