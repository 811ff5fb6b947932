"""What people agree to before their first HIT. Another text is another version, and is asked for again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.marketplace.channels.reach import channel_of_accounts
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Channel, Consent, Hit, Refusal, Requester, Wording, WorkerAccount

_AGREED = Prepared(
    lambda worker, requester, wording: Consent.objects.filter(
        worker=worker, requester=requester, wording=wording
    ).values_list("pk"),
    int,
    int,
    int,
)


@dataclass(frozen=True)
class Terms:
    """The consent text that applies to a worker's assignments, and whose it is."""

    requester: Requester
    channel: Channel | None
    wording: Wording


def terms_of(channel: Channel) -> Terms | None:
    """The text of `channel`: its own, or its requester's general one."""
    wording = channel.consent or channel.requester.consent
    return Terms(channel.requester, channel, wording) if wording else None


def terms_for(worker: WorkerAccount, hit: Hit, now: datetime) -> Terms | None:
    """The text that `worker` must have agreed to before a look at `hit`; needs its type and requester."""
    if worker.channel is not None:
        return terms_of(worker.channel)
    channel = channel_of_accounts(hit.hit_type, now) if hit.hit_type.by_channel else None
    if channel is not None:
        return terms_of(channel)
    return Terms(hit.requester, None, hit.requester.consent) if hit.requester.consent else None


def agreed(worker: WorkerAccount, terms: Terms | None) -> bool:
    """Whether `worker` has agreed to this version of the text (or there is none)."""
    if terms is None:
        return True
    return bool(_AGREED(worker.pk, terms.requester.pk, terms.wording.pk))


def agree(worker: WorkerAccount, terms: Terms, *, now: datetime) -> None:
    """Note that `worker` agrees; agreeing again changes nothing."""
    Consent.objects.get_or_create(
        worker=worker,
        requester=terms.requester,
        wording=terms.wording,
        defaults={"channel": terms.channel, "agreed_at": now},
    )


def decline(requester: Requester, channel: Channel | None, wording: Wording | None, *, now: datetime) -> None:
    """Record that a person declined: the day and the version, and nothing of the person."""
    Refusal.objects.create(requester=requester, channel=channel, wording=wording, on=now.date())
