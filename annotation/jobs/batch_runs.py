"""Jobs about batches: publish, gather results, check and apply a reviewed file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation import settings as conf
from annotation.exceptions import StateError
from annotation.hits.batches import publish_batch as publishing
from annotation.hits.batches.queries import works_of
from annotation.hits.batches.results_file import file_names, write_results
from annotation.hits.batches.review_file import apply_review, plan_review
from annotation.jobs.job_files import folder_of
from annotation.ledger import endpoint_fees
from annotation.models import Batch, Job, Study
from annotation.mturk.client import Market
from annotation.pricing.fees import fee_cents

Tell = Callable[[str, int, int], None]
Done = tuple[dict[str, Any], Study | None]
LISTED = 100  # rows of a reviewed file that a page names


def _batch_of(job: Job) -> Batch:
    """The batch, if whoever asked still may see it."""
    batch = Batch.objects.filter(uuid=job.settings["batch"]).first()
    if batch is None or (job.asked_by_id != batch.owner_id and not (job.asked_by and job.asked_by.is_superuser)):
        raise StateError("This batch does not exist any more.")
    return batch


def publish_batch(job: Job, tell: Tell, now: datetime) -> Done:
    """Begun again, it goes on where it was."""
    market = Market(conf.endpoint())
    hits = publishing.publish_batch(_batch_of(job), market=market, clock=timezone.now, tell=tell, actor=job.actor)
    return {"batch": job.settings["batch"], "hits": hits}, None


def end_tasks(job: Job, tell: Tell, now: datetime) -> Done:
    """Begun again, it ends what is still open."""
    ended = publishing.end_tasks(_batch_of(job), market=Market(conf.endpoint()), tell=tell)
    return {"batch": job.settings["batch"], "hits": ended}, None


def gather_results(job: Job, tell: Tell, now: datetime) -> Done:
    batch = _batch_of(job)
    works = works_of(batch, Market(conf.endpoint()), tell)
    rows = write_results(batch, works, folder_of(job), now=now, actor=job.actor)
    return {"batch": str(batch.uuid), "files": list(file_names(batch)), "assignments": rows}, None


def check_review(job: Job, tell: Tell, now: datetime) -> Done:
    """What the file would do; nothing is done."""
    batch = _batch_of(job)
    plan = plan_review(Path(job.settings["path"]), works_of(batch, Market(conf.endpoint()), tell))
    approve, reject = plan.counts()
    fee = fee_cents(batch.reward_cents, max_assignments=batch.max_assignments, fees=endpoint_fees())
    return {
        "batch": str(batch.uuid),
        "approve": approve,
        "reject": reject,
        "blank": plan.blank,
        "settled": plan.settled,
        "cents": approve * (batch.reward_cents + fee),
        "problems": [{"row": row, "sentence": sentence} for row, sentence in plan.problems[:LISTED]],
        "total_problems": len(plan.problems),
    }, None


def run_review(job: Job, tell: Tell, now: datetime) -> Done:
    """Begun again, it goes on: decisions that were made are not made twice."""
    batch, market = _batch_of(job), Market(conf.endpoint())
    plan = plan_review(Path(job.settings["path"]), works_of(batch, market, tell))
    approve, reject = job.settings["confirmed"]
    apply_review(batch, plan, confirmed=(approve, reject), market=market, tell=tell, actor=job.actor, now=now)
    return {"batch": str(batch.uuid), "approve": approve, "reject": reject}, None
