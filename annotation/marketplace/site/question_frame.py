"""Our script in requesters' HTML: it hands forms to the worker page around it, so that no answer is lost."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
# What may come before the doctype (comments, blanks), and the doctype: our script follows it.
_HEAD = re.compile(r"\ufeff?(?:\s|<!--.*?-->)*<!doctype[^>]*>", re.IGNORECASE | re.DOTALL)
CROWD_SCRIPTS = ("crowd.js", "crowd_fields.js", "crowd_layout.js", "crowd_spans.js")
# Amazon's script of the crowd elements: ours stands in for it, and nothing is loaded from there.
_ORIGINAL = re.compile(r"(?:https?:)?//assets\.crowd\.aws/crowd-html-elements[\w.-]*", re.IGNORECASE)
_EMPTY_SCRIPT = "data:text/javascript,"
_ORIGINAL_HOST = "//assets.crowd.aws/"  # looked for before the pattern, which takes a millisecond for a large page
_CROWD = re.compile(r"<crowd-[a-z]", re.IGNORECASE)


@dataclass(frozen=True)
class Showing:
    """One showing of a task: its name, the worker site's origin, the assignment ("": a preview), where answers go."""

    load: str
    site: str
    assignment: str
    submit: str


def wrapped(html: str, showing: Showing, *, nonce: str = "") -> str:
    """`html` with our script before everything that could run, and nothing else changed but Amazon's address of it."""
    original = _ORIGINAL_HOST in html.lower()
    crowd = original or _CROWD.search(html) is not None
    # In a script only "<" could end it or begin a comment.
    showing_json = json.dumps(asdict(showing)).replace("<", "\\u003c")
    allowed = f' nonce="{nonce}"' if nonce else ""
    body = f"({_source('frame.js')})({showing_json});" + (_crowd_elements(showing_json) if crowd else "")
    script = f"<script{allowed}>{body}</script>"
    head = _HEAD.match(html)
    at = head.end() if head else 0
    rest = _ORIGINAL.sub(_EMPTY_SCRIPT, html[at:]) if original else html[at:]
    return html[:at] + script + rest


def as_preview(html: str) -> str:
    """`html` as a worker sees it who has not accepted the task, for a page without any task around it."""
    return wrapped(html, Showing(load="", site="", assignment="", submit=""))


def _crowd_elements(showing_json: str) -> str:
    """The scripts of the crowd elements, which share what the first makes; they begin when the page has been read."""
    parts = "".join(f"({_source(name)})(showing, crowd);" for name in CROWD_SCRIPTS)
    start = 'document.addEventListener("DOMContentLoaded", crowd.start, { once: true });'
    return f"{{const showing = {showing_json}, crowd = {{}};{parts}{start}}}"


@cache
def _source(name: str) -> str:
    return (SCRIPTS / name).read_text(encoding="utf-8").strip()
