"""assay:once, the keyword of qualification types that the marketplace grants by itself.

Who accepts a HIT that requires such a type (of the same requester) not to exist is given it in the same transaction.
The row is unique per worker and type, so of two acceptances at the same moment one finds it taken: one person, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import (
    Assignment,
    Draw,
    Hit,
    HitType,
    QualificationGrant,
    QualificationType,
    WorkerAccount,
)

KEYWORD = "assay:once"
Status = QualificationGrant.Status


def is_requested(keywords: str) -> bool:
    """Whether `keywords`, separated by commas or spaces, hold the keyword."""
    return KEYWORD in keywords.lower().replace(",", " ").split()


def grant(hit: Hit, *, worker: WorkerAccount, now: datetime) -> None:
    """Give `worker` what the requirements of `hit` ask to be absent.

    Raises WorkRefusedError (unqualified) when the worker was given it a moment ago, for another HIT. Part of the
    transaction of the acceptance.
    """
    for qualification_type in _types(hit.hit_type):
        if _begun_elsewhere(hit.hit_type, qualification_type, worker):
            raise WorkRefusedError("unqualified")
        _grant_type(qualification_type, worker, now)


def is_barred(hit_type: HitType, worker: WorkerAccount) -> bool:
    """Whether `grant` would refuse `worker` for another study that asks for the same absence."""
    return begun_elsewhere(hit_type, worker) is not None


def begun_elsewhere(hit_type: HitType, worker: WorkerAccount) -> HitType | None:
    """Of another study that asks for the same absence, what `worker` has begun and given back; None without one."""
    for qualification_type in _types(hit_type):
        if begun := _begun_elsewhere(hit_type, qualification_type, worker):
            return begun
    return None


def _begun_elsewhere(hit_type: HitType, qualification_type: QualificationType, worker: WorkerAccount) -> HitType | None:
    return _drawn_elsewhere(hit_type, qualification_type, worker) or _left_elsewhere(
        hit_type, qualification_type, worker
    )


def revoke(hit: Hit, worker: int) -> None:
    """Remove what `grant` gave to a worker who has returned everything of a study: they may come back to it.

    To other studies that ask for the same absence they may not: `grant` knows them by their draw, or what they left.
    """
    for qualification_type in _types(hit.hit_type):
        QualificationGrant.objects.filter(
            qualification_type=qualification_type, worker=worker, status=Status.GRANTED
        ).update(status=Status.REVOKED)


def leaves_only_arm(hit: Hit, worker: int) -> bool:
    """Whether a worker has given back all of a study of one HIT type: coming back, they can meet no other arm."""
    hit_type = hit.hit_type
    if hit_type.cell or not hit_type.study:
        return False
    rows = Assignment.objects.filter(
        worker=worker, hit__requester=hit.requester_id, hit__hit_type__study=hit_type.study
    )
    if rows.exclude(state__in=Assignment.RETURNED_OR_ABANDONED).exists():
        return False
    return HitType.objects.filter(requester=hit.requester_id, study=hit_type.study).count() == 1


def _left_elsewhere(hit_type: HitType, qualification_type: QualificationType, worker: WorkerAccount) -> HitType | None:
    """What `worker` has begun of another study that asks for the same absence, and given back."""
    revoked = QualificationGrant.objects.filter(
        qualification_type=qualification_type, worker=worker, status=Status.REVOKED
    )
    if not revoked.exists():
        return None
    left = Assignment.objects.filter(
        worker=worker, hit__requester=hit_type.requester_id, state__in=Assignment.RETURNED_OR_ABANDONED
    )
    types = HitType.objects.filter(pk__in=left.values("hit__hit_type")).exclude(study=hit_type.study)
    return _first_that_asks(types, qualification_type)


def _first_that_asks(types: QuerySet[HitType], qualification_type: QualificationType) -> HitType | None:
    """Of these types the first that asks for the absence of a qualification."""
    for hit_type in types.select_related("requester").order_by("pk"):
        for row in hit_type.requirements:
            if row["Comparator"] == "DoesNotExist" and row["QualificationTypeId"] == qualification_type.type_id:
                return hit_type
    return None


def _types(hit_type: HitType) -> Iterable[QualificationType]:
    absent = [row["QualificationTypeId"] for row in hit_type.requirements if row["Comparator"] == "DoesNotExist"]
    if not absent:
        return ()
    rows = QualificationType.objects.filter(
        type_id__in=absent, requester_id=hit_type.requester_id, once=True, deleted_at=None
    )
    return rows.order_by("pk")


def _drawn_elsewhere(hit_type: HitType, qualification_type: QualificationType, worker: WorkerAccount) -> HitType | None:
    """Of the cell of another study that asks for the same absence, to which `worker` was assigned."""
    draws = Draw.objects.filter(worker=worker, requester=hit_type.requester_id).exclude(study=hit_type.study)
    types = HitType.objects.filter(requester=hit_type.requester_id, cell__in=draws.values("cell"))
    return _first_that_asks(types, qualification_type)


def _grant_type(qualification_type: QualificationType, worker: WorkerAccount, now: datetime) -> None:
    rows = QualificationGrant.objects.filter(qualification_type=qualification_type, worker=worker)
    # A revoked row is taken by whoever changes it first; a new row by whoever inserts it first.
    if rows.filter(status=Status.REVOKED).update(status=Status.GRANTED, granted_at=now, value=1):
        return
    try:
        with transaction.atomic():
            QualificationGrant.objects.create(qualification_type=qualification_type, worker=worker, granted_at=now)
    except IntegrityError:
        raise WorkRefusedError("unqualified") from None
