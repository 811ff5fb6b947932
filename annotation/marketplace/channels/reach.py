"""Which HITs a worker's way in leads to.

Invited people reach the HITs of their channel and no others. Registered accounts reach every HIT whose type is not
under a channel, and those of studies that have an open channel for accounts.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.marketplace.channels.kinds import BY_ACCOUNT
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Assignment, Channel, Hit, HitType, WorkerAccount


def types_of(channel: Channel) -> QuerySet[HitType]:
    """The HIT types that `channel` opens."""
    return _types(channel.requester_id, channel.pk, channel.study)


def _types(requester: int, channel: int, study: str) -> QuerySet[HitType]:
    named = Q(channels=channel) | (Q(study=study) & ~Q(study=""))
    return HitType.objects.filter(named, requester=requester)


_REACHES = Prepared(
    lambda requester, channel, study, hit_type: (
        _types(requester, channel, study).filter(pk=hit_type).order_by().values_list("pk")[:1]
    ),
    int,
    int,
    str,
    int,
)


def types_of_guests(rows: QuerySet[HitType], requester: int, channel: int, study: str) -> QuerySet[HitType]:
    """Those of the types `rows` to which a channel of people who are invited leads. By keys, for `Prepared`."""
    return rows.filter(pk__in=_types(requester, channel, study).values("pk"))


def types_of_accounts(rows: QuerySet[HitType], now: datetime) -> QuerySet[HitType]:
    """Those of the types `rows` to which registered accounts come."""
    opened = _open_to_accounts(now).filter(
        Q(hit_types=OuterRef("pk")) | (Q(study=OuterRef("study"), requester=OuterRef("requester")) & ~Q(study=""))
    )
    return rows.filter(Q(by_channel=False) | Exists(opened))


def hits_of(channel: Channel) -> QuerySet[Hit]:
    return Hit.objects.filter(requester=channel.requester_id, hit_type__in=types_of(channel).values("pk"))


def within(worker: WorkerAccount, rows: QuerySet[Hit], now: datetime) -> QuerySet[Hit]:
    """Those of the HITs `rows` that the way in of `worker` leads to."""
    if worker.channel is not None:
        channel = worker.channel
        reached = rows.filter(requester=channel.requester_id, hit_type__in=types_of(channel).values("pk"))
        if channel.max_tasks is not None:
            mine = _counted(Assignment.objects.filter(worker=worker), "worker")
            reached = reached.alias(mine=mine).filter(mine__lt=channel.max_tasks)
        return reached if channel.overlap is None else _left_to_team(reached, channel)
    opened = _open_to_accounts(now).filter(
        Q(hit_types=OuterRef("hit_type"))
        | (Q(study=OuterRef("hit_type__study"), requester=OuterRef("requester")) & ~Q(study=""))
    )
    return rows.filter(Q(hit_type__by_channel=False) | Exists(opened))


def _left_to_team(rows: QuerySet[Hit], channel: Channel) -> QuerySet[Hit]:
    """Those of the HITs `rows` that fewer people of a team do or have done than each is done by."""
    return rows.alias(team=_count_of_team(channel, OuterRef("pk"))).filter(team__lt=channel.overlap)


def _count_of_team(channel: Channel, hit: Any, **more: Any) -> Coalesce:
    return _counted(Assignment.objects.filter(hit=hit, worker__channel=channel, **more), "hit")


def _counted(rows: QuerySet[Assignment], group: str) -> Coalesce:
    """How many of the assignments `rows`, all of one `group`, are done or under way."""
    rows = rows.exclude(state__in=Assignment.RETURNED_OR_ABANDONED).order_by()
    return Coalesce(Subquery(rows.values(group).annotate(number=Count("pk")).values("number")), 0)


def has_max_tasks(worker: WorkerAccount, channel: Channel) -> bool:
    """Whether `worker` does or has done as many HITs as each of a team may. Costs a query in such a team alone."""
    if channel.max_tasks is None:
        return False
    rows = Assignment.objects.filter(worker=worker).exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
    return rows.count() >= channel.max_tasks


def is_shared_out(hit: Hit, channel: Channel) -> bool:
    """Whether as many people of a team do or have done `hit` (its row is locked) as each is done by."""
    rows = Assignment.objects.filter(hit=hit, worker__channel=channel)
    return rows.exclude(state__in=Assignment.RETURNED_OR_ABANDONED).count() >= (channel.overlap or 0)


def waits_for_team(worker: WorkerAccount, channel: Channel, now: datetime) -> bool:
    """Whether a HIT that `worker` has not done is held by others of the team, and comes back if they return it."""
    mine = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker)
    rows = hits_of(channel).filter(expiration__gt=now).exclude(status=Hit.Status.DISPOSED)
    rows = rows.exclude(Exists(mine.exclude(state__in=Assignment.RETURNED_OR_ABANDONED)))
    done = _count_of_team(channel, OuterRef("pk"), state__in=Assignment.SUBMITTED_STATES)
    active = _count_of_team(channel, OuterRef("pk"))
    return rows.alias(done=done, active=active).filter(done__lt=channel.overlap, active__gt=F("done")).exists()


def reaches(worker: WorkerAccount, hit_type: HitType, now: datetime) -> bool:
    """Whether the way in of `worker` leads to HITs of `hit_type`; costs no query in the usual case."""
    if worker.channel is not None:
        channel = worker.channel
        return bool(_REACHES(channel.requester_id, channel.pk, channel.study, hit_type.pk))
    return not hit_type.by_channel or channel_of_accounts(hit_type, now) is not None


def channel_of_accounts(hit_type: HitType, now: datetime) -> Channel | None:
    """The channel that opens `hit_type` to registered accounts now."""
    named = Q(hit_types=hit_type)
    if hit_type.study:
        named |= Q(study=hit_type.study)
    rows = _open_to_accounts(now).filter(named, requester=hit_type.requester_id)
    return rows.select_related("consent").order_by("pk").first()


def was_open_to_accounts(worker: WorkerAccount, hit_type: HitType, now: datetime) -> bool:
    """Whether a registered account could have come before its channel was closed."""
    if worker.channel_id is not None:
        return False
    named = Q(hit_types=hit_type)
    if hit_type.study:
        named |= Q(study=hit_type.study)
    over = Q(closed_at__isnull=False) | Q(closes_at__lte=now)
    return Channel.objects.filter(named, over, kind__in=BY_ACCOUNT, requester=hit_type.requester_id).exists()


def opens_to_accounts_at(worker: WorkerAccount, hit_type: HitType, now: datetime) -> datetime | None:
    """When a registered account can come in that cannot yet; None where no such moment is set."""
    if worker.channel_id is not None:
        return None
    named = Q(hit_types=hit_type)
    if hit_type.study:
        named |= Q(study=hit_type.study)
    rows = Channel.objects.filter(
        named, kind__in=BY_ACCOUNT, requester=hit_type.requester_id, closed_at=None, opens_at__gt=now
    )
    return rows.order_by("opens_at").values_list("opens_at", flat=True).first()


def _open_to_accounts(now: datetime) -> QuerySet[Channel]:
    rows = Channel.objects.filter(kind__in=BY_ACCOUNT, closed_at=None)
    return rows.filter(Q(opens_at=None) | Q(opens_at__lte=now), Q(closes_at=None) | Q(closes_at__gt=now))
