"""How closely studies repeat each other (QRA++), counted anew: scores with CV*, correlations, findings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from statistics import fmean, stdev

from tests.report_checker.comparison import rated, share_a_context
from tests.report_checker.differences import TITLES, Joint
from tests.report_checker.intervals import clustered
from tests.report_checker.recount import Rows
from tests.report_checker.tables import Ranged, chosen_cells

REFERENCES = "references"
FEWEST = 5  # contexts, and raters, below which nothing is found
FINDINGS = ("better", "worse")
LEVEL = 0.95  # of the intervals, which are not compared
Found = dict[tuple[str, str, str], str]  # criterion, two sources in the order of their names: what the first is


Score = tuple[str, str]  # what it is, and of which source


def scores(studies: dict[str, Rows], joint: Joint) -> Iterator[tuple[str, str, dict[str, float], float | None]]:
    """(score, source, value by study, CV* in %) of every score that two studies have. None: a mean of 0 has no CV*."""
    values: defaultdict[Score, dict[str, float]] = defaultdict(dict)
    for study, rows in studies.items():
        for score, value in _means(studies, rows):
            values[score][study] = value
    if len(joint.systems) > 1 and (not joint.equalised or joint.fewest >= FEWEST):
        for at, system in enumerate(joint.systems):
            for measure, title in enumerate(TITLES):
                values[title, system.side][system.study] = joint.value(at, measure)[0]
    for (what, source), of in values.items():
        if len(of) > 1:
            yield what, source, of, cv_star(list(of.values()))


def _means(studies: dict[str, Rows], rows: Rows) -> Iterator[tuple[Score, float]]:
    """Of each source and criterion that is judged on the same scale everywhere; how often texts were chosen."""
    if rows.study["task"] == "which_machine":
        for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
            for (source,), (share, *_) in chosen_cells(rows, criterion, LEVEL).items():
                if source != REFERENCES and isinstance(share, Ranged):
                    yield (f"Chosen ({criterion.replace('_', ' ')})", source), share.value / 100
        return
    for criterion in dict.fromkeys(answer.criterion for answer in (() if rows.pairs else rows.used)):
        is_share = criterion == "human_or_machine"
        if len(_names(rows, criterion)) < 2 or not (is_share or _on_one_scale(studies, criterion)):
            continue
        start = 0.0 if is_share else float(min(rows.scale.values()))
        what = "share taken for human" if is_share else f"mean {criterion.replace('_', ' ')}, from the lowest label"
        for side in _names(rows, criterion):
            yield (what, side or REFERENCES), _mean(rows, criterion, side) - start


def cv_star(values: list[float]) -> float | None:
    """Of Belz (2022): (1 + 1/4n) times the unbiased standard deviation, in per cent of the mean."""
    n, mean = len(values), fmean(values)
    unbiased = math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)
    return (1 + 1 / (4 * n)) * stdev(values) / unbiased / abs(mean) * 100 if abs(mean) > 1e-12 else None


def _on_one_scale(studies: dict[str, Rows], criterion: str) -> bool:
    having = [rows for rows in studies.values() if any(answer.criterion == criterion for answer in rows.used)]
    return all(rows.scale == having[0].scale for rows in having)


def _names(rows: Rows, criterion: str) -> list[str]:
    """Sides that were judged on the criterion, the references ("") last."""
    judged = {rows.sides[answer.text] for answer in rows.used if answer.criterion == criterion}
    return [*sorted(judged - {""}), *(judged & {""})]


def _mean(rows: Rows, criterion: str, side: str) -> float:
    """Over contexts (or texts where they have none) of the mean of their answers."""
    held: defaultdict[object, list[float]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion == criterion and rows.sides[answer.text] == side:
            code = float(answer.code <= 2) if criterion == "human_or_machine" else float(answer.code)
            held[rows.texts[answer.text]["context_id"] or answer.text].append(code)
    return fmean(map(fmean, held.values()))


def text_means(rows: Rows, criterion: str) -> dict[tuple[str, str], float]:
    """The mean code of each text, by its side and its words."""
    held: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion == criterion:
            held[rows.sides[answer.text], rows.bodies[answer.text]].append(float(answer.code))
    return {text: fmean(codes) for text, codes in held.items()}


def findings(rows: Rows, level: float) -> Found:
    """What each pair of sources was found to be, by Holm's p-values over its family: with the references, or without.

    Of studies without a declared comparison or margin.
    """
    assert not rows.declared
    found: Found = {}
    if rows.study["task"] == "which_machine":
        return found
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        pairs = list(combinations(_names(rows, criterion), 2))
        for family in ([pair for pair in pairs if "" in pair], [pair for pair in pairs if "" not in pair]):
            found |= _family(rows, criterion, family, level)
    return found


def _family(rows: Rows, criterion: str, pairs: list[tuple[str, str]], level: float) -> Found:
    answers = [answer for answer in rows.used if answer.criterion == criterion]
    kind = "human_or_machine" if criterion == "human_or_machine" else "rating"
    tested: dict[tuple[str, str], tuple[float, float]] = {}
    found: Found = {}
    for pair in pairs:
        if not share_a_context(rows, answers, pair):
            found |= _outcome(criterion, pair, "not comparable")
            continue
        value, _, parts = rated(rows, answers, pair, kind)
        limits = clustered(value, parts, level)
        few = min(len({part.item for part in parts}), len({part.rater for part in parts})) < FEWEST
        if few or limits is None:
            found |= _outcome(criterion, pair, "too small")
        tested[pair] = (value, limits[2] if limits else 1.0)
    left, smallest = len(tested), 0.0
    for pair, (value, p) in sorted(tested.items(), key=lambda item: item[1][1]):
        smallest, left = max(smallest, left * p), left - 1
        better = "better" if value > 0 else "worse"
        outcome = better if smallest <= 1 - level + 1e-12 else "undecided"
        found = _outcome(criterion, pair, outcome) | found
    return found


OPPOSITE = {"better": "worse", "worse": "better"}


def _outcome(criterion: str, pair: tuple[str, str], outcome: str) -> Found:
    first, second = (name or REFERENCES for name in pair)
    if first < second:
        return {(criterion, first, second): outcome}
    return {(criterion, second, first): OPPOSITE.get(outcome, outcome)}
