"""From a request's body to checked parameters."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from botocore.model import OperationModel, Shape
from botocore.validate import ParamValidator
from django.http import HttpRequest

from annotation.marketplace.aws_protocol.errors import malformed
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.hits.limits import check_limits

LONGEST_REPORT = 2_000

_VALIDATOR = ParamValidator()
_SURROGATES = re.compile("[\ud800-\udfff]")
_PATTERNS: dict[str, re.Pattern[str]] = {}


def declared_length(request: HttpRequest) -> int:
    """The bytes of the body, as its header says; 0 when it says nothing that can be read."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def document(body: bytes) -> dict[str, Any]:
    """The JSON object in `body` (an empty body is an empty object). Raises WireError (SerializationException)."""
    if not body.strip():
        return {}
    try:
        payload = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise malformed("it is nested too deeply") from None
    except ValueError as error:
        raise malformed(str(error)) from None
    if not isinstance(payload, dict):
        raise malformed("it is not an object")
    return payload


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def parameters(operation: OperationModel, payload: dict[str, Any]) -> dict[str, Any]:
    """Return the members of `payload` without nulls and with ExpireAt as a datetime.

    They are checked by the service model and the documented limits. Raises InvalidParameterError naming the member
    and the rule.
    """
    members = {name: value for name, value in payload.items() if value is not None}
    if "ExpireAt" in members:
        members["ExpireAt"] = _moment(members["ExpireAt"])
    report = _VALIDATOR.validate(members, operation.input_shape)
    if report.has_errors():
        # The report repeats the values that it complains about, however long they are.
        raise InvalidParameterError(report.generate_report()[:LONGEST_REPORT])
    _walk(operation.input_shape, members, "")
    check_limits(members)
    return members


def _moment(value: Any) -> datetime:
    """Epoch seconds (number or text) or ISO 8601, as an aware UTC datetime; without zone it is UTC."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InvalidParameterError("ExpireAt must be a time: seconds since 1970 or ISO 8601.")
    try:
        if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidParameterError(f"ExpireAt is not a time that can be read: {value!r:.60}.") from None


def _walk(shape: Shape, value: Any, path: str) -> None:
    """What botocore's validator leaves out: pattern, max, enum, and text that cannot be stored."""
    if shape.type_name == "structure":
        for name, inner in value.items():
            _walk(shape.members[name], inner, f"{path}.{name}" if path else name)
    elif shape.type_name == "list":
        _check_max(shape, len(value), path, "members")
        for index, inner in enumerate(value):
            _walk(shape.member, inner, f"{path}[{index}]")
    elif shape.type_name == "string":
        _check_text(shape, value, path)
    elif shape.type_name in {"integer", "long"}:
        if isinstance(value, bool):
            raise InvalidParameterError(f"{path} must be a whole number.")
        _check_bits(shape, value, path)
        _check_max(shape, value, path, "")


def _check_bits(shape: Shape, value: int, path: str) -> None:
    bits = 32 if shape.type_name == "integer" else 64
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise InvalidParameterError(f"{path} must be a whole number of {bits} bits.")


def _check_max(shape: Shape, count: int, path: str, unit: str) -> None:
    maximum = shape.metadata.get("max")
    if maximum is not None and count > maximum:
        raise InvalidParameterError(f"{path} must be at most {maximum} {unit}".rstrip() + f"; it is {count}.")


def _check_text(shape: Shape, text: str, path: str) -> None:
    max_length, pattern = shape.metadata.get("max"), shape.metadata.get("pattern")
    if max_length is not None and len(text) > max_length:
        raise InvalidParameterError(f"{path} must have at most {max_length} characters; it has {len(text)}.")
    if pattern is not None and not _compiled(pattern).fullmatch(text):
        raise InvalidParameterError(f"{path} must match {pattern}; it is {text[:80]!r}.")
    allowed = shape.metadata.get("enum")
    if allowed and text not in allowed:
        raise InvalidParameterError(f"{path} must be one of {', '.join(allowed)}; it is {text[:80]!r}.")
    # Most texts are ASCII: the search through 20 kB takes longer than everything else that is checked here.
    if "\x00" in text or not (text.isascii() or _SURROGATES.search(text) is None):
        raise InvalidParameterError(f"{path} must not contain NUL characters or lone surrogates.")


def _compiled(pattern: str) -> re.Pattern[str]:
    # fullmatch, and \Z for $: Python's $ lets a trailing line end through.
    if pattern not in _PATTERNS:
        _PATTERNS[pattern] = re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)
    return _PATTERNS[pattern]
