"""The page on which a worker takes a qualification test."""

from __future__ import annotations

import secrets
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.marketplace.models import TestAttempt
from annotation.marketplace.site.addresses import seal, submit_base
from annotation.marketplace.site.content_security import SANDBOX, may_frame
from annotation.marketplace.site.host_guards import Visit, worker_page


@require_safe
@worker_page
def test(request: HttpRequest, visit: Visit, attempt_id: str) -> HttpResponse:
    """The test in its frame and the time left; once it is over, the page of the qualification."""
    rows = TestAttempt.objects.select_related("qualification_type__requester__user")
    attempt = rows.filter(attempt_id=attempt_id, worker=visit.worker).first()
    if attempt is None:
        raise Http404
    if attempt.answered_at is not None or attempt.deadline <= visit.now:
        return redirect("hits:qualification", attempt.qualification_type.type_id)
    load = secrets.token_urlsafe(18)
    context = {
        "visit": visit,
        "attempt": attempt,
        "type": attempt.qualification_type,
        "left": attempt.deadline - visit.now,
        "frame": _frame(attempt, visit, load),
        "load": load,
        "submit": submit_base(attempt_id),
        "sandbox": SANDBOX,
    }
    return may_frame(render(request, "marketplace/test.html", context), settings.HIT_ORIGIN)


def _frame(attempt: TestAttempt, visit: Visit, load: str) -> str:
    worker_id = visit.worker.worker_id
    sealed = seal(attempt.attempt_id, load, attempt.attempt_id, worker_id)
    path = reverse("hits:test-frame", args=[attempt.attempt_id, load, sealed])
    return f"{settings.HIT_ORIGIN}{path}?{urlencode({'workerId': worker_id})}"
