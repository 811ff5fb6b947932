"""assay:study=TAG, the keyword that puts HIT types under a study, open by channels only."""

from __future__ import annotations

import re

KEYWORD = "assay:study="
TAG = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def tag_of(keywords: str) -> str:
    """The tag among `keywords` (separated by commas or spaces), in lower case; "" without one, or with a bad one."""
    for word in keywords.lower().replace(",", " ").split():
        tag = word.removeprefix(KEYWORD)
        if word.startswith(KEYWORD) and TAG.fullmatch(tag):
            return tag
    return ""
