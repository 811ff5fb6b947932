"""Change, close and reopen a channel of a study."""

from __future__ import annotations

from datetime import datetime

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.queries import channel_of
from annotation.recruiting.study_tag import require_recruitable


def change_channel(
    study: Study, channel_id: str, settings: ChannelSettings, *, market: Market, actor: str, now: datetime
) -> ChannelRecord:
    """Set what `settings` names. A changed consent is a new version, which people who are inside are asked for, too.

    Raises StateError, naming the field that is at fault where one is, and MarketError.
    """
    channel_of(study, channel_id, market)
    changed = channels.update_channel(market, channel_id, settings)
    names = sorted(settings.members())
    facts = {"channel": channel_id, "set": names, "consent_version": changed.consent_version}
    AuditEvent.objects.record(study, "change_channel", actor=actor, now=now, **facts)
    return changed


def close_channel(study: Study, channel_id: str, *, market: Market, actor: str, now: datetime) -> ChannelRecord:
    """Admit nobody else by the channel; who is inside may finish. A closed channel stays so."""
    channel = channel_of(study, channel_id, market)
    if channel.closed_at is not None:
        return channel
    closed = channels.close_channel(market, channel_id)
    AuditEvent.objects.record(study, "close_channel", actor=actor, now=now, channel=channel_id)
    return closed


def reopen_channel(study: Study, channel_id: str, *, market: Market, actor: str, now: datetime) -> ChannelRecord:
    """Admit people again by a closed channel; its links are the same. Raises StateError when its end has passed."""
    channel = channel_of(study, channel_id, market)
    require_recruitable(study)
    if channel.closes_at is not None and channel.closes_at <= now:
        raise StateError("The time at which this channel closes has passed: set a later one first.").at("closes_at")
    if channel.closed_at is None:
        return channel
    opened = channels.reopen_channel(market, channel_id)
    AuditEvent.objects.record(study, "reopen_channel", actor=actor, now=now, channel=channel_id)
    return opened
