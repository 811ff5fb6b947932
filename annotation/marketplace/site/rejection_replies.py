"""The view by which a worker replies to a rejection; the form is on the assignment's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.marketplace.assignments import rejection_replies
from annotation.marketplace.core.rate_limits import TooOftenError, take
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.site.forms import ReplyForm
from annotation.marketplace.site.host_guards import Visit, note, too_often, worker_page
from annotation.marketplace.site.pages import load_assignment, shown_done


@require_POST
@worker_page
def answer(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    held, form = load_assignment(visit, assignment_id), ReplyForm(request.POST)
    if not form.is_valid():
        return shown_done(request, visit, held, form)
    try:
        take(rejection_replies.OFTEN, visit.worker.worker_id, now=timezone.now())
        rejection_replies.send(held, form.cleaned_data["text"], now=visit.now)
    except TooOftenError as refusal:
        return too_often(request, refusal)
    except WorkRefusedError as refusal:
        title = _("Your answer was not sent")
        return note(request, reason=refusal.reason, title=title, text=_words(refusal.reason), status=409)
    return redirect("hits:done", assignment_id)


def _words(reason: str) -> str:
    return {
        "answered": _("You have already replied to this rejection. Your first reply counts."),
        "final": _("There is no rejection that can still be changed."),
        "unheard": _("You cannot reply to this requester here."),
    }[reason]
