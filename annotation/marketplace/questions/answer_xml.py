"""From the fields of a submitted form to QuestionFormAnswers XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from xml.sax.saxutils import escape

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
HEAD = f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<QuestionFormAnswers xmlns="{NAMESPACE}">\n'
TAIL = "</QuestionFormAnswers>"
# The only answer of a document whose worker took the answers back; no form can send a field of this name.
WITHDRAWN = "assay:withdrawn"
# The code of a device (`devices`), which stands behind the answers of whoever asked for it.
DEVICE = "assay:device"
# By which channel the worker came (`channels.telling`), behind the answers of whoever asked for it.
CHANNEL = "assay:channel"
RESERVED = frozenset({"assignmentId", "hitId", "turkSubmitTo", "workerId", WITHDRAWN, DEVICE, CHANNEL})
SEPARATOR = "|"

# What XML 1.0 cannot hold: control characters, lone surrogates, the two non-characters.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Pairs = Sequence[tuple[str, str]]


def answers_xml(pairs: Pairs) -> str:
    """One Answer per field name, in the order in which the names first came.

    Values of one name are joined by "|", line ends become LF, characters that XML cannot hold are left out, as are
    the reserved names. An empty value is an empty FreeText, never a missing Answer.
    """
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in RESERVED:
            fields.setdefault(clean(name), []).append(clean(value))
    return HEAD + "".join(_answer(name, SEPARATOR.join(values)) for name, values in fields.items()) + TAIL


def withdrawn_xml(day: date) -> str:
    """What stands in place of answers that were taken back on `day`."""
    return HEAD + _answer(WITHDRAWN, day.isoformat()) + TAIL


def with_device(answer: str, code: str) -> str:
    """The document with the code of a device behind the answers."""
    return _with(answer, DEVICE, code)


def with_channel(answer: str, way: str) -> str:
    """The document with the worker's way in (JSON) behind the answers."""
    return _with(answer, CHANNEL, way)


def _with(answer: str, name: str, value: str) -> str:
    return answer.removesuffix(TAIL) + _answer(name, value) + TAIL if answer.endswith(TAIL) else answer


def clean(text: str) -> str:
    """`text` as XML can hold it, with LF for every line end."""
    return _UNWRITABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def element(name: str, text: str) -> str:
    """An XML element with text in it."""
    return f"<{name}>{escape(text)}</{name}>" if text else f"<{name}/>"


def _answer(name: str, value: str) -> str:
    return (
        f"<Answer>\n<QuestionIdentifier>{escape(name)}</QuestionIdentifier>\n{element('FreeText', value)}\n</Answer>\n"
    )
