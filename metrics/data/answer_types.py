"""What an answer is: by this analyses choose what they compute, never by the name of a task."""

from __future__ import annotations

from enum import StrEnum


class AnswerType(StrEnum):
    """How a question about texts is answered. Error spans, when they come, are one more.

    ORDINAL: a label of a scale with an order. NUMBER: a whole number between two ends. TWO_SIDED: a label that says
    which of two sides, and how surely. SINGLE_LABEL: one of labels without an order. SEVERAL_LABELS: any of them.
    PREFERENCE: which of two texts, or neither. CHOSEN_TEXT: which of the texts of a set, as 1 for it and 0
    for each other. RANKING: for each text of a set a place in the set, such as best, worst or neither.
    """

    ORDINAL = "ordinal"
    NUMBER = "number"
    TWO_SIDED = "two_sided"
    SINGLE_LABEL = "single_label"
    SEVERAL_LABELS = "several_labels"
    PREFERENCE = "preference"
    CHOSEN_TEXT = "chosen_text"
    RANKING = "ranking"

    @property
    def has_mean(self) -> bool:
        """Whether answers are numbers of which a mean says something."""
        return self in (AnswerType.ORDINAL, AnswerType.NUMBER, AnswerType.RANKING)

    @property
    def is_nominal(self) -> bool:
        """Whether answers are labels without an order."""
        return self in _NOMINAL


_NOMINAL = (AnswerType.SINGLE_LABEL, AnswerType.SEVERAL_LABELS, AnswerType.PREFERENCE, AnswerType.CHOSEN_TEXT)
