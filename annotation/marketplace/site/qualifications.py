"""A worker's pages about requesters: messages, and qualifications to ask for."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import QualificationGrant, QualificationType, WorkerMessage
from annotation.marketplace.qualifications import qualification_tests, requests
from annotation.marketplace.site.host_guards import Visit, worker_page

MAX_MESSAGES = 100


@require_safe
@worker_page
def messages(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What requesters wrote, the newest first."""
    rows = WorkerMessage.objects.filter(worker=visit.worker).select_related("requester__user").order_by("-pk")
    return render(request, "marketplace/messages.html", {"visit": visit, "letters": rows[:MAX_MESSAGES]})


@require_safe
@worker_page
def qualification(request: HttpRequest, visit: Visit, type_id: str) -> HttpResponse:
    """A requester's qualification and, where it may be asked for, the button that does."""
    qualification_type = _type(type_id)
    status = requests.ask_statuses([qualification_type], visit.worker, visit.now)[qualification_type.pk]
    attempt = (
        qualification_tests.under_way(qualification_type, visit.worker, visit.now) if qualification_type.test else None
    )
    last = (
        qualification_type.attempts.filter(worker=visit.worker).exclude(score=None).order_by("-pk").first()
        if qualification_type.test
        else None
    )
    grant = qualification_type.grants.filter(worker=visit.worker, status=QualificationGrant.Status.GRANTED).first()
    passed = (
        grant if grant and qualification_type.attempts.filter(worker=visit.worker, answered_at__lte=visit.now) else None
    )
    context = {
        "visit": visit,
        "type": qualification_type,
        "reason": status.reason,
        "said": "" if passed and status.reason == "asked" else _words(status.reason),
        "passed": passed,
        "again_at": status.again_at,
        "attempt": attempt,
        "last": last,
    }
    return render(request, "marketplace/qualification.html", context)


@require_POST
@worker_page
def ask(request: HttpRequest, visit: Visit, type_id: str) -> HttpResponse:
    """Ask, or begin the test; the page that follows says what became of it, also when it was refused."""
    qualification_type = _type(type_id)
    try:
        if qualification_type.test:
            return redirect(
                "hits:test",
                qualification_tests.begin(qualification_type, worker=visit.worker, now=visit.now).attempt_id,
            )
        requests.ask(qualification_type, worker=visit.worker, now=visit.now)
    except WorkRefusedError as refusal:
        context = {"visit": visit, "type": qualification_type, "reason": refusal.reason, "said": _words(refusal.reason)}
        return render(request, "marketplace/qualification.html", context, status=409)
    return redirect("hits:qualification", type_id)


def _type(type_id: str) -> QualificationType:
    rows = QualificationType.objects.select_related("requester__user")
    qualification_type = rows.filter(type_id=type_id, deleted_at=None).first()
    if qualification_type is None or qualification_type.status != QualificationType.Status.ACTIVE:
        raise Http404
    return qualification_type


def _words(reason: str) -> str:
    return {
        "": "",
        "not-requestable": _("You cannot ask for this qualification."),
        "granted": _("You have this qualification."),
        "waiting": _("You have asked for it. The requester will decide."),
        "asked": _("You have asked for it or taken its test before. You cannot ask again now."),
    }[reason]
