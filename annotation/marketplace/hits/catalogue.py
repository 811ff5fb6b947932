"""Which HITs a worker is shown: groups of equal HITs to choose from, and the HITs of one group.

The cost does not grow with the number of HITs or assignments: groups that have open HITs are found by jumping along
an index, their HITs are counted up to a bound, and requirements are compared with values that are read once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.marketplace.cents import DOLLARS
from annotation.marketplace.channels.reach import within
from annotation.marketplace.draws.visible_cells import cells_by_study, hits_of_other_cells
from annotation.marketplace.hits.eligibility import Eligibility, all_values, assess_values
from annotation.marketplace.ids import is_public_id
from annotation.marketplace.models import Assignment, Hit, HitType, Requester, WorkerAccount, WorkerBlock
from annotation.marketplace.qualifications.requirements import held_against

PAGE = 25
# HITs of a group are counted up to here; the page says "more than".
MAX_COUNTED = 100
# Groups looked at, the newest first.
MAX_GROUPS = 1000
# Several workers are led to different HITs of a group, so that they do not meet at the last place of one.
SPREAD = 20

_HITS, _TYPES = Hit._meta.db_table, HitType._meta.db_table
# One index look-up for each group: the next lower type that has an open HIT.
_OPEN_TYPES = f"""
    WITH RECURSIVE open(id) AS (
        SELECT (SELECT MAX(hit_type_id) FROM {_HITS} WHERE status = 'Assignable')
        UNION ALL
        SELECT (SELECT MAX(hit_type_id) FROM {_HITS} WHERE status = 'Assignable' AND hit_type_id < open.id)
        FROM open WHERE open.id IS NOT NULL
    )
    SELECT id FROM open WHERE id IS NOT NULL LIMIT {MAX_GROUPS}
"""  # noqa: S608 - names of our own tables

NEWEST, REWARD, TIME, NUMBER = "newest", "reward", "time", "number"
SORTS = (NEWEST, REWARD, TIME, NUMBER)


@dataclass(frozen=True)
class Choice:
    """What a worker looks for: words in title, description, keywords or requester; pay from; only what is open."""

    words: str = ""
    sort: str = NEWEST
    min_reward_cents: int = 0
    qualified: bool = False
    page: int = 1


@dataclass(frozen=True)
class Offer:
    """A group of equal HITs: its type, a HIT to begin with, how many there are (at most MAX_COUNTED + 1).

    Of a study of several cells there is one offer. Until the worker was assigned to a cell its type is that of any;
    `undrawn` has all that are open to them, and nothing of a single one of them may be shown.
    """

    hit_type: HitType
    hit_id: str
    count: int
    eligibility: Eligibility
    undrawn: tuple[HitType, ...] = ()

    @property
    def requester(self) -> Requester:
        return self.hit_type.requester

    @property
    def many(self) -> bool:
        return self.count > MAX_COUNTED


@dataclass(frozen=True)
class Offers:
    """A page of groups, and whether there is another."""

    rows: tuple[Offer, ...]
    more: bool


@dataclass(frozen=True)
class _Known:
    """What a worker may do with a type, and the study of several cells that it belongs to, by its requester."""

    eligibility: Eligibility
    study: tuple[int, str] | None


class CountedTo(Subquery):
    """The number of rows of a query that is cut off."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def offers(worker: WorkerAccount, choice: Choice, *, now: datetime) -> Offers:
    """Groups with HITs that `worker` may discover and has not taken, a page of them."""
    known = _discoverable(worker, choice)
    free = untaken(worker, now).filter(hit_type=OuterRef("pk"))
    studies = _open_types_by_study([row.study for row in known.values() if row.study], free)
    # One card for a study, whatever cells it has.
    cards = {_first_of(types, known): types for types in studies.values()}
    shown = [pk for pk, row in known.items() if row.study is None or pk in cards]
    rows = HitType.objects.filter(pk__in=shown).annotate(
        first=Subquery(free.order_by("pk").values("hit_id")[:1]),
        count=CountedTo(free.order_by().values("pk")[: MAX_COUNTED + 1]),
    )
    start = PAGE * (choice.page - 1)
    page_rows = list(_sorted(rows.exclude(first=None), choice.sort)[start : start + PAGE + 1])
    assigned = cells_by_study(worker.pk) if studies else {}
    undrawn = {pk: types for pk, types in cards.items() if (types[0].requester_id, types[0].study) not in assigned}
    offers = tuple(_offer(row, known[row.pk].eligibility, undrawn.get(row.pk, ())) for row in page_rows[:PAGE])
    return Offers(offers, len(page_rows) > PAGE)


def group_of(worker: WorkerAccount, hit_type: HitType, *, now: datetime, after: str = "") -> list[Hit]:
    """Open HITs of one group that `worker` has not taken, newest first: a page and one more if there are more."""
    rows = untaken(worker, now).filter(hit_type=hit_type)
    if is_public_id(after):
        rows = rows.filter(pk__lt=Hit.objects.filter(hit_id=after).values("pk")[:1])
    return list(rows.defer("question").order_by("-pk")[: PAGE + 1])


def some_ids_of(worker: WorkerAccount, hit_type: HitType, *, now: datetime) -> list[str]:
    """Ids of a few open HITs of a group that `worker` has not taken, another one first for another worker."""
    rows = untaken(worker, now).filter(hit_type=hit_type).order_by("pk")
    ids = list(rows.values_list("hit_id", flat=True)[:SPREAD])
    turn = worker.pk % len(ids) if ids else 0
    return ids[turn:] + ids[:turn]


def held_by(worker: WorkerAccount) -> QuerySet[Assignment]:
    """Return what `worker` has accepted and not yet submitted, the most urgent first."""
    rows = Assignment.objects.filter(worker=worker, state=Assignment.State.ACCEPTED)
    return rows.select_related("hit__hit_type", "hit__requester__user").defer("hit__question").order_by("deadline")


def _discoverable(worker: WorkerAccount, choice: Choice) -> dict[int, _Known]:
    """The types of open HITs that fit `choice`, and what the worker may do with each."""
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_TYPES)
        open_types = [row[0] for row in cursor.fetchall()]
    if not open_types:
        return {}
    rows = HitType.objects.filter(pk__in=open_types)
    if choice.min_reward_cents:
        # The amount is one of dollars: pay in another currency is not compared with it.
        rows = rows.filter(reward_cents__gte=choice.min_reward_cents, currency=DOLLARS)
    for word in choice.words.split():
        rows = rows.filter(
            Q(title__icontains=word)
            | Q(description__icontains=word)
            | Q(keywords__icontains=word)
            | Q(requester__user__username__icontains=word)
            | Q(requester__display_name__icontains=word)
        )
    blocking = WorkerBlock.objects.filter(worker=worker, requester=OuterRef("requester"))
    candidates = rows.exclude(Exists(blocking)).values_list("pk", "requirements", "requester_id", "study", "cell")
    values = all_values(worker)
    invited = worker.channel_id is not None
    known = {
        pk: _Known(assess_values(values, held_against(rows, invited=invited)), (requester, study) if cell else None)
        for pk, rows, requester, study, cell in candidates
    }
    return {
        pk: row
        for pk, row in known.items()
        if row.eligibility.accept or (row.eligibility.discover and not choice.qualified)
    }


def _sorted(rows: QuerySet[HitType], sort: str) -> QuerySet[HitType]:
    newest = Hit.objects.filter(hit_type=OuterRef("pk"), status=Hit.Status.ASSIGNABLE).order_by().values("hit_type")
    order: Sequence[object] = {
        # Within each currency: amounts of two currencies are not compared.
        REWARD: ["currency", "-reward_cents", "-pk"],
        TIME: ["assignment_seconds", "-pk"],
        NUMBER: ["-count", "-pk"],
    }.get(sort, [])
    if not order:
        newest_hit = Subquery(newest.annotate(newest=Max("pk")).values("newest"))
        rows, order = rows.annotate(newest=Coalesce(newest_hit, 0)), [F("newest").desc()]
    return rows.select_related("requester__user", "requester__record").order_by(*order)  # type: ignore[arg-type]


def _open_types_by_study(
    studies: Collection[tuple[int, str]], free: QuerySet[Hit]
) -> dict[tuple[int, str], tuple[HitType, ...]]:
    """The types of each of the `studies` of several cells that are open to a worker, whatever they look for."""
    if not studies:
        return {}
    rows = HitType.objects.filter(study__in={study for _, study in studies}).exclude(cell="").filter(Exists(free))
    grouped: dict[tuple[int, str], tuple[HitType, ...]] = {}
    for row in rows.select_related("requester__user", "requester__record").order_by("pk"):
        grouped[row.requester_id, row.study] = (*grouped.get((row.requester_id, row.study), ()), row)
    return {study: types for study, types in grouped.items() if study in set(studies)}


def _first_of(types: Sequence[HitType], known: Mapping[int, _Known]) -> int:
    """The type that the card of a study leads to: one that the worker may accept, if there is any."""
    rows = [row.pk for row in types if row.pk in known]
    return next((pk for pk in rows if known[pk].eligibility.accept), rows[0] if rows else 0)


def _offer(row: HitType, eligibility: Eligibility, undrawn: tuple[HitType, ...]) -> Offer:
    count: int = row.count  # type: ignore[attr-defined]
    first: str = row.first  # type: ignore[attr-defined]
    return Offer(row, first, count, eligibility, undrawn)


def open_and_untaken(worker: int, now: datetime) -> QuerySet[Hit]:
    """Open HITs that a worker (primary key) has not taken, whether they can be reached or not."""
    live_assignments = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker).exclude(
        state__in=Assignment.RETURNED_OR_ABANDONED
    )
    return Hit.objects.filter(status=Hit.Status.ASSIGNABLE, expiration__gt=now).exclude(Exists(live_assignments))


def untaken(worker: WorkerAccount, now: datetime) -> QuerySet[Hit]:
    """Open HITs that `worker` has not taken, on which their way in leads, without those of other people's cells."""
    rows = open_and_untaken(worker.pk, now)
    if (other_cells := hits_of_other_cells(worker.pk)) is not None:
        rows = rows.exclude(other_cells)
    return within(worker, rows, now).select_related("hit_type", "requester__user")
