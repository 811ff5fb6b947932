"""Direct assessment: a whole number from 0 to 100 for each text, by a slider."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "direct_assessment"

# The two ends of the slider.
ENDS: Labels = (("Not at all", "0", ""), ("Perfectly", "100", ""))

WORDING = Wording(
    kind=NAME,
    title="How good is each {noun}, from 0 to 100?",
    description="Read short {nouns} and say by a slider from 0 to 100 how good each one is.",
    keywords="survey, reading, text, judgment",
    noun="text",
    nouns="texts",
    heading="How good is each {noun}?",
    intro=(
        "Read each {noun}, then move the slider below it. The ends are 0 and 100, and every whole number between them "
        "is an answer.",
        "You can also type the number, or move the slider with the arrow keys.",
    ),
    criteria=(Criterion("quality", "How good is this {noun}?", "0 to 100", ENDS),),
)

KIND = TaskKind(
    name=NAME,
    title="direct assessment",
    heading="Direct assessment, 0 to 100",
    measures="Means and differences on a scale of 0 to 100, raw and standardized by rater.",
    use_for="To see fine differences, as in evaluations of machine translation.",
    wording=WORDING,
    answer=AnswerType.NUMBER,
    folder=Path(__file__).parent,
    more_criteria=True,
    judgment_seconds=10,
    presets=("direct-assessment-mt", "direct-assessment"),
    help_page="tasks/direct-assessment.html",
)
