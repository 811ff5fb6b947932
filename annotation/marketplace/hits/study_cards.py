"""A study of several cells as a person sees it before they are assigned: one card, nothing of any cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.marketplace.channels import admission_rules, reach
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.draws.counts import draw_of
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import catalogue
from annotation.marketplace.hits.eligibility import Eligibility, assess_values, values_of
from annotation.marketplace.models import Assignment, Hit, HitType, Requester, WorkerAccount, WorkerBlock
from annotation.marketplace.qualifications.once_pass import is_barred
from annotation.marketplace.qualifications.requirements import held_against

_HELD = Prepared(
    lambda requester, study, worker: Assignment.objects.filter(
        worker=worker, state=Assignment.State.ACCEPTED, hit__requester=requester, hit__hit_type__study=study
    ).order_by("pk"),
    int,
    str,
    int,
)


def _open(requester: int, study: str, worker: int, now: datetime) -> QuerySet[HitType]:
    """The types of a study of several cells with a place that a worker (primary key) has not taken."""
    free = catalogue.open_and_untaken(worker, now).filter(hit_type=OuterRef("pk"))
    rows = HitType.objects.filter(requester=requester, study=study).exclude(cell="")
    # The first HIT of each, by its index: whether there is any would be asked of all HITs of the type.
    rows = rows.alias(first=Subquery(free.order_by("pk").values("pk")[:1])).exclude(first=None)
    return rows.select_related("requester__user").order_by("pk")


_OPEN_TO_ACCOUNTS = Prepared(
    lambda requester, study, worker, now: reach.types_of_accounts(_open(requester, study, worker, now), now),
    int,
    str,
    int,
    datetime,
)
_OPEN_TO_GUESTS = Prepared(
    lambda requester, study, worker, now, channel, channel_study: reach.types_of_guests(
        _open(requester, study, worker, now), requester, channel, channel_study
    ),
    int,
    str,
    int,
    datetime,
    int,
    str,
)
_BLOCKS = Prepared(
    lambda requester, worker: WorkerBlock.objects.filter(requester=requester, worker=worker).values_list("pk"), int, int
)


@dataclass(frozen=True)
class StudyCard:
    """What the cells that a person could be assigned to have in common; "" where they differ. Pay as a range."""

    requester: Requester
    title: str
    description: str
    min_reward_cents: int
    max_reward_cents: int
    max_seconds: int
    currency: str

    @property
    def pays_differ(self) -> bool:
        return self.min_reward_cents != self.max_reward_cents


def card_of(types: Sequence[HitType]) -> StudyCard:
    """The card of the study that `types` (one at least) belong to."""
    rewards = [hit_type.reward_cents for hit_type in types]
    return StudyCard(
        requester=types[0].requester,
        title=_common(hit_type.title for hit_type in types),
        description=_common(hit_type.description for hit_type in types),
        min_reward_cents=min(rewards),
        max_reward_cents=max(rewards),
        max_seconds=max(hit_type.assignment_seconds for hit_type in types),
        currency=types[0].currency,
    )


def _common(texts: Iterable[str]) -> str:
    different = set(texts)
    return different.pop() if len(different) == 1 else ""


def held_in_study(worker: WorkerAccount, requester: int, study: str) -> Assignment | None:
    """What `worker` works on in a study."""
    return next(iter(_HELD(requester, study, worker.pk)), None)


def open_types(
    worker: WorkerAccount, requester: int, study: str, *, now: datetime
) -> list[tuple[HitType, Eligibility]]:
    """The types with a place that `worker` has not taken, of their own cell once they have one; what they may do."""
    known = draw_of(requester, study, worker.pk)
    return open_types_of(worker, requester, study, cell=known.cell if known else None, now=now)


def open_types_of(
    worker: WorkerAccount, requester: int, study: str, *, cell: str | None, now: datetime
) -> list[tuple[HitType, Eligibility]]:
    """The same where it is known which cell `worker` has; None: not yet any."""
    channel = worker.channel
    if channel is None:
        types = _OPEN_TO_ACCOUNTS(requester, study, worker.pk, now)
    elif channel.requester_id == requester:
        types = _OPEN_TO_GUESTS(requester, study, worker.pk, now, channel.pk, channel.study)
    else:
        types = []
    types = [row for row in types if cell in {None, row.cell}]
    requirements = {row.pk: held_against(row.requirements, invited=worker.channel_id is not None) for row in types}
    names = {row["QualificationTypeId"] for rows in requirements.values() for row in rows}
    values: Mapping = values_of(worker, names) if names else {}
    return [(row, assess_values(values, requirements[row.pk])) for row in types]


def refusal(worker: WorkerAccount, requester: int, study: str, *, now: datetime) -> str:
    """The word with which entering a study would be refused whatever the person agrees to; "" when it would not be."""
    types = open_types(worker, requester, study, now=now)
    if not types:
        return _why_none_is_open(worker, requester, study, now)
    if all(is_barred(hit_type, worker) for hit_type, eligibility in types if eligibility.accept):
        return "unqualified"
    return refusal_of(types, worker, now)


def refusal_of(types: Sequence[tuple[HitType, Eligibility]], worker: WorkerAccount, now: datetime) -> str:
    """The same where some types (`open_types`) are open; in the order of `places.take_place`, without consent."""
    if not worker.active or not any(eligibility.accept for _, eligibility in types):
        return "unqualified"
    hit_type = types[0][0]
    if _BLOCKS(hit_type.requester_id, worker.pk):
        return "blocked"
    return "finished" if worker.channel_id is not None and admission_rules.over(worker) else ""


def _why_none_is_open(worker: WorkerAccount, requester: int, study: str, now: datetime) -> str:
    hits = _hits(requester, study)
    known = draw_of(requester, study, worker.pk)
    if known is not None:
        hits = hits.filter(hit_type__cell=known.cell)
    hit = hits.filter(expiration__gt=now).exclude(status=Hit.Status.DISPOSED).first()
    if hit is None:
        return "closed"
    if WorkerBlock.objects.filter(requester=requester, worker=worker).exists():
        return "blocked"
    try:
        admission_rules.check_way_in(hit, worker=worker, now=now)
    except WorkRefusedError as refused:
        return refused.reason
    mine = Assignment.objects.filter(worker=worker, hit__in=hits).exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
    return "held" if known is not None and mine.count() == hits.count() else "full"


def _hits(requester: int, study: str) -> QuerySet[Hit]:
    rows = Hit.objects.filter(requester=requester, hit_type__study=study).exclude(hit_type__cell="")
    return rows.select_related("requester__user", "requester__consent", "hit_type").defer("question").order_by("pk")
