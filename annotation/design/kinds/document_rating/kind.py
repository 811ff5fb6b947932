"""Documents and dialogues: every text of a document, in its order, with those before and after it on one page."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import ALL_OF_CONTEXT, Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "document_rating"

LABELS: Labels = (
    ("Very poor", "1", ""),
    ("Poor", "2", ""),
    ("Fair", "3", ""),
    ("Good", "4", ""),
    ("Very good", "5", ""),
)

WORDING = Wording(
    kind=NAME,
    title="How good is each {noun} of a document?",
    description="Read documents and rate each of their {nouns} where it comes.",
    keywords="survey, reading, text, judgment, document",
    noun="part",
    nouns="parts",
    heading="How good is each {noun}?",
    intro=(
        "Each document is shown as a whole, one {noun} below the other. Rate each {noun} where it comes, with what is "
        "before and after it.",
    ),
    criteria=(Criterion("quality", "How good is this {noun} here?", "quality of five", LABELS),),
)

KIND = TaskKind(
    name=NAME,
    title="ratings in documents",
    heading="Documents and dialogues",
    measures="Means and differences of the parts of documents, with intervals over documents.",
    use_for="To rate translations sentence by sentence, or the turns of a dialogue, where they come.",
    wording=WORDING,
    answer=AnswerType.ORDINAL,
    folder=Path(__file__).parent,
    texts_shown=ALL_OF_CONTEXT,
    in_order=True,
    more_criteria=True,
    presets=("documents",),
    help_page="tasks/documents.html",
)
