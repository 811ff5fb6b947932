"""The addresses of HIT frames and what they carry."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation.marketplace.models import Assignment, Hit
from annotation.marketplace.questions.question_types import Question

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
# 192 of the 256 bits: more than can be guessed, and a multiple of what one letter holds.
TOKEN_DIGITS = 48
TOKEN = re.compile(f"(3[A-Z0-9]{{29}})-([0-9a-f]{{{TOKEN_DIGITS}}})")

# Stands in an address for the id of an assignment, until there is one.
_ANY_ID = "3" + 29 * "A"


@dataclass(frozen=True)
class Framing:
    """The address that a page frames, the name of this one showing of it ("" for a page of somebody else), and where
    the framed page submits to, as `submit_base`."""

    address: str
    load: str
    submit: str


def address_of(page: str, assignment_id: str) -> str:
    """The address of a page of an assignment: what `reverse` gives, which would work it out anew for each one."""
    return _address_of_any(page).replace(_ANY_ID, assignment_id)


@cache
def _address_of_any(page: str) -> str:
    return reverse(page, args=[_ANY_ID])


@cache
def _root() -> str:
    return reverse("hits:list")


def submit_base(assignment_id: str = "") -> str:
    """What turkSubmitTo says for an assignment, or for a preview (""): clients append /mturk/externalSubmit."""
    base = _root().rstrip("/")
    return settings.WORKER_ORIGIN + (f"{base}/s/{submit_token(assignment_id)}" if assignment_id else base)


def submit_token(assignment_id: str) -> str:
    """Return the token that authorises submitting an assignment, or storing its draft, without a session."""
    return f"{assignment_id}-{_mac('marketplace.submit', assignment_id)[:TOKEN_DIGITS]}"


def assignment_of(token: str) -> str:
    """The id of the assignment that a token of `submit_token` authorises for; "" for any other text."""
    match = TOKEN.fullmatch(token)
    if match is None:
        return ""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    expected = (_mac("marketplace.submit", match[1], key)[:TOKEN_DIGITS] for key in keys)
    return match[1] if any(hmac.compare_digest(match[2], each) for each in expected) else ""


def framing(hit: Hit, question: Question, assignment: Assignment | None) -> Framing:
    """What to frame: for an assignment, or for a preview (None)."""
    submit = submit_base(assignment.assignment_id if assignment is not None else "")
    fields = {"assignmentId": PREVIEW, "hitId": hit.hit_id, "turkSubmitTo": submit}
    if assignment is not None:
        fields |= {"assignmentId": assignment.assignment_id, "workerId": assignment.worker.worker_id}
    if question.kind == Hit.Kind.EXTERNAL:
        return Framing(_with_query(question.content.strip(), fields), "", submit)
    load = secrets.token_urlsafe(18)
    sealed = seal(hit.hit_id, load, fields["assignmentId"], fields.get("workerId", ""))
    path = reverse("hits:frame", args=[hit.hit_id, load, sealed])
    return Framing(_with_query(settings.HIT_ORIGIN + path, fields), load, submit)


def _with_query(address: str, fields: dict[str, str]) -> str:
    parts = urlsplit(address)
    query = f"{parts.query}&{urlencode(fields)}" if parts.query else urlencode(fields)
    return urlunsplit(parts._replace(query=query))


def seal(*parts: str) -> str:
    """Proves that the worker site made a frame's address: frames show a HIT to no other visitor."""
    return _mac("marketplace.frame", ":".join(parts))[:32]


def seal_holds(candidate: str, *parts: str) -> bool:
    return hmac.compare_digest(candidate.encode(), seal(*parts).encode())


def _mac(salt: str, text: str, key: str | bytes | None = None) -> str:
    return salted_hmac(salt, text, secret=key, algorithm="sha256").hexdigest()


def origin_of(address: str) -> str:
    """Scheme, host and port of an address, for Content-Security-Policy."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
