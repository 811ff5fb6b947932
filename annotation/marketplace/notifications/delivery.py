"""Sending documents: at least once, again with growing pauses, until delivered or given up. Never in a request."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import F, Q, QuerySet

from annotation.marketplace.core.faults import Fault, strikes
from annotation.marketplace.models import Document, Endpoint, Transport
from annotation.marketplace.notifications.documents import gather
from annotation.marketplace.notifications.envelope import CLOSE, CONFIRM, envelope, mail_address
from annotation.marketplace.notifications.https_post import NotDeliveredError, post
from annotation.marketplace.notifications.keys import signer

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(hours=24)
# While a document is being sent, nobody else tries it; if the sender dies, it is tried again after this.
LEASE = timedelta(minutes=1)
BATCH = 100
# So long a pass may spend on one receiver that answers, but slowly.
SHARE = timedelta(seconds=5)
MAIL_SECONDS = 10
# The key of a worker's words, which a mail shows as they were written.
WORDS = "Reply"

log = logging.getLogger(__name__)

Post = Callable[[str, bytes, Mapping[str, str]], None]


@dataclass(frozen=True)
class Delivered:
    """What one pass did: documents sent, put off, given up."""

    sent: int
    put_off: int
    discarded: int


def deliver(*, clock: Callable[[], datetime], send: Post = post) -> Delivered:
    """One pass over everything that is due by the real time `clock`.

    A receiver that fails is left alone, with all that waits for it, until its next attempt: a dead one costs one
    time-out in each of its pauses, however much waits for it.
    """
    gather(now=clock())
    outcomes: Counter[str] = Counter()
    due = _due(clock())
    receivers = due.order_by("requester", "destination").values_list("requester", "destination").distinct()
    for requester, destination in list(receivers):
        waiting = due.filter(requester=requester, destination=destination).order_by("pk")
        outcomes.update(_served(list(waiting[:BATCH]), clock, send))
    return Delivered(sent=outcomes["sent"], put_off=outcomes["put_off"], discarded=outcomes["discarded"])


def _served(waiting: list[Document], clock: Callable[[], datetime], send: Post) -> Iterator[str]:
    """The outcomes for what waits for one receiver, until it fails or its share of the pass is used up."""
    until = clock() + SHARE
    for document in waiting:
        if clock() >= until:
            return
        if _claimed(document, clock()):
            outcome = _tried(document, clock, send)
            yield outcome
            if outcome == "put_off":
                return


def _due(now: datetime) -> QuerySet[Document]:
    """Requests to confirm, events for those who have confirmed; and whatever is to be given up.

    The requester's own address has no endpoint, and needs no confirmation.
    """
    ready = (
        Q(kind=Document.Kind.CONFIRMATION)
        | Q(endpoint=None, destination=F("requester__user__email"))
        | Q(endpoint__confirmed_at__isnull=False)
        | Q(endpoint__closed_at__isnull=False)
        | Q(created_at__lte=now - GIVE_UP_AFTER)
    )
    return Document.objects.select_related("endpoint__account").filter(ready, next_attempt_at__lte=now)


def _claimed(document: Document, now: datetime) -> bool:
    """Whether this process may try `document` now: of several that saw it due, one."""
    unchanged = Document.objects.filter(pk=document.pk, next_attempt_at=document.next_attempt_at)
    return bool(unchanged.update(next_attempt_at=now + LEASE))


def _tried(document: Document, clock: Callable[[], datetime], send: Post) -> str:
    endpoint = document.endpoint
    if document.created_at + GIVE_UP_AFTER <= clock():
        return _discard(document, clock(), document.last_error or "It was never confirmed.")
    if endpoint is not None and endpoint.closed_at is not None:
        return _discard(document, clock(), "The endpoint was closed.")
    try:
        for _ in range(_copies(document)):
            _send(document, clock(), send)
    except (NotDeliveredError, SMTPException, OSError) as error:
        return _put_off(document, clock(), str(error))
    Document.objects.filter(pk=document.pk).update(
        delivered_at=clock(), next_attempt_at=None, attempts=F("attempts") + 1, last_error=""
    )
    return "sent"


def _copies(document: Document) -> int:
    """One; fewer or more where faults on demand say so. Requests to confirm are spared."""
    if document.kind == Document.Kind.CONFIRMATION:
        return 1
    return 0 if strikes(Fault.LOSE) else 2 if strikes(Fault.DOUBLE) else 1


def _send(document: Document, now: datetime, send: Post) -> None:
    if document.endpoint is None or document.transport == Transport.EMAIL:
        _mail(document)
        return
    message = envelope(document, document.endpoint, signer(now), now)
    headers = {
        "Content-Type": "text/plain; charset=UTF-8",
        "x-amz-sns-message-type": message["Type"],
        "x-amz-sns-message-id": message["MessageId"],
        "x-amz-sns-topic-arn": message["TopicArn"],
        "User-Agent": "Assay notifications",
    }
    send(document.endpoint.url, json.dumps(message).encode(), headers)


def _mail(document: Document) -> None:
    """A request to confirm, or events."""
    if document.endpoint is not None and document.kind == Document.Kind.CONFIRMATION:
        subject, body = "Do you want notifications about HITs?", _question(document, document.endpoint)
    else:
        subject, body = _events_mail(document)
    message = EmailMessage(
        subject=subject,
        body=body,
        to=[document.destination],
        connection=get_connection(timeout=MAIL_SECONDS),
        headers={"X-Event-Doc-Id": document.doc_id, "Auto-Submitted": "auto-generated"},
    )
    message.send()


def _question(document: Document, endpoint: Endpoint) -> str:
    paragraphs = (
        f"{document.requester} on {settings.WORKER_ORIGIN} asks to send notifications about tasks (HITs) to you.",
        "If you want them, open this page and press its button:",
        mail_address(endpoint, CONFIRM),
        "If you do not, do nothing: no notification is sent.",
    )
    return "\n\n".join((*paragraphs, ""))


def _events_mail(document: Document) -> tuple[str, str]:
    """Subject and body; the last line is the document."""
    events = json.loads(document.body)["Events"]
    kinds = sorted({event["EventType"] for event in events})
    lines = [" ".join(f"{name}={value}" for name, value in event.items() if name != WORDS) for event in events]
    words = [part for event in events if WORDS in event for part in ("", event[WORDS])]
    endpoint = document.endpoint
    end = f"To get no more of these mails: {mail_address(endpoint, CLOSE)}" if endpoint else ""
    return f"Your HITs: {', '.join(kinds)}", "\n".join([*lines, *words, "", end, "", document.body, ""])


def _put_off(document: Document, now: datetime, reason: str) -> str:
    """The next attempt after a pause that doubles; whatever else is due at the same receiver waits for it, too."""
    pause = min(FIRST_PAUSE * 2 ** min(document.attempts, 20), LONGEST_PAUSE)
    Document.objects.filter(pk=document.pk).update(attempts=F("attempts") + 1, last_error=reason[:300])
    waiting = Document.objects.filter(requester=document.requester_id, destination=document.destination)
    waiting.filter(Q(pk=document.pk) | Q(next_attempt_at__lte=now)).update(next_attempt_at=now + pause)
    return "put_off"


def _discard(document: Document, now: datetime, reason: str) -> str:
    """The row stays, with what went wrong last."""
    log.warning("The notification %s was given up: %s", document.doc_id, reason)
    Document.objects.filter(pk=document.pk).update(given_up_at=now, next_attempt_at=None, last_error=reason[:300])
    return "discarded"
