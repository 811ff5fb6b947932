"""Columns of means, differences, correlations and tests, computed anew by their published formulas."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev, variance

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binomtest, f, nct, rankdata, studentized_range, t

from tests.report_checker.columns import NONE, Counted, headed, table
from tests.report_checker.comparison import compare
from tests.report_checker.counted_columns import answers_in, arms_and_all
from tests.report_checker.intervals import (
    Influence,
    clustered,
    huse_of,
    mean_limits,
    mean_share,
    paper_huse,
    pooled_share,
    quantile,
    squares,
    votes_of,
)
from tests.report_checker.recount import Answer, Rows, decimal, disjoint, spread
from tests.report_checker.sentences import NUMBER, Asked, Match, is_nominal, items_of, kind
from tests.report_checker.tables import Beside, Cell, P, Ranged

ENOUGH = 5  # contexts or raters
REFERENCES, GENERATORS = "references", "pairs of generators"
BY_DRAWS = "by draws of the report's own"


@dataclass(frozen=True, slots=True)
class Value:
    """A rated text: what is drawn with it, who rated, whose it is, as what number."""

    item: Hashable
    rater: str
    side: str
    number: float


def named(criterion: str) -> str:
    return criterion.replace("_", " ")


def side_of(rows: Rows, text: str) -> str:
    return rows.sides[text] or REFERENCES


def item_of(rows: Rows, text: str) -> Hashable:
    context = rows.texts[text]["context_id"]
    return f"text {text}" if context is None else context


def values_of(rows: Rows, criterion: str) -> list[Value]:
    """Ratings as coded; of who wrote a text, whether a person is said to have."""
    human = rows.study["task"] == "human_or_machine"
    return [
        Value(
            item_of(rows, each.text),
            each.rater,
            side_of(rows, each.text),
            float(each.code <= 2 if human else each.code),
        )
        for each in rows.used
        if each.criterion == criterion and each.partner is None
    ]


def compared_criteria(rows: Rows) -> list[str]:
    """Criteria whose ratings of single texts have a mean, of two sources."""
    found = []
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        if rows.pairs or rows.study["task"] == "which_machine":
            continue
        if rows.study["task"] != "human_or_machine" and is_nominal(rows, criterion):
            continue
        if len({value.side for value in values_of(rows, criterion)}) > 1:
            found.append(criterion)
    return found


def sides_in_order(rows: Rows, values: Sequence[Value]) -> list[str]:
    rated = {value.side for value in values}
    names = [side or REFERENCES for side in dict.fromkeys(rows.sides.values())]
    return sorted((name for name in names if name in rated), key=REFERENCES.__eq__)


# --- differences of sources ---


@dataclass(frozen=True, slots=True)
class Difference:
    """first less second, and the chance that a rating of the first is above one of the second. span: with p."""

    first: str
    second: str
    value: float
    span: tuple[float, float, float] | None
    above: float | None
    above_span: tuple[float, float, float] | None
    items: int
    dropped: int
    raters: int
    shared: int
    n: int

    @property
    def is_small(self) -> bool:
        return min(self.items, self.raters) < ENOUGH or self.span is None


def differences_of(values: Sequence[Value], pair: tuple[str, str], level: float, *, paired: bool) -> Difference | None:
    """Each item counts alike, of a source all its ratings; paired: items of both sources only."""
    first, second = pair
    held: defaultdict[tuple[Hashable, str], list[Value]] = defaultdict(list)
    for value in values:
        if value.side in (first, second):
            held[value.item, value.side].append(value)
    items = {item for item, _ in held}
    kept = {item for item in items if (item, first) in held and (item, second) in held} if paired else items
    if not kept:
        return None
    groups = {key: group for key, group in held.items() if key[0] in kept}
    means, parts = [], []
    for at, side in enumerate((first, second)):
        of_side = [group for (_, name), group in groups.items() if name == side]
        means.append(fmean(fmean(value.number for value in group) for group in of_side))
        for group in of_side:
            weight = 1 / (len(of_side) * len(group))
            parts += [
                Influence(each.item, each.rater, at, weight, (1, -1)[at] * weight * (each.number - means[-1]))
                for each in group
            ]
    above, above_span = above_of(groups, kept, first, second, level) if paired else (None, None)
    raters = [{part.rater for part in parts if part.side == at} for at in (0, 1)]
    return Difference(
        first,
        second,
        means[0] - means[1],
        clustered(means[0] - means[1], parts, level),
        above,
        above_span,
        len(kept),
        len(items) - len(kept),
        len(raters[0] | raters[1]),
        len(raters[0] & raters[1]),
        len(parts),
    )


def above_of(
    groups: dict[tuple[Hashable, str], list[Value]], items: set[Hashable], first: str, second: str, level: float
) -> tuple[float, tuple[float, float, float] | None]:
    """Mean over items of the share of pairs of ratings whose first is above, ties half; limits within 0 and 1."""
    of_item, psis = {}, []
    for item in items:
        pair = [groups[item, side] for side in (first, second)]
        table = [[(1 + (a.number > b.number) - (a.number < b.number)) / 2 for b in pair[1]] for a in pair[0]]
        of_item[item] = fmean(map(fmean, table))
        psis += [(pair[0][at], 0, fmean(row), len(pair[0])) for at, row in enumerate(table)]
        psis += [(pair[1][at], 1, fmean(row[at] for row in table), len(pair[1])) for at in range(len(pair[1]))]
    value = fmean(of_item.values())
    parts = []
    for each, at, share, size in psis:
        weight = 1 / (len(items) * size)
        own = of_item[each.item]
        parts.append(Influence(each.item, each.rater, at, weight, weight * (share - own + (own - value) / 2)))
    span = clustered(value, parts, level)
    return value, span and (max(0.0, span[0]), min(1.0, span[1]), span[2])


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's of those that are known, by the number of all."""
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, (len(ps) - rank) * p))
        adjusted[at] = highest
    return adjusted


def family_of(rows: Rows, criterion: str, pair: frozenset[str]) -> str:
    plan = rows.declared
    if plan.get("criterion", criterion) == criterion and plan.get("family") == "main" and "first" in plan:
        return "main" if pair == {plan["first"], plan["second"]} else "others"
    if plan.get("criterion", criterion) == criterion and plan.get("family") == "sources":
        return "sources"
    return REFERENCES if REFERENCES in pair else GENERATORS


@dataclass(frozen=True, slots=True)
class Judged:
    """The differences of a criterion with Holm's p of each; None: not comparable. of: sources, or conditions."""

    criterion: str
    of: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    compared: tuple[Difference | None, ...]
    adjusted: tuple[float | None, ...]


def judged(rows: Rows, level: float) -> Iterator[Judged]:
    """Every criterion, then accuracy between conditions."""
    for criterion in compared_criteria(rows):
        values = values_of(rows, criterion)
        names = sides_in_order(rows, values)
        declared = rows.declared.get("first", ""), rows.declared.get("second", "")
        pairs = tuple(declared if set(pair) == set(declared) else pair for pair in combinations(names, 2))
        contexts = {text: row["context_id"] for text, row in rows.texts.items()}
        found = []
        for pair in pairs:
            rated = {each.text for each in rows.used if side_of(rows, each.text) in pair}
            paired = any(contexts[text] is not None for text in rated)
            found.append(differences_of(values, pair, level, paired=paired))
        yield _adjusted(rows, criterion, names, pairs, found)
    arms = [name for name, arm in arms_and_all(rows) if arm]
    if rows.study["task"] == "human_or_machine" and len(arms) > 1:
        pairs = tuple(combinations(arms, 2))
        yield _adjusted(rows, "accuracy", arms, pairs, [_accuracies(rows, pair, level) for pair in pairs])


def _adjusted(
    rows: Rows, criterion: str, names: Sequence[str], pairs: tuple[tuple[str, str], ...], found: list[Difference | None]
) -> Judged:
    families = [family_of(rows, criterion, frozenset(pair)) if criterion != "accuracy" else "" for pair in pairs]
    adjusted: dict[int, float | None] = {}
    for family in set(families):
        places = [at for at, name in enumerate(families) if name == family and found[at] is not None]
        spans = [each.span if (each := found[at]) else None for at in places]
        adjusted |= dict(zip(places, holm([span and span[2] for span in spans]), strict=True))
    return Judged(criterion, tuple(names), pairs, tuple(found), tuple(adjusted.get(at) for at in range(len(pairs))))


def _accuracies(rows: Rows, pair: tuple[str, str], level: float) -> Difference:
    """Every evaluator counts alike; items are contexts, or texts."""
    first, second = pair
    parts, means = [], []
    for at, arm in enumerate((first, second)):
        right: defaultdict[str, list[tuple[Hashable, float]]] = defaultdict(list)
        for answer in answers_in(rows, arm):
            is_right = (answer.code > 2) is bool(rows.sides[answer.text])
            right[answer.rater].append((item_of(rows, answer.text), float(is_right)))
        means.append(fmean(fmean(number for _, number in answers) for answers in right.values()))
        for rater, answers in right.items():
            weight = 1 / (len(right) * len(answers))
            parts += [
                Influence(item, rater, at, weight, (1, -1)[at] * weight * (number - means[-1]))
                for item, number in answers
            ]
    raters = [{part.rater for part in parts if part.side == at} for at in (0, 1)]
    value, span = means[0] - means[1], clustered(means[0] - means[1], parts, level)
    items, people = len({part.item for part in parts}), len(raters[0] | raters[1])
    return Difference(first, second, value, span, None, None, items, 0, people, len(raters[0] & raters[1]), len(parts))


def ranged(value: float, span: Sequence[float] | None, scale: float = 1) -> Ranged:
    return Ranged(scale * value, (scale * span[0], scale * span[1]) if span else None)


@table(
    r"Differences between sources, (?:criterion by criterion|and of accuracy between trainings)\.",
    keys=3,
    uncounted={"The first is": "where a margin is declared, held by the sentence of the answer"},
)
def source_differences(rows: Rows, asked: Asked, match: Match) -> Counted:
    """The verdict where a margin is declared is held by the sentence of the answer."""
    counted: Counted = {}
    scale = 100 if rows.study["task"] == "human_or_machine" else 1
    for each in judged(rows, asked.level):
        for pair, compared, adjusted in zip(each.pairs, each.compared, each.adjusted, strict=True):
            if compared is None:
                counted[named(each.criterion), *pair] = {"The first is": "not comparable"}
                continue
            outcome = "undecided"
            if compared.is_small:
                outcome = "not tested"
            elif adjusted is not None and adjusted <= round(1 - asked.level, 12):
                outcome = "better" if compared.value > 0 else "worse"
            if each.criterion == "severity":
                outcome = {"better": "rated higher", "worse": "rated lower"}.get(outcome, outcome)
            is_plain = "margin" not in rows.declared
            items = dict.fromkeys(("Contexts", "Texts", "Contexts or texts"), str(compared.items))
            counted[named(each.criterion), *pair] = {
                "Difference": ranged(compared.value, compared.span, scale),
                "p": P(compared.span[2]) if compared.span and not compared.is_small else NONE,
                "p, Holm": P(adjusted) if adjusted is not None and not compared.is_small else NONE,
                "First above second, ties half": NONE
                if compared.above is None
                else ranged(compared.above, compared.above_span, 100),
                "The first is": outcome if is_plain else None,
                **items,
                "not used": str(compared.dropped),
                "Raters": str(compared.raters),
                "of both": str(compared.shared),
                "Judgments": str(compared.n),
            }
    if rows.pairs:
        counted |= _strengths_in_differences(rows, asked)
    return counted


def _strengths_in_differences(rows: Rows, asked: Asked) -> Counted:
    compared = compare(rows, asked.level)
    criterion = next(answer.criterion for answer in rows.used)
    span = compared.limits
    is_small = min(compared.items, compared.raters) < ENOUGH or span is None
    decided = span is not None and span[2] <= round(1 - asked.level, 12)
    return {
        (named(criterion), compared.first, compared.second): {
            "Difference": ranged(compared.value, span),
            "p": P(span[2]) if span else NONE,
            "p, Holm": P(span[2]) if span else NONE,
            "The first is": "not tested"
            if is_small
            else ("better" if compared.value > 0 else "worse")
            if decided
            else "undecided",
            "Contexts": str(compared.items),
            "not used": "0",
            "Raters": str(compared.raters),
            "Judgments": str(len(rows.used)),
        }
    }


@table(
    r"Sources by criterion, highest first",
    keys=2,
    uncounted={"Group": "letters of significance follow from the ranks beside them"},
)
def source_means(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    human = rows.study["task"] == "human_or_machine"
    for each in judged(rows, asked.level):
        if each.criterion == "accuracy":
            continue
        values = values_of(rows, each.criterion)
        better = set()
        for compared, adjusted in zip(each.compared, each.adjusted, strict=True):
            if compared and not compared.is_small and (adjusted or 0) <= round(1 - asked.level, 12):
                pair = compared.first, compared.second
                better.add(pair if compared.value > 0 else pair[::-1])
        for side in each.of:
            groups: defaultdict[Hashable, list[Value]] = defaultdict(list)
            for value in values:
                if value.side == side:
                    groups[value.item].append(value)
            mean = fmean(fmean(value.number for value in group) for group in groups.values())
            parts = [
                Influence(v.item, v.rater, 0, w, w * (v.number - mean))
                for group in groups.values()
                for v in group
                for w in [1 / (len(groups) * len(group))]
            ]
            cell = ranged(mean, mean_limits(mean, parts, asked.level, share=human), 100 if human else 1)
            low = 1 + sum(loser == side for _, loser in better)
            high = len(each.of) - sum(winner == side for winner, _ in better)
            counted[named(each.criterion), side] = {
                **dict.fromkeys(("Mean", "Share", "Share or accuracy"), cell),
                "Ranks it can have": str(low) if low == high else f"{low} to {high}",
                "Judgments": str(len(parts)),
            }
    if rows.pairs:
        main = compare(rows, asked.level)
        criterion = named(next(answer.criterion for answer in rows.used))
        for side, cell in strengths(rows, asked.level).items():
            decided = main.limits is not None and main.limits[2] <= round(1 - asked.level, 12)
            decided &= min(main.items, main.raters) >= ENOUGH
            first = (side == main.first) is (main.value > 0)
            rank = ("1" if first else "2") if decided else "1 to 2"
            n = str(len(rows.used))
            counted[criterion, side] = {"Log strength": cell, "Ranks it can have": rank, "Judgments": n}
    return counted


# --- preferences ---


def strengths(rows: Rows, level: float) -> dict[str, Ranged]:
    """Of two sources half of their difference, and half of its limits."""
    compared = compare(rows, level)
    half = ranged(compared.value, compared.limits, 0.5)
    turned = None if half.limits is None else (-half.limits[1], -half.limits[0])
    return {compared.first: half, compared.second: Ranged(-half.value, turned)}


@table(r"Bradley-Terry strengths \(")
def bradley_terry(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {
        (side,): {
            "Log strength": cell,
            "Strength, shares of 1": 100 / (1 + math.exp(-2 * cell.value)),
            "Judgments": str(len(rows.used)),
        }
        for side, cell in strengths(rows, asked.level).items()
    }


@table(r"Differences of Bradley-Terry strength \(", keys=2)
def strength_differences(rows: Rows, asked: Asked, match: Match) -> Counted:
    compared = compare(rows, asked.level)
    cell, n = ranged(compared.value, compared.limits), str(len(rows.used))
    return {(compared.first, compared.second): {"Log strength, first less second": cell, "Judgments": n}}


@table(r"Share of decided votes for the text on the left, with tests of 50%\.")
def left_votes(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for criterion in {name for name, *_ in rows.left_votes}:
        votes = [
            (who, (sign > 0) is not turned) for name, who, sign, turned in rows.left_votes if name == criterion and sign
        ]
        left, raters = sum(left for _, left in votes), len({who for who, _ in votes})
        share = left / len(votes)
        error = math.sqrt(
            squares([Influence(0, who, 0, 0, (is_left - share) / len(votes)) for who, is_left in votes], "rater")
        )
        by_t = (share - 0.5) / error if error else 0.0
        counted[named(criterion),] = {
            "Left preferred": 100 * left / len(votes),
            "p, binomial": P(float(binomtest(left, len(votes)).pvalue)),
            "t, by rater": by_t if error else NONE,
            "p, by rater": P(2 * float(t.sf(abs(by_t), raters - 1))) if error else NONE,
            "Raters": str(raters),
            "Decided votes": str(len(votes)),
        }
    return counted


# --- scales ---


@table(
    r"Ratings by source(?:[,;.])", keys=2, uncounted={"[less the references]": "those of the differences of sources"}
)
def scales(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Means are counted in `tables`. Differences are those of the comparison of sources."""
    counted: Counted = {}
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        if is_nominal(rows, criterion):
            continue
        texts: defaultdict[str, set[str]] = defaultdict(set)
        for answer in rows.used:
            if answer.criterion == criterion:
                texts[side_of(rows, answer.text)].add(answer.text)
        for side, held in texts.items():
            counted[named(criterion), side] = {"Texts": str(len(held)), "less the references": NONE}
    for each in judged(rows, asked.level):
        for compared in each.compared:
            if compared and compared.second == REFERENCES:
                span = compared.span and compared.span[:2]
                cell = Ranged(compared.value, span, compared.n)
                counted[named(each.criterion), compared.first]["less the references"] = cell
    return counted


@table(r"Correlation of two criteria over texts", keys=2)
def criteria_correlate(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    criteria = dict.fromkeys(each.criterion for each in rows.used if not is_nominal(rows, each.criterion))
    for first, second in combinations(criteria, 2):
        one, other = rows.hj(first), rows.hj(second)
        shared = [text for text in one if text in other]
        x, y = (np.array([float(held[text]) for text in shared]) for held in (one, other))
        sides = np.array([rows.sides[text] for text in shared])
        inside = [values - np.array([values[sides == side].mean() for side in sides]) for values in (x, y)]
        counted[named(first), named(second)] = {
            "Over all texts": correlation(x, y),
            "Within sources": correlation(*inside),
            "Texts": str(len(shared)),
        }
    return counted


def correlation(x: np.ndarray, y: np.ndarray) -> float | str:
    if min(x.std(), y.std()) < 1e-12:
        return NONE
    return float(((x - x.mean()) * (y - y.mean())).mean() / x.std() / y.std())


@table(r"Mean of all ratings by source, raw and standardized by rater \(z\)\.", keys=2)
def standardized(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        answers = [answer for answer in rows.used if answer.criterion == criterion]
        by_rater: defaultdict[str, list[float]] = defaultdict(list)
        for answer in answers:
            by_rater[answer.rater].append(float(answer.code))
        held: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for answer in answers:
            own = by_rater[answer.rater]
            sd = stdev(own) if len(own) > 1 else 0.0
            z = (float(answer.code) - fmean(own)) / sd if sd else 0.0
            held[side_of(rows, answer.text)].append((float(answer.code), z))
        for side, values in held.items():
            raw, z = (fmean(each) for each in zip(*values, strict=True))
            counted[named(criterion), side] = {"Raw": raw, "Standardized": z, "Ratings": str(len(values))}
    return counted


@table(
    r"HJ against the frequency of a text in its corpus",
    uncounted={"p": "by t, of the correlation beside it", "p by": "a name", "[r]": "by Fisher's transformation"},
)
def frequency(rows: Rows, asked: Asked, match: Match) -> Counted:
    counts = {text: row["corpus_count"] for text, row in rows.texts.items() if text in rows.hj()}
    x = np.array([float(rows.hj()[text]) for text, n in counts.items() if n])
    y = np.array([math.log(n) for n in counts.values() if n])
    n = str(len(x))
    return {
        ("Pearson, log frequency",): {"r": correlation(x, y), "Texts": n},
        ("Spearman",): {"r": correlation(rankdata(x), rankdata(y)), "Texts": n},
    }


# --- agreement ---


def alpha(units: Sequence[Sequence[float]], apart: Callable[[float, float, Counter[float]], float]) -> float | str:
    """Krippendorff (2011): 1 less observed over expected disagreement, of pairs within units and over all of them."""
    paired = [codes for codes in units if len(codes) > 1]
    times = Counter(code for codes in paired for code in codes)
    total = sum(times.values())
    observed = sum(
        sum(apart(a, b, times) for a in codes for b in codes) / (len(codes) - 1) for codes in map(list, paired)
    )
    expected = sum(times[a] * times[b] * apart(a, b, times) for a in times for b in times)
    return 1 - (total - 1) * observed / expected if expected else NONE


def nominal(a: float, b: float, times: Counter[float]) -> float:
    return float(a != b)


def interval(a: float, b: float, times: Counter[float]) -> float:
    return (a - b) ** 2


def ordinal(a: float, b: float, times: Counter[float]) -> float:
    between = sum(number for code, number in times.items() if min(a, b) <= code <= max(a, b))
    return (between - (times[a] + times[b]) / 2) ** 2 if a != b else 0.0


LEVELS = {"nominal": nominal, "ordinal": ordinal, "interval": interval}
LIMITS_OF_ALPHA = f"{BY_DRAWS}; those that a sentence has are held to the range of other draws"


def units_of(answers: Sequence[Answer], code: Callable[[Answer], float]) -> list[list[float]]:
    units: defaultdict[str, list[float]] = defaultdict(list)
    for answer in answers:
        units[answer.text].append(code(answer))
    return list(units.values())


@table(r"Krippendorff's alpha(?:, with|\.$)", keys=2, uncounted={f"[α, {name}]": LIMITS_OF_ALPHA for name in LEVELS})
def alphas(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for criterion in dict.fromkeys(answer.criterion for answer in rows.used):
        every = [answer for answer in rows.used if answer.criterion == criterion]
        sides = dict.fromkeys(side_of(rows, answer.text) for answer in every)
        for name in ("all", *(sides if len(sides) > 1 else ())):
            answers = [answer for answer in every if name in ("all", side_of(rows, answer.text))]
            units = units_of(answers, lambda answer: float(answer.code))
            # Labels without an order have no distances.
            levels = ("nominal",) if is_nominal(rows, criterion) else tuple(LEVELS)
            values = {f"α, {level}": alpha(units, LEVELS[level]) if level in levels else NONE for level in LEVELS}
            paired = sum(len(unit) > 1 for unit in units)
            counted[named(criterion), name] = {
                **{
                    head: Beside(value, paired) if isinstance(value, float) else value for head, value in values.items()
                },
                "Texts": str(len(units)),
                "Raters": str(len({answer.rater for answer in answers})),
                "Ratings": str(len(answers)),
            }
    return counted


SINGLE, OF_ALL = "one rating", "the mean of all ratings of a text"


@table(r"Intraclass correlation, .+ \((?P<criterion>[\w ]+)\)\.")
def intraclass(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Shrout and Fleiss (1979), case 1: texts are drawn, and raters anew for each."""
    answers = [answer for answer in rows.used if named(answer.criterion) == match["criterion"]]
    units = units_of(answers, lambda answer: float(answer.code))
    n, k = len(units), len(units[0])
    between = k * sum((fmean(codes) - fmean(map(float, (a.code for a in answers)))) ** 2 for codes in units) / (n - 1)
    within = sum((code - fmean(codes)) ** 2 for codes in units for code in codes) / (n * (k - 1))
    if not within:
        said = 1.0 if between else NONE
        return {(name,): {"ICC(1, ·)": said, "Texts": str(n)} for name in (SINGLE, OF_ALL)}
    ratio, at = between / within, (1 + asked.level) / 2
    ends = ratio / f.ppf(at, n - 1, n * (k - 1)), ratio * f.ppf(at, n * (k - 1), n - 1)

    def single(value: float) -> float:
        return float((value - 1) / (value + k - 1))

    def mean(value: float) -> float:
        return float(1 - 1 / value)

    return {
        (name,): {"ICC(1, ·)": ranged(of(ratio), [of(end) for end in ends]), "Texts": str(n)}
        for name, of in ((SINGLE, single), (OF_ALL, mean))
    }


@table(
    r"(?P<model>Mixed model|Least squares with a cluster bootstrap) of \d+ ratings, .+ \((?P<criterion>[\w ]+)\)\.",
    uncounted={
        "[Points of the scale]": f"{BY_DRAWS}, or by the likelihood of the model",
        "Points of the scale": "of a mixed model, by its likelihood; of least squares it is counted",
    },
)
def linear(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Least squares on indicators of the sources: means of all ratings, and differences from the references'."""
    answers = [answer for answer in rows.used if named(answer.criterion) == match["criterion"]]
    codes: defaultdict[str, list[float]] = defaultdict(list)
    for answer in answers:
        codes[side_of(rows, answer.text)].append(float(answer.code))
    is_counted = match["model"] != "Mixed model"
    base = fmean(codes[REFERENCES])
    counted: Counted = {}
    for side, values in codes.items():
        name = "references (intercept)" if side == REFERENCES else f"{side}, less the references"
        value = base if side == REFERENCES else fmean(values) - base
        counted[name,] = {"Points of the scale": Beside(value) if is_counted else None, "n": str(len(answers))}
    return counted


# --- evaluators ---


@table(
    r"Human-or-machine judgments by model, domain and training",
    keys=3,
    uncounted={f"[α, {name}]": BY_DRAWS for name in ("binary", "4-point")},
)
def evaluators(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for name, arm in arms_and_all(rows, "all"):
        answers, shares = answers_in(rows, arm), rows.right_answers(arm)
        binary = units_of(answers, lambda answer: float(answer.code > 2))
        scale = units_of(answers, lambda answer: float(answer.code))
        paired = sum(len(unit) > 1 for unit in scale)
        limits = mean_share(shares, asked.level)
        counted["all", "all", name] = {
            "Accuracy": ranged(fmean(hits / total for hits, total in shares), limits, 100),
            **pooled_cells(rows, answers, len(shares), asked.level),
            "α, binary": _alpha_beside(alpha(binary, nominal), paired),
            "α, 4-point": _alpha_beside(alpha(scale, ordinal), paired),
            "Evaluators": str(len(shares)),
            "Ratings": str(len(answers)),
        }
    return counted


def pooled_cells(rows: Rows, answers: Sequence[Answer], evaluators: int, level: float) -> dict[str, Cell]:
    """Ratios of sums over evaluators, machine being positive; n beside those that are not of all answers."""
    held: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        said, truth = answer.code > 2, bool(rows.sides[answer.text])
        held[answer.rater].update(
            all=1, hit=said and truth, said=said, truth=truth, human=not said, sure=answer.code in (1, 4)
        )
    every = sum(held.values(), Counter())
    either = every["said"] + every["truth"] - every["hit"]
    cells: dict[str, Cell] = {}
    for head, counts, n, scale in (
        ("F1", [(2 * own["hit"], own["said"] + own["truth"]) for own in held.values()], either, 1),
        ("Precision", [(own["hit"], own["said"]) for own in held.values()], every["said"], 1),
        ("Recall", [(own["hit"], own["truth"]) for own in held.values()], every["truth"], 1),
        ("% human", [(own["human"], own["all"]) for own in held.values()], every["all"], 100),
        ("% confident", [(own["sure"], own["all"]) for own in held.values()], every["all"], 100),
    ):
        hits, total = map(sum, zip(*counts, strict=True))
        beside = None if n == every["all"] else n
        if not total or (head == "F1" and not every["truth"]):
            cells[head] = f"{NONE} (n = {n})"
            continue
        limits = pooled_share(counts, level, n)
        value = ranged(hits / total, limits, scale)
        cells[head] = Ranged(value.value, value.limits, beside)
    return cells


def _alpha_beside(value: float | str, n: int) -> Cell:
    return Beside(value, n) if isinstance(value, float) else f"{NONE} (n = {n})"


@table(
    r"Accuracy against chance, two-sided one-sample t-tests over evaluators\.",
)
def against_chance(rows: Rows, asked: Asked, match: Match) -> Counted:
    rowed: dict[str, dict[str, Cell]] = {}
    tested: dict[str, float] = {}
    heads = ("t", "df", "p", "p, Bonferroni", "p, Holm", "p, BH", "Cohen's d", "Hedges' g")
    for name, arm in arms_and_all(rows):
        above = [share - 0.5 for share in rows.accuracies(arm)]
        cells: dict[str, Cell] = {"Accuracy less 50%": NONE, **dict.fromkeys(heads, NONE)}
        n, sd = len(above), stdev(above) if len(above) > 1 else 0.0
        if n > 1 and sd:
            mean, error = fmean(above), sd / math.sqrt(n)
            half, p = quantile(asked.level, n - 1) * error, 2 * float(t.sf(abs(mean / error), n - 1))
            cells |= {"Accuracy less 50%": ranged(mean, (mean - half, mean + half), 100), "t": mean / error}
            d, ends = mean / sd, standardized_limits(mean / error, n - 1, math.sqrt(n), asked.level)
            factor = 1 - 3 / (4 * (n - 1) - 1)
            g = Ranged(d * factor, (ends[0] * factor, ends[1] * factor)) if n > 2 else NONE
            cells |= {"df": str(n - 1), "p": P(p), "Cohen's d": Ranged(d, ends), "Hedges' g": g}
            if arm:
                tested[name] = p
        elif n > 1:
            cells["Accuracy less 50%"] = 100 * above[0]
        rowed[name] = {**cells, "Evaluators": str(n)}
    # An arm whose test is not defined belongs to the family all the same.
    ordered, family = sorted(tested.items(), key=lambda item: item[1]), len(rowed) - 1
    missing = [None] * (family - len(ordered))
    for (name, p), by_holm in zip(ordered, holm([*(p for _, p in ordered), *missing]), strict=False):
        later = [min(1.0, family * q / rank) for rank, (_, q) in enumerate(ordered, 1) if q >= p]
        bonferroni = min(1.0, p * family)
        rowed[name] |= {"p, Bonferroni": P(bonferroni), "p, Holm": P(by_holm or 0), "p, BH": P(min(later))}
    return {(name,): cells for name, cells in rowed.items()}


def standardized_limits(by_t: float, df: float, root: float, level: float) -> tuple[float, float]:
    """Limits of Cohen's d: noncentralities that put the t at either tail, over the root of n."""
    tail = (1 - level) / 2
    return noncentrality(by_t, df, 1 - tail) / root, noncentrality(by_t, df, tail) / root


def noncentrality(by_t: float, df: float, share: float) -> float:
    """Of the noncentral t that is below the t with this chance, which falls as it grows."""

    def above(at: float) -> float:
        return float(nct.cdf(by_t, df, at)) - share

    low = high = by_t
    while above(low) < 0:
        low -= 1 + abs(by_t) / 4
    while above(high) > 0:
        high += 1 + abs(by_t) / 4
    return float(brentq(above, low, high))


@table(r"Equivalence by two one-sided t-tests", rows={r".*": "held by the sentence on equivalence"})
def equivalence(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}


@table(r"Differential drop-out", rows={r".*": "Fisher's test of the table beside it, which is counted"})
def drop_out(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}


@table(
    r"Least squares with a cluster bootstrap of right answers",
    uncounted={"[Share right]": BY_DRAWS, "[Difference]": BY_DRAWS},
)
def linear_accuracy(rows: Rows, asked: Asked, match: Match) -> Counted:
    groups = {name: answers_in(rows, arm) for name, arm in arms_and_all(rows) if arm}
    if not groups:
        groups = {
            f"{author} texts": [each for each in rows.used if bool(rows.sides[each.text]) is machine]
            for author, machine in (("human", False), ("machine", True))
        }
    shares = {
        name: 100 * fmean((each.code > 2) is bool(rows.sides[each.text]) for each in answers)
        for name, answers in groups.items()
        if answers
    }
    first, n = next(iter(shares)), str(len(rows.used))
    counted: Counted = {(first,): {"Share right": Beside(shares[first]), "Difference": NONE, "n": n}}
    for name, share in [*shares.items()][1:]:
        cells: dict[str, Cell] = {"Share right": NONE, "Difference": Beside(share - shares[first]), "n": n}
        counted[f"{name}, less {first}",] = cells
    return counted


@table(
    r"Conditions against each other, Welch's t-tests over evaluators\.",
    keys=2,
    uncounted={"Smallest d found with power .8": "by the noncentral t distribution"},
)
@table(
    r"Tukey-Kramer comparison of all pairs of conditions",
    keys=2,
)
def conditions_compared(rows: Rows, asked: Asked, match: Match) -> Counted:
    shares = {name: rows.accuracies(arm) for name, arm in arms_and_all(rows) if arm}
    return groups_compared(shares, asked.level, all_pairs=match[0].startswith("Tukey"))


def groups_compared(accuracies: Mapping[str, Sequence[float]], level: float, *, all_pairs: bool) -> Counted:
    """Pairs of groups with two evaluators or more: each by Welch's test, or all pairs together."""
    shares = {name: values for name, values in accuracies.items() if len(values) > 1}
    total = sum(map(len, shares.values()))
    within = sum(variance(values) * (len(values) - 1) for values in shares.values()) / (total - len(shares))
    counted: Counted = {}
    tested: dict[tuple[str, str], float] = {}
    for pair in combinations(shares, 2):
        one, other = (shares[name] for name in pair)
        n, m, apart = len(one), len(other), fmean(one) - fmean(other)
        parts = variance(one) / n, variance(other) / m
        df = sum(parts) ** 2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
        by_t = apart / math.sqrt(sum(parts))
        pooled_sd = math.sqrt((variance(one) * (n - 1) + variance(other) * (m - 1)) / (n + m - 2))
        cells: dict[str, Cell] = {"Cohen's d": Beside(apart / math.sqrt(within), n + m)}
        error = math.sqrt(within / 2 * (1 / n + 1 / m))
        if all_pairs:
            range_of = studentized_range(len(shares), total - len(shares))
            half = float(range_of.ppf(level)) * error
            cells |= {"q": abs(apart) / error, "p, all pairs": P(float(range_of.sf(abs(apart) / error)))}
        else:
            root = math.sqrt(n * m / (n + m))
            ends = standardized_limits(apart / pooled_sd * root, n + m - 2, root, level) if pooled_sd else None
            cells["Cohen's d"] = Ranged(apart / pooled_sd, ends, n + m) if pooled_sd else NONE
            half, of = quantile(level, df) * math.sqrt(sum(parts)), len(shares) * (len(shares) - 1) // 2
            tested[pair] = 2 * float(t.sf(abs(by_t), df))
            cells |= {"t": by_t, "df": float(df), "p": P(tested[pair]), "p, Bonferroni": P(min(1.0, of * tested[pair]))}
        limits = 100 * (apart - half), 100 * (apart + half)
        counted[pair] = {**cells, "Difference of accuracy": Ranged(100 * apart, limits, n + m)}
    ordered = sorted(tested, key=lambda pair: tested[pair])
    for pair, p in zip(ordered, holm([tested[pair] for pair in ordered]), strict=True):
        counted[pair]["p, Holm"] = P(p or 0)
    return counted


@table(
    r"Judgments of each text, one by one and pooled",
)
def pooled(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    several = len(arms_and_all(rows)) > 1
    for name, arm in arms_and_all(rows)[:-1] if several else [("all", "")]:
        said: defaultdict[str, list[bool]] = defaultdict(list)
        answers = answers_in(rows, arm)
        for answer in answers:
            said[answer.text].append((answer.code > 2) is bool(rows.sides[answer.text]))
        likely = dawid_skene([each for each in answers if len(said[each.text]) > 1])
        held = [votes for votes in said.values() if len(votes) > 1]
        if held:
            majority = [0.5 if 2 * sum(votes) == len(votes) else float(2 * sum(votes) > len(votes)) for votes in held]
            counted[name,] = {
                "One judgment": 100 * fmean(vote for votes in held for vote in votes),
                "Majority": 100 * fmean(majority),
                "Dawid-Skene": 100
                * fmean(0.5 if p == 0.5 else float((p > 0.5) is bool(rows.sides[text])) for text, p in likely.items()),
                "Texts": str(len(held)),
                "Judgments": str(sum(map(len, held))),
            }
    return counted


SMOOTHED, ROUNDS, RISE = 0.01, 100, 1e-5


def dawid_skene(answers: Sequence[Answer]) -> dict[str, float]:
    """The chance of each text to be a machine's by Dawid and Skene (1979): EM from the shares of votes, two classes."""
    votes: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for answer in answers:
        votes[answer.text].append((answer.rater, int(answer.code > 2)))
    chance = {text: fmean(said for _, said in held) for text, held in votes.items()}
    before = -math.inf
    for _ in range(ROUNDS):
        machine = fmean(chance.values()) if chance else 0.0
        counts: defaultdict[str, np.ndarray] = defaultdict(lambda: np.full((2, 2), SMOOTHED))
        for text, held in votes.items():
            for rater, said in held:
                counts[rater][said] += 1 - chance[text], chance[text]
        errors = {rater: table / table.sum(axis=0) for rater, table in counts.items()}
        total = 0.0
        for text, held in votes.items():
            logs = np.log(np.maximum([1 - machine, machine], 1e-10))
            logs = logs + sum(np.log(errors[rater][said]) for rater, said in held)
            weights = np.exp(logs - logs.max())
            chance[text] = float(weights[1] / weights.sum())
            total += float(logs.max() + math.log(weights.sum()))
        if total - before < RISE * len(answers):
            break
        before = total
    return chance


# --- HUSE ---


def points(
    rows: Rows, generator: str, answers: Sequence[Answer], *, totals: bool = False
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """HJ of the rated texts, their log-probabilities by unit (or totals) where known, and which are references."""
    codes: defaultdict[str, list[float]] = defaultdict(list)
    for answer in answers:
        codes[answer.text].append(float(answer.code))
    keys = [key for key, side in rows.sides.items() if side in ("", generator) and key in codes]
    known = [rows.likelihoods.get((generator, key)) for key in keys]
    rates = [pair[0] / (1 if totals else pair[1]) for pair in known if pair]
    is_known = len(rates) == len(keys) and all(math.isfinite(rate) for rate in rates)
    hj = np.array([fmean(codes[key]) for key in keys])
    return hj, np.array(rates) if is_known else None, np.array([rows.sides[key] == "" for key in keys])


def three(
    rows: Rows, generator: str, k: int, answers: Sequence[Answer], *, tie: float = 1, totals: bool = False
) -> dict[str, Cell]:
    """HUSE, HUSE-Q, HUSE-D and log p alone of these answers; HUSE-Q alone without all log-probabilities.

    HUSE is 0 where exactly one source has probability zero. tie: the share of equal votes that answer reference.
    totals: with log p as it is, not divided by the length.
    """
    hj, rates, reference = points(rows, generator, answers, totals=totals)
    quality = huse_of(hj, np.zeros(len(hj)), reference, k, tie)
    if disjoint(rows, generator):
        values = 0.0, quality, 1 - quality, 0.0
    elif rates is None:
        return {"HUSE": NONE, "HUSE-Q": Beside(quality), "HUSE-D": NONE, "log p only": NONE}
    else:
        values = four(hj, rates, reference, k, tie)
    return {name: Beside(value) for name, value in zip((*THREE, "log p only"), values, strict=True)}


def four(
    hj: np.ndarray, rates: np.ndarray, reference: np.ndarray, k: int, tie: float = 1
) -> tuple[float, float, float, float]:
    """HUSE, HUSE-Q, HUSE-D and log p alone."""
    nothing = np.zeros(len(hj))
    both = huse_of(hj, rates, reference, k, tie)
    quality, alone = huse_of(hj, nothing, reference, k, tie), huse_of(nothing, rates, reference, k, tie)
    return both, quality, 1 + both - quality, alone


def of_paper(rows: Rows, generator: str, k: int) -> dict[str, Cell]:
    """The same as the original counts."""
    both, quality = (paper_huse(rows, generator, k, quality_only=only) for only in (False, True))
    assert quality is not None
    if both is None:
        return {"HUSE": NONE, "HUSE-Q": Beside(quality), "HUSE-D": NONE}
    return {name: Beside(value) for name, value in zip(THREE, (both, quality, 1 + both - quality), strict=True)}


def generators_of(rows: Rows, asked: Asked) -> list[str]:
    names = dict.fromkeys(side for side in rows.sides.values() if side)
    return [name for name in names if items_of(rows, name) > asked.k]


OF_HALVES = "by half-samples; those of HUSE, HUSE-Q and HUSE-D as reported are counted"
THREE = ("HUSE", "HUSE-Q", "HUSE-D")
LISTED = {f"[{name}]": OF_HALVES for name in (*THREE, "log p only")}


def page_rows(asked: Asked, caption: str) -> list[dict[str, str]]:
    assert asked.page is not None
    tables = (held for title, held in asked.page.captioned() if title.startswith(caption))
    cells: list[list[str]] = next(tables, [[]])
    head, body = headed(caption, cells)
    return [dict(zip(head, row, strict=True)) for row in body]


@kind(
    rf"(?P<name>\S+): HUSE is (?P<value>{NUMBER}), above 1: the classifier errs more often than guessing "
    rf"would\.(?: With the sources of texts exchanged at random it is "
    rf"(?P<mean>{NUMBER}) on average \(SD (?P<sd>{NUMBER})\)\.)?"
)
def above_one(rows: Rows, match: Match, asked: Asked) -> str | None:
    value = rows.huse(match["name"], asked.k)
    if value is None or value[0] <= 1:
        return None
    said = f"{match['name']}: HUSE is {decimal(value[0])}, above 1: the classifier errs more often than guessing would."
    # The draws are the report's own: they are held to the table of the test, which has them for every generator.
    for row in page_rows(asked, "Test against equal sources"):
        if row["Generator"] == match["name"]:
            mean, sd = row["Mean under the null"], row["its sd"]
            said += f" With the sources of texts exchanged at random it is {mean} on average (SD {sd})."
    return said


@table(r"HUSE, HUSE-Q \(judgment alone\) and HUSE-D", uncounted=LISTED)
def huse_of_paper(rows: Rows, asked: Asked, match: Match) -> Counted:
    n = {name: str(items_of(rows, name)) for name in generators_of(rows, asked)}
    return {(name,): {**three(rows, name, asked.k, rows.used), "n": n[name]} for name in n}


@table(r"HUSE, HUSE-Q \(judgment alone\), HUSE-D \(1 \+", keys=2, uncounted=LISTED)
def huse(rows: Rows, asked: Asked, match: Match) -> Counted:
    tested = {row["Generator"]: row["p"] for row in page_rows(asked, "Test against equal sources")}
    counted: Counted = {}
    for name in generators_of(rows, asked):
        hj, _, _ = points(rows, name, rows.used)
        ratings = Counter(answer.text for answer in rows.used if rows.sides[answer.text] in ("", name))
        same: dict[str, Cell] = {"n": str(len(hj)), "Ratings per text": spread(ratings.values()), "k": str(asked.k)}
        cells = three(rows, name, asked.k, rows.used)
        p = P(float(tested[name])) if name in tested else NONE
        counted[name, "exact"] = {**same, **cells, "p (equal sources)": p}
        counted[name, "paper"] = {**same, "p (equal sources)": NONE}
        counted[name, "paper"] |= of_paper(rows, name, asked.k)
    return counted


@table(r"HJ by source: mean over texts")
def hj_by_source(rows: Rows, asked: Asked, match: Match) -> Counted:
    held: defaultdict[str, list[float]] = defaultdict(list)
    for key, value in rows.hj().items():
        held[rows.sides[key] or "reference"].append(float(value))
    counted: Counted = {}
    for side, values in held.items():
        varies = len(values) > 1 and len(set(values)) > 1
        half = quantile(asked.level, len(values) - 1) * stdev(values) / math.sqrt(len(values)) if varies else 0.0
        mean = fmean(values)
        counted[side,] = {
            "n": str(len(values)),
            "Mean HJ": ranged(mean, (mean - half, mean + half) if varies else None),
        }
    return counted


OF_PERMUTATIONS = "of permutations that are drawn at random"


@table(
    r"Test against equal sources, one-sided, by permutation of the labels of the texts\.",
    uncounted=dict.fromkeys(("p", "mid-p", "Mean under the null", "its sd"), OF_PERMUTATIONS)
    | dict.fromkeys(("Permuted labels", "Permutations"), "how the permutations were drawn"),
)
def against_equal(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {
        (name,): {"HUSE": cells["HUSE"], "n": str(items_of(rows, name))}
        for name in generators_of(rows, asked)
        if isinstance((cells := three(rows, name, asked.k, rows.used))["HUSE"], Beside)
    }


@table(r"Differences between generators with the same references", keys=2, uncounted=LISTED)
def huse_differences(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Of studies whose texts have one number of ratings; of others the program draws that number."""
    first, second = generators_of(rows, asked)
    one, other = (three(rows, name, asked.k, rows.used) for name in (first, second))
    n = len(rows.hj())
    ratings = set(Counter(answer.text for answer in rows.used).values())
    cells: dict[str, Cell] = {}
    for head in THREE:
        a, b = one.get(head), other.get(head)
        is_same = len(ratings) == 1 and isinstance(a, Beside) and isinstance(b, Beside)
        cells[head] = Beside(a.value - b.value, n) if is_same else None  # type: ignore[union-attr]
    return {(first, second): cells}


KS = (1, 3, 5, 7, 9, 11, 13, 15, 16, 17, 19, 21, 25, 31, 41, 51, 75, 99)


@table(r"HUSE by other choices, one changed at a time", keys=2, uncounted=LISTED)
def other_choices(rows: Rows, asked: Asked, match: Match) -> Counted:
    """Other ties, neighbours and log p, and as many texts of each source, by draws of the report's own seed."""
    counted: Counted = {}
    for name in generators_of(rows, asked):
        size = items_of(rows, name)
        found: dict[str, dict[str, Cell]] = {
            "as reported": three(rows, name, asked.k, rows.used),
            "paper ties": of_paper(rows, name, asked.k),
            "equal votes: half": three(rows, name, asked.k, rows.used, tie=0.5),
            "equal votes: model": three(rows, name, asked.k, rows.used, tie=0),
            "total log p, not per unit of length": three(rows, name, asked.k, rows.used, totals=True),
            **{f"k = {k}": three(rows, name, k, rows.used) for k in KS if k < size},
        }
        for choice, cells in found.items():
            counted[name, choice] = {**cells, "n": str(size)}
        counted |= {(name, choice): cells for choice, cells in of_equal_sizes(rows, name, asked.k)}
    return counted


SUBSAMPLES = 200


def of_equal_sizes(rows: Rows, name: str, k: int) -> Iterator[tuple[str, dict[str, Cell]]]:
    hj, rates, reference = points(rows, name, rows.used)
    sides = [np.flatnonzero(side) for side in (reference, ~reference)]
    size = min(map(len, sides))
    if len(sides[0]) == len(sides[1]) or 2 * size <= k:
        return
    rng = np.random.default_rng(0)
    chosen = [side[rng.random((SUBSAMPLES, len(side))).argsort(axis=1)[:, :size]] for side in sides]
    known = rates if rates is not None else np.zeros(len(hj))
    drawn = [four(hj[at], known[at], reference[at], k) for at in np.concatenate(chosen, axis=1)]
    cells: dict[str, Cell] = {"n": str(2 * size)}
    for head, value in zip((*THREE, "log p only"), np.mean(drawn, axis=0), strict=True):
        cells[head] = NONE if rates is None and head != "HUSE-Q" else Beside(float(value))
    yield f"{size} texts of each source, mean of {SUBSAMPLES} subsamples", cells


IMPOSSIBLE = "where a text has probability zero, by votes within groups of texts"
VERDICTS = ("distinguished", "mistaken for each other", "one right, one wrong", "undecided")


def margins_of(rows: Rows, generator: str, k: int) -> list[tuple[str, str, float, float]]:
    """Reference and model text of each context with both, and by how much more votes each has for its own source."""
    hj, rates, reference = points(rows, generator, rows.used)
    if rates is None:
        return []
    votes, rated = votes_of(hj, rates, reference, k), {answer.text for answer in rows.used}
    share = np.full(len(hj), 0.5) if votes is None else votes[0] / (votes[0] + votes[1])
    margins = np.where(reference, 1, -1) * (2 * share - 1)
    texts: defaultdict[str, tuple[list[tuple[str, float]], ...]] = defaultdict(lambda: ([], []))
    keys = (key for key, side in rows.sides.items() if side in ("", generator) and key in rated)
    for key, margin in zip(keys, margins.tolist(), strict=True):
        if key in rows.contexts:
            texts[rows.contexts[key]][bool(rows.sides[key])].append((key, margin))
    return [(a, b, x, y) for sides in texts.values() for (a, x), (b, y) in zip(*sides, strict=False)]


def verdict_of(first: float, second: float) -> str:
    if abs(first) + abs(second) <= 0.5 + 1e-12:
        return "undecided"
    if first * second < 0:
        return "one right, one wrong"
    return "distinguished" if first + second > 0 else "mistaken for each other"


@table(
    r"Pairs of a reference and a model text of one context, by the verdict of the classifier\.",
    keys=2,
    uncounted={"Pairs": IMPOSSIBLE},
)
def pairs_by_verdict(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for name in generators_of(rows, asked):
        pairs = margins_of(rows, name, asked.k)
        counts = Counter(verdict_of(first, second) for *_, first, second in pairs)
        for words in VERDICTS:
            counted[name, words] = {"Pairs": str(counts[words]) if pairs else None}
        counted[name, "all"] = {"Pairs": str(len(pairs)) if pairs else None}
    return counted


@table(
    r"Contexts by the verdict of the classifier, with its margin\.",
    keys=(0, 3, 6),
    uncounted={"Kind": "of pairs, the first of several lists; each verdict is counted", "Margin": IMPOSSIBLE},
)
def contexts_by_verdict(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    for row in page_rows(asked, "Contexts by the verdict"):
        name, *texts = row["Generator"], row["Reference"], row["Model text"]
        if {rows.contexts[text].partition(":")[0] for text in texts} != {row["Context"]}:
            continue
        cells: dict[str, Cell] = {"Context": row["Context"]}
        for first, second, a, b in margins_of(rows, name, asked.k):
            if [first, second] == texts:
                said, verdict = row["Kind"], verdict_of(a, b)
                cells |= {"Margin": a + b, "Kind": said if said.startswith(verdict) else verdict}
        for text, end in zip(texts, ("", " (2)"), strict=True):
            total, length = rows.likelihoods[name, text]
            cells[f"its HJ{end}"] = float(rows.hj()[text])
            cells[f"its log p per unit{end}"] = total / length if math.isfinite(total) else NONE
        counted[name, texts[0], texts[1]] = cells
    return counted


@table(
    r"HUSE by number of (?P<over>texts|ratings per text)",
    keys=2,
    uncounted=LISTED,
    rows={r".*": "means over subsamples that are drawn at random"},
)
def by_size(rows: Rows, asked: Asked, match: Match) -> Counted:
    """At full size they are those of the report; of ratings, where each text has as many."""
    counted: Counted = {}
    for name in generators_of(rows, asked):
        cells = three(rows, name, asked.k, rows.used)
        ratings = set(Counter(each.text for each in rows.used if rows.sides[each.text] in ("", name)).values())
        full = items_of(rows, name) if match["over"] == "texts" else max(ratings)
        value = cells["HUSE"]
        if isinstance(value, Beside) and (match["over"] == "texts" or len(ratings) == 1):
            shown = {head: cells[head] for head in THREE[:2]}
            counted[name, str(full)] = {**shown, "Accuracy": 100 - 50 * value.value, "n": str(items_of(rows, name))}
    return counted


# --- exclusions ---


@table(r"(?P<of>HUSE|Accuracy) with and without the exclusions", keys=2, uncounted=LISTED)
def with_and_without(rows: Rows, asked: Asked, match: Match) -> Counted:
    counted: Counted = {}
    samples = (("as reported", rows.used), ("with every judgment", rows.answers))
    if match["of"] == "HUSE":
        for name in generators_of(rows, asked):
            for words, answers in samples:
                n = str(len(points(rows, name, answers)[0]))
                counted[name, words] = {**three(rows, name, asked.k, answers), "n": n}
        return counted
    for words, answers in samples:
        for name, arm in arms_and_all(rows):
            right: defaultdict[str, list[bool]] = defaultdict(list)
            for answer in answers:
                if arm in ("", answer.arm):
                    right[answer.rater].append((answer.code > 2) is bool(rows.sides[answer.text]))
            shares = [(sum(votes), len(votes)) for votes in right.values()]
            counted[name, words] = {
                "Accuracy": ranged(fmean(map(fmean, right.values())), mean_share(shares, asked.level), 100),
                "Ratings": str(sum(map(len, right.values()))),
                "Evaluators": str(len(right)),
            }
    return counted


SELECTED = "by rules that choose among the submissions; sentences on the selections are held to this table"


@table(r"Share of the selections with a value on each side", keys=1, rows={r".*": SELECTED})
@table(r"(?:HUSE|HUSE-Q|Accuracy) by rules of exclusion", keys=1, rows={r".*": SELECTED})
def selections(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}


# --- the paper page ---


@table(r"Mean rating|Share of the judgments with each label|How often a text of each source was chosen, and would")
@table(r"Share of judgments that prefer the first|Accuracy of evaluators who said")
def paper(rows: Rows, asked: Asked, match: Match) -> Counted:
    return {}
