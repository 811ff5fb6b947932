"""Effects on Prolific, by Assay's marketplace: a study is published, or gets more places."""

from __future__ import annotations

from annotation.models import AuditEvent, Intent
from annotation.mturk import prolific
from annotation.outbox import queue
from annotation.outbox.effects.context import Context


def recruit(intent: Intent, context: Context) -> None:
    """Publish for the total that was confirmed, or raise the places. What is reserved stays so until it is settled."""
    channel, places = str(intent.details["channel"]), intent.details.get("places")
    if places is None:
        total = int(intent.details["total_minor"])
        prolific.publish_study(context.market, channel, total_minor=total, token=intent.key)
    else:
        prolific.add_places(context.market, channel, int(places))
    with queue.outcome(intent, "recruiting", now=context.clock()) as is_first:
        if is_first:
            facts = {"channel": channel, "intent": intent.key, "places": places}
            AuditEvent.objects.record(intent.study, "recruit", actor="assay", now=context.clock(), **facts)
