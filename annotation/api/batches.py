"""Batches of HITs from a template with variables and a table."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, File, Form, Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile

from annotation import settings as conf
from annotation.api.auth import caller
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, gives, paged
from annotation.exceptions import StateError
from annotation.hits.batches import publish_batch as publishing
from annotation.hits.batches.check_page import check_page
from annotation.hits.batches.create_batch import BatchPlan, create_batch
from annotation.hits.batches.queries import batches_of, log_of, price
from annotation.hits.batches.template import decode_template, page_of
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.ledger import endpoint_fees
from annotation.models import Batch, Job
from annotation.mturk.client import Market

router = Router(tags=["Batches"])


class NewBatchIn(Schema):
    """The properties of the batch's HITs. Times in seconds; literal: names in ${...} to leave as written."""

    name: str = Field(min_length=1, max_length=100)
    title: str = Field(min_length=1, max_length=128)
    description: str = Field(min_length=1, max_length=2000)
    keywords: str = Field("", max_length=1000)
    reward_cents: int = Field(ge=0)
    max_assignments: int = Field(1, ge=1, le=10_000)
    assignment_seconds: int = 3600
    lifetime_seconds: int = 7 * 24 * 3600
    auto_approval_seconds: int = 3 * 24 * 3600
    literal: list[str] = []


class BatchOut(Schema):
    """A batch. total_cents: what it costs with fees when every place is filled and approved."""

    uuid: UUID
    number: int
    name: str
    state: str
    title: str
    rows: int
    published: int
    reward_cents: int
    max_assignments: int
    total_cents: int
    created_at: datetime
    published_at: datetime | None

    @staticmethod
    def resolve_rows(batch: Batch) -> int:
        return batch.hits.count()

    @staticmethod
    def resolve_published(batch: Batch) -> int:
        return batch.hits.exclude(market_id="").count()

    @staticmethod
    def resolve_total_cents(batch: Batch) -> int:
        return price(batch, endpoint_fees()).total_cents


class RowOut(Schema):
    """A row's page, and what can be seen of it: names of its answers, links out of the task, what will not work."""

    line: int
    cells: dict[str, str]
    page: str
    check: dict[str, Any]


class BatchEventOut(Schema):
    """Something that was done to the batch."""

    number: int
    at: datetime
    actor: str
    verb: str
    facts: dict[str, Any]


class PriceIn(Schema):
    """The price that was agreed to, in cents: that of the batch as it is now."""

    total_cents: int


def _batch_for(request: HttpRequest, batch: UUID) -> Batch:
    return get_object_or_404(batches_of(caller(request)), uuid=batch)


def _ask(request: HttpRequest, kind: Job.Kind, batch: Batch, **more: Any) -> Status[Job]:
    job = ask(kind, by=caller(request), now=timezone.now(), settings={"batch": str(batch.uuid), **more})
    return Status(202, job)


@router.get("/batches", response=gives(Paged[BatchOut]), summary="Batches, newest first")
def list_batches(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(batches_of(caller(request)).order_by("-pk"), page)


@router.post("/batches", response=gives(BatchOut, 201), summary="Check a template and a table, and store a draft")
def add_batch(
    request: HttpRequest, template: File[UploadedFile], table: File[UploadedFile], form: Form[NewBatchIn]
) -> Status[Batch]:
    """One row of the table (CSV) is one HIT. Every row is checked; where one breaks a rule, nothing is stored."""
    plan = BatchPlan(**form.dict() | {"literal": tuple(form.literal)})
    path = uploads.keep(table)
    try:
        batch = create_batch(
            decode_template(template.read()),
            path,
            plan,
            owner=caller(request),
            now=timezone.now(),
            market=Market(conf.endpoint()),
        )
    finally:
        uploads.discard(path)
    return Status(201, batch)


@router.get("/batches/{batch}", response=gives(BatchOut), summary="A batch")
def show_batch(request: HttpRequest, batch: UUID) -> Batch:
    return _batch_for(request, batch)


@router.get("/batches/{batch}/log", response=gives(Paged[BatchEventOut]), summary="What was done, newest first")
def show_batch_log(request: HttpRequest, batch: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(log_of(_batch_for(request, batch)), page)


@router.get("/batches/{batch}/rows/{number}", response=gives(RowOut), summary="The page of a row, and its check")
def show_batch_row(request: HttpRequest, batch: UUID, number: int) -> dict[str, Any]:
    """number: from 1."""
    batch_row = _batch_for(request, batch)
    row = batch_row.hits.filter(position=number - 1).first() if 0 < number < 2**31 else None
    if row is None:
        raise HttpError(404, "The batch has no such row.")
    page = page_of(batch_row.template, row.cells, title=batch_row.title)
    return {"line": row.line, "cells": row.cells, "page": page, "check": asdict(check_page(page))}


@router.post("/batches/{batch}/publish", response=gives(JobOut, 202), summary="Publish a draft, or continue")
def publish_batch(request: HttpRequest, batch: UUID, agreed: PriceIn) -> Status[Job]:
    """total_cents is that of the batch. A job that was broken off goes on where it was, and makes each HIT once."""
    batch_row = _batch_for(request, batch)
    if agreed.total_cents != price(batch_row, endpoint_fees()).total_cents:
        raise StateError("The price is another. Look at the batch again, then publish.")
    return _ask(request, Job.Kind.PUBLISH_BATCH, batch_row)


@router.post("/batches/{batch}/results", response=gives(JobOut, 202), summary="Gather results into files of the job")
def gather_results(request: HttpRequest, batch: UUID) -> Status[Job]:
    """In the columns of the requester site; the second file is for spreadsheets."""
    return _ask(request, Job.Kind.BATCH_RESULTS, _batch_for(request, batch))


@router.post("/batches/{batch}/reviews", response=gives(JobOut, 202), summary="Check a reviewed results file")
def check_review(request: HttpRequest, batch: UUID, file: File[UploadedFile]) -> Status[Job]:
    """Decides nothing: the job's outcome has the counts, the money and the rows that cannot be applied."""
    return _ask(request, Job.Kind.CHECK_REVIEW, _batch_for(request, batch), path=str(uploads.keep(file)))


@router.post("/batches/{batch}/reviews/{job}/apply", response=gives(JobOut, 202), summary="Apply a checked file")
def apply_review(request: HttpRequest, batch: UUID, job: UUID) -> Status[Job]:
    batch_row = _batch_for(request, batch)
    checked = get_object_or_404(Job, uuid=job, kind=Job.Kind.CHECK_REVIEW, state="done", asked_by=caller(request))
    if checked.settings["batch"] != str(batch_row.uuid):
        raise StateError("The file was checked for another batch.")
    confirmed = [checked.outcome["approve"], checked.outcome["reject"]]
    return _ask(request, Job.Kind.APPLY_REVIEW, batch_row, path=checked.settings["path"], confirmed=confirmed)


@router.delete("/batches/{batch}", response={**gives(JobOut, 202), 204: None}, summary="Cancel a batch")
def cancel_batch(request: HttpRequest, batch: UUID) -> Status[Any]:
    """A draft is deleted (204). Else publishing stops at once, and a job ends the tasks; answers stay."""
    batch_row = _batch_for(request, batch)
    if publishing.cancel_batch(batch_row, actor=caller(request).get_username(), now=timezone.now()):
        return _ask(request, Job.Kind.CANCEL_BATCH, batch_row)
    return Status(204, None)
