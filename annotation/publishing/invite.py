"""Make the link by which invited people come to a study that was published for them."""

from __future__ import annotations

from datetime import datetime

from annotation.design.wording import from_json
from annotation.exceptions import MarketError, StateError
from annotation.models import AuditEvent, Study
from annotation.mturk.client import Market
from annotation.mturk.records import Invitation


def invite(study: Study, *, market: Market, actor: str, now: datetime) -> Invitation:
    """The invitation link of the study, for whoever has it: made at the first call, the same one afterwards.

    Raises StateError when the study is not open to invited people, MarketError where the marketplace has no links.
    """
    if not study.channel_tag:
        raise StateError(f"The study {study.name} is not open to invited people: publish it so, then make its link.")
    if not market.ours:
        raise MarketError(f"{market.url} has no invitation links: recruit by its own means.")
    if known := market.invitation(study.channel_tag):
        return known
    invitation = market.invite(study.channel_tag, title=_title(study))
    AuditEvent.objects.record(study, "invite", actor=actor, now=now, channel=invitation.channel)
    return invitation


def _title(study: Study) -> str:
    """What people read as the study's name: the title of its HITs."""
    version = study.wordings.last()
    wording = from_json(version.body) if version else None
    return wording.fill_nouns(wording.title) if wording else ""
