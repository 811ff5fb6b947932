"""What the marketplace says when it declines. The doors turn these into wire errors and pages."""

from __future__ import annotations

from typing import Self

PREFIX = "AWS.MechanicalTurk."


class RequestRefusedError(Exception):
    """A call that the present state does not allow.

    `code` is the TurkErrorCode without its `AWS.MechanicalTurk.` prefix, `message` the sentence shown.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = PREFIX + code
        self.message = message


class InvalidParameterError(Exception):
    """A value that breaks a documented rule; the sentence names the field and the rule.

    `field`: the member of the request that is at fault; "" where none alone is.
    """

    field = ""

    def at(self, field: str) -> Self:
        """The same refusal, naming the member that is at fault."""
        self.field = field
        return self


class WorkRefusedError(Exception):
    """A worker's step that cannot be taken. `reason` is a short word the pages and tests key on."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
