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
_CROWD = re.compile(r"<crowd-[a-z]", re.IGNORECASE)


@dataclass(frozen=True)
class Showing:
    """One showing of a task: its name, the worker site's origin, the assignment ("": a preview), where answers go."""

    load: str
    site: str
    assignment: str
    submit: str


def wrapped(html: str, showing: Showing, *, nonce: str = "") -> str:
    """`html` with our script before everything that could run, and nothing else changed."""
    names = ["frame.js", "crowd.js"] if _CROWD.search(html) else ["frame.js"]
    # In a script only "<" could end it or begin a comment.
    showing_json = json.dumps(asdict(showing)).replace("<", "\\u003c")
    allowed = f' nonce="{nonce}"' if nonce else ""
    script = f"<script{allowed}>" + "".join(f"({_source(name)})({showing_json});" for name in names) + "</script>"
    head = _HEAD.match(html)
    at = head.end() if head else 0
    return html[:at] + script + html[at:]


@cache
def _source(name: str) -> str:
    return (SCRIPTS / name).read_text(encoding="utf-8").strip()
