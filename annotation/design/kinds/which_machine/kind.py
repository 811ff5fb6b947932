"""Which of k: the texts of one context together, of which a machine wrote one and people the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation.design.criteria import ALL_OF_CONTEXT, Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "which_machine"
MACHINE, PERSON = "A machine wrote it", "A person wrote it"
# The mean of these codes over the answers about machine texts is the share that was right.
LABELS: Labels = ((MACHINE, "1", ""), (PERSON, "0", ""))

WORDING = Wording(
    kind=NAME,
    title="Which {noun} did a machine write?",
    description="Read a few {nouns} at a time and say which one of them a computer program wrote.",
    keywords="survey, reading, text, judgment, writing",
    noun="text",
    nouns="texts",
    heading="Which one did a machine write?",
    intro=(
        "You see several {nouns}{context: for what is shown above them}. A computer program wrote exactly one of them, "
        "people wrote the others. Read all of them, then mark the one that you think the program wrote. The others are "
        "then marked as written by a person.",
        "There is no trick, and your pay does not depend on guessing right.",
    ),
    criteria=(Criterion("which_machine", "Who wrote this {noun}?", "which of them", LABELS),),
)


def simulate(labels: Sequence[str], qualities: Sequence[float], at: int, rng: np.random.Generator) -> str:
    """Each person sees the qualities with noise of their own, and takes the lowest for the machine's."""
    seen = np.asarray(qualities) + rng.standard_normal(len(qualities))
    return MACHINE if at == int(seen.argmin()) else PERSON


KIND = TaskKind(
    name=NAME,
    title="which of several texts a machine wrote",
    heading="Which of k is the machine's?",
    measures="How often raters find the machine's text among k, against the chance of 1/k.",
    use_for="To see whether readers distinguish generated texts from several that people wrote for the same context.",
    wording=WORDING,
    answer=AnswerType.CHOSEN_TEXT,
    folder=Path(__file__).parent,
    texts_shown=ALL_OF_CONTEXT,
    single_generated=True,
    judgment_seconds=4,
    presets=("which-of-k",),
    help_page="tasks/which-machine.html",
    simulate=simulate,
)
