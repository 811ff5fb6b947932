"""Operations that this marketplace does not carry out: a clear error that clients do not retry."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.operations.registry import Call, operation

NAMES = ("GetFileUploadURL",)


def _refuse(name: str) -> None:
    @operation(name, writes=False)
    def handler(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
        raise RequestRefusedError("OperationNotSupported", f"{name} is not supported by this marketplace.")


for _name in NAMES:
    _refuse(_name)
