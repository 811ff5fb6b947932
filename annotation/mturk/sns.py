"""Believing a notification: signature, certificate, topic and age of an SNS message, before anything is read from it.

Events are one-way, may come twice or out of order, and may be lost: they are a reason to look, never the truth.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, MutableSet
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from annotation.exceptions import NoticeError

SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
DIGESTS: dict[str, hashes.HashAlgorithm] = {"1": hashes.SHA1(), "2": hashes.SHA256()}  # noqa: S303 - SNS's version 1
OLDEST = timedelta(hours=1)
# Clocks differ a little.
AHEAD = timedelta(minutes=5)
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
LARGEST_CERTIFICATE = 20_000
MAX_REPLY_CHARS = 1_000

Fetch = Callable[[str], bytes]


@dataclass(frozen=True)
class Notice:
    """A message that was believed. `subscribe_url` is where to confirm; empty for a message with events."""

    message_id: str
    message: str
    sent_at: datetime
    subscribe_url: str


@dataclass(frozen=True)
class MarketEvent:
    """Something that happened on the marketplace at `at`; ids that do not apply are empty. words: what a worker
    answered to a rejection (Assay's marketplace only)."""

    kind: str
    at: datetime
    hit_id: str
    assignment_id: str
    hit_type_id: str
    words: str = ""


@dataclass(frozen=True)
class EventDocument:
    """The events of one message. A message that is sent again has the same `doc_id`."""

    doc_id: str
    events: tuple[MarketEvent, ...]


@lru_cache(maxsize=16)
def fetch_certificate(url: str) -> bytes:
    """The certificate at `url`, without following redirects. Raises NoticeError."""
    try:
        with httpx.stream("GET", url, timeout=5, trust_env=False) as answer:
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) > LARGEST_CERTIFICATE:
                    raise NoticeError("The signing certificate is too large to be one.")
    except httpx.HTTPError as error:
        raise NoticeError(f"The signing certificate could not be fetched: {error}") from error
    if answer.status_code != 200:
        raise NoticeError(f"The signing certificate could not be fetched: status {answer.status_code}.")
    return body


def verify(
    message: Mapping[str, Any],
    *,
    certificate_host: str,
    topic_arn: str,
    now: datetime,
    fetch: Fetch = fetch_certificate,
) -> Notice:
    """What `message` (the JSON object that was posted) says, once it is sure to come from the marketplace.

    Signatures are of version 1 (SHA-1, what SNS sends unless its topic says otherwise) or 2 (SHA-256).
    `certificate_host` is the marketplace's host, with its port if it has one; the certificate must be there, by https
    (by http on loopback only). Raises NoticeError: another topic, host, type or signature version, a timestamp more
    than an hour old or 5 minutes ahead, a certificate that is not valid now, a signature that does not fit.
    """
    kind = _required_text(message, "Type")
    if kind not in SIGNED:
        raise NoticeError(f"Messages of the type {kind!r:.60} are not accepted.")
    if _required_text(message, "TopicArn") != topic_arn:
        raise NoticeError(f"The message is about another topic: {message['TopicArn']!r:.120}.")
    version = _required_text(message, "SignatureVersion")
    if version not in DIGESTS:
        raise NoticeError(f"The message's signature is of version {version!r:.20}, not {' or '.join(DIGESTS)}.")
    sent_at = _parse_time(_required_text(message, "Timestamp"))
    if not now - OLDEST <= sent_at <= now + AHEAD:
        raise NoticeError(f"The message is of {sent_at:%Y-%m-%d %H:%M:%S} UTC: too old, or ahead of its time.")
    url = _required_text(message, "SigningCertURL")
    _check_place(url, certificate_host)
    if not urlsplit(url).path.endswith(".pem"):
        raise NoticeError("The signing certificate must be a .pem file.")
    _check_signature(message, kind, fetch(url), now)
    subscribe_url = _required_text(message, "SubscribeURL") if kind == "SubscriptionConfirmation" else ""
    if subscribe_url:
        _check_place(subscribe_url, certificate_host)
    return Notice(_required_text(message, "MessageId"), _required_text(message, "Message"), sent_at, subscribe_url)


def read_events(notice: Notice) -> EventDocument:
    """The events of a believed message. Raises NoticeError when it holds none that can be read."""
    try:
        content = json.loads(notice.message)
        rows, doc_id = content["Events"], content["EventDocId"]
        events = tuple(
            MarketEvent(
                kind=str(row["EventType"]),
                at=_parse_time(row["EventTimestamp"]),
                hit_id=str(row.get("HITId", "")),
                assignment_id=str(row.get("AssignmentId", "")),
                hit_type_id=str(row.get("HITTypeId", "")),
                words=_clean_words(row.get("Reply", "")),
            )
            for row in rows
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise NoticeError(f"The message is not a document of events: {error!r:.200}") from error
    return EventDocument(str(doc_id), events)


def is_new(document: EventDocument, seen: MutableSet[str]) -> bool:
    """Whether `document` comes for the first time; it is then put into `seen`, which the caller keeps."""
    if document.doc_id in seen:
        return False
    seen.add(document.doc_id)
    return True


def _required_text(message: Mapping[str, Any], name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str) or not value:
        raise NoticeError(f"The message has no {name}.")
    return value


def _clean_words(words: object) -> str:
    """What a worker wrote, less what no database keeps, and no more than our own marketplace lets through."""
    return (
        ""
        if not isinstance(words, str)
        else words.replace("\x00", "").encode("utf-8", "replace").decode()[:MAX_REPLY_CHARS]
    )


def _parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise NoticeError(f"{text!r:.60} is not a time.") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _check_place(url: str, host: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise NoticeError(f"{url!r:.120} is not an address.") from None
    loopback = parts.hostname in LOOPBACK
    if parts.netloc != host or (parts.scheme != "https" and not (parts.scheme == "http" and loopback)):
        raise NoticeError(f"{url!r:.120} is not an https address of {host}.")


def _check_signature(message: Mapping[str, Any], kind: str, pem: bytes, now: datetime) -> None:
    try:
        certificate = x509.load_pem_x509_certificate(pem)
        signature = base64.b64decode(_required_text(message, "Signature"), validate=True)
    except (ValueError, binascii.Error) as error:
        raise NoticeError(f"The certificate or the signature cannot be read: {error}") from error
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        raise NoticeError("The signing certificate is not valid now.")
    key = certificate.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise NoticeError("The signing certificate holds no RSA key.")
    # Subject alone may be absent.
    names = [name for name in SIGNED[kind] if name != "Subject" or "Subject" in message]
    signed = "".join(f"{name}\n{_required_text(message, name)}\n" for name in names)
    digest = DIGESTS[_required_text(message, "SignatureVersion")]
    try:
        key.verify(signature, signed.encode("utf-8", "surrogatepass"), padding.PKCS1v15(), digest)
    except InvalidSignature:
        raise NoticeError(
            "The signature does not match the message: the message was changed, or another key signed it."
        ) from None
