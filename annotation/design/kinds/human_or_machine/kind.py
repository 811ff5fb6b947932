"""Human or machine: who wrote a text (Clark et al. 2021), with what follows each answer."""

from __future__ import annotations

from pathlib import Path

from annotation.design.criteria import Criterion, FollowUp, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Training, Wording
from metrics.data.answer_types import AnswerType

NAME = "human_or_machine"

# Clark et al. 2021, section 2.1, word for word: the first one after "Definitely human-written", the second one after
# the other labels.
CLARK_FOLLOW_UPS = {
    "reason": "Why did you select this rating?",
    "change": "What would you change to make it seem more human-like?",
}

# Clark et al. 2021, section 2.1; codes as there (1 and 2 are read as human, 3 and 4 as machine).
LABELS: Labels = (
    ("Definitely human-written", "1", ""),
    ("Possibly human-written", "2", ""),
    ("Possibly machine-generated", "3", ""),
    ("Definitely machine-generated", "4", ""),
)

WORDING = Wording(
    kind=NAME,
    title="Was each {noun} written by a person or by a machine?",
    description="Read a few {nouns}, say of each whether a person or a computer program wrote it, and why.",
    keywords="survey, reading, text, judgment, writing",
    noun="text",
    nouns="texts",
    heading="A person or a machine?",
    intro=(
        "Some of these {nouns} were written by people, others by a computer program. Read each one and say where "
        "you think it comes from.",
        "There is no trick, and your pay does not depend on guessing right.",
    ),
    criteria=(Criterion("human_or_machine", "Who wrote this {noun}?", "human or machine", LABELS),),
    follow_ups=(
        FollowUp("why", "What makes you sure of that?", (LABELS[0][0],), 10),
        FollowUp(
            "change",
            "What would have to change for it to read as if a person had written it?",
            tuple(label for label, _, _ in LABELS[1:]),
            10,
        ),
    ),
    training=Training(
        instructions=(
            "Programs repeat themselves: the same phrase, the same fact, the same turn of thought.",
            "Programs get facts wrong or contradict what they said a few lines before.",
            "Good grammar and spelling say little: programs rarely misspell, and people often do.",
            "A plain or a flowery style says little either; both write both.",
        )
    ),
)

KIND = TaskKind(
    name=NAME,
    title="human or machine",
    heading="Human or machine?",
    measures="Accuracy of evaluators with intervals, agreement, and the effect of up to four trainings.",
    use_for="To see whether readers distinguish generated texts from texts that people wrote.",
    wording=WORDING,
    answer=AnswerType.TWO_SIDED,
    folder=Path(__file__).parent,
    stepwise=True,
    presets=("clark-2021",),
    help_page="tasks/human-or-machine.html",
)
