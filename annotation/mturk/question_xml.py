"""The question document of a HIT."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from annotation.exceptions import QuestionError, QuestionTooLargeError

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"
EXTERNAL = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
LIMIT = 65_535
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def html_question(html: str, *, frame_height: int = 0) -> str:
    """Wrap a page as an HTMLQuestion (height 0: fill the window).

    Raises QuestionError when it holds characters that XML cannot carry, or is over 65,535 bytes.
    """
    odd = _NOT_XML.search(html)
    if odd:
        raise QuestionError(f"The page holds the character U+{ord(odd[0]):04X}, which a question cannot carry.")
    body = html.replace("]]>", "]]]]><![CDATA[>")
    question = (
        f'<HTMLQuestion xmlns="{NAMESPACE}"><HTMLContent><![CDATA[{body}]]></HTMLContent>'
        f"<FrameHeight>{frame_height}</FrameHeight></HTMLQuestion>"
    )
    size = len(question.encode())
    if size > LIMIT:
        raise QuestionTooLargeError(
            f"The page is {size:,} bytes; a question holds at most {LIMIT:,}. Put fewer texts in a HIT."
        )
    return question


def external_question(url: str, *, frame_height: int = 0) -> str:
    """An ExternalQuestion: the marketplace shows the page at `url` (height 0: fill the window)."""
    return (
        f'<ExternalQuestion xmlns="{EXTERNAL}"><ExternalURL>{escape(url)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>"
    )
