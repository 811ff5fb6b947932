"""Questions: what a HIT shows. HTMLQuestion and ExternalQuestion are read and checked here, QuestionForm in `forms`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, urlsplit
from xml.etree.ElementTree import Element

import lxml.etree
import lxml.html
from django.conf import settings

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.questions import form_parser
from annotation.marketplace.questions.answer_xml import RESERVED
from annotation.marketplace.questions.crowd_elements import check_elements
from annotation.marketplace.questions.form_parser import SCHEMAS
from annotation.marketplace.questions.safe_xml import root_of

HTML_NAMESPACE = f"{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
EXTERNAL_NAMESPACE = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
CONTENT_ELEMENT = {
    ("HTMLQuestion", HTML_NAMESPACE): "HTMLContent",
    ("ExternalQuestion", EXTERNAL_NAMESPACE): "ExternalURL",
}
MAX_BYTES = 65_535
# What a document consists of without showing anything.
UNSEEN = frozenset({"html", "head", "body", "title", "meta", "link", "style", "base"})
TALLEST_FRAME = 100_000


@dataclass(frozen=True)
class Question:
    """`kind` is HTMLQuestion, ExternalQuestion or QuestionForm; `content` the HTML, the URL or the whole XML.

    `frame_height` is in pixels (0: fill).
    """

    kind: str
    content: str
    frame_height: int


def checked(text: str) -> Question:
    """Read the XML of a new HIT's question. Raises InvalidParameterError naming the rule that is broken."""
    check_size(text, "Question")
    question = parsed(text)
    if question.kind == "QuestionForm":
        form_parser.read(text)
        return question
    if question.kind == "HTMLQuestion":
        _check_html(question.content)
    else:
        _check_url(question.content)
    return question


def check_size(text: str, name: str) -> None:
    """Raise InvalidParameterError unless XML given as the parameter `name` has 1 to 65,535 bytes."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if not text or size > MAX_BYTES:
        raise InvalidParameterError(f"{name} must have 1 to {MAX_BYTES} bytes in UTF-8; it has {size}.")


@lru_cache(maxsize=128)
def parsed(text: str) -> Question:
    """Read the XML of a stored question. Raises InvalidParameterError."""
    namespace, kind, root = root_of(text)
    if kind == "QuestionForm" and namespace in form_parser.NAMESPACES:
        return Question(kind, text, 0)
    content_name = CONTENT_ELEMENT.get((kind, namespace))
    if content_name is None:
        raise _unknown_kind(kind, namespace)
    children = list(root)
    expected = [f"{{{namespace}}}{content_name}", f"{{{namespace}}}FrameHeight"]
    if [child.tag for child in children] != expected:
        raise InvalidParameterError(f"{kind} must hold {content_name} and FrameHeight, once each and in this order.")
    return Question(kind, _text(children[0], content_name), _height(children[1]))


def _unknown_kind(kind: str, namespace: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"Question must be an HTMLQuestion ({HTML_NAMESPACE}), an ExternalQuestion ({EXTERNAL_NAMESPACE}) or a "
        f"QuestionForm ({form_parser.NAMESPACES[0]}), not {kind!r} in the namespace {namespace!r}."
    )


def _text(element: Element, name: str) -> str:
    if len(element):
        raise InvalidParameterError(f"{name} must hold text only (HTML goes into a CDATA section).")
    text = element.text or ""
    if not text.strip():
        raise InvalidParameterError(f"{name} must not be empty.")
    return text


def _height(element: Element) -> int:
    text = (element.text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) <= TALLEST_FRAME):
        raise InvalidParameterError(f"FrameHeight must be a whole number of pixels from 0 to {TALLEST_FRAME}.")
    return int(text)


def _check_html(html: str) -> None:
    parser = lxml.html.HTMLParser(encoding="utf-8")
    try:
        root = lxml.html.document_fromstring(html.encode(), parser=parser)
    except lxml.etree.ParserError:
        root = None
    if root is None or not _shows(root):
        raise InvalidParameterError(
            "There was an error parsing the HTML5 data in your request. Please make sure the data is well-formed and "
            "validates as HTML5. Details: the document shows nothing (its body is empty)."
        )
    check_elements(root)


def _shows(root: lxml.etree._Element) -> bool:
    """Whether anything of a document can be seen, be it made by its script; custom elements may be put in the head."""
    body = root.find("body")
    texts = [] if body is None else [body.text, *(child.tail for child in body)]
    seen = (element for element in root.iter() if isinstance(element.tag, str) and element.tag not in UNSEEN)
    return any((text or "").strip() for text in texts) or next(seen, None) is not None


def _check_url(url: str) -> None:
    parts = _split(url)
    if parts.scheme != "https" and not _plain_allowed(parts.scheme, parts.hostname or ""):
        raise InvalidParameterError("ExternalURL must start with https://.")
    if not parts.hostname or parts.username is not None:
        raise InvalidParameterError("ExternalURL must name a host, and no user or password.")
    reserved = RESERVED & {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if reserved:
        raise InvalidParameterError(f"ExternalURL must not contain the reserved parameter {min(reserved)}.")


def _split(url: str) -> SplitResult:
    # The text is used as it stands; nothing but a plain address may pass.
    if any(
        character.isspace() or not character.isprintable() or character in "<>\"'`\\;," for character in url.strip()
    ):
        raise InvalidParameterError("ExternalURL must not contain spaces, quotes, control characters, ; or ,.")
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError as error:
        raise InvalidParameterError(f"ExternalURL is not an address: {error}.") from None
    return parts


def _plain_allowed(scheme: str, host: str) -> bool:
    if scheme != "http" or not settings.MARKETPLACE_DEVELOPMENT:
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
