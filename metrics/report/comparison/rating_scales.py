"""On which scales studies were judged: the same, one coded otherwise, or another one altogether."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal

from metrics.data.sentence import Sentence, template
from metrics.report.records import ReportInput, ScaleLabel, Warn
from metrics.report.wording import quote

Relation = Literal["same", "recoded", "other codes", "other labels", "not recorded"]
Relations = dict[frozenset[str], Relation]
# HUSE divides a judgment by its standard deviation: a shift, a stretch or a reversal of all codes leaves it as it is.
HARMLESS: tuple[Relation, ...] = ("same", "recoded")
SCALES = template("comparison.scales", "The scales of {studies} {relation}.", "study.name", "study.scale")
NO_VERDICT = ": no verdict is drawn from differences between generators of these two"
WORDS: dict[Relation, str] = {
    "recoded": "have the same labels with codes shifted or stretched, which leaves HUSE as it is",
    "other codes": "have the same labels at codes that lie otherwise between each other",
    "other labels": "have different labels",
    "not recorded": "cannot be compared: the labels of one are not recorded",
}


def relate_scales(studies: Sequence[ReportInput]) -> Relations:
    """Return how the scales of each two studies relate, by both names."""
    scales = {report_input.study.name: report_input.study.scale for report_input in studies}
    return {frozenset(pair): relation(*(scales[name] for name in pair)) for pair in combinations(scales, 2)}


def relation(first: Sequence[ScaleLabel], second: Sequence[ScaleLabel]) -> Relation:
    """`recoded`: one number times each code, plus another, gives the codes of the other scale."""
    a, b = _codes(first), _codes(second)
    if not a or not b:
        return "not recorded"
    if a.keys() != b.keys():
        return "other labels"
    if a == b:
        return "same"
    return "recoded" if _affine([(a[name], b[name]) for name in a]) else "other codes"


def comparable(known: Relations, first: str, second: str) -> bool:
    """Whether judgments of both studies (by name) are on one scale, up to a recoding that leaves HUSE as it is."""
    return first == second or known[frozenset((first, second))] in HARMLESS


def warnings(known: Relations) -> list[Warn]:
    """A sentence for each two studies whose scales are not the same."""
    return [
        Warn("scales_recoded" if relation in HARMLESS else "scales_differ", _sentence(sorted(pair), relation))
        for pair, relation in known.items()
        if relation != "same"
    ]


def _sentence(names: Sequence[str], relation: Relation) -> Sentence:
    harm = "" if relation in HARMLESS else NO_VERDICT
    return SCALES.fill(studies=" and ".join(map(quote, names)), relation=f"{WORDS[relation]}{harm}")


def _codes(scale: Sequence[ScaleLabel]) -> dict[str, Fraction]:
    return {" ".join(label.name.split()).casefold(): Fraction(label.code) for label in scale}


def _affine(pairs: Sequence[tuple[Fraction, Fraction]]) -> bool:
    """Whether all points lie on one line that is neither level nor upright."""
    (x, y), *rest = pairs
    slopes = {(b - y) / (a - x) for a, b in rest if a != x}
    level = all((a == x) == (b == y) for a, b in rest)
    return level and len(slopes) <= 1
