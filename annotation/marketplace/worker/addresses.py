"""The addresses of HIT frames and what they carry."""

from __future__ import annotations

import hmac
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation.marketplace.models import Assignment, Hit
from annotation.marketplace.questions import Question

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


def submit_base() -> str:
    """What turkSubmitTo says: clients append /mturk/externalSubmit."""
    return settings.WORKER_ORIGIN + reverse("hits:list").rstrip("/")


def frame_address(hit: Hit, question: Question, assignment: Assignment | None) -> str:
    """The address to be framed: for an assignment, or for a preview (None)."""
    fields = {"assignmentId": PREVIEW, "hitId": hit.hit_id, "turkSubmitTo": submit_base()}
    if assignment is not None:
        fields |= {"assignmentId": assignment.assignment_id, "workerId": assignment.worker.worker_id}
    if question.kind == Hit.Kind.EXTERNAL:
        return _with_query(question.content.strip(), fields)
    path = reverse(
        "hits:frame", args=[hit.hit_id, seal(hit.hit_id, fields["assignmentId"], fields.get("workerId", ""))]
    )
    return _with_query(settings.HIT_ORIGIN + path, fields)


def _with_query(address: str, fields: dict[str, str]) -> str:
    parts = urlsplit(address)
    query = f"{parts.query}&{urlencode(fields)}" if parts.query else urlencode(fields)
    return urlunsplit(parts._replace(query=query))


def seal(hit_id: str, assignment_id: str, worker_id: str) -> str:
    """Proves that the worker site made a frame's address: frames show a HIT to nobody else."""
    said = ":".join([hit_id, assignment_id, worker_id])
    return salted_hmac("marketplace.frame", said, algorithm="sha256").hexdigest()[:32]


def seal_holds(given: str, hit_id: str, assignment_id: str, worker_id: str) -> bool:
    return hmac.compare_digest(given.encode(), seal(hit_id, assignment_id, worker_id).encode())


def origin_of(address: str) -> str:
    """Scheme, host and port of an address, for Content-Security-Policy."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
