"""Batches from a template and a table, and the HITs that programs made."""

from __future__ import annotations

from itertools import islice
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation import settings as conf
from annotation.accounts.models import AccessKey, User
from annotation.console.form_errors import attach_errors
from annotation.console.forms.new_batch import NewBatch, ReviewedFile
from annotation.console.permission import console_page, visitor
from annotation.exceptions import MarketError, StateError
from annotation.hits.batches.check_page import check_page
from annotation.hits.batches.create_batch import BatchPlan, create_batch
from annotation.hits.batches.preview import marked_cells, preview_address
from annotation.hits.batches.publish_batch import cancel_batch
from annotation.hits.batches.queries import batches_of, log_of, price, progress_of
from annotation.hits.batches.template import page_of
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.ledger import endpoint_fees
from annotation.models import Batch, BatchHit, Hit, Job
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint, SeenHit

LINES = 50
MAX_HITS = 1_000  # of an account, which are looked through: ten calls


@console_page
def listing(request: HttpRequest) -> HttpResponse:
    rows = batches_of(visitor(request)).select_related("owner").order_by("-pk")
    counted = rows.annotate(rows=Count("hits"), published=Count("hits", filter=~Q(hits__market_id="")))
    page = Paginator(counted, LINES).get_page(request.GET.get("page"))
    return render(request, "console/batches.html", {"page": page})


@console_page
def new(request: HttpRequest) -> HttpResponse:
    form = NewBatch(request.POST or None, request.FILES or None)
    if form.is_valid():
        values = dict(form.cleaned_data)
        template, table = values.pop("template"), values.pop("table")
        with attach_errors(form, above=True):
            path = uploads.keep(table)
            try:
                batch = create_batch(
                    template,
                    path,
                    BatchPlan(**values),
                    owner=visitor(request),
                    now=timezone.now(),
                    market=Market(conf.endpoint()),
                )
            finally:
                uploads.discard(path)
            return redirect("console:batches-batch", batch.uuid)
    return render(request, "console/batch_new.html", {"form": form}, status=422 if form.errors else 200)


@console_page
def batch(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """The page of a batch: any row as workers see it, the price, how far it is, results and review."""
    shown = _load(request, batch_id)
    count = shown.hits.count()
    number = _number(request, count)
    row = shown.hits.get(position=number - 1)
    context = {"batch": shown, "count": count, "number": number, "row": row, "cells": marked_cells(row)}
    context |= {"address": preview_address(row), "price": price(shown, endpoint_fees()), "review": ReviewedFile()}
    context |= _progress(shown)
    if shown.state == Batch.State.DRAFT:
        context["check"] = check_page(page_of(shown.template, row.cells, title=shown.title))
    context["jobs"] = _jobs(request, shown)
    context["log"] = log_of(shown)[:LINES]
    response = render(request, "console/batch.html", context)
    response._csp_update = {"frame-src": [settings.HIT_ORIGIN]}  # type: ignore[attr-defined]
    return response


def _number(request: HttpRequest, count: int) -> int:
    digits = request.GET.get("row", "")
    return min(max(int(digits) if digits.isdecimal() and len(digits) < 9 else 1, 1), count)


def _progress(shown: Batch) -> dict[str, object]:
    """How far it is, and what the account holds; or why the marketplace does not say."""
    try:
        market = Market(conf.endpoint())
        progress = progress_of(shown, market) if shown.state != Batch.State.DRAFT else None
        return {"progress": progress, "balance": market.balance_cents()}
    except MarketError as error:
        return {"unreachable": str(error)}


def _jobs(request: HttpRequest, shown: Batch) -> list[Job]:
    rows = Job.objects.filter(kind__in=OF_BATCHES, asked_by=visitor(request), settings__batch=str(shown.uuid))
    return list(rows.order_by("-pk")[:5])


OF_BATCHES = (
    Job.Kind.PUBLISH_BATCH,
    Job.Kind.CANCEL_BATCH,
    Job.Kind.BATCH_RESULTS,
    Job.Kind.CHECK_REVIEW,
    Job.Kind.APPLY_REVIEW,
)


@require_POST
@console_page
def publish(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Publish it for the price that the page showed."""
    shown = _load(request, batch_id)
    if request.POST.get("price") != str(price(shown, endpoint_fees()).total_cents):
        raise StateError("The price has changed meanwhile. Look at the batch again, then publish.")
    return _ask(request, Job.Kind.PUBLISH_BATCH, shown)


@require_POST
@console_page
def gather(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    return _ask(request, Job.Kind.BATCH_RESULTS, _load(request, batch_id))


@require_POST
@console_page
def review(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Check a reviewed file; it is applied after a look at the counts."""
    shown, form = _load(request, batch_id), ReviewedFile(request.POST, request.FILES)
    if not form.is_valid():
        raise StateError("Choose the reviewed results file (CSV) first.")
    return _ask(request, Job.Kind.CHECK_REVIEW, shown, path=str(uploads.keep(form.cleaned_data["file"])))


@require_POST
@console_page
def apply(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Apply a reviewed file that was checked, as its counts were shown."""
    shown = _load(request, batch_id)
    checked = get_object_or_404(
        Job, uuid=request.POST.get("job"), kind=Job.Kind.CHECK_REVIEW, state="done", asked_by=visitor(request)
    )
    if checked.settings["batch"] != str(shown.uuid):
        raise StateError("The file was checked for another batch.")
    confirmed = [checked.outcome["approve"], checked.outcome["reject"]]
    return _ask(request, Job.Kind.APPLY_REVIEW, shown, path=checked.settings["path"], confirmed=confirmed)


@require_POST
@console_page
def cancel(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Stop publishing at once, and end the tasks in a job; a draft is deleted."""
    shown = _load(request, batch_id)
    if cancel_batch(shown, actor=visitor(request).get_username(), now=timezone.now()):
        return _ask(request, Job.Kind.CANCEL_BATCH, shown)
    return redirect("console:batches")


def _load(request: HttpRequest, batch_id: UUID) -> Batch:
    return get_object_or_404(batches_of(visitor(request)), uuid=batch_id)


def _ask(request: HttpRequest, kind: Job.Kind, shown: Batch, **more: object) -> HttpResponse:
    job = ask(kind, by=visitor(request), now=timezone.now(), settings={"batch": str(shown.uuid), **more})
    return redirect("console:job", job.uuid)


@console_page
def hits(request: HttpRequest) -> HttpResponse:
    """HITs that programs made with the visitor's keys; who runs the installation also sees those of the console's."""
    rows: list[SeenHit] = []
    problem = ""
    try:
        for endpoint in _accounts(visitor(request)):
            rows += islice(Market(endpoint).hits(), MAX_HITS)
    except MarketError as error:
        problem = str(error)
    listed = {hit.market_id for hit in rows}
    known = {*Hit.objects.filter(market_id__in=listed).values_list("market_id", flat=True)}
    known |= {*BatchHit.objects.filter(market_id__in=listed).values_list("market_id", flat=True)}
    shown = [hit for hit in rows if hit.market_id not in known]
    context = {"hits": shown, "problem": problem, "limit": MAX_HITS, "endpoint": conf.endpoint().url}
    return render(request, "console/batch_hits.html", context)


def _accounts(user: User) -> list[Endpoint]:
    """The accounts whose HITs the visitor sees: their own, by their newest key, and the console's for an owner."""
    console = conf.endpoint()
    key = AccessKey.objects.active().filter(user=user).order_by("-pk").first()
    mine = (
        [Endpoint(console.url, key.key_id, key.secret(), region=console.region, provider=console.provider)]
        if key
        else []
    )
    return [*mine, *([console] if user.is_superuser and console.access_key else [])]
