"""Which crowd HTML elements a task may use. Those that need media widgets are refused when the HIT is created."""

from __future__ import annotations

import lxml.etree

from annotation.marketplace.errors import InvalidParameterError

# Those that annotation/marketplace/scripts draws.
_NAMES = """alert badge button card checkbox classifier classifier-multi-select divider entity-annotation fab form
icon-button image-classifier image-classifier-multi-select input instructions modal radio-button radio-group slider tab
tabs text-area toast toggle-button"""
DRAWN = frozenset(f"crowd-{name}" for name in _NAMES.split())
_PICTURES = "ask with crowd-image-classifier, or mark places with a page of your own (ExternalQuestion)"
_TEXTS = "use crowd-text-area, crowd-classifier or crowd-entity-annotation"
INSTEAD = {
    "crowd-bounding-box": _PICTURES,
    "crowd-keypoint": _PICTURES,
    "crowd-polygon": _PICTURES,
    "crowd-line": _PICTURES,
    "crowd-polyline": _PICTURES,
    "crowd-semantic-segmentation": _PICTURES,
    "crowd-instance-segmentation": _PICTURES,
    "crowd-text-ranking": _TEXTS,
    "crowd-question-answer-generation": _TEXTS,
}
_ELSE = "Mechanical Turk had no such element; use HTML or one of the elements in docs/worker-page-protocol.md"


def check_elements(root: lxml.etree._Element) -> None:
    """Raise InvalidParameterError for the first element of the parsed document that cannot be shown."""
    for element in root.iter():
        name = element.tag if isinstance(element.tag, str) else ""
        if not name.startswith("crowd-"):
            continue
        line = f" (line {element.sourceline})" if element.sourceline else ""
        if name not in DRAWN:
            raise InvalidParameterError(
                f"HTMLContent uses <{name}>{line}, which is not supported: {INSTEAD.get(name, _ELSE)}."
            )
        if name.startswith("crowd-image-classifier") and element.get("overlay") is not None:
            raise InvalidParameterError(
                f"HTMLContent uses <{name} overlay>{line}; the attribute overlay is not supported: leave it away."
            )
