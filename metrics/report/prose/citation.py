"""How to cite a report's data and the software that made it: CITATION.cff and CodeMeta."""

from __future__ import annotations

import json
from datetime import datetime

from metrics.report.wording import NOT_RECORDED
from metrics.version import __version__

CITATION, CODEMETA = "CITATION.cff", "codemeta.json"


def citation(title: str, description: str, licence: str | None, *, now: datetime) -> bytes:
    """CITATION.cff 1.2 of a data set, dated `now`; the names of its authors are for a person to fill in."""
    lines = [
        "cff-version: 1.2.0",
        'message: "Please cite this data set, and the papers in references.bib."',
        "type: dataset",
        f"title: {_quoted(title)}",
        "authors:",
        f'  - name: "{NOT_RECORDED}"',
        f"date-released: {now.date().isoformat()}",
        f"abstract: {_quoted(f'{description} Licence of the texts: {licence or NOT_RECORDED}.')}",
        "references:",
        "  - type: software",
        '    title: "Assay"',
        f'    version: "{__version__}"',
        "    license: Apache-2.0",
        "    authors:",
        '      - name: "The Assay authors"',
    ]
    return ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    """A YAML scalar: JSON's strings are YAML's."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def codemeta() -> bytes:
    """CodeMeta 2.0 of the software."""
    body = {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": "Assay",
        "description": "Human evaluation of generated text: studies, a crowd, and measures with intervals.",
        "version": __version__,
        "license": "https://spdx.org/licenses/Apache-2.0",
        "programmingLanguage": "Python",
        "author": [{"@type": "Organization", "name": "The Assay authors"}],
    }
    return (json.dumps(body, ensure_ascii=False, indent=2) + "\n").encode()
