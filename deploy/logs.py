"""Logs as lines of JSON, for programs that collect them: request and account by number; no names and no secrets."""

from __future__ import annotations

import json
import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "X-Request-ID"
# What a proxy may have given a request as its number; another would be a way to write into the log.
GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)

# Tokens of this web API, keys and ids of the marketplace, and what follows the name of a secret.
SECRETS = (
    (re.compile(r"\bassay_[A-Za-z0-9_-]{20,}"), "[token]"),
    (re.compile(r"\bAKIA[A-Z0-9]{12,}"), "[key]"),
    (re.compile(r"\bA[A-Z0-9]{11,}\b"), "[id]"),
    (re.compile(r"(?i)\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{8,}"), r"\1 [secret]"),
    (
        re.compile(
            r"""(?ix)(["']?\b[\w-]*(?:password|passwd|secret|token|api_?key|authorization|cookie|worker_?id)[\w-]*["']?\s*[=:]\s*)
            ("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;&}\])]+)"""
        ),
        r"\1[secret]",
    ),
    (re.compile(r"(?i)\b(\w+://[^\s:/@]*):[^\s@/]+@"), r"\1:[secret]@"),
    (re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"), "[address]"),
)


def without_secrets(text: str) -> str:
    """The text with tokens, keys, ids of workers, mail addresses and values of secrets replaced by what they are."""
    for pattern, word in SECRETS:
        text = pattern.sub(word, text)
    return text


def number_requests(answer: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: each request has a number, that of the proxy or a new one, in its log lines and in its answer."""

    def numbered(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request.number = given if GIVEN.fullmatch(given) else uuid.uuid4().hex  # type: ignore[attr-defined]
        before = _request.set(request)
        try:
            response = answer(request)
        finally:
            _request.reset(before)
        response[HEADER] = request.number  # type: ignore[attr-defined]
        return response

    return numbered


class JsonLines(logging.Formatter):
    """One line of JSON for each record: time, level, logger, message, and of a request its number and account."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **_facts_of_request(),
        }
        if isinstance(status := getattr(record, "status_code", None), int):
            line["status"] = status
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def _facts_of_request() -> dict[str, Any]:
    request = _request.get()
    if request is None:
        return {}
    facts: dict[str, Any] = {"request": getattr(request, "number", ""), "method": request.method}
    if match := request.resolver_match:
        facts["route"] = match.view_name or match.route
    # Nothing is read for the log: only who is known already. A lazy user is looked up where it has been asked for.
    user = getattr(request, "auth", None) or getattr(request, "_cached_user", None)
    if getattr(user, "pk", None) is not None:
        facts["user"] = user.pk  # type: ignore[union-attr]
    return facts
