"""The study's workers by pseudonym, one person's work, holds, and the one door to a real id."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation import desk, reviewing
from annotation.console.forms.desk import HoldForm, Reason
from annotation.console.permission import studies_of, study_page, visitor
from annotation.flows import hold as verbs
from annotation.models import Role, Study, Worker

LINES = 50


@require_safe
@study_page(Role.REVIEWER)
def listing(request: HttpRequest, study: Study) -> HttpResponse:
    page = Paginator(reviewing.workers(study), LINES).get_page(request.GET.get("page"))
    lines = reviewing.with_more(study, list(page.object_list), today=timezone.now().date())
    return render(request, "console/workers.html", {"study": study, "page": page, "lines": lines})


@require_safe
@study_page(Role.REVIEWER)
def page(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    return _shown(request, study, _one(study, pseudonym))


def _shown(request: HttpRequest, study: Study, worker: Worker, **more: Any) -> HttpResponse:
    mine = studies_of(visitor(request))
    allowed = request.user.has_perm(verbs.SEES_IDS)
    told = {
        "study": study,
        "worker": worker,
        "history": desk.history(worker, mine),
        "page": Paginator(desk.work_of(worker, mine), LINES).get_page(request.GET.get("page")),
        "held": desk.open_hold(worker),
        "competence": reviewing.competence(study, worker),
        "looks": desk.looks(worker) if allowed else (),
        "allowed": allowed,
        "hold": HoldForm(prefix="hold"),
        "look": Reason(prefix="look"),
    }
    refused = any(getattr(form, "errors", None) for form in more.values())
    return render(request, "console/worker.html", {**told, **more}, status=422 if refused else 200)


@require_POST
@study_page(Role.EDITOR)
def hold(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form = _one(study, pseudonym), HoldForm(request.POST, prefix="hold")
    if not form.is_valid():
        return _shown(request, study, worker, hold=form)
    verbs.hold(worker, **form.cleaned_data, actor=visitor(request), now=timezone.now())
    messages.success(request, _("Held. Work done and its payment stay as they are."))
    return redirect("console:workers-page", study.uuid, pseudonym)


@require_POST
@study_page(Role.EDITOR)
def lift(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    verbs.lift(_one(study, pseudonym), now=timezone.now())
    return redirect("console:workers-page", study.uuid, pseudonym)


@require_POST
@study_page(Role.REVIEWER)
def look(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form = _one(study, pseudonym), Reason(request.POST, prefix="look")
    if not form.is_valid():
        return _shown(request, study, worker, look=form)
    found = verbs.look_up(worker, reason=form.cleaned_data["reason"], actor=visitor(request), now=timezone.now())
    return _shown(request, study, worker, identity=found, looked=True)


def _one(study: Study, pseudonym: str) -> Worker:
    found = Worker.objects.filter(pseudonym=pseudonym, submissions__hit__study=study).first()
    if found is None:
        raise Http404
    return found
