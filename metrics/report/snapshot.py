"""A snapshot of a study: one immutable, versioned, hashed document, of which a report is a pure function.

It has a header (who looked, when and why, and with which software) and a content (everything that the results are
computed from), each with a SHA-256 of its own: equal contents are equal data, whoever looked. The bytes are canonical:
UTF-8, sorted keys, no spaces, exact fractions as strings, no NaN. Raters are pseudonyms; the free texts that the header
lists under `personal` may say who wrote them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from datetime import datetime
from functools import reduce
from typing import Any

from metrics.errors import BadInput
from metrics.report.json_pieces import CANONICAL, bytes_of
from metrics.report.json_tables import parse_tables
from metrics.report.record_codec import decode, encode
from metrics.report.records import ReportInput

SCHEMA, VERSION = "assay-snapshot", 1
PERSONAL = ("comments.body",)
CONTENT = b'{"content":'  # how the file begins
# Fields that releases of version 1 have not all written; it has always written the others.
NOT_IN_ALL = frozenset({"task_plan"})
# Of the input, what belongs to the look and not to the data.
OF_THE_LOOK = {"versions": (), "commit": None, "command": None}
Document = dict[str, Any]
# Each brings a document of its version to the next. Its tables are `record_codec.ColumnTable`s where it was canonical.
UPGRADES: Mapping[int, Callable[[Document], Document]] = {}


@dataclass(frozen=True, slots=True)
class Header:
    """Who looked at which data. number: within the study, from 1. reason: why somebody looked.

    content_sha256: of the canonical bytes of the content. versions, commit, command: of what took the snapshot.
    personal: paths of free texts by raters. sections: keys of the sections of other packages that the report had.
    """

    study: str
    number: int
    created_at: datetime
    actor: str
    reason: str
    content_sha256: str
    versions: tuple[tuple[str, str], ...] = ()
    commit: str | None = None
    command: str | None = None
    personal: tuple[str, ...] = PERSONAL
    sections: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Of the canonical bytes of the header."""
        return sha256_of(header_bytes(self))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A header with the content that it names, as canonical bytes."""

    header: Header
    content: bytes

    @property
    def report_input(self) -> ReportInput:
        """What a report is built from. Raises BadInput with the place that is wrong."""
        return read_content(self.content, self.header)

    def document(self) -> bytes:
        """The file: canonical bytes that `read_snapshot` takes."""
        head, digest = header_bytes(self.header), self.header.sha256.encode()
        return b"".join((CONTENT, self.content, b',"header":', head, b',"header_sha256":"', digest, b'"}\n'))


def content_of(report_input: ReportInput) -> bytes:
    """The canonical bytes of a study's data; what belongs to the look alone is not among them."""
    encoded = encode(replace(report_input, **OF_THE_LOOK), lazy_tables=True)  # type: ignore[arg-type]
    for name in OF_THE_LOOK:
        del encoded[name]
    for attached in encoded["attached"]:
        # A file of numbers keeps the order of its keys.
        attached["document"] = json.dumps(attached["document"], ensure_ascii=False, allow_nan=False)
    return bytes_of(CANONICAL.pieces({"schema": SCHEMA, "schema_version": VERSION, **encoded}))


def read_content(content: bytes, header: Header) -> ReportInput:
    """The data as records, with what the header says of the look. Raises BadInput."""
    return replace(read_data(content), versions=header.versions, commit=header.commit, command=header.command)


def read_data(content: bytes) -> ReportInput:
    """The data as records, without what belongs to a look. Raises BadInput."""
    try:
        parsed = parse_tables(content)
    except ValueError:
        raise BadInput("the file is not JSON") from None
    document = upgrade(_object(parsed))
    fields = {name: value for name, value in document.items() if name not in ("schema", "schema_version")}
    for number, attached in enumerate(fields.get("attached", ())):
        attached["document"] = _attached_document(attached, f"attached[{number}].document")
    for name in (field.name for field in dataclass_fields(ReportInput)):
        if name not in fields and name not in NOT_IN_ALL and name not in OF_THE_LOOK:
            raise BadInput("the field is missing", where=name)
    report_input: ReportInput = decode(ReportInput, fields)
    return report_input


def _attached_document(attached: Document, where: str) -> Any:
    """A file of scores, which its snapshot holds as text. Raises BadInput."""
    try:
        return json.loads(attached["document"])
    except (KeyError, TypeError, ValueError):
        raise BadInput("JSON as text was expected", where=where) from None


def upgrade(document: Document, steps: Mapping[int, Callable[[Document], Document]] = UPGRADES) -> Document:
    """The document in this version, step by step. Raises BadInput for another schema or a later version."""
    version = document.get("schema_version")
    if document.get("schema") != SCHEMA or not isinstance(version, int):
        raise BadInput(f"the file is not a snapshot of Assay ({SCHEMA})")
    if not 1 <= version <= VERSION:
        raise BadInput(f"the snapshot is of version {version}, and this release reads versions 1 to {VERSION}")
    return reduce(lambda older, at: steps[at](older), range(version, VERSION), document)


def read_snapshot(document: bytes) -> Snapshot:
    """The snapshot of a file. Raises BadInput where it is none, or where a hash shows that it was changed."""
    return _read_as_written(document) or _read_parsed(_parse(document))


def _read_as_written(document: bytes) -> Snapshot | None:
    """Of the bytes that `Snapshot.document` gives, without parsing the content; None of any others."""
    end = document.rfind(b',"header":')
    if end < 0 or not document.startswith(CONTENT):
        return None
    content = document[len(CONTENT) : end]
    try:
        parsed = _parse(b"{" + document[end + 1 :])
        header: Header = decode(Header, parsed["header"], "header")
    except (BadInput, KeyError):
        return None
    is_intact = sha256_of(content) == header.content_sha256 and header.sha256 == parsed.get("header_sha256")
    return Snapshot(header, content) if is_intact else None


def _read_parsed(parsed: Document) -> Snapshot:
    if not {"header", "header_sha256", "content"} <= parsed.keys():
        raise BadInput(f"the file is not a snapshot of Assay ({SCHEMA})")
    header: Header = decode(Header, parsed["header"], "header")
    content = canonical_bytes(parsed["content"])
    if sha256_of(content) != header.content_sha256:
        raise BadInput("the content is not the one that the header names: its SHA-256 differs", where="content")
    if header.sha256 != parsed["header_sha256"]:
        raise BadInput("the header was changed: its SHA-256 differs", where="header")
    return Snapshot(header, content)


def canonical_bytes(document: Any) -> bytes:
    """UTF-8 JSON with sorted keys and without spaces. Raises ValueError for NaN."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def sha256_of(content: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def header_bytes(header: Header) -> bytes:
    """The canonical bytes of a header."""
    encoded = encode(header)
    if not header.sections:  # a header without them has the bytes that it had before there were any
        del encoded["sections"]
    return canonical_bytes(encoded)


def read_header(content: bytes) -> Header:
    """The header of its bytes. Raises BadInput."""
    header: Header = decode(Header, _parse(content), "header")
    return header


def _parse(content: bytes) -> Document:
    try:
        document = json.loads(content)
    except ValueError:
        raise BadInput("the file is not JSON") from None
    return _object(document)


def _object(document: Any) -> Document:
    if not isinstance(document, dict):
        raise BadInput("an object was expected")
    return document
