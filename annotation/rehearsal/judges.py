"""Simulated evaluators of "a person or a machine?": what they notice, and what training changes.

An evaluator compares the impression a headline makes (`world.raters`: surprise and broken grammar lower it) with what
people's headlines usually make, more or less skilfully, and adds noise of his own:

    doubt = skill(arm) * gift(evaluator) * (usual - impression) + bias(evaluator) + noise

The four points of the scale cut doubt at -1, 0 and 1. Training raises the skill: that is an assumption of this world,
made so that a rehearsal shows a difference, not a claim about people.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from annotation.rehearsal.crowd.browser import Answer, Field, Sheet
from annotation.rehearsal.world import World

Floats = NDArray[np.float64]

SKILL = {"none": 0.35, "instructions": 0.5, "examples": 2.0, "comparison": 1.0}
USUAL = 2.6
GIFT, BIAS = 0.4, 0.5  # sd of log gift and of bias between evaluators
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
        arm = arm_of(sheet)
        dice = self._dice()
        gift, bias = float(np.exp(GIFT * dice.standard_normal())), BIAS * float(dice.standard_normal())
        return [self._answer(field, SKILL[arm] * gift, bias) for field in sheet.fields]

    def _dice(self, *texts: str) -> np.random.Generator:
        """Dice of this evaluator for these texts: in whatever order a page shows them, they fall alike."""
        return np.random.default_rng(_number(self.seed, self.name, *texts))

    def _answer(self, field: Field, skill: float, bias: float) -> Answer:
        bodies = field.text.split("\n")
        rng = self._dice(*sorted(bodies))
        milliseconds = round(1000 * SECONDS_A_TEXT * float(np.exp(SPREAD * rng.standard_normal())))
        if field.kind == "check":
            return Answer(next(label for label in field.labels if f"“{label}”" in field.text), milliseconds)
        impressions = self.world.features(bodies).impression
        if len(bodies) == 2:
            noisy = impressions + [float(self._dice(body).standard_normal()) for body in bodies]
            return Answer(field.labels[int(np.argmin(noisy))], milliseconds)
        doubt = skill * (USUAL - float(impressions[0])) + bias + float(rng.standard_normal())
        label = field.labels[int(np.searchsorted(CUTS, doubt))]
        return Answer(label, milliseconds, _words(field, label, rng))


def _words(field: Field, label: str, rng: np.random.Generator) -> tuple[tuple[str, str], ...]:
    follow_ups = [follow_up for follow_up in field.follow_ups if not follow_up.when or label in follow_up.when]
    return tuple((follow_up.name, WHY[int(rng.integers(len(WHY)))]) for follow_up in follow_ups)


def arm_of(sheet: Sheet) -> str:
    """The training that the page shows: its practice rounds, else whether it explains how to tell texts apart."""
    rounds = [field for field in sheet.fields if field.kind == "practice"]
    if rounds:
        return "comparison" if len(rounds[0].labels) == 2 else "examples"
    return "instructions" if sheet.instructed else "none"


def chance_right(impressions: Floats, machine: NDArray[np.bool_], arm: str, points: int = 40) -> Floats:
    """Probability (n,) that a new evaluator with that training says rightly who wrote texts of these impressions (n,).

    Exact but for the integral over gifts (Gauss-Hermite with `points` nodes): bias and noise together are normal.
    machine: (n,) True where the machine wrote the text.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    doubt = SKILL[arm] * (USUAL - impressions)
    called = np.zeros_like(doubt)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        called += weight * ndtr(np.exp(GIFT * node) * doubt / np.hypot(BIAS, 1.0))
    return np.where(machine, called, 1 - called)


def _number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")
