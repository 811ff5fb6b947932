"""Change, close and reopen a channel of a study."""

from __future__ import annotations

from datetime import datetime

from annotation.models import AuditEvent, Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.queries import channel_of
from annotation.recruiting.study_tag import require_recruitable, require_shared_texts


def change_channel(
    study: Study,
    channel_id: str,
    settings: ChannelSettings,
    *,
    version: int | None = None,
    market: Market,
    actor: str,
    now: datetime,
) -> ChannelRecord:
    """Set what `settings` names. A changed consent is a new version, which people who are inside are asked for, too.

    version: of the settings that the editor read; None to set them whatever they are by now.

    Raises ChangedError, and sets nothing, where the settings are of another version; StateError, naming the field that
    is at fault where one is, and MarketError.
    """
    channel_of(study, channel_id, market)
    require_shared_texts(study, settings.overlap)
    changed = channels.update_channel(market, channel_id, settings, version=version)
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
    if channel.closed_at is None:
        return channel
    opened = channels.reopen_channel(market, channel_id)
    AuditEvent.objects.record(study, "reopen_channel", actor=actor, now=now, channel=channel_id)
    return opened
