"""Errors of the requester side. Few, named; each says whether trying again can help."""

from __future__ import annotations

from typing import Self


class AssayError(Exception):
    """Something a person must know about. `permanent`: the same call will fail again. `field`: what is at fault."""

    permanent = True
    field = ""

    def at(self, field: str) -> Self:
        """The same error, naming the field that is at fault."""
        self.field = field
        return self


class DesignError(AssayError):
    """The texts and the design do not fit together."""


class StateError(AssayError):
    """The study is not in a state in which this can be done."""


class ChangedError(StateError):
    """What was shown is not what it is now: look again, then confirm."""


class BudgetError(AssayError):
    """The study's budget does not cover it. `missing_cents`: by how much."""

    def __init__(self, message: str, *, missing_cents: int) -> None:
        super().__init__(message)
        self.missing_cents = missing_cents


class MarketError(AssayError):
    """A marketplace refused or could not be reached. away: it gave no answer, or only that it cannot answer now."""

    def __init__(self, message: str, *, code: str = "", permanent: bool = True, away: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.permanent = permanent
        self.away = away


class MarketClosedError(MarketError):
    """The endpoint is Amazon's, which closed on 30 September 2026."""


class QuestionError(AssayError):
    """A HIT's page cannot be sent as it is."""


class QuestionTooLargeError(QuestionError):
    """A page is larger than a question may be."""


class AnswerError(AssayError):
    """A submission's answers cannot be read."""


class NoticeError(AssayError):
    """A notification that is not to be believed, or cannot be read."""
