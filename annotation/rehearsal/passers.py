"""Simulated people for any rehearsal: whatever the texts are about, they read, prefer some of them, and answer.

How good a text seems hangs on the text alone, so people agree somewhat; each has a bias and noise of their own. Nothing
is known of the truth here: `make demo` has a world in which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.rehearsal.crowd.browser import Answer, Field, Sheet
from annotation.rehearsal.script import READING_SECONDS, READING_SPREAD, number

WORDS = "It reads as if someone had written it for me; I can say no more."


@dataclass(frozen=True, slots=True)
class Passer:
    """One person; all dice hang on the seed, the name and the texts."""

    name: str
    seed: int

    def __call__(self, sheet: Sheet) -> list[Answer]:
        rng = np.random.default_rng(number(self.seed, self.name))
        bias = 0.5 * float(rng.standard_normal())
        return [self._answer(field, bias, rng) for field in sheet.fields]

    def _answer(self, field: Field, bias: float, rng: np.random.Generator) -> Answer:
        milliseconds = round(1000 * READING_SECONDS * float(np.exp(READING_SPREAD * rng.standard_normal())))
        label = _requested_label(field) or _chosen(field, bias, rng)
        follow_ups = [follow_up for follow_up in field.follow_ups if not follow_up.when or label in follow_up.when]
        return Answer(label, milliseconds, tuple((follow_up.name, WORDS) for follow_up in follow_ups))


def _requested_label(field: Field) -> str:
    if field.kind != "check":
        return ""
    return next((label for label in field.labels if f"“{label}”" in field.text), "")


def _chosen(field: Field, bias: float, rng: np.random.Generator) -> str:
    """A place on the scale: the text's own, moved by bias and noise."""
    seems = np.random.default_rng(number(field.text)).standard_normal()
    place = (float(seems) + bias + float(rng.standard_normal()) + 3) / 6
    return field.labels[min(len(field.labels) - 1, max(0, int(place * len(field.labels))))]


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
