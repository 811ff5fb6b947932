"""Messages of requesters to workers: stored for the worker's page, and mailed where an address is known."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from smtplib import SMTPException

from django.core.mail import EmailMessage, get_connection
from django.db import transaction

from annotation.marketplace.models import Requester, WorkerAccount, WorkerMessage

log = logging.getLogger(__name__)


def send(sender: Requester, workers: Sequence[WorkerAccount], *, subject: str, text: str, now: datetime) -> None:
    """Leave a message for each of `workers`; the mails go out when the transaction has ended."""
    stored = WorkerMessage.objects.bulk_create(
        WorkerMessage(requester=sender, worker=worker, subject=subject, text=text, sent_at=now) for worker in workers
    )
    addressed = [message for message in stored if message.worker.email]
    if addressed:
        transaction.on_commit(lambda: _mail(addressed))


def _mail(messages: Sequence[WorkerMessage]) -> None:
    """Mail `messages` over one connection; what cannot be mailed is still on the workers' pages."""
    try:
        with get_connection() as connection:
            for message in messages:
                # A mail's subject is one line.
                subject = " ".join(message.subject.split())
                EmailMessage(subject, message.text, to=[message.worker.email], connection=connection).send()
                WorkerMessage.objects.filter(pk=message.pk).update(mailed=True)
    except (SMTPException, OSError) as error:
        log.warning("Messages of requester %s could not be mailed: %s", messages[0].requester_id, error)
