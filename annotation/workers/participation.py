"""One person, one HIT of a group of studies, where the marketplace does not ensure it.

Then HITs are published in waves, a cell at a time: workers who took part get the group's pass, which excludes them from
the next wave. A second submission is paid, too; the first one of a person is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import F, Q, QuerySet

from annotation.exceptions import StateError
from annotation.models import Decision, Hit, Hold, Intent, OncePass, Study, Submission
from annotation.mturk.client import Market

HOLD = "hold "
SECOND = "Took part before in this group of studies; a person's first work is used."


def grants_on_accept(market: Market) -> bool:
    """Whether the marketplace grants an `assay:once` pass in the moment of an accept."""
    return market.ours


def scope_of(study: Study) -> str:
    """What the pass of a study's group is called."""
    return f"group {study.group.uuid if study.group else study.uuid}"


def hold_scope(study: Study) -> str:
    """What the mark is called that keeps people on hold out of a study."""
    return f"{HOLD}{study.uuid}"


def holds_at_creation(study: Study) -> QuerySet[Hold]:
    """Return the holds that were in force when the study was created."""
    created_at = study.created_at
    return Hold.objects.filter(
        Q(lifted_at=None) | Q(lifted_at__gt=created_at), since__lte=created_at, until__gte=created_at.date()
    )


def next_wave(study: Study, hits: Sequence[Hit], known: set[int]) -> list[Hit]:
    """The HITs of the first cell that was not asked for yet; `known`: HITs that were.

    Raises StateError while people can still enter the wave before, or before all of it have been given the pass.
    """
    published = Hit.objects.filter(pk__in=known)
    entered = published.filter(collected__lt=F("max_assignments")).exclude(market_status__in=Hit.OVER).count()
    if entered:
        raise StateError(f"{entered} HITs of the previous wave are still open. Wait until they are full or expired.")
    granting = study.intents.filter(kind=Intent.Kind.GRANT, state__in=[Intent.State.WAITING, Intent.State.CLAIMED])
    if known and granting.exists():
        raise StateError("Some workers of the previous wave do not have the pass yet. Run `manage.py work` first.")
    waiting = [hit for hit in hits if hit.pk not in known]
    return [hit for hit in waiting if hit.cell_id == waiting[0].cell_id] if waiting else []


def apply_once_rule(study: Study, fresh: Sequence[Submission], *, market: Market, now: datetime) -> None:
    """Intend the pass for the workers of `fresh` (saved; the study is locked); use the first submission of each."""
    if not study.once:
        return
    if not grants_on_accept(market):
        _grant_known_pass(study, fresh, market)
    people = {submission.worker_id for submission in fresh}
    group = {"hit__study__group": study.group_id} if study.group_id else {"hit__study": study}
    first: dict[int, int] = {}
    rows = Submission.objects.filter(**group, worker__in=people).order_by("submitted_at", "pk")
    for pk, worker in rows.values_list("pk", "worker_id"):
        if first.setdefault(worker, pk) != pk:
            _exclude(pk, now)
    Decision.objects.filter(submission__in=first.values(), matter="analysis", reason=SECOND).delete()


def _grant_known_pass(study: Study, fresh: Sequence[Submission], market: Market) -> None:
    known = OncePass.objects.filter(endpoint=market.url, scope=scope_of(study)).first()
    if known is None:
        return
    grant_passes(study, fresh, known.type_id)


def grant_passes(study: Study, fresh: Iterable[Submission], type_id: str) -> None:
    """Intend the qualification for the workers of `fresh`."""
    details = {"type": type_id}
    pseudonyms = {submission.worker_id: submission.worker.pseudonym for submission in fresh}
    Intent.objects.bulk_create(
        (
            Intent.of(study, Intent.Kind.GRANT, worker, slot=f"pass {pseudonym}", details=details)
            for worker, pseudonym in pseudonyms.items()
        ),
        ignore_conflicts=True,
    )


def _exclude(submission: int, now: datetime) -> None:
    Decision.objects.get_or_create(
        submission_id=submission, matter="analysis", defaults={"verdict": "exclude", "reason": SECOND, "at": now}
    )
