"""What a task kind declares of itself: its words, what its answers are, and what belongs to it in its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np

from annotation.design.criteria import ALL_OF_CONTEXT, Criterion, Labels
from annotation.design.wording import Wording
from annotation.exceptions import DesignError
from annotation.pricing.wages import SECONDS_A_JUDGMENT
from metrics.data.answer_types import AnswerType

MAX_NAME_CHARS = 20
Unit = Literal["text", "pair", "context", "document"]
MAX_STEPS = 1000  # between the ends of a number
# What was sent under a field's name ("" for nothing), and its question: the labels chosen, as the page showed them.
ReadAnswer = Callable[[str, Criterion], tuple[str, ...]]
# The labels on offer, the hidden quality of each text shown together (standard normal over texts), the place among them
# of the text asked about, and dice that are the same for every question about these texts: the label chosen.
Simulate = Callable[[Sequence[str], Sequence[float], int, np.random.Generator], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKind:
    """A kind of task. name: as studies store it, for ever. title: as a report names it.

    heading, measures, use_for: of its card in the gallery: the question, what it measures, when to use it.
    wording: its default words. answer: what an answer is, but for the criteria (by name) in `answers`.
    texts_shown: together: 1, 2 side by side, or ALL_OF_CONTEXT; in_order: then as they came, as in a document.
    single_generated: of the texts shown together exactly one is generated, all others are references.
    stepwise: one question at a time, not all on one page.
    more_criteria: researchers may add questions. for_huse: with log-probabilities its ratings give HUSE.
    judgment_seconds: to decide once, until times are measured.
    folder: holds `template.html`, `presets/NAME.json` for each of `presets`, `picture.svg`, and for a first try
    `samples.csv` (texts, as the import reads them) and `sample_training.csv`.
    help_page: its page in the help of the console.
    read, simulate: only where the answer type's do not do.
    """

    name: str
    title: str
    heading: str
    measures: str
    use_for: str
    wording: Wording
    answer: AnswerType
    folder: Path
    answers: Mapping[str, AnswerType] = field(default_factory=dict)
    texts_shown: int = 1
    in_order: bool = False
    single_generated: bool = False
    stepwise: bool = False
    more_criteria: bool = False
    for_huse: bool = False
    judgment_seconds: float = SECONDS_A_JUDGMENT
    presets: tuple[str, ...] = ()
    help_page: str = "tasks/another-task.html"
    read: ReadAnswer | None = None
    simulate: Simulate | None = None

    def answer_of(self, criterion: Criterion) -> AnswerType:
        """What an answer to that question is."""
        if criterion.many:
            return AnswerType.SEVERAL_LABELS
        return self.answers.get(criterion.name, self.answer)

    def labels_of(self, criterion: Criterion) -> Labels:
        """Every label that can be the answer: of a number, each whole number from end to end."""
        return number_labels(criterion) if self.answer_of(criterion) is AnswerType.NUMBER else criterion.labels

    @property
    def keeps_contexts(self) -> bool:
        """Whether all texts of a context are shown together."""
        return self.texts_shown == ALL_OF_CONTEXT

    @property
    def in_pairs(self) -> bool:
        """Whether a question shows two texts side by side."""
        return self.texts_shown == 2

    @property
    def unit(self) -> Unit:
        """What a task holds a number of, and what a number of raters judge."""
        if self.keeps_contexts:
            return "document" if self.in_order else "context"
        return "pair" if self.in_pairs else "text"

    @property
    def picture(self) -> str:
        """The drawing of its card (SVG), "" for none."""
        path = self._file("picture.svg")
        return path.read_text(encoding="utf-8") if path else ""

    @property
    def samples(self) -> Path | None:
        """Its sample texts; None for none."""
        return self._file("samples.csv")

    @property
    def sample_training(self) -> Path | None:
        """Sample items for the trainings of a study; None for none."""
        return self._file("sample_training.csv")

    def _file(self, name: str) -> Path | None:
        path = self.folder / name
        return path if path.is_file() else None

    @property
    def template(self) -> str:
        """The text of its page's template."""
        return (self.folder / "template.html").read_text(encoding="utf-8")


def number_labels(criterion: Criterion) -> Labels:
    """The whole numbers from the lowest to the highest end; a named point's name is the gloss of its number."""
    named = {Fraction(code): label for label, code, _ in criterion.labels}
    low, high = min(named), max(named)
    return tuple((str(n), str(n), named.get(Fraction(n), "")) for n in range(int(low), int(high) + 1))


def check_questions(kind: TaskKind, wording: Wording) -> None:
    """Raise DesignError where the questions do not fit the kind."""
    for criterion in wording.criteria:
        if kind.answer_of(criterion) is AnswerType.NUMBER:
            _check_number(criterion)


def _check_number(criterion: Criterion) -> None:
    codes = [Fraction(code) for _, code, _ in criterion.labels]
    if any(code.denominator != 1 for code in codes):
        raise DesignError(f"The ends of {criterion.name} are whole numbers.").at("labels")
    if max(codes) - min(codes) > MAX_STEPS:
        raise DesignError(f"The ends of {criterion.name} are at most {MAX_STEPS:,} apart.").at("labels")
