"""Simulated people for any rehearsal: whatever the texts are about, they read, prefer some of them, and answer.

How good a text is hangs on the text alone, and on the criterion where there are several: a hidden quality that is
standard normal over texts. Each person has a bias and noise of their own. So the truth of a rehearsal is known: what
new people of this crowd answer on average (`expected_code`, `chance_preferred`), although nobody says it of real ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.design.kinds import find_kind
from annotation.rehearsal.crowd.browser import Answer, Field, Sheet
from annotation.rehearsal.script import READING_SECONDS, READING_SPREAD, number

WORDS = "It reads as if someone had written it for me; I can say no more."
# A scale is cut into equal parts of this range of impressions.
LOW, HIGH = -3.0, 3.0
BIAS, NOISE = 0.5, 1.0
# Two texts whose impressions differ by less than this are alike, where that is an answer.
ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Passer:
    """One person; all dice hang on the seed, the name and the texts."""

    name: str
    seed: int

    def __call__(self, sheet: Sheet) -> list[Answer]:
        rng = np.random.default_rng(number(self.seed, self.name))
        bias = BIAS * float(rng.standard_normal())
        return [self._answer(field, sheet.task, bias, rng) for field in sheet.fields]

    def _answer(self, field: Field, task: str, bias: float, rng: np.random.Generator) -> Answer:
        milliseconds = round(1000 * READING_SECONDS * float(np.exp(READING_SPREAD * rng.standard_normal())))
        label = _requested_label(field) or self._simulated(field, task) or _chosen(field, bias, rng)
        follow_ups = [follow_up for follow_up in field.follow_ups if not follow_up.when or label in follow_up.when]
        return Answer(label, milliseconds, tuple((follow_up.name, WORDS) for follow_up in follow_ups))

    def _simulated(self, field: Field, task: str) -> str:
        """By the rule of the kind of task; "" where it has none. Dice fall alike for texts that are shown together."""
        kind = find_kind(task)
        if kind is None or kind.simulate is None or field.kind != "item":
            return ""
        texts = field.together or field.texts
        at = texts.index(field.texts[0]) if field.together else 0
        dice = np.random.default_rng(number(self.seed, self.name, field.criterion, *texts))
        return kind.simulate(field.labels, [hidden_quality(text, field.criterion) for text in texts], at, dice)


def hidden_quality(text: str, criterion: str = "") -> float:
    """How good a text is: standard normal over texts; between two criteria of one text with a correlation of .5."""
    quality = float(np.random.default_rng(number(text)).standard_normal())
    if not criterion:
        return quality
    special = float(np.random.default_rng(number(text, criterion)).standard_normal())
    return (quality + special) / 2**0.5


def _requested_label(field: Field) -> str:
    if field.kind != "check":
        return ""
    return next((label for label in field.labels if f"“{label}”" in field.text), "")


def _chosen(field: Field, bias: float, rng: np.random.Generator) -> str:
    qualities = [hidden_quality(text, field.criterion) for text in field.texts]
    if len(qualities) == 2:
        return _preferred(field.labels, qualities[0] - qualities[1] + NOISE * float(rng.standard_normal()))
    return _label_at(field.labels, qualities[0] + bias + NOISE * float(rng.standard_normal()))


def _label_at(labels: Sequence[str], impression: float) -> str:
    """The label at the impression's place on the scale."""
    place = (impression - LOW) / (HIGH - LOW)
    return labels[min(len(labels) - 1, max(0, int(place * len(labels))))]


def _preferred(labels: Sequence[str], difference: float) -> str:
    """The first label for the first text, the last for the second, one between them for texts that are alike."""
    if len(labels) > 2 and abs(difference) < ALIKE:
        return labels[len(labels) // 2]
    return labels[0] if difference > 0 else labels[-1]


def expected_code(codes: Sequence[float], quality: float) -> float:
    """What new people answer on average about a text of that quality on a scale of these codes, in its order."""
    from scipy.special import ndtr

    cuts = LOW + (HIGH - LOW) * np.arange(1, len(codes)) / len(codes)
    below = ndtr((cuts - quality) / np.hypot(BIAS, NOISE))
    chances = np.diff(np.concatenate([[0.0], below, [1.0]]))
    return float(chances @ np.asarray(codes, dtype=np.float64))


def chance_preferred(first: float, second: float, *, ties: bool) -> float:
    """The share of new people who prefer the first of two texts of these qualities, ties half."""
    from scipy.special import ndtr

    if not ties:
        return float(ndtr((first - second) / NOISE))
    above, below = (float(ndtr((first - second + edge) / NOISE)) for edge in (-ALIKE, ALIKE))
    return (above + below) / 2


def places(hits: Sequence[tuple[str, int, int]], *, once: bool) -> list[list[str]]:
    """Who does which HITs: for each person, addresses. hits: (address, places, page); no page is met twice.

    once: everybody does one HIT only.
    """
    people: list[list[str]] = []
    met: list[set[int]] = []
    for address, count, page in hits:
        free = [at for at in range(len(people)) if not once and page not in met[at]][:count]
        free += range(len(people), len(people) + count - len(free))
        for at in free:
            if at == len(people):
                people.append([])
                met.append(set())
            people[at].append(address)
            met[at].add(page)
    return people
