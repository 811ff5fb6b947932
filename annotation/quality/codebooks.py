"""Codebooks for explanations: the defaults, and what makes a set of codes one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.exceptions import StateError
from annotation.quality.filters import JUDGED_BY_HAND
from metrics.errors import BadInput
from metrics.evaluators.comment_codes import CLARK, Codebook

Categories = Sequence[Sequence[object]]  # [[category, [code, ...]], ...] as stored

CRITERIA: Categories = [["criteria", [*JUDGED_BY_HAND]]]
COMMENTS: Categories = [[category, [*codes]] for category, codes in CLARK.categories.items()]
DEFAULTS = {"comments": COMMENTS, "criteria": CRITERIA}


def book_of(categories: Categories) -> Codebook:
    """The codebook as the metrics take it. Raises StateError with the rule it breaks."""
    try:
        return Codebook({str(name): tuple(map(str, codes)) for name, codes in categories})  # type: ignore[call-overload]
    except BadInput as error:
        raise StateError(str(error)).at("categories") from None


def read_lines(lines: Iterable[str]) -> list[list[object]]:
    """Categories from lines like `form: grammar, genre`. Raises StateError naming the line."""
    categories: list[list[object]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, colon, codes = line.partition(":")
        named_codes = [code.strip() for code in codes.split(",") if code.strip()]
        if not colon or not name.strip() or not named_codes:
            raise StateError(f"Line {number} is not of the form “category: code, code”.").at("categories")
        categories.append([name.strip(), named_codes])
    return categories
