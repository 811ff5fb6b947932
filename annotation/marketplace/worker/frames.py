"""What is shown inside the frame of a HIT, and what comes back from it.

The HTML of an HTMLQuestion is served from HIT_ORIGIN under a sandbox policy: it has no origin, no cookie of ours, and
may be framed by the worker site only. The form posts to the worker site, without a session: the assignment's id, 150
random bits that only its worker and its requester know, is what authorises it.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import parse_qsl

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from annotation.marketplace import clock, work
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.ids import is_public_id
from annotation.marketplace.models import Assignment, Hit
from annotation.marketplace.questions import parsed
from annotation.marketplace.sweep import catch_up
from annotation.marketplace.worker.addresses import PREVIEW, seal_holds, submit_base
from annotation.marketplace.worker.doors import on_worker_host
from annotation.marketplace.worker.hosts import answers_on, frames_may_be_served
from annotation.marketplace.worker.policy import confine, may_be_framed_by_site

# Amazon's own samples name its site in the form; that site is closed.
_AMAZON_SUBMIT = re.compile(r"https?://(?:www|workersandbox)\.mturk\.com/mturk/externalSubmit")
MOST_BYTES = 4 * 1024 * 1024
MOST_FIELDS = 10_000

Pairs = list[tuple[str, str]]

log = logging.getLogger(__name__)


@require_safe
def frame(request: HttpRequest, hit_id: str, seal: str) -> HttpResponse:
    """The HTML of an HTMLQuestion, for whom the worker site sent here."""
    assignment_id, worker_id = request.GET.get("assignmentId", ""), request.GET.get("workerId", "")
    if not seal_holds(seal, hit_id, assignment_id, worker_id) or not answers_on(request, settings.HIT_ORIGIN):
        raise Http404
    if not frames_may_be_served():
        log.error("HIT_ORIGIN must name another host than WORKER_ORIGIN; until then no HIT can be shown.")
        return HttpResponse(_("This task cannot be shown at the moment."), status=503, content_type="text/plain")
    hit = Hit.objects.filter(hit_id=hit_id, kind=Hit.Kind.HTML).first()
    if hit is None:
        raise Http404
    html = _AMAZON_SUBMIT.sub(f"{submit_base()}/mturk/externalSubmit", parsed(hit.question).content)
    return confine(HttpResponse(html, content_type="text/html; charset=utf-8"))


@csrf_exempt
@on_worker_host
def external_submit(request: HttpRequest) -> HttpResponse:
    """Take in a HIT's form, once. The answer is a small page for the frame."""
    if request.method != "POST":
        return _told(request, "method", 405)
    try:
        pairs = _pairs(request)
    except (SuspiciousOperation, MultiPartParserError, ValueError):
        return _told(request, "form", 400)
    assignment_id = dict(reversed(pairs)).get("assignmentId", "")
    if assignment_id == PREVIEW:
        return _told(request, "preview", 409)
    rows = Assignment.objects.filter(assignment_id=assignment_id)
    assignment = rows.first() if is_public_id(assignment_id) else None
    if assignment is None:
        return _told(request, "unknown", 404)
    now = clock.now()
    catch_up(now)
    try:
        work.hand_in(assignment, pairs, now=now, received_at=timezone.now())
    except WorkRefusedError as refusal:
        return _told(request, refusal.reason, 409)
    return _told(request, "recorded", 200)


def _pairs(request: HttpRequest) -> Pairs:
    """The fields of a form as they came, in order. Raises SuspiciousOperation, MultiPartParserError or ValueError."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise ValueError("the form is too large")
    if request.content_type == "multipart/form-data":
        files = [(name, file.name or "") for name, found in request.FILES.lists() for file in found]
        return [(name, str(value)) for name, found in request.POST.lists() for value in found] + files
    if request.content_type not in {"application/x-www-form-urlencoded", ""}:
        raise ValueError("the form has another encoding")
    return parse_qsl(request.body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)


def _told(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    title, text = _words(reason)
    context = {"reason": reason, "title": title, "text": text}
    return may_be_framed_by_site(render(request, "marketplace/frame_note.html", context, status=status))


def _words(reason: str) -> tuple[str, str]:
    return {
        "recorded": (_("Your answers are recorded"), _("Thank you. Choose “Continue” above this frame to go on.")),
        "twice": (_("Already handed in"), _("Your answers were recorded earlier; nothing was changed or lost.")),
        "returned": (_("This task was returned"), _("You gave this task back, so answers for it are not accepted.")),
        "late": (_("The time for this task is over"), _("The deadline has passed, so the answers were not accepted.")),
        "preview": (_("This is a preview"), _("Accept the task first; answers from a preview are not recorded.")),
        "unknown": (_("Unknown task"), _("The form does not name a task that exists. Nothing was recorded.")),
        "method": (_("Nothing was handed in"), _("Answers are handed in by the form of the task.")),
        "form": (_("The form could not be read"), _("It is too large or not a web form. Nothing was recorded.")),
    }[reason]
