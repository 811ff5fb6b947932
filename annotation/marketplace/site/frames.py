"""What is shown inside the frame of a HIT.

HTML of requesters is served from HIT_ORIGIN under a sandbox policy: it has no origin, no cookie of ours, and may be
framed by the worker site only. So are the forms that we make of a QuestionForm, whose pictures and links are theirs.
"""

from __future__ import annotations

import logging
import re
import secrets

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Hit, TestAttempt
from annotation.marketplace.questions import form_parser
from annotation.marketplace.questions.form_answers import EnteredAnswer
from annotation.marketplace.questions.form_fields import Form
from annotation.marketplace.questions.form_html import shown
from annotation.marketplace.questions.question_types import parsed
from annotation.marketplace.site.addresses import PREVIEW, seal_holds, submit_base
from annotation.marketplace.site.content_security import confine, confine_form
from annotation.marketplace.site.hosts import answers_on, frames_may_be_served
from annotation.marketplace.site.question_frame import Showing, wrapped

# Amazon's own samples name its site in the form; that site is closed.
_AMAZON_SUBMIT = re.compile(r"https?://(?:www|workersandbox)\.mturk\.com/mturk/externalSubmit")
SUBMIT = "/mturk/externalSubmit"
_QUESTION = Prepared(
    lambda hit_id: Hit.objects.filter(hit_id=hit_id).exclude(kind=Hit.Kind.EXTERNAL).values_list("kind", "question"),
    str,
)

log = logging.getLogger(__name__)


@require_safe
def frame(request: HttpRequest, hit_id: str, load: str, seal: str) -> HttpResponse:
    """A HIT's HTML or form, for whom the worker site sent here."""
    assignment_id, worker_id = request.GET.get("assignmentId", ""), request.GET.get("workerId", "")
    refusal = _refused(request, seal, hit_id, load, assignment_id, worker_id)
    if refusal is not None:
        return refusal
    rows = _QUESTION(hit_id)
    if not rows:
        raise Http404
    ((kind, question),) = rows
    showing = _showing(load, "" if assignment_id == PREVIEW else assignment_id)
    if kind == Hit.Kind.FORM:
        return form_page(request, form_parser.read(question), showing)
    html = _AMAZON_SUBMIT.sub(showing.submit, parsed(question).content)
    return confine(HttpResponse(wrapped(html, showing), content_type="text/html; charset=utf-8"))


@require_safe
def test_frame(request: HttpRequest, attempt_id: str, load: str, seal: str) -> HttpResponse:
    """The form of a qualification test that a worker has begun."""
    refusal = _refused(request, seal, attempt_id, load, attempt_id, request.GET.get("workerId", ""))
    if refusal is not None:
        return refusal
    attempt = TestAttempt.objects.filter(attempt_id=attempt_id).first()
    if attempt is None:
        raise Http404
    return form_page(request, form_parser.read(attempt.test), _showing(load, attempt_id))


def form_page(
    request: HttpRequest,
    form: Form,
    showing: Showing,
    *,
    answers: tuple[EnteredAnswer, ...] = (),
    faults: dict[str, str] | None = None,
) -> HttpResponse:
    """The web form of a QuestionForm; with what was typed and what is wrong with it where an answer was refused."""
    nonce = secrets.token_urlsafe(18)
    questions = shown(form, answers=answers, faults=faults or {})
    context = {"parts": questions, "faults": [each for each in questions if each.fault], "showing": showing}
    status = 422 if faults else 200
    page = render(request, "marketplace/form.html", {**context, "nonce": nonce}, status=status)
    page.content = wrapped(page.content.decode(), showing, nonce=nonce).encode()
    return confine_form(page, nonce)


def _showing(load: str, assignment_id: str) -> Showing:
    return Showing(load, settings.WORKER_ORIGIN, assignment_id, submit_base(assignment_id) + SUBMIT)


def _refused(request: HttpRequest, seal: str, *parts: str) -> HttpResponse | None:
    """Raises Http404 for an address that the worker site did not make."""
    if not seal_holds(seal, *parts) or not answers_on(request, settings.HIT_ORIGIN):
        raise Http404
    if frames_may_be_served():
        return None
    log.error("HIT_ORIGIN must name another host than WORKER_ORIGIN; until then no HIT can be shown.")
    return HttpResponse(_("This task cannot be shown at the moment."), status=503, content_type="text/plain")
