"""Share a finished report, or a comparison of studies, by a link that can be revoked."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Job, ShareLink, Study


@dataclass(frozen=True, slots=True)
class Shared:
    """The link's row, and its token, which is shown once."""

    link: ShareLink
    token: str


def share(job: Job, *, by: User | None, now: datetime, ends_at: datetime | None = None) -> Shared:
    """A new link to a finished report or comparison. Raises StateError for any other job, or an end gone by."""
    if not job.page or job.state != Job.State.DONE:
        raise StateError("Only a report that is finished can be shared.")
    if ends_at is not None and ends_at <= now:
        raise StateError("A link that has ended already shares nothing.").at("ends_at")
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        link = ShareLink.objects.create(job=job, digest=_digest(token), made_by=by, made_at=now, ends_at=ends_at)
        for study in studies_of(job):
            AuditEvent.objects.record(study, "share", actor=_name(by), now=now, link=link.pk, job=str(job.uuid))
    return Shared(link, token)


def revoke(link: ShareLink, *, by: User | None, now: datetime) -> bool:
    """Revoke a link; False where it was revoked before."""
    with transaction.atomic():
        revoked = ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=now)
        for study in studies_of(link.job) if revoked else ():
            AuditEvent.objects.record(study, "revoke_share", actor=_name(by), now=now, link=link.pk)
    return bool(revoked)


def opened(token: str, *, now: datetime) -> Job | None:
    """The report that a token opens now, or None."""
    live = Q(ends_at=None) | Q(ends_at__gt=now)
    link = ShareLink.objects.select_related("job").filter(live, digest=_digest(token), revoked_at=None).first()
    return link.job if link else None


def studies_of(job: Job) -> list[Study]:
    """The study of a report, or those of a comparison, in the order in which they were made."""
    if job.study is not None:
        return [job.study]
    return list(Study.objects.filter(uuid__in=job.settings.get("studies", ())).order_by("pk"))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _name(by: User | None) -> str:
    return by.get_username() if by else "assay"
