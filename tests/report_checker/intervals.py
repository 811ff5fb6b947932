"""Limits of intervals and p values, computed anew from the rows.

Those with a formula are exact. Those of half-samples and of shuffles draw by the report's seed, with code of their own,
and are exact too. The interval of Krippendorff's alpha draws in another order than the report: its limits are held to
the range that other draws give (`alpha_ranges`), and to each other: both are as far from the value on the scale of
log(1 - alpha). Those of HUSE where the raters differ by source hold the limits over texts alone, and are roots of one
equation (`are_of_one_variance`). So one limit that is moved is caught; two that move together, within the range, are
not.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, pvariance

import numpy as np
from scipy.stats import t

from tests.report_checker.recount import Answer, Rows, disjoint

SEED = 1  # of the reports that are checked
PAIRS = 200  # of half-samples
SHUFFLES = 2000
DEALS, DRAWS = 5, 1000
OWN_DRAWS, BATCH = 4000, 100
SURE = 4  # standard errors
TIE = 1e-9
STEPS = 301  # of standard errors that are tried within a slack
NOTHING = 1e-12
FAR = 1e4  # standard deviations between probability zero and every other


def quantile(level: float, df: float = math.inf) -> float:
    """Of a two-sided interval: Student's t, or the normal distribution."""
    return float(t.ppf((1 + level) / 2, df)) if math.isfinite(df) else NormalDist().inv_cdf((1 + level) / 2)


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Roots of (share - x)^2 = z^2 x (1 - x) / n."""
    a, b, c = 1 + z * z / n, -(2 * share + z * z / n), share * share
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def mean_share(right: Sequence[tuple[int, int]], level: float) -> tuple[float, float] | None:
    """Limits of the mean of shares, each of (right, answers): Wilson's with the n that their variance stands for."""
    units = len(right)
    if units < 2:
        return None
    shares = [hits / total for hits, total in right]
    mean = sum(shares) / units
    variance = 0.0 if len(set(shares)) == 1 else sum((share - mean) ** 2 for share in shares) / (units - 1) / units
    judgments = units**2 / sum(1 / total for _, total in right)
    effective = mean * (1 - mean) / variance if variance else judgments
    return wilson(mean, max(effective, 1e-300), quantile(level, units - 1))


def pooled_share(counts: Sequence[tuple[float, float]], level: float, answers: float = 0) -> tuple[float, float] | None:
    """Limits of a ratio of sums over raters, each of (hits, answers): Wilson's with the n that its variance stands for.

    answers: how many judgments the ratio is of, where they are not the sum.
    """
    held = [(hits, total) for hits, total in counts if total]
    hits, total = (sum(each) for each in zip(*held, strict=True)) if held else (0, 0)
    if len(held) < 2:
        return None
    share, m = hits / total, len(held)
    variance = m / (m - 1) * sum((own * total - of * hits) ** 2 for own, of in held) / total**4
    effective = share * (1 - share) / variance if variance else answers or total
    low, high = wilson(share, max(effective, 1e-300), quantile(level, m - 1))
    return max(low, 0.0), min(high, 1.0)


# --- a difference of two sources ---


@dataclass(frozen=True, slots=True)
class Influence:
    """What one answer adds to the difference. side: whose text, 0 or 1. weight: in the mean of its side."""

    item: Hashable
    rater: str
    side: int
    weight: float
    psi: float


def squares(parts: Sequence[Influence], *names: str) -> float:
    """m / (m - 1) times the sum of squared sums of the clusters with these names; m clusters."""
    sums: defaultdict[tuple[Hashable, ...], float] = defaultdict(float)
    for part in parts:
        sums[tuple(getattr(part, name) for name in names)] += part.psi
    number = len(sums)
    return number / (number - 1) * sum(value * value for value in sums.values()) if number > 1 else 0.0


def clustered(
    value: float, parts: Sequence[Influence], level: float, *, votes: bool = False
) -> tuple[float, float, float] | None:
    """Limits and p of a difference with these influences, clustered by item and rater; None where there are none.

    votes: of preferences, whose raters all count alike, and whose two-way variance is used as it is above 0.
    """
    items, raters, cells = squares(parts, "item"), squares(parts, "rater"), squares(parts, "item", "rater")
    people = len({part.rater for part in parts})
    contexts = min(len({part.item for part in parts if part.side == side}) for side in {part.side for part in parts})
    fewest: float = people
    if len({part.item for part in parts}) < 2 or people < 2:
        return None
    if not votes:
        held = [raters_of(parts, side) for side in (0, 1)]
        fewest = min(1 / sum(share**2 for share in shares) for shares in held)
        raters *= unequal(held) * (people - 1) / people
    both, single = items + raters - cells, max(items, raters)
    if both <= NOTHING * max(items, raters, cells) or (not votes and both < single):
        both = single
    if both <= NOTHING * max(items, raters, cells):
        return None
    df = max(1, min(contexts, int(fewest + TIE)) - 1)
    error = math.sqrt(both)
    half = quantile(level, df) * error
    return value - half, value + half, 2 * float(t.sf(abs(value) / error, df))


def mean_limits(value: float, parts: Sequence[Influence], level: float, *, share: bool) -> tuple[float, float] | None:
    """Limits of the mean (or share) of one source for new items and new raters; None where there are none.

    As `clustered`, with one side. A share has Wilson's limits, with the answers that its variance stands for.
    """
    items, raters = (len({getattr(part, name) for part in parts}) for name in ("item", "rater"))
    if min(items, raters) < 2:
        return None
    held = raters_of(parts, 0)
    over = squares(parts, "item"), squares(parts, "rater") * unequal([held]) * (raters - 1) / raters
    variance = max(sum(over) - squares(parts, "item", "rater"), *over)
    z = quantile(level, max(1, min(items, int(1 / sum(each**2 for each in held) + TIE)) - 1))
    varies = variance > NOTHING * max(*over, squares(parts, "item", "rater"))
    if share:
        z = z if varies else quantile(level, min(items, raters) - 1)
        return wilson(value, value * (1 - value) / variance if varies else len(parts), z)
    return (value - z * math.sqrt(variance), value + z * math.sqrt(variance)) if varies else None


def raters_of(parts: Sequence[Influence], side: int) -> list[float]:
    """Shares of the raters in the mean of a side."""
    shares: defaultdict[str, float] = defaultdict(float)
    for part in parts:
        if part.side == side:
            shares[part.rater] += part.weight
    return list(shares.values())


def unequal(held: Sequence[Sequence[float]]) -> float:
    """What the squares of raters' own sums lack, by the shares that they hold of each side."""
    second = [sum(share**2 for share in shares) for shares in held]
    lost = sum(2 * sum(share**3 for share in shares) - two**2 for shares, two in zip(held, second, strict=True))
    return sum(second) / (sum(second) - lost) if sum(second) > lost else 1.0


# --- HUSE ---


def huse_limits(
    rows: Rows, generator: str, k: int, level: float, *, quality_only: bool = False
) -> tuple[float, float] | None:
    """Limits of HUSE (or HUSE-Q) over new texts; None where a half has too few. Of other raters: `other_raters`."""
    value = rows.huse(generator, k, quality_only=quality_only)
    spread = spread_of_huse(rows, generator, k)
    if value is None or spread is None:
        return None
    return spread.limits(int(quality_only), value[0], spread.errors[int(quality_only)], level)


@dataclass(frozen=True, slots=True)
class Spread:
    """What the limits of HUSE, HUSE-Q and HUSE-D are made of: a standard error each, over so many texts.

    freedom: of the quantile, a number for each measure; None: that of new texts alone. slack: share of a standard error
    by which other draws change it, 0 where they are the report's own.
    """

    errors: tuple[float, float, float]
    texts: int
    freedom: tuple[float, float, float] | None = None
    slack: float = 0.0

    def allow(self, measure: int, value: float, said: tuple[float, float], level: float, off: float) -> bool:
        """Whether both limits, as they are printed, follow from one standard error within the slack.

        measure: 0 to 2. off: by how much the printed value may lie beside the one that the limits were made of.
        """
        steps = np.linspace(1 - self.slack, 1 + self.slack, STEPS) if self.slack else np.ones(1)
        for error in self.errors[measure] * steps:
            limits = self.limits(measure, value, float(error), level)
            apart = max(abs(end - shown) for end, shown in zip(limits, said, strict=True))
            if apart <= ROUNDED + off + 2 * self.slack / STEPS * (limits[1] - limits[0]):
                return True
        return False

    def limits(self, measure: int, value: float, error: float, level: float) -> tuple[float, float]:
        """Of twice an error rate Wilson's, of HUSE-D those of 1 and twice a difference of two error rates."""
        n = self.texts
        if measure < len(self.errors) - 1:
            rate = min(max(value / 2, 0.0), 1.0)
            spread = rate * (1 - rate)
            effective = min(2 * n, 4 * spread / error**2) if error > 0 and spread > 0 else n
            low, high = wilson(rate, effective, quantile(level, self.freedom[measure] if self.freedom else math.inf))
            return 2 * low, 2 * high
        # As if one text more were judged right, and one wrong.
        floor = (abs(value - 1) * n / 2 + 1) / (n + 2)
        rate, error = (1 - value) / 2, max(error, 2 * math.sqrt(floor * (1 - floor) / (n + 2)))
        share = n * (error / 2) ** 2 + rate**2  # of texts that one of the two rules gets wrong
        slope = min(max(rate / share, -1.0), 1.0)
        weight = quantile(level, self.freedom[measure] if self.freedom else max(1, n // 2 - 1)) ** 2 / n
        # (x - rate)^2 = weight (share + slope (x - rate) - x^2)
        ends = np.roots([1 + weight, -2 * rate - weight * slope, rate**2 - weight * (share - slope * rate)]).real
        return 1 - 2 * float(max(ends)), 1 - 2 * float(min(ends))


def spread_of_huse(rows: Rows, generator: str, k: int) -> Spread | None:
    """Standard errors over new texts by the report's own half-samples; None where a half has too few texts.

    Without a log-probability of each text those of HUSE and HUSE-D mean nothing. Where log-probabilities tell the
    sources apart wholly, HUSE is 0 in every half, and HUSE-D is 1 less HUSE-Q.
    """
    hj, known = rows.hj(), rows.likelihoods
    keys = [key for side in ("", generator) for key, held in rows.sides.items() if held == side and key in hj]
    reference = np.array([rows.sides[key] == "" for key in keys])
    units = units_of(rows, keys, reference)
    if units is None or smallest_half(units, reference) <= k or nothing_varies(rows, generator):
        return None
    is_scored = all((generator, key) in known for key in keys) and not disjoint(rows, generator)
    rates = np.array([known[generator, key][0] / known[generator, key][1] if is_scored else 0.0 for key in keys])
    gaps, share = half_sample_gaps(np.array([float(hj[key]) for key in keys]), rates, reference, units, k)
    if disjoint(rows, generator):
        gaps = gaps[:, 1, None] * [0, 1, 1]
    errors = np.sqrt(share * (gaps**2).mean(axis=0) / 2)
    quality = rows.huse(generator, k, quality_only=True)
    # Where judgments hardly separate the sources, halves of the texts find too small errors of HUSE-Q and HUSE-D.
    errors[1:] *= raised(quality[0] if quality else 1)
    return Spread((float(errors[0]), float(errors[1]), float(errors[2])), len(keys))


def raised(quality: float) -> float:
    """Factor of the standard errors of HUSE-Q and HUSE-D, by HUSE-Q."""
    return 1 + 0.06 * min(max((quality - 0.6) / 0.4, 0), 1)


def nothing_varies(rows: Rows, generator: str) -> bool:
    """Whether neither the mean ratings nor the log-probabilities differ."""
    hj = rows.hj()
    keys = [key for key, side in rows.sides.items() if side in ("", generator) and key in hj]
    rates = {total / length for (name, _), (total, length) in rows.likelihoods.items() if name == generator}
    return len({hj[key] for key in keys}) == 1 and len(rates) < 2


def has_interval(rows: Rows, generator: str, k: int) -> bool:
    """Whether half of the texts are more than k."""
    hj = rows.hj()
    keys = [key for side in ("", generator) for key, held in rows.sides.items() if held == side and key in hj]
    reference = np.array([rows.sides[key] == "" for key in keys])
    units = units_of(rows, keys, reference)
    return units is not None and smallest_half(units, reference) > k


def units_of(rows: Rows, keys: Sequence[str], reference: np.ndarray) -> np.ndarray | None:
    """Numbers of the contexts where each has as many texts on both sides; all -1 where texts are drawn side by side."""
    contexts = [rows.texts[key]["context_id"] for key in keys]
    sides = [
        Counter(c for c, is_ref in zip(contexts, reference, strict=True) if is_ref is wanted)
        for wanted in (np.True_, np.False_)
    ]
    if None in contexts or sides[0] != sides[1]:
        return np.full(len(keys), -1) if min(reference.sum(), (~reference).sum()) >= 2 else None
    order = {context: number for number, context in enumerate(dict.fromkeys(contexts))}
    return np.array([order[context] for context in contexts])


def smallest_half(units: np.ndarray, reference: np.ndarray) -> int:
    if units[0] < 0:
        return sum(max(1, int(side.sum()) // 2) for side in (reference, ~reference))
    sizes = sorted(np.bincount(units).tolist())
    return sum(sizes[: max(1, len(sizes) // 2)]) if len(sizes) > 1 else 0


def half_sample_gaps(
    hj: np.ndarray, q: np.ndarray, reference: np.ndarray, units: np.ndarray, k: int
) -> tuple[np.ndarray, float]:
    """(pairs, 3): HUSE, HUSE-Q and HUSE-D of one half less those of the other; the share of the units in a half.

    The report's draws, the double loop's HUSE of each.
    """
    rng = np.random.default_rng(SEED)
    near = max(1, round(k / math.sqrt(2)))
    if units[0] < 0:
        halves = [side_by_side(rng, np.flatnonzero(side)) for side in (reference, ~reference)]
        chosen = [
            [np.sort(np.concatenate(parts)) for parts in zip(*(half[end] for half in halves), strict=True)]
            for end in (0, 1)
        ]
        drawn = sum(max(1, int(side.sum()) // 2) for side in (reference, ~reference))
        total = len(hj)
    else:
        total = int(units.max()) + 1
        ends = side_by_side(rng, np.arange(total))
        chosen = [[np.flatnonzero(np.isin(units, part)) for part in end] for end in ends]
        drawn = max(1, total // 2)
    gaps = []
    for pair in zip(*chosen, strict=True):
        first, second = (
            [huse_of(hj[half], of[half], reference[half], near) for of in (q, np.zeros(len(q)))] for half in pair
        )
        both, quality = first[0] - second[0], first[1] - second[1]
        gaps.append((both, quality, both - quality))
    return np.array(gaps), drawn / total


def side_by_side(rng: np.random.Generator, units: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Two halves of the units in each pair, none in both."""
    size = len(units) // 2
    orders = rng.random((PAIRS, len(units))).argsort(axis=1)
    return [units[order[:size]] for order in orders], [units[order[size : 2 * size]] for order in orders]


def votes_of(hj: np.ndarray, q: np.ndarray, reference: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Votes of the neighbours of each text for the references, and against: by 1 / size of the source, all that tie
    with the k-th. None where nothing varies."""
    columns = [values / values.std() for values in (hj, q) if values.std() > TIE]
    if not columns:
        return None
    squared = sum((column[:, None] - column) ** 2 for column in columns)
    np.fill_diagonal(squared, np.inf)
    cut = np.sort(squared, axis=1)[:, k - 1 : k]
    close = squared <= cut * (1 + NOTHING) + NOTHING**2
    sizes = reference.sum(), (~reference).sum()
    return (close & reference).sum(axis=1) * int(sizes[1]), (close & ~reference).sum(axis=1) * int(sizes[0])


def huse_of(hj: np.ndarray, q: np.ndarray, reference: np.ndarray, k: int, tie: float = 1) -> float:
    """HUSE of one sample. tie: the share of equal votes that answer reference."""
    votes = votes_of(hj, q, reference, k)
    if votes is None:
        return 1.0
    answer = np.where(votes[0] == votes[1], tie, votes[0] > votes[1])
    return float((1 - answer[reference]).mean() + answer[~reference].mean())


def other_raters(rows: Rows, generator: str) -> bool:
    """Whether over a fifth of the ratings of one source would have to be by others for both to be by the same."""
    held: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for answer in rows.used:
        if rows.sides[answer.text] in ("", generator):
            held[rows.sides[answer.text] == ""][answer.rater] += 1
    totals = {side: max(1, sum(counts.values())) for side, counts in held.items()}
    people = {*held[True], *held[False]}
    return sum(abs(held[True][who] / totals[True] - held[False][who] / totals[False]) for who in people) / 2 > 0.2


ROUNDED = 0.005 + TIE  # how far a limit may lie from its two decimals


def overlap(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return first[0] <= second[1] + TIE and second[0] <= first[1] + TIE


def are_of_one_variance(value: float, low: float, high: float) -> bool:
    """Whether both limits of a HUSE are roots of one Wilson equation, whatever its variance: (p - x)^2 ~ x (1 - x)."""

    def size(end: float) -> float:
        x = end / 2
        return (value / 2 - x) ** 2 / (x * (1 - x)) if 0 < x < 1 else math.inf

    below = size(low + ROUNDED) if low + ROUNDED < value else 0.0, size(low - ROUNDED)
    above = size(high - ROUNDED) if high - ROUNDED > value else 0.0, size(high + ROUNDED)
    return overlap(below, above)


def are_alike_on_log_scale(value: float, low: float, high: float) -> bool:
    """Whether both limits of an alpha are as far from it on the scale of log(1 - alpha), whatever their variance."""

    def size(end: float) -> float:
        return abs(math.log((1 - value) / (1 - end))) if end < 1 else math.inf

    below = size(min(low + ROUNDED, value)), size(low - ROUNDED)
    above = size(max(high - ROUNDED, value)), size(high + ROUNDED)
    return overlap(below, above)


def scaled(column: np.ndarray) -> np.ndarray:
    """The column over its standard deviation, -infinity far below everything else."""
    finite = column[np.isfinite(column)]
    return np.asarray(np.where(np.isfinite(column), column, finite.min() - FAR * finite.std()) / finite.std())


def paper_huse(rows: Rows, generator: str, k: int, *, quality_only: bool = False) -> float | None:
    """HUSE as the original counts: floats as they come, raw majority, one error rate over all where sides are equal."""
    hj, known = rows.hj(), rows.likelihoods
    keys = [key for side in ("", generator) for key, held in rows.sides.items() if held == side and key in hj]
    if generator not in rows.sides.values() or (
        not quality_only and any((generator, key) not in known for key in keys)
    ):
        return None
    columns = [np.array([float(hj[key]) for key in keys])]
    if not quality_only:
        columns.append(np.array([known[generator, key][0] / known[generator, key][1] for key in keys]))
    columns = [scaled(column) for column in columns if not np.isfinite(column).all() or column.std() > TIE]
    reference = np.array([rows.sides[key] == "" for key in keys])
    if not columns:
        return 1.0
    wrong = {True: 0, False: 0}
    for at in range(len(keys)):
        gaps = [column - column[at] for column in columns]
        squared = gaps[0] * gaps[0] + gaps[1] * gaps[1] if len(gaps) > 1 else gaps[0] * gaps[0]
        others = np.arange(len(keys)) != at
        close = others & (squared <= np.sort(squared[others])[k - 1])
        votes = int((close & reference).sum()) - int((close & ~reference).sum())
        wrong[bool(reference[at])] += (votes >= 0) != bool(reference[at])
    return float(wrong[True] / reference.sum() + wrong[False] / (~reference).sum())


# --- agreement ---


def alpha_ranges(
    answers: Sequence[Answer], level: float, *, ordinal: bool
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Between what each limit of alpha's interval lies, whatever is drawn; None where there is no interval."""
    table = Table.of(answers)
    value = table.alpha(range(len(table.rater)), ordinal)
    raters = sorted(set(table.rater))
    if value is None or value >= 1:
        return None
    of_raters = table.left_out(table.rater, ordinal)
    if of_raters is None or table.units < 2:
        return None
    rng = np.random.default_rng(0)
    drawn = table.resamples(rng, OWN_DRAWS, ordinal)
    of_items = float(np.var(drawn, ddof=1)) / (1 - value) ** 2 * table.units / (table.units - 1)
    deals = [
        v for _ in range(60) if (v := table.left_out(rng.permutation(table.rater).tolist(), ordinal)) is not None
    ] or [0.0]
    others = of_raters - fmean(deals)
    # What the report's draws, and those here, may differ by: of a variance by the fourth moment, of deals by their own.
    moment = float(np.mean((drawn - drawn.mean()) ** 4) / np.var(drawn) ** 2)
    error = of_items * math.sqrt((moment - 1) * (1 / DRAWS + 1 / len(drawn)))
    scatter = math.sqrt(pvariance(deals) * (1 / DEALS + 1 / len(deals)))
    ends: list[tuple[float, float]] = []
    for sign in (-1, 1):
        rest = max(0.0, others + sign * SURE * scatter)
        moved = SURE * error, abs(rest - max(0.0, others))
        away = math.hypot(*moved)
        if rest > 0 and away > 0:  # both at once are less likely than either; where the raters add nothing, both may be
            moved = moved[0] ** 2 / away, moved[1] ** 2 / away
        items = max(0.0, of_items + sign * moved[0])
        rest = max(0.0, max(0.0, others) + sign * moved[1])
        sizes = items**2 / (table.units - 1) + rest**2 / (len(raters) - 1)
        df = (items + rest) ** 2 / sizes if sizes > 0 else table.units - 1
        by = quantile(level, df) * math.sqrt(items + rest)
        ends.append((1 - (1 - value) * math.exp(min(by, 700.0)), 1 - (1 - value) * math.exp(-by)))
    lows, highs = zip(*ends, strict=True)
    return (min(lows), max(lows)), (min(highs), max(highs))


def alpha_ranges_over_items(
    answers: Sequence[Answer], level: float, *, ordinal: bool
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The same where items alone are drawn anew: percentiles of resamples, corrected for bias and acceleration."""
    table = Table.of(answers)
    groups = [codes for codes in table.groups() if len(codes) > 1]
    value = alpha_of(groups, ordinal)
    if value is None or value >= 1 or len(groups) < 2:
        return None
    rng = np.random.default_rng(0)
    drawn = table.resamples(rng, OWN_DRAWS, ordinal)
    left = [alpha_of(groups[:at] + groups[at + 1 :], ordinal) for at in range(len(groups))]
    pull = [fmean([v for v in left if v is not None]) - v for v in left if v is not None]
    total = sum(each**2 for each in pull)
    acceleration = sum(each**3 for each in pull) / (6 * total**1.5) if total else 0.0
    normal, n = NormalDist(), len(groups)
    below = float((drawn < value).mean() + (drawn == value).mean() / 2)
    shift = normal.inv_cdf(min(max(below, 1 / len(drawn)), 1 - 1 / len(drawn)))
    z = quantile(level, n - 1) * math.sqrt(n / (n - 1))
    ends: list[list[float]] = [[], []]
    for factor in (0.8, 1.25):  # of 4,000 and of 1,000 resamples
        for place, side in enumerate((-z * factor, z * factor)):
            at = shift + (shift + side) / max(1 - acceleration * (shift + side), 1e-3)
            ends[place].append(float(np.quantile(drawn, normal.cdf(at))))
    return (min(ends[0]), max(ends[0])), (min(ends[1]), max(ends[1]))


@dataclass(frozen=True, slots=True)
class Table:
    """Answers of one criterion as columns: number of what was judged, who judged, the code."""

    unit: tuple[int, ...]
    rater: tuple[str, ...]
    code: tuple[float, ...]

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Table:
        names = {name: at for at, name in enumerate(dict.fromkeys((a.text, a.partner) for a in answers))}
        units = tuple(names[a.text, a.partner] for a in answers)
        return cls(units, tuple(a.rater for a in answers), tuple(float(a.code) for a in answers))

    @property
    def units(self) -> int:
        return sum(number > 1 for number in Counter(self.unit).values())

    def alpha(self, chosen: Sequence[int], ordinal: bool) -> float | None:
        """Of some of the answers."""
        groups: defaultdict[int, list[float]] = defaultdict(list)
        for at in chosen:
            groups[self.unit[at]].append(self.code[at])
        return alpha_of(list(groups.values()), ordinal)

    def groups(self) -> list[list[float]]:
        """The codes of each unit."""
        codes: defaultdict[int, list[float]] = defaultdict(list)
        for unit, code in zip(self.unit, self.code, strict=True):
            codes[unit].append(code)
        return list(codes.values())

    def resamples(self, rng: np.random.Generator, number: int, ordinal: bool) -> np.ndarray:
        """Alphas of as many units, drawn with replacement from those with two answers; those that vary."""
        paired = [codes for codes in self.groups() if len(codes) > 1]
        values = sorted({code for codes in paired for code in codes})
        counts = np.array([[codes.count(value) for value in values] for codes in paired], dtype=float)
        each = np.array([np.outer(row, row) - np.diag(row) for row in counts]) / (counts.sum(axis=1) - 1)[:, None, None]
        alphas = []
        for _ in range(number // BATCH):
            picked = rng.integers(0, len(paired), (BATCH, len(paired)))
            weight = np.array([np.bincount(row, minlength=len(paired)) for row in picked], dtype=float)
            times, coincide = weight @ counts, np.tensordot(weight, each, 1)
            below = np.cumsum(times, axis=1) - times / 2
            apart = (below[:, :, None] - below[:, None]) ** 2 if ordinal else 1 - np.eye(len(values))
            chance = times[:, :, None] * times[:, None] - times[:, :, None] * np.eye(len(values))
            expected = (chance * apart).sum(axis=(1, 2)) / (times.sum(axis=1) - 1)
            varies = expected > 0
            alphas.append(1 - (coincide * apart).sum(axis=(1, 2))[varies] / expected[varies])
        return np.concatenate(alphas)

    def left_out(self, rater: Sequence[str], ordinal: bool) -> float | None:
        """Jackknife variance of log(1 - alpha), one rater left out at a time."""
        logs = []
        for name in sorted(set(rater)):
            alpha = self.alpha([at for at, who in enumerate(rater) if who != name], ordinal)
            if alpha is None or alpha >= 1:
                return None
            logs.append(math.log1p(-alpha))
        return (len(logs) - 1) * pvariance(logs)


def alpha_of(groups: Sequence[Sequence[float]], ordinal: bool) -> float | None:
    """Krippendorff's alpha of units by its table of coincidences; None where nothing varies."""
    paired = [codes for codes in groups if len(codes) > 1]
    values = sorted({code for codes in paired for code in codes})
    if len(values) < 2:
        return None
    at = {value: place for place, value in enumerate(values)}
    counts = np.zeros((len(paired), len(values)))
    for row, codes in enumerate(paired):
        for code in codes:
            counts[row, at[code]] += 1
    sizes, times = counts.sum(axis=1), counts.sum(axis=0)
    coincide = (counts / (sizes - 1)[:, None]).T @ counts - np.diag((counts / (sizes - 1)[:, None]).sum(axis=0))
    below = np.cumsum(times) - times / 2
    apart = (below[:, None] - below) ** 2 if ordinal else 1 - np.eye(len(values))
    expected = (np.outer(times, times) - np.diag(times)) / (times.sum() - 1)
    return 1 - float((coincide * apart).sum() / (expected * apart).sum())


# --- who is excluded ---


def exclusion_p(groups: Sequence[str], sizes: Sequence[Sequence[int]], excluded: Sequence[bool]) -> float | None:
    """p of the shares excluded being alike: chi-squared over groups, who is excluded shuffled among submissions.

    sizes: texts of each group that each submission shows.
    """
    table, gone = np.array(sizes, dtype=float).reshape(-1, len(groups)), np.array(excluded, dtype=bool)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or not gone.any() or gone.all():
        return None
    totals = table.sum(axis=0)

    def distance(out: np.ndarray) -> np.ndarray:
        share = out.sum(axis=-1, keepdims=True) / totals.sum()
        return np.asarray(((out - share * totals) ** 2 / (share * (1 - share) * totals)).sum(axis=-1))

    kinds, times = np.unique(np.array(sizes, dtype=float).reshape(-1, len(groups)), axis=0, return_counts=True)
    draws = np.random.default_rng(0).multivariate_hypergeometric(times, int(gone.sum()), size=SHUFFLES)
    shuffled = (draws @ kinds)[:, np.array(sizes, dtype=float).reshape(-1, len(groups)).sum(axis=0) > 0]
    seen = float(distance(table[gone].sum(axis=0)))
    return (1 + int((distance(shuffled) >= seen - TIE).sum())) / (1 + SHUFFLES)
