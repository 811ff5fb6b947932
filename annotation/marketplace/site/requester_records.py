"""The page that says how the records of requesters are counted."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.marketplace.models import RequesterRecord
from annotation.marketplace.monitoring.requester_records import WINDOW_DAYS
from annotation.marketplace.site.host_guards import Visit, worker_page


@require_safe
@worker_page
def about_records(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Window, counts and smallest numbers of the figures that stand by each requester."""
    context = {
        "visit": visit,
        "days": WINDOW_DAYS,
        "min_decided": RequesterRecord.MIN_DECIDED,
        "min_replies": RequesterRecord.MIN_REPLIES,
        "counted_at": RequesterRecord.objects.order_by("-computed_at").values_list("computed_at", flat=True).first(),
    }
    return render(request, "marketplace/requester_records.html", context)
