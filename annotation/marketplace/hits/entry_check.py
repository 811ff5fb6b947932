"""Whether a worker could accept a task after consenting to its text: checked before the text is shown."""

from __future__ import annotations

from datetime import datetime

from annotation.marketplace.channels import admission_rules
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import lifecycle, study_cards
from annotation.marketplace.hits.catalogue import some_ids_of
from annotation.marketplace.hits.eligibility import assess_worker
from annotation.marketplace.models import Assignment, Hit, WorkerAccount, WorkerBlock
from annotation.marketplace.qualifications.once_pass import is_barred


def refusal(hit: Hit, *, worker: WorkerAccount, now: datetime) -> str:
    """The word with which accepting `hit` would be refused whatever the person agrees to; "" when it would not be.

    The words and their order are those of `work.accept`, without `consent`. Nothing is locked: the last place may
    still be taken while somebody reads. A full HIT counts as open while another of its group is. For a HIT of a study
    of several cells it is the word for entering the study.
    """
    if hit.hit_type.cell:
        return study_cards.refusal(worker, hit.requester_id, hit.hit_type.study, now=now)
    if hit.status == Hit.Status.DISPOSED or lifecycle.expired(hit, now):
        return "closed"
    if Assignment.objects.filter(hit=hit, worker=worker).exclude(state__in=Assignment.RETURNED_OR_ABANDONED).exists():
        return "held"
    if not worker.active or not assess_worker(worker, hit.hit_type).accept or is_barred(hit.hit_type, worker):
        return "unqualified"
    if WorkerBlock.objects.filter(requester=hit.requester_id, worker=worker).exists():
        return "blocked"
    try:
        admission_rules.check_way_in(hit, worker=worker, now=now)
    except WorkRefusedError as refused:
        return refused.reason
    if not lifecycle.available(hit, now) and not some_ids_of(worker, hit.hit_type, now=now):
        return "full"
    return ""
