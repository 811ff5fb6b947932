"""How far people came by a channel: counts without persons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Q, QuerySet

from annotation.marketplace.channels import reach
from annotation.marketplace.channels.kinds import BY_ACCOUNT
from annotation.marketplace.models import Assignment, Channel, ChannelCount, Consent, Participant, Refusal

OPENED = "opened"
DECLINED = "declined"
State = Assignment.State


@dataclass(frozen=True)
class Funnel:
    """How many people opened, agreed, were refused (by reason), began, finished (`stopped`: of these, early),
    returned a task and withdrew their answers."""

    opened: int = 0
    consented: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    began: int = 0
    finished: int = 0
    stopped: int = 0
    returned: int = 0
    withdrew: int = 0


def count(channel: Channel, word: str) -> None:
    """Add one to the count of `word`: one statement, but for the first time."""
    rows = ChannelCount.objects.filter(channel=channel, word=word)
    if rows.update(number=F("number") + 1):
        return
    try:
        with transaction.atomic():
            ChannelCount.objects.create(channel=channel, word=word, number=1)
    except IntegrityError:
        rows.update(number=F("number") + 1)


def funnels(channels: Iterable[Channel]) -> dict[int, Funnel]:
    """The funnel of each channel, by primary key, in a fixed number of queries for those with links."""
    rows = list(channels)
    keys = [channel.pk for channel in rows]
    counts: dict[int, Counter[str]] = {key: Counter() for key in keys}
    for row in ChannelCount.objects.filter(channel__in=keys):
        counts[row.channel_id][row.word] = row.number
    for key, number in _by_channel(Refusal.objects.filter(channel__in=keys), "pk").items():
        counts[key][DECLINED] = number
    agreed = _by_channel(Consent.objects.filter(channel__in=keys), "worker")
    people: dict[int, dict[str, Any]] = {row["channel"]: row for row in _people(keys)}
    returned = Participant.objects.filter(channel__in=keys, worker__assignments__state=State.RETURNED)
    came_back = _by_channel(returned, "pk")
    done: dict[int, Funnel] = {}
    for channel in rows:
        words = counts[channel.pk]
        refused = {word: number for word, number in sorted(words.items()) if word != OPENED}
        stages = (
            _of_accounts(channel)
            if channel.kind in BY_ACCOUNT
            else {name: people.get(channel.pk, {}).get(name, 0) for name in STAGES}
            | {"returned": came_back.get(channel.pk, 0)}
        )
        opened = max(words[OPENED], stages["began"])
        done[channel.pk] = Funnel(opened=opened, consented=agreed.get(channel.pk, 0), refused=refused, **stages)
    return done


STAGES = ("began", "finished", "stopped", "withdrew")


def _people(keys: list[int]) -> Iterable[Any]:
    rows = Participant.objects.filter(channel__in=keys).values("channel").order_by("channel")
    return rows.annotate(
        began=Count("pk", filter=Q(began_at__isnull=False)),
        finished=Count("pk", filter=Q(finished_at__isnull=False)),
        stopped=Count("pk", filter=Q(stopped_at__isnull=False)),
        withdrew=Count("pk", filter=Q(withdrawn_at__isnull=False)),
    )


def _of_accounts(channel: Channel) -> dict[str, int]:
    """Of registered accounts the assignments say how far they came."""
    work = Assignment.objects.filter(hit__in=reach.hits_of(channel), worker__channel=None)
    submitted = Q(state__in=Assignment.SUBMITTED_STATES)
    numbers = work.aggregate(
        began=Count("worker", distinct=True),
        finished=Count("worker", filter=submitted, distinct=True),
        returned=Count("worker", filter=Q(state=State.RETURNED), distinct=True),
        withdrew=Count("worker", filter=Q(withdrawn_at__isnull=False), distinct=True),
    )
    return {**numbers, "stopped": 0}


def _by_channel(rows: QuerySet[Any], what: str) -> dict[int, int]:
    """How many different values of `what` each channel has."""
    counted = rows.order_by().values_list("channel").annotate(number=Count(what, distinct=True))
    return dict(counted)
