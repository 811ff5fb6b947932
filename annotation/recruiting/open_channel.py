"""Open a channel to a study, before or after it is published."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.models import Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.study_tag import fix_tag, require_recruitable, require_shared_texts, tag_of

NAMES = {
    channels.LINK: "Link",
    channels.LIST: "List",
    channels.TEAM: "Team",
    channels.ACCOUNTS: "Registered accounts",
    channels.PROLIFIC: "Prolific",
    channels.REHEARSAL: "Rehearsal",
}


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """A channel to open: its kind, its name among those of the study ("": that of the kind), and its settings."""

    kind: str
    name: str = ""
    settings: ChannelSettings = field(default_factory=ChannelSettings)


def open_channel(study: Study, plan: ChannelPlan, *, market: Market, actor: str, now: datetime) -> ChannelRecord:
    """Open the channel; the same call again returns the same channel.

    With the first channel the study's tag is fixed: it is published under it, open by channels only. People who come
    before it is published read that the study has not begun.

    Raises StateError, naming the field that is at fault where one is, and MarketError.
    """
    require_recruitable(study)
    if plan.kind not in NAMES:
        raise StateError(f"A channel is one of {', '.join(NAMES)}, not {plan.kind!r}.").at("kind")
    if (plan.kind == channels.REHEARSAL) != (study.mode == Study.Mode.REHEARSAL):
        raise StateError(_wrong_mode(study)).at("kind")
    require_shared_texts(study, plan.settings.overlap)
    settings = plan.settings if plan.settings.title else replace(plan.settings, title=_title(study))
    tag, name = tag_of(study), plan.name.strip() or NAMES[plan.kind]
    channel = channels.create_channel(market, tag, kind=plan.kind, name=name, settings=settings)
    try:
        fix_tag(study, tag, actor=actor, now=now, channel=channel.channel_id, kind=plan.kind, name=name)
    except StateError:
        # The study was published to everybody, or ended, in the meantime: nothing leads to it.
        channels.close_channel(market, channel.channel_id)
        raise
    return channel


def _wrong_mode(study: Study) -> str:
    if study.mode == Study.Mode.REHEARSAL:
        return f"The study {study.name} is a rehearsal, in which only simulated workers take part. Create it as live."
    return f"The study {study.name} is live: real people take part, so it has no rehearsal channel."


def _title(study: Study) -> str:
    """What people read as the study's name: the title of its HITs."""
    version = study.wordings.last()
    wording = from_json(version.body) if version else None
    return wording.fill_nouns(wording.title)[:128] if wording else ""
