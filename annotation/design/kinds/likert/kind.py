"""Rating on several criteria: labelled scales under each text, as many as a study asks for."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "likert"
SCALE = "agreement"

LABELS: Labels = (
    ("Strongly disagree", "1", ""),
    ("Disagree", "2", ""),
    ("Neither agree nor disagree", "3", ""),
    ("Agree", "4", ""),
    ("Strongly agree", "5", ""),
)

WORDING = Wording(
    kind=NAME,
    title="How good is each {noun}?",
    description="Read short {nouns} and say how far you agree with a few statements about each.",
    keywords="survey, reading, text, judgment",
    noun="text",
    nouns="texts",
    heading="How good is each {noun}?",
    intro=("Read each {noun} and say how far you agree with the statements below it.",),
    criteria=(
        Criterion("fluency", "It reads well.", SCALE, LABELS),
        Criterion("relevance", "It is about what it should be about.", SCALE, LABELS),
    ),
)

KIND = TaskKind(
    name=NAME,
    title="labelled scales",
    heading="Rating on several criteria",
    measures="Means and differences of each criterion, agreement on each, and how criteria go together.",
    use_for="To say in which respect one system is better, such as fluency or relevance.",
    wording=WORDING,
    answer=AnswerType.ORDINAL,
    folder=Path(__file__).parent,
    more_criteria=True,
    presets=("summeval", "hanna", "several-criteria"),
    help_page="tasks/several-criteria.html",
)
