"""All files of a report in one zip, described by RO-Crate metadata; equal files give equal bytes."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from metrics.report.formats.draft import Draft, DraftFile
from metrics.report.prose import citation
from metrics.version import __version__

NAME = "report.zip"
METADATA = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"
BEGINNING = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
TYPES = {
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    "tex": "application/x-tex",
    "bib": "application/x-bibtex",
    "pdf": "application/pdf",
    "cff": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class About:
    """What the files are, in words; licence: of the texts, None where it is not recorded."""

    name: str
    description: str
    licence: str | None = None


def build_archive(draft: Draft, about: About, files: Mapping[str, DraftFile], *, now: datetime) -> DraftFile:
    """The zip: the files, how to cite them, and RO-Crate metadata. Only the last two contain `now`."""
    cited = citation.citation(about.name, about.description, about.licence, now=now)
    added = {citation.CITATION: cited, citation.CODEMETA: citation.codemeta()}
    described = {**{name: (file.size, file.sha256) for name, file in files.items()}, **_sizes(added)}
    packed_files: dict[str, bytes | DraftFile] = {**files, **added, METADATA: metadata(about, described, now=now)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name in sorted(packed_files):
            entry = zipfile.ZipInfo(name, BEGINNING)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            content = packed_files[name]
            if isinstance(content, bytes):
                packed.writestr(entry, content)
                continue
            entry.file_size = content.size
            with packed.open(entry, "w") as target:
                target.writelines(content.blocks())
    return draft.add(NAME, out.getvalue())


def _sizes(contents: Mapping[str, bytes]) -> dict[str, tuple[int, str]]:
    return {name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in contents.items()}


def metadata(about: About, files: Mapping[str, tuple[int, str]], *, now: datetime) -> bytes:
    """RO-Crate 1.1: the dataset, its files with size and SHA-256, and the software that made them."""
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": about.name,
        "description": about.description or "A human evaluation of generated text.",
        "datePublished": now.date().isoformat(),
        "license": about.licence or "not recorded",
        "hasPart": [{"@id": name} for name in sorted(files)],
        "creator": {"@id": "#assay"},
    }
    software = {"@id": "#assay", "@type": "SoftwareApplication", "name": "Assay", "softwareVersion": __version__}
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    graph = [descriptor, root, software, *(_file(name, *files[name]) for name in sorted(files))]
    body = {"@context": f"{PROFILE}/context", "@graph": graph}
    return (json.dumps(body, ensure_ascii=False, indent=1) + "\n").encode()


def _file(name: str, size: int, sha256: str) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream"),
        "contentSize": str(size),
        "sha256": sha256,
    }
