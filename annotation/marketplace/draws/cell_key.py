"""assay:cell=STUDY.CELL, the keyword that puts HIT types under a cell of a study whose people are drawn.

Both parts are opaque: they name no arm. STUDY is the study's tag where no keyword assay:study gives another.
"""

from __future__ import annotations

import re

from annotation.marketplace.errors import InvalidParameterError

KEYWORD = "assay:cell="
KEY = re.compile(r"([a-z0-9][a-z0-9_-]{0,39})\.([a-z0-9][a-z0-9_-]{0,31})")


def cell_of(keywords: str) -> tuple[str, str]:
    """The study and the key of the cell among `keywords` (separated by commas or spaces); ("", "") without the keyword.

    Raises InvalidParameterError for two of them, and for one that was cut or is written otherwise: a HIT that belongs
    to no cell could be chosen.
    """
    keys = [
        word.removeprefix(KEYWORD) for word in keywords.lower().replace(",", " ").split() if word.startswith(KEYWORD)
    ]
    if not keys:
        return "", ""
    match = KEY.fullmatch(keys[0])
    if match is None or len(set(keys)) > 1:
        raise InvalidParameterError(
            f"Keywords: {KEYWORD} is followed by the key of one cell, STUDY.CELL, in lower case letters, digits, "
            f"dashes and underscores, not by {', '.join(keys)!r:.120}."
        )
    return match[1], keys[0]
