"""The signed envelope in which a document goes to an HTTPS endpoint, shaped like Amazon SNS's."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.marketplace.models import Document, Endpoint
from annotation.marketplace.notifications.keys import Signer

# What is signed, in this order, as name and value on lines of their own.
SIGNED = {
    Document.Kind.EVENTS: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    Document.Kind.CONFIRMATION: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
CONFIRM, CLOSE = "marketplace.notices.confirm", "marketplace.notices.close"
# Tokens of mails work on pages with a button only: programs that follow the links of a mail confirm nothing.
MAIL = {CONFIRM: f"{CONFIRM}-mail", CLOSE: f"{CLOSE}-mail"}


def envelope(document: Document, endpoint: Endpoint, signer: Signer, now: datetime) -> dict[str, str]:
    """The message for `endpoint`, signed as of `now` (real time), so that receivers can refuse old ones."""
    message = {
        "Type": document.kind,
        "MessageId": str(document.message_id),
        "TopicArn": endpoint.arn,
        "Message": document.body,
        "Timestamp": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z",
        "SignatureVersion": settings.MARKETPLACE_SIGNATURE_VERSION,
        "SigningCertURL": settings.WORKER_ORIGIN + reverse("sns:certificate", args=[signer.fingerprint]),
    }
    if document.kind == Document.Kind.CONFIRMATION:
        message["Token"] = token(endpoint, CONFIRM)
        message["SubscribeURL"] = _address("sns:confirm", message["TopicArn"], message["Token"])
    else:
        message["Subject"] = str(int(document.created_at.timestamp() * 1000))
        message["UnsubscribeURL"] = _address("sns:close", message["TopicArn"], token(endpoint, CLOSE))
    text = "".join(f"{name}\n{message[name]}\n" for name in SIGNED[Document.Kind(document.kind)])
    return {**message, "Signature": signer.sign(text, message["SignatureVersion"])}


def _address(view: str, arn: str, secret: str) -> str:
    return settings.WORKER_ORIGIN + reverse(view) + "?" + urlencode({"TopicArn": arn, "Token": secret})


def mail_address(endpoint: Endpoint, purpose: str) -> str:
    """The page by which somebody at an e-mail address confirms (CONFIRM) or ends (CLOSE) its notifications."""
    view = {CONFIRM: "sns:confirm-mail", CLOSE: "sns:close-mail"}[purpose]
    return settings.WORKER_ORIGIN + reverse(view, args=[token(endpoint, MAIL[purpose])])


def token(endpoint: Endpoint, purpose: str) -> str:
    """Proves that its bearer received a message at `endpoint`; for `purpose` (CONFIRM or CLOSE) only."""
    return signing.dumps([endpoint.pk, endpoint.url], salt=purpose)


def endpoint_by(secret: str, purpose: str) -> Endpoint | None:
    """The endpoint whose token `secret` is."""
    try:
        pk, url = signing.loads(secret, salt=purpose)
    except (signing.BadSignature, ValueError):
        return None
    return Endpoint.objects.select_related("account").filter(pk=pk, url=url).first()
