"""What the marketplace says of a study's channels."""

from __future__ import annotations

from annotation.exceptions import StateError
from annotation.models import Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, PersonProgress
from annotation.mturk.client import Market


def channels_of(study: Study, market: Market) -> list[ChannelRecord]:
    """The channels of `study` with their funnels, in the order in which they were opened; none before the first.

    Raises MarketError where the marketplace cannot be reached or has no channels.
    """
    return channels.list_channels(market, study.channel_tag) if study.channel_tag else []


def are_paid_by_site(study: Study, market: Market) -> bool:
    """Whether the site itself pays any participant of `study`: not where every channel says that it does not.

    Raises MarketError where the marketplace cannot be reached.
    """
    rows = channels_of(study, market) if study.channel_tag and market.ours else []
    return not rows or any(row.pays == channels.LEDGER for row in rows)


def channel_of(study: Study, channel_id: str, market: Market) -> ChannelRecord:
    """One channel with every version of its texts. Raises StateError where the study has no such channel."""
    try:
        channel = channels.get_channel(market, channel_id) if study.channel_tag else None
    except StateError:
        channel = None
    if channel is None or channel.study != study.channel_tag:
        raise StateError(f"The study {study.name} has no such channel.")
    return channel


def people_of(study: Study, channel_id: str, market: Market) -> list[PersonProgress]:
    """How far each person of a channel has come, under the name that the requester gave."""
    channel_of(study, channel_id, market)
    return channels.list_participants(market, channel_id)
