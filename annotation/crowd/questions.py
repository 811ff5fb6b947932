"""The question document of a HIT."""

from __future__ import annotations

import re

from annotation.exceptions import QuestionError

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"
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
        raise QuestionError(
            f"The page is {size:,} bytes; a question holds at most {LIMIT:,}. Put fewer texts in a HIT."
        )
    return question
