"""How people work: the chance that each is a careful reader, clicks, answers along a line, reverses the scale, tires
within a task or answers like a language model.

Each way of working gives the labels of a person a likelihood; texts lie where the answers of the others put them. A
careful reader has a bias, a noise and a use of the scale of their own, and lapses now and then; how noisy readers
usually are, how often they lapse and how common each way is, is learned from the study.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Floats, Ints
from metrics.worker_models.text_places import fit_places, label_chances, log_sum, place_grid, unique_counts

WAYS = ("careful", "clicks", "line", "reversed", "tires", "model_like")
CAREFUL, CLICKS, LINE, REVERSED, TIRES, MODEL_LIKE = range(len(WAYS))
# Biases and noises in labels of a scale of USUAL_LABELS: readers of a finer scale use more of its labels for as much.
# With two or three labels it does not hold, and a noisy reader would look careless.
USUAL_LABELS, FEWEST_SCALED = 6, 4
BIASES = (-1.2, -0.6, 0.0, 0.6, 1.2)
NOISES = (0.3, 0.45, 0.65, 0.9, 1.15, 1.45, 1.85)
STRETCHES = (0.7, 1.4)  # who avoids the ends of the scale, who prefers them
SURE = 0.9  # up to which noise; of noisier readers it cannot be told, and it would look like clicks
LAPSES = (0.01, 0.04)  # chance that a reader answers without reading now and then; the study shows which is usual
UNREAD = 0.1  # share of the people trusted who may click all the same
# Bias, noise and stretch of careful readers; a few of them for a first look at whom to trust.
STYLES = tuple(
    [(bias, noise, 1.0) for noise in NOISES for bias in BIASES]
    + [(0.0, noise, stretch) for noise in NOISES if noise <= SURE for stretch in STRETCHES]
)
COARSE = tuple((bias, noise, 1.0) for noise in NOISES[1::2] for bias in (*BIASES[1::2], 0.0))
# Of a language model: nearer to the middle than people, and with about half of the usual noise of the study's readers.
# Careful people can be as consistent, so that labels alone never show it surely.
MODEL_BIASES, MODEL_STRETCH, MODEL_NOISE = (-0.35, 0.0, 0.35), 0.6, 0.5
MODEL_CAP = 3.0  # log odds
STRAIGHT, STICKS = 0.96, 0.93
LABEL_PRIOR, STEP_PRIOR = 4.0, 0.4  # of a clicker's labels, and of the steps from one to the next
BINS = 25  # positions within a task that are distinguished
EARLIEST, LATEST = 5, 21  # bins from which on a person may click
# How attention is lost: at once, or by shares of texts that are still read, for so many bins each; half of these bins
# lie before the one from which on a person may be said to click, half after.
WANINGS: tuple[tuple[tuple[float, int], ...], ...] = ((), ((0.5, 10),), ((0.8, 6), (0.5, 6), (0.2, 6)))
TIRED_PRIOR = 4.0  # of the labels that the tired click, where they prefer some
FORMS = 2 * len(WANINGS)  # each way to lose attention, with labels that are clicked evenly or not
USUAL = np.array([0.87, 0.03, 0.02, 0.015, 0.035, 0.03])  # shares of the ways, before the study is known
USUAL_PEOPLE = 15.0
USUAL_TIRED = 0.5  # people, spread over the forms of tiring
LEARNING = 8
DOUBT = 0.5
RARE = 0.25  # people with each noise, before any is known


@dataclass(frozen=True, slots=True)
class LabeledTexts:
    """Answers on one scale, by assignment and then in the order met.

    person, assignment, text: (rows,) numbers from 0. label: (rows,) place on the scale, from 0. bin: (rows,) position
    within the task, in [0, BINS). labels: size of the scale, at least 2. people, texts: how many there are.
    """

    person: Ints
    assignment: Ints
    text: Ints
    label: Ints
    bin: Ints
    labels: int
    people: int
    texts: int


@dataclass(frozen=True, slots=True)
class WaysOfWorking:
    """What the answers show of each person.

    chance: (people, ways) posterior, rows sum to 1; of people without shared answers careful.
    log_odds: (people, ways) natural log of how much better each way fits than careful reading.
    answers: (people,) shared answers behind it. tires_from: (people,) the likeliest bin from which on they click, where
    they tire. shares: (ways,) of the study. style: (people,) bias, noise and stretch that fit best, by their place in
    STYLES. places: where texts lie, and place_of: (rows,) which of these it is for this answer. spread: (people,
    labels) how often they gave each label.
    """

    chance: Floats
    log_odds: Floats
    answers: Ints
    tires_from: Ints
    shares: Floats
    style: Ints
    lapses: float
    places: NDArray[np.float32]
    place_of: Ints
    spread: Floats

    @property
    def bad(self) -> Floats:
        """(people,) chance of clicks, a line, a reversed scale or tiring. Labels alone show a language model too
        unsurely for a chance: it is part of the order only."""
        return 1 - self.chance[:, CAREFUL] - self.chance[:, MODEL_LIKE]

    def predicted(self, rows: Ints, person: int) -> Floats:
        """(rows, labels) chance of each label in these answers of a person, were they careful."""
        chances = style_chances(STYLES[self.style[person]], self.spread.shape[1], self.lapses)
        return np.asarray(self.places[self.place_of[rows]] @ chances)


@dataclass(frozen=True, slots=True)
class _Likelihoods:
    """Logs by style of reading. careful: (BINS + 1, styles, people), of all bins before this one; partly: the same, by
    the share of texts that are read; reversed: (styles, people)."""

    careful: NDArray[np.float32]
    partly: dict[float, NDArray[np.float32]]
    reversed: Floats
    styles: tuple[tuple[float, float, float], ...]


def infer_ways(work: LabeledTexts) -> WaysOfWorking:
    """Infer how each person works.

    Args:
        work: answers to texts; only those of texts that others answered too say anything.

    Returns:
        `WaysOfWorking`, by person.

    Source:
        The kinds of careless work: Vuurens, de Vries and Eickhoff (2011); Meade and Craig (2012); positions:
        Bowling et al. (2021). The model is ours.
    """
    everybody = np.ones(work.people, dtype=np.bool_)
    return _fit(work, _fit(work, everybody, COARSE).bad <= DOUBT, STYLES)


def _fit(work: LabeledTexts, trusted: np.ndarray, styles: tuple[tuple[float, float, float], ...]) -> WaysOfWorking:
    """One round: where texts lie by the people trusted now, then how everybody works."""
    counts = _count(work.text * work.labels + work.label, work.texts * work.labels, trusted[work.person].astype(float))
    counts = counts.reshape(work.texts, work.labels)
    rows, row_of, times = unique_counts(counts)
    law = fit_places(rows, times)
    # Lines: texts with these counts without one answer of each label, then without none.
    places = np.concatenate([law.places_without_each(rows), law.places(rows)]).astype(np.float32)
    mine, row = trusted[work.person], row_of[work.text]
    at = np.where(mine, row * work.labels + work.label, len(rows) * work.labels + row)
    known = (counts.sum(axis=1)[work.text] - mine) > 0
    lapses = _usual_lapses(work, places, at, known & mine)
    logs = _likelihoods(work, places, at, known, styles, lapses)
    answers = _count(work.person, work.people, known.astype(float))
    ways, tires, prior, tires_from = _by_way(work, logs, known)
    noise = float(np.exp(np.exp(prior) @ np.log([noise for _, noise, _ in logs.styles])))
    ways[:, MODEL_LIKE] = _model_like(work, places, at, known, noise, lapses)
    log_odds = ways - ways[:, [CAREFUL]]
    log_odds[:, MODEL_LIKE] = np.minimum(log_odds[:, MODEL_LIKE], MODEL_CAP)
    log_odds[answers == 0] = 0
    shares, chance = _posterior(log_odds, tires - ways[:, [CAREFUL]], answers > 0)
    chance[answers == 0] = np.eye(len(WAYS))[CAREFUL]
    style = logs.careful[BINS].argmax(axis=0)
    return WaysOfWorking(
        chance, log_odds, answers.astype(np.int64), tires_from, shares, style, lapses, places, at, _spread(work)
    )


def style_chances(style: tuple[float, float, float], labels: int, lapses: float) -> NDArray[np.float32]:
    """(STEPS, labels) chance of each label at each place, for a reader with this bias, noise and stretch who lapses so
    often."""
    bias, noise, stretch = style
    middle = (labels - 1) / 2
    unit = (labels - 1) / (USUAL_LABELS - 1) if labels >= FEWEST_SCALED else 1
    place = middle + stretch * (place_grid(labels) - middle) + unit * bias
    return ((1 - lapses) * label_chances(place, unit * noise, labels) + lapses / labels).astype(np.float32)


def _usual_lapses(work: LabeledTexts, places: NDArray[np.float32], at: Ints, trusted: np.ndarray) -> float:
    """Which of LAPSES fits the answers of the people trusted now best. trusted: (rows,) their known answers."""
    chosen, person = at[trusted] * work.labels + work.label[trusted], work.person[trusted]
    clicks, line = _unread(work, trusted)
    unread = np.logaddexp(clicks, line) - np.log(2) + np.log(UNREAD)
    fits = []
    for lapses in LAPSES:
        logs = _logs_by_style(work, places, chosen, person, COARSE, lapses)
        careful = log_sum(logs + _style_prior(COARSE)[:, None]) + np.log(1 - UNREAD)
        fits.append(np.logaddexp(careful, unread).sum())
    return LAPSES[int(np.argmax(fits))]


def _logs_by_style(
    work: LabeledTexts,
    places: NDArray[np.float32],
    chosen: Ints,
    person: Ints,
    styles: Sequence[tuple[float, float, float]],
    lapses: float,
) -> Floats:
    """(styles, people) log likelihoods. chosen: (rows,) cells of the table of places and labels."""
    return np.stack(
        [
            _count(person, work.people, np.log(places @ style_chances(style, work.labels, lapses)).take(chosen))
            for style in styles
        ]
    )


def _likelihoods(
    work: LabeledTexts,
    places: NDArray[np.float32],
    at: Ints,
    known: np.ndarray,
    styles: tuple[tuple[float, float, float], ...],
    lapses: float,
) -> _Likelihoods:
    row, label, person = at[known], work.label[known], work.person[known]
    cell, size = work.bin[known] * work.people + person, BINS * work.people
    # Into the table of places and labels as a single row, which numpy takes twice as fast as by two indices.
    chosen, mirrored = row * work.labels + label, row * work.labels + (work.labels - 1 - label)
    careful = np.zeros((BINS + 1, len(styles), work.people), dtype=np.float32)
    partly = {share: np.zeros_like(careful) for share in sorted({share for form in WANINGS for share, _ in form})}
    turned = np.empty((len(styles), work.people))
    for i, style in enumerate(styles):
        chances = places @ style_chances(style, work.labels, lapses)
        logs = np.log(chances)
        careful[1:, i] = _count(cell, size, logs.take(chosen)).reshape(BINS, work.people).cumsum(axis=0)
        for share, before in partly.items():
            read = np.log(share * chances + (1 - share) / work.labels)
            before[1:, i] = _count(cell, size, read.take(chosen)).reshape(BINS, work.people).cumsum(axis=0)
        turned[i] = _count(person, work.people, logs.take(mirrored))
    return _Likelihoods(careful, partly, turned, styles)


def _model_like(
    work: LabeledTexts, places: NDArray[np.float32], at: Ints, known: np.ndarray, usual_noise: float, lapses: float
) -> Floats:
    """(people,) log likelihood of labels like a language model's."""
    chosen, person = at[known] * work.labels + work.label[known], work.person[known]
    styles = [(bias, MODEL_NOISE * usual_noise, MODEL_STRETCH) for bias in MODEL_BIASES]
    logs = _logs_by_style(work, places, chosen, person, styles, lapses)
    return np.asarray(log_sum(logs) - np.log(len(MODEL_BIASES)))


def _by_way(work: LabeledTexts, logs: _Likelihoods, known: np.ndarray) -> tuple[Floats, Floats, Floats, Ints]:
    """(people, ways) log likelihoods; (people, FORMS) those of each form of tiring; the prior of the styles; where each
    person would begin to click."""
    totals = logs.careful[BINS].astype(np.float64)
    clicks, line = _unread(work, known)
    prior = _style_prior(logs.styles)
    for _ in range(LEARNING):
        careful = log_sum(totals + prior[:, None])
        others = np.logaddexp(clicks, line) - np.log(2)
        weight = 1 / (1 + np.exp(np.clip(others - careful + np.log(0.15), -50, 50)))
        share = np.exp(totals + prior[:, None] - careful) @ weight
        noise = np.array([noise for _, noise, _ in logs.styles])
        prior = _style_prior(logs.styles, {value: float(share[noise == value].sum()) for value in NOISES})
    ways = np.empty((work.people, len(WAYS)))
    ways[:, CAREFUL] = log_sum(totals + prior[:, None])
    ways[:, CLICKS], ways[:, LINE] = clicks, line
    ways[:, REVERSED] = log_sum(logs.reversed + prior[:, None])
    tires, tires_from = _tires(work, logs, prior, known)
    ways[:, TIRES] = log_sum(tires.T) - np.log(FORMS)
    return ways, tires, prior, tires_from


def _style_prior(styles: tuple[tuple[float, float, float], ...], by_noise: dict[float, float] | None = None) -> Floats:
    """(styles,) log: noises by what the study shows, and a quarter of a person of each, biases around none."""
    counts = by_noise or {}
    total = sum(counts.values()) + len(NOISES) * RARE
    logs = []
    for bias, noise, stretch in styles:
        style = 0.1 if stretch != 1 else 0.8 * np.exp(-0.5 * (bias / 0.6) ** 2) / _BIAS_TOTAL
        logs.append(np.log((counts.get(noise, 0.0) + RARE) / total * style))
    return np.array(logs)


_BIAS_TOTAL = float(np.exp(-0.5 * (np.array(BIASES) / 0.6) ** 2).sum())


def _unread(work: LabeledTexts, known: np.ndarray) -> tuple[Floats, Floats]:
    """(people,) log likelihoods of clicking (labels alone, evenly or not, or a pattern of steps) and of straight
    lines."""
    k, person, label = work.labels, work.person[known], work.label[known]
    counts = _count(person * k + label, work.people * k).reshape(work.people, k)
    alone = np.logaddexp(_dirichlet(counts, LABEL_PRIOR), -np.log(k) * counts.sum(axis=1)) - np.log(2)
    task = work.assignment[known]
    same_task = np.zeros(len(task), dtype=np.bool_)
    same_task[1:] = task[1:] == task[:-1]
    before = np.roll(label, 1)
    step = (label - before) % (2 * k)
    steps = _count(person[same_task] * 2 * k + step[same_task], work.people * 2 * k).reshape(work.people, 2 * k)
    begins = _count(person[~same_task], work.people)
    pattern = _dirichlet(steps[:, np.r_[0:k, k + 1 : 2 * k]], STEP_PRIOR) - begins * np.log(k)
    n, other = counts.sum(axis=1, keepdims=True), (1 - STRAIGHT) / k
    constant = log_sum((counts * np.log(STRAIGHT + other) + (n - counts) * np.log(other)).T) - np.log(k)
    stays = _count(person[same_task], work.people, (label == before)[same_task].astype(float))
    moves = _count(person[same_task], work.people) - stays
    sticky = stays * np.log(STICKS + (1 - STICKS) / k) + moves * np.log((1 - STICKS) / k) - begins * np.log(k)
    return np.logaddexp(alone, pattern) - np.log(2), np.logaddexp(constant, sticky) - np.log(2)


def _dirichlet(counts: Floats, prior: float) -> Floats:
    """(rows,) log probability of a sequence with these counts, whose chances are unknown."""
    from scipy.special import gammaln

    total, size = counts.sum(axis=1), counts.shape[1]
    return np.asarray(
        gammaln(size * prior) - gammaln(total + size * prior) + (gammaln(counts + prior) - gammaln(prior)).sum(axis=1)
    )


def _tires(work: LabeledTexts, logs: _Likelihoods, prior: Floats, known: np.ndarray) -> tuple[Floats, Ints]:
    """(people, FORMS) log likelihoods of reading every task up to some position and clicking from there on; the
    likeliest position."""
    cell = ((work.bin * work.people + work.person) * work.labels + work.label)[known]
    clicked_at = _count(cell, BINS * work.people * work.labels).reshape(BINS, work.people, work.labels)
    # By the bin from which on they click.
    after = np.concatenate([clicked_at[::-1].cumsum(axis=0)[::-1], np.zeros((1, work.people, work.labels))])
    evenly = -np.log(work.labels) * after.sum(axis=2)
    unevenly = np.stack([_dirichlet(counts, TIRED_PRIOR) for counts in after])
    bins = range(EARLIEST, LATEST)
    by_form, by_bin = np.empty((work.people, FORMS)), np.full((len(bins), work.people), -np.inf)
    for i, waning in enumerate(WANINGS):
        read, ends = np.empty((len(bins), work.people)), []
        for row, b in enumerate(bins):
            read[row], end = _read_until(b, waning, logs, prior)
            ends.append(end)
        for j, clicked in enumerate((evenly, unevenly)):
            fits = read + clicked[ends]
            by_form[:, 2 * i + j] = log_sum(fits) - np.log(len(bins))
            by_bin = np.logaddexp(by_bin, fits)
    return by_form, by_bin.argmax(axis=0) + EARLIEST


def _read_until(
    bin_: int, waning: tuple[tuple[float, int], ...], logs: _Likelihoods, prior: Floats
) -> tuple[Floats, int]:
    """(people,) log likelihood of what comes before the clicks, where attention is lost around this bin; the bin in
    which the clicks begin."""
    at = bin_ - sum(width for _, width in waning) // 2
    total = logs.careful[max(at, 0)] + prior[:, None]
    for share, width in waning:
        before = logs.partly[share]
        total += before[min(max(at + width, 0), BINS)] - before[min(max(at, 0), BINS)]
        at += width
    return log_sum(total), min(at, BINS)


def _posterior(log_odds: Floats, tires: Floats, some: np.ndarray) -> tuple[Floats, Floats]:
    """Shares of the ways in the study, and everybody's posterior, from the usual shares and what its people show.

    log_odds: (people, ways). tires: (people, FORMS), of each form of tiring. some: (people,) who has answers.

    Nobody counts in the shares by which they are judged themselves: else an odd person would raise the share of the
    odd, and so their own chance (collapsed variational inference of order zero; Asuncion, Welling, Smyth and Teh 2009).
    """
    others = np.flatnonzero(np.arange(len(WAYS)) != TIRES)
    odds = np.where(some[:, None], np.concatenate([log_odds[:, others], tires], axis=1), 0.0)
    is_form = np.arange(odds.shape[1]) >= len(others)
    sums, people, chance = np.zeros_like(odds), 0, odds
    for _ in range(LEARNING):
        tired = sums[:, is_form].sum(axis=1, keepdims=True)
        form = (USUAL_TIRED / FORMS + sums[:, is_form]) / (USUAL_TIRED + tired)
        counts = np.concatenate(
            [USUAL[others] * USUAL_PEOPLE + sums[:, ~is_form], (USUAL[TIRES] * USUAL_PEOPLE + tired) * form], axis=1
        )
        joint = odds + np.log(counts / (USUAL_PEOPLE + people))
        chance = np.exp(joint - log_sum(joint.T)[:, None])
        sums, people = np.where(some[:, None], chance[some].sum(axis=0) - chance, 0.0), max(int(some.sum()) - 1, 0)
    by_way = np.empty_like(log_odds)
    by_way[:, others], by_way[:, TIRES] = chance[:, ~is_form], chance[:, is_form].sum(axis=1)
    shares = (USUAL * USUAL_PEOPLE + by_way[some].sum(axis=0)) / (USUAL_PEOPLE + some.sum())
    return shares, by_way


def _spread(work: LabeledTexts) -> Floats:
    counts = _count(work.person * work.labels + work.label, work.people * work.labels)
    counts = counts.reshape(work.people, work.labels) + 0.5
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _count(cells: Ints, size: int, weights: Floats | None = None) -> Floats:
    return np.bincount(cells, weights=weights, minlength=size)[:size].astype(np.float64)
