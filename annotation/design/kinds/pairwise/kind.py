"""Preference: which of two texts of one context is better, on one criterion or several."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "pairwise"

LABELS: Labels = (
    ("The first", "1", ""),
    ("No difference", "0", ""),
    ("The second", "-1", ""),
)

WORDING = Wording(
    kind=NAME,
    title="Which {noun} is better?",
    description="Read two {nouns} at a time and say which one is better.",
    keywords="survey, reading, text, comparison",
    noun="text",
    nouns="texts",
    heading="Which {noun} is better?",
    intro=("Each page shows two {nouns}. Read both, then choose.",),
    criteria=(Criterion("preference", "Which {noun} is better?", "preference", LABELS),),
)

KIND = TaskKind(
    name=NAME,
    title="pairwise preference",
    heading="Preference between two texts",
    measures="Win rates and strengths with intervals over contexts and raters, and whether sides matter.",
    use_for="To compare two systems where a scale would be too coarse.",
    wording=WORDING,
    answer=AnswerType.PREFERENCE,
    folder=Path(__file__).parent,
    texts_shown=2,
    stepwise=True,
    more_criteria=True,
    presets=("two-models", "preference"),
    help_page="tasks/preference.html",
)
