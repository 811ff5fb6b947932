"""Simulated evaluators of "a person or a machine?": what they notice, and what training changes.

An evaluator compares the impression a headline makes (`world.raters`: surprise and broken grammar lower it) with what
people's headlines usually make, more or less skilfully, and adds noise of his own:

    doubt = skill(arm) * gift(evaluator) * (usual - impression) + bias(evaluator) + noise

The four points of the scale cut doubt at -1, 0 and 1. Training raises the skill: that is an assumption of this world,
made so that a rehearsal shows a difference, not a claim about people.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.rehearsal.crowd.browser import Answer, Field, Sheet
from annotation.rehearsal.world import World

SKILL = {"none": 0.35, "instructions": 0.5, "examples": 1.0, "comparison": 0.8}
USUAL = 2.6
CUTS = (-1.0, 0.0, 1.0)
SECONDS_A_TEXT, SPREAD = 25.0, 0.4
WHY = (
    "It reads like something from a real paper.",
    "The words do not go together in a natural way.",
    "It repeats itself and says nothing new.",
    "It sounds like a person who knows the subject.",
)


@dataclass(frozen=True, slots=True)
class Judge:
    """One evaluator; all dice hang on the seed, the name and the texts."""

    world: World
    name: str
    seed: int

    def __call__(self, sheet: Sheet) -> list[Answer]:
        arm = _arm(sheet.fields)
        rng = np.random.default_rng(_number(self.seed, self.name))
        gift, bias = float(np.exp(0.4 * rng.standard_normal())), 0.5 * float(rng.standard_normal())
        return [self._answer(field, SKILL[arm] * gift, bias, rng) for field in sheet.fields]

    def _answer(self, field: Field, skill: float, bias: float, rng: np.random.Generator) -> Answer:
        milliseconds = round(1000 * SECONDS_A_TEXT * float(np.exp(SPREAD * rng.standard_normal())))
        if field.kind == "check":
            return Answer(next(label for label in field.labels if f"“{label}”" in field.text), milliseconds)
        bodies = field.text.split("\n")
        impressions = self.world.features(bodies).impression
        if len(bodies) == 2:
            noisy = impressions + rng.standard_normal(2)
            return Answer(field.labels[int(np.argmin(noisy))], milliseconds)
        doubt = skill * (USUAL - float(impressions[0])) + bias + float(rng.standard_normal())
        label = field.labels[int(np.searchsorted(CUTS, doubt))]
        return Answer(label, milliseconds, _words(field, label, rng))


def _words(field: Field, label: str, rng: np.random.Generator) -> tuple[tuple[str, str], ...]:
    follow_ups = [follow_up for follow_up in field.follow_ups if not follow_up.when or label in follow_up.when]
    return tuple((follow_up.name, WHY[int(rng.integers(len(WHY)))]) for follow_up in follow_ups)


def _arm(fields: Sequence[Field]) -> str:
    """The training that the page shows, by its practice rounds."""
    rounds = [field for field in fields if field.kind == "practice"]
    if not rounds:
        return "none"
    return "comparison" if len(rounds[0].labels) == 2 else "examples"


def _number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")
