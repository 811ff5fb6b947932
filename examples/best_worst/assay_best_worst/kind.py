"""Best-worst scaling (Kiritchenko and Mohammad 2017) over the texts of one context."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation.design.criteria import ALL_OF_CONTEXT, Criterion, Labels
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from metrics.data.answer_types import AnswerType

NAME = "best_worst"
BEST, NEITHER, WORST = "Best", "Neither", "Worst"
# The mean of these codes is the score: times best less times worst, by times shown.
LABELS: Labels = ((BEST, "1", ""), (NEITHER, "0", ""), (WORST, "-1", ""))

WORDING = Wording(
    kind=NAME,
    title="Which {noun} is best, and which is worst?",
    description="Read a few {nouns} at a time and say which one is best and which one is worst.",
    keywords="survey, reading, text, comparison",
    noun="text",
    nouns="texts",
    heading="Best and worst",
    intro=(
        "You see several {nouns}{context: for what is shown above them}. Read all of them, then mark the best one and "
        "the worst one. All others stay at “Neither”.",
    ),
    criteria=(Criterion("best_worst", "Is this {noun} the best or the worst of them?", "best and worst", LABELS),),
)


def simulate(labels: Sequence[str], qualities: Sequence[float], at: int, rng: np.random.Generator) -> str:
    """Each person sees the qualities with noise of their own, and marks the highest and the lowest."""
    seen = np.asarray(qualities) + rng.standard_normal(len(qualities))
    return BEST if at == int(seen.argmax()) else WORST if at == int(seen.argmin()) else NEITHER


KIND = TaskKind(
    name=NAME,
    title="best-worst scaling",
    heading="Best and worst",
    measures="A score between -1 and 1 of each system, its differences, and the split-half reliability of the scores.",
    use_for="To order four or more systems with few answers.",
    wording=WORDING,
    answer=AnswerType.RANKING,
    folder=Path(__file__).parent,
    texts_shown=ALL_OF_CONTEXT,
    judgment_seconds=4,
    presets=("best-worst",),
    simulate=simulate,
)
