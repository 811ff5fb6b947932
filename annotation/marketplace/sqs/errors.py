"""Errors as SQS clients read them: a modelled type, and the code of the older protocol in a header."""

from __future__ import annotations


class QueueError(Exception):
    """A refused call. `kind` is the JSON protocol's type, `code` what clients have keyed on since the XML days."""

    def __init__(self, kind: str, code: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.message = message


def no_queue() -> QueueError:
    return QueueError(
        "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist."
    )


def unsupported(name: str) -> QueueError:
    return QueueError(
        "UnsupportedOperation",
        "AWS.SimpleQueueService.UnsupportedOperation",
        f"{name} is not supported by this marketplace's queues.",
    )


def bad_handle() -> QueueError:
    return QueueError("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", "The input receipt handle is invalid.")


def bad_value(message: str) -> QueueError:
    return QueueError("InvalidParameterValue", "InvalidParameterValue", message)
