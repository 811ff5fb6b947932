"""Error labels: which errors a text has, one or several of a set, with their severity where a study asks for it."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import SEVERITY

NAME = "error_labels"

# Laban et al. 2022, section 3.1: the categories of Quiz Design; the glosses are ours.
LABELS: Labels = (
    ("No Error", "0", "It does what it should."),
    ("Disfluent", "1", "It reads badly: broken grammar, repetition, words that do not belong."),
    ("Off Target", "2", "It is sound, but does not answer what was asked."),
    ("Wrong Context", "3", "It does not fit the text it belongs to, or says something false about it."),
)

WORDING = Wording(
    kind=NAME,
    title="What is wrong with each {noun}, if anything?",
    description="Read short {nouns} and say of each which kind of error it has, if it has one.",
    keywords="survey, reading, text, errors",
    noun="text",
    nouns="texts",
    heading="Is anything wrong?",
    intro=("Choose what describes each {noun} best. If nothing is wrong with it, say so.",),
    criteria=(Criterion("error", "What describes it best?", "quiz design errors", LABELS),),
)

KIND = TaskKind(
    name=NAME,
    title="error labels",
    heading="Error labels",
    measures="The share of texts with each kind of error, by system, and how serious the errors are.",
    use_for="To see what goes wrong, and to build near-negative tests from it.",
    wording=WORDING,
    answer=AnswerType.SINGLE_LABEL,
    answers={SEVERITY: AnswerType.ORDINAL},
    folder=Path(__file__).parent,
    more_criteria=True,
    presets=("error-labels",),
    help_page="tasks/error-labels.html",
)
