"""A worker's qualifications: held, asked for, revoked; and those that can be asked for."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.marketplace.hits.eligibility import percent_approved
from annotation.marketplace.models import QualificationGrant, QualificationRequest, QualificationType, WorkerAccount
from annotation.marketplace.site.host_guards import Visit, worker_page

PAGE = 25
MAX_SEARCH_CHARS = 100
Status = QualificationGrant.Status
State = QualificationRequest.State


@require_safe
@worker_page
def held(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Scores, requests, and a page of what can be asked for (with words: only what has them)."""
    worker = visit.worker
    words = request.GET.get("q", "").replace("\x00", "")[:MAX_SEARCH_CHARS]
    grants = QualificationGrant.objects.filter(worker=worker, qualification_type__deleted_at=None)
    grants = grants.select_related("qualification_type__requester__user").order_by("qualification_type__name", "pk")
    requests = QualificationRequest.objects.filter(worker=worker).exclude(state=State.GRANTED)
    requests = requests.select_related("qualification_type__requester__user").order_by("-pk")
    context = {
        "visit": visit,
        "percent": percent_approved(worker),
        "has_decisions": worker.approved_count + worker.rejected_count > 0,
        "granted": [grant for grant in grants if grant.status == Status.GRANTED],
        "revoked": [grant for grant in grants if grant.status == Status.REVOKED],
        "asked": requests[:PAGE],
        "words": words,
        "types": Paginator(_requestable(worker, words), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "marketplace/qualifications.html", context)


def _requestable(worker: WorkerAccount, words: str) -> QuerySet[QualificationType]:
    mine = QualificationGrant.objects.filter(qualification_type=OuterRef("pk"), worker=worker, status=Status.GRANTED)
    waiting = QualificationRequest.objects.filter(qualification_type=OuterRef("pk"), worker=worker, state=State.PENDING)
    rows = QualificationType.objects.filter(
        status=QualificationType.Status.ACTIVE, deleted_at=None, once=False
    ).exclude(Exists(mine) | Exists(waiting))
    for word in words.split():
        rows = rows.filter(Q(name__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word))
    return rows.select_related("requester__user").order_by("name", "pk")
