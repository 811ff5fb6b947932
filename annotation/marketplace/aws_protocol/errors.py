"""Errors as the wire shows them: a status, a type, a message, perhaps a TurkErrorCode."""

from __future__ import annotations


class WireError(Exception):
    """A refusal below the operations (signature, target, JSON), or an operation's error ready for the wire."""

    def __init__(
        self, kind: str, message: str, *, status: int = 400, turk_code: str | None = None, field: str = ""
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.turk_code = turk_code
        self.field = field

    def body(self) -> dict[str, str]:
        """The JSON document that botocore parses."""
        document = {"__type": self.kind, "Message": self.message}
        if self.turk_code:
            document["TurkErrorCode"] = self.turk_code
        if self.field:
            document["Field"] = self.field
        return document


def unknown_operation(target: str) -> WireError:
    return WireError("UnknownOperationException", f"The operation {target[:100]!r} is not known.")


def malformed(reason: str) -> WireError:
    return WireError("SerializationException", f"The request body is not a JSON object that can be read: {reason}.")


def service_fault() -> WireError:
    return WireError(
        "ServiceFault",
        "The service could not complete the request; nothing was changed. Try again.",
        status=500,
        turk_code="AWS.ServiceUnavailable",
    )
