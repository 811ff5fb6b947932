"""From a request to its operation: the path, the query and the body are checked against the request shapes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.answers import ApiError, StubAnswer
from annotation.rehearsal.prolific_stub.request_shapes import REQUESTS, RequestShape, Shape

PREFIX = "/api/v1"
AnyShape = TypeVar("AnyShape", bound=Shape)


@dataclass
class ApiCall:
    """A request that has the shape of its operation."""

    operation: str
    world: AccountState
    path: str
    names: dict[str, str]
    query: dict[str, str]
    body: Any

    def body_as(self, shape: type[AnyShape]) -> AnyShape:
        """Return the body. Raises TypeError where the operation has another shape."""
        if not isinstance(self.body, shape):
            raise TypeError(f"{self.operation} has no {shape.__name__}")
        return self.body


Handler = Callable[[ApiCall], StubAnswer]
HANDLERS: dict[str, Handler] = {}


def operation(name: str) -> Callable[[Handler], Handler]:
    """Register the handler of an operation of `REQUESTS`. Raises KeyError for an operation without a shape."""

    def register(handler: Handler) -> Handler:
        if name not in REQUESTS:
            raise KeyError(name)
        HANDLERS[name] = handler
        return handler

    return register


def _pattern(shape: RequestShape) -> re.Pattern[str]:
    return re.compile("^" + re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", shape.path).rstrip("/") + "/?$")


# The longest literal path first: submissions/bulk-approve is no submission's id.
_ROUTES = sorted(
    ((name, shape, _pattern(shape)) for name, shape in REQUESTS.items()), key=lambda route: route[1].path.count("{")
)


def match_operation(method: str, path: str) -> tuple[str, dict[str, str]]:
    """Return the operation of a path with its names. Raises ApiError: 404 for the path, 405 for the method."""
    if not path.startswith(PREFIX):
        raise ApiError(404, f"No such address: {path}")
    matches = [
        (name, shape, match) for name, shape, pattern in _ROUTES if (match := pattern.match(path[len(PREFIX) :]))
    ]
    for name, shape, match in matches:
        if shape.method == method:
            return name, match.groupdict()
    raise ApiError(405 if matches else 404, f"No such address: {method} {path}")


def check_query(name: str, query: dict[str, str]) -> None:
    """Raises ApiError (400) for a parameter that the operation has not, or one that it requires."""
    shape = REQUESTS[name]
    problems = {key: ["unknown parameter"] for key in query if key not in shape.query}
    problems |= {key: ["required"] for key in shape.required_query if key not in query}
    if problems:
        raise ApiError(400, problems)


def read_body(name: str, raw: bytes) -> Shape | None:
    """Return the body as its shape. Raises ApiError (400) with the messages of each field."""
    shape = REQUESTS[name].body
    if shape is None:
        if raw.strip() not in (b"", b"{}"):
            raise ApiError(400, {"body": ["this request takes no body"]})
        return None
    try:
        json.loads(raw)
    except ValueError:
        raise ApiError(400, {"body": ["must be JSON"]}) from None
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        problems: dict[str, list[str]] = {}
        for line in error.errors(include_url=False, include_context=False, include_input=False):
            problems.setdefault(".".join(map(str, line["loc"])) or "body", []).append(line["msg"])
        raise ApiError(400, problems) from None
