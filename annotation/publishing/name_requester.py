"""Set the name that people who take part read as who asks."""

from __future__ import annotations

from datetime import datetime

from annotation.exceptions import MarketError
from annotation.models import AuditEvent, Study
from annotation.mturk.client import Market


def name_requester(study: Study, name: str, *, market: Market, actor: str, now: datetime) -> None:
    """Let people read `name`, in this study and in every other of the same account of the marketplace.

    Raises MarketError, naming the field `shown_name`, when the marketplace refuses the name.
    """
    if not market.ours:
        raise MarketError(f"{market.url} shows the name that your account has there: change it there.")
    try:
        market.name_requester(name)
    except MarketError as error:
        raise error.at("shown_name") from None
    AuditEvent.objects.record(study, "name_requester", actor=actor, now=now, shown=name)
