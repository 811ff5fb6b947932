"""The size of simulated studies in which everybody is honest, what each simulated study holds, and how people meet its
texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from annotation.quality.honest_groups import GROUPS
from annotation.quality.work_table import Bools, Ints, Work

GROUP_SHARE = 0.05  # of people in each of the six groups
MAX_TEXTS = 200
MAX_RATERS = 20
MAX_PEOPLE = 400


@dataclass(frozen=True, slots=True)
class HonestQuestion:
    """A question: what an answer is (`AnswerType`), labels in the order of their codes, and the step between codes.

    names: of the labels, only where each label is counted. several: whether a text may get more than one.
    """

    name: str
    answer: str
    labels: int
    step: float = 1.0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HonestDesign:
    """The size of each study.

    texts: of all sources; of pairs and of contexts their number, and of conditions the number in each. raters: of each
    text; where conditions have evaluators of their own, evaluators of each. per_task: texts (pairs, contexts) in a
    task. labels: of the scale. together: texts shown together. sources: of texts; of pairs, pairs of sources.
    conditions: 0 where all people rate the same texts. questions: empty where the measure is HUSE.
    """

    texts: int
    raters: int
    per_task: int
    labels: int
    questions: tuple[HonestQuestion, ...] = ()
    together: int = 1
    sources: int = 2
    conditions: int = 0

    @property
    def people(self) -> int:
        if self.conditions:
            return self.conditions * self.raters
        return self.texts // self.per_task * self.raters


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure of a simulated study. key, name, middle: as of a `KeyMeasure`. percent: whether it is a share."""

    key: str
    name: str
    percent: bool
    middle: float | None = None


class HonestStudy(Protocol):
    """A simulated study."""

    @property
    def work(self) -> Work: ...

    @property
    def names(self) -> Sequence[MeasureName]: ...

    def measures(self, included: Bools) -> Sequence[float]:
        """Each measure from the work of the people included; NaN where it cannot be computed."""
        ...


def draw_groups(people: int, rng: np.random.Generator) -> list[str]:
    """The group of each person, "" for the others."""
    others = 1 - GROUP_SHARE * len(GROUPS)
    names: list[str] = rng.choice(["", *GROUPS], people, p=[others, *[GROUP_SHARE] * len(GROUPS)]).tolist()
    return names


def deal_tasks(design: HonestDesign, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """(people, in a task) rows of what each person meets, in their order; (people,) condition of each."""
    if not design.conditions:
        tasks = rng.permutation(design.texts).reshape(-1, design.per_task)
        met = np.stack([rng.permutation(task) for task in tasks for _ in range(design.raters)])
        return met, np.zeros(len(met), dtype=np.int64)
    rows, conditions = [], []
    for condition in range(design.conditions):
        tasks = rng.permutation(design.texts).reshape(-1, design.per_task) + condition * design.texts
        for at in range(design.raters):
            rows.append(rng.permutation(tasks[at % len(tasks)]))
            conditions.append(condition)
    return np.stack(rows), np.array(conditions)
