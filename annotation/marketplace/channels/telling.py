"""assay:channel, the keyword by which a requester asks by which way the worker of each submission came.

The answer is noted when the assignment is submitted: the kind of channel, how its people are paid, and whether they
agreed to a text before they began. It contains no name, and is deleted with the answers when these are withdrawn.
"""

from __future__ import annotations

import json

from annotation.marketplace.channels.kinds import ACCOUNTS
from annotation.marketplace.models import Hit, Requester, WorkerAccount

KEYWORD = "assay:channel"


def is_requested(keywords: str) -> bool:
    """Whether `keywords`, separated by commas or spaces, hold the keyword."""
    return KEYWORD in keywords.lower().replace(",", " ").split()


def way_of(hit: Hit, worker: int) -> str:
    """The way in of a worker (primary key) to `hit`, as JSON."""
    payer = Requester.objects.only("pays", "consent").get(pk=hit.requester_id)
    channel = WorkerAccount.objects.select_related("channel").get(pk=worker).channel
    way = {
        "kind": channel.kind if channel else ACCOUNTS,
        "pays": (channel.pays if channel else "") or payer.pays,
        "pay_words": channel.pay_words if channel else "",
        "consent": bool((channel and channel.consent_id) or payer.consent_id),
    }
    return json.dumps(way, sort_keys=True, ensure_ascii=False)
