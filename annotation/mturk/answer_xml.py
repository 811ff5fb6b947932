"""The answer document of an assignment."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.sax.saxutils import unescape

import defusedxml.ElementTree
from defusedxml import DefusedXmlException

from annotation.exceptions import AnswerError

NAMESPACE = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
ANSWER, IDENTIFIER, FREE_TEXT = (f"{NAMESPACE}{name}" for name in ("Answer", "QuestionIdentifier", "FreeText"))
# The only answer in the document of a worker who withdrew; its text is the day.
WITHDRAWN = "assay:withdrawn"


# A HIT's keyword that asks our marketplace for a code of the device, and the answer in which it comes.
DEVICE = "assay:device"
_DEVICE_ANSWER = re.compile(
    rf"<Answer>\s*<QuestionIdentifier>{DEVICE}</QuestionIdentifier>\s*<FreeText>([0-9a-f]{{1,32}})</FreeText>\s*</Answer>\s*"
)
# The same of the way by which the worker came.
CHANNEL = "assay:channel"
_CHANNEL_ANSWER = re.compile(
    rf"<Answer>\s*<QuestionIdentifier>{CHANNEL}</QuestionIdentifier>\s*<FreeText>([^<]{{1,2000}})</FreeText>\s*</Answer>\s*"
)


def without_device(document: str) -> tuple[str, str]:
    """The document as the worker answered it, and the code of their device ("": none).

    The code is the marketplace's, not an answer: it is stored separately, where it can be deleted.
    """
    match = _DEVICE_ANSWER.search(document)
    return (document[: match.start()] + document[match.end() :], match[1]) if match else (document, "")


@dataclass(frozen=True, slots=True)
class WayRecord:
    """How a worker came: kind of channel, how its people are paid (`ledger`, `voucher`, `credit`,
    `volunteer`, `elsewhere`), in which words.

    consent: whether the marketplace asked for it before their first task.
    """

    kind: str
    pays: str
    pay_words: str = ""
    consent: bool = False


def without_channel(document: str) -> tuple[str, WayRecord | None]:
    """The document as the worker answered it, and how they came (None: it does not say)."""
    match = _CHANNEL_ANSWER.search(document)
    if not match:
        return document, None
    plain = document[: match.start()] + document[match.end() :]
    try:
        way = json.loads(unescape(match[1]))
        kind, pays, words = (str(way[name]) for name in ("kind", "pays", "pay_words"))
        return plain, WayRecord(kind[:20], pays[:9], words[:300], way["consent"] is True)
    except (ValueError, KeyError, TypeError):
        return plain, None


def is_withdrawn(document: str) -> bool:
    """Whether the marketplace has erased these answers, because the worker withdrew them."""
    try:
        return WITHDRAWN in document and list(read_answers(document)) == [WITHDRAWN]
    except AnswerError:
        return False


def read_answers(document: str) -> dict[str, str]:
    """Field name to value ("" for an empty text box; a field that was not sent is absent).

    Raises AnswerError when the document is not well-formed QuestionFormAnswers.
    """
    if not document.strip():
        return {}
    try:
        root = _root(document)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise AnswerError(f"The answer document is not well-formed XML: {error}") from error
    if root.tag != f"{NAMESPACE}QuestionFormAnswers":
        raise AnswerError(f"The answer document is a {root.tag!r}, not QuestionFormAnswers.")
    answers: dict[str, str] = {}
    for answer in root.iterfind(ANSWER):
        name = answer.findtext(IDENTIFIER)
        if not name:
            raise AnswerError("An answer carries no question identifier.")
        answers[name] = answer.findtext(FREE_TEXT) or ""
    return answers


def _root(document: str) -> Element:
    """Entities are declared in a document type; without one there is nothing to defuse, and C parses faster."""
    if "<!DOCTYPE" in document:
        return defusedxml.ElementTree.fromstring(document)
    return fromstring(document)  # noqa: S314
