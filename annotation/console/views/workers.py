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

from annotation.console.form_errors import attach_errors
from annotation.console.forms.review import BlockForm, HoldForm, NoticeForm, Reason
from annotation.console.permission import study_page, visitor
from annotation.jobs.celery_tasks import wake
from annotation.models import Role, Study, Worker
from annotation.quality import evidence
from annotation.review import assignment, block
from annotation.review import workers as review_workers
from annotation.review.notify import notify
from annotation.studies.access import studies_of
from annotation.workers import hold

LINES = 50


@require_safe
@study_page(Role.REVIEWER)
def listing(request: HttpRequest, study: Study) -> HttpResponse:
    return _listed(request, study)


def _listed(request: HttpRequest, study: Study, form: NoticeForm | None = None) -> HttpResponse:
    page = Paginator(review_workers.worker_lines(study), LINES).get_page(request.GET.get("page"))
    lines = review_workers.with_more(study, list(page.object_list), today=timezone.now().date())
    context = {"study": study, "page": page, "lines": lines, "notice": form or NoticeForm(prefix="notice")}
    return render(request, "console/workers.html", context, status=422 if form else 200)


@require_safe
@study_page(Role.REVIEWER)
def page(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    return _shown(request, study, _worker_or_404(study, pseudonym))


def _shown(request: HttpRequest, study: Study, worker: Worker, **more: Any) -> HttpResponse:
    mine = studies_of(visitor(request))
    allowed = request.user.has_perm(hold.SEES_IDS)
    context = {
        "study": study,
        "worker": worker,
        "history": assignment.history(worker, mine),
        "page": Paginator(review_workers.work_of(worker, mine), LINES).get_page(request.GET.get("page")),
        "held": review_workers.open_hold(worker, today=timezone.now().date()),
        "ended": review_workers.ended_holds(worker, today=timezone.now().date()),
        "blocked": review_workers.blocked(worker),
        "competence": evidence.competence(study, worker),
        "looks": review_workers.looks(worker) if allowed else (),
        "allowed": allowed,
        "hold": HoldForm(prefix="hold"),
        "look": Reason(prefix="look"),
        "notice": NoticeForm(prefix="notice"),
        "means": BlockForm(prefix="block"),
    }
    wrong = next((form for form in more.values() if getattr(form, "errors", None)), None)
    return render(request, "console/worker.html", {**context, **more, "form": wrong}, status=422 if wrong else 200)


@require_POST
@study_page(Role.EDITOR)
def hold_worker(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form = _worker_or_404(study, pseudonym), HoldForm(request.POST, prefix="hold")
    if form.is_valid():
        with attach_errors(form):
            hold.hold(worker, **form.cleaned_data, actor=visitor(request), now=timezone.now(), study=study)
            messages.success(
                request, _("Worker excluded from future studies. Submissions and their payment do not change.")
            )
            return redirect("console:workers-page", study.uuid, pseudonym)
    return _shown(request, study, worker, hold=form)


@require_POST
@study_page(Role.EDITOR)
def lift(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    hold.lift_hold(_worker_or_404(study, pseudonym), actor=visitor(request), now=timezone.now(), study=study)
    return redirect("console:workers-page", study.uuid, pseudonym)


@require_POST
@study_page(Role.OWNER)
def block_worker(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form = _worker_or_404(study, pseudonym), BlockForm(request.POST, prefix="block")
    if form.is_valid():
        reason, actor = form.cleaned_data["reason"], visitor(request).get_username()
        with attach_errors(form):
            block.block(study, worker, reason=reason, actor=actor, now=timezone.now())
            wake(study.pk)
            return redirect("console:workers-page", study.uuid, pseudonym)
    return _shown(request, study, worker, means=form)


@require_POST
@study_page(Role.OWNER)
def unblock(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    block.unblock(study, _worker_or_404(study, pseudonym), actor=visitor(request).get_username(), now=timezone.now())
    wake(study.pk)
    return redirect("console:workers-page", study.uuid, pseudonym)


@require_POST
@study_page(Role.REVIEWER)
def look(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form = _worker_or_404(study, pseudonym), Reason(request.POST, prefix="look")
    if form.is_valid():
        with attach_errors(form):
            identity = hold.look_up(
                worker, **form.cleaned_data, actor=visitor(request), now=timezone.now(), study=study
            )
            return _shown(request, study, worker, identity=identity, looked=True)
    return _shown(request, study, worker, look=form)


@require_POST
@study_page(Role.EDITOR)
def write(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Write to one person."""
    worker, form = _worker_or_404(study, pseudonym), NoticeForm(request.POST, prefix="notice")
    if not form.is_valid():
        return _shown(request, study, worker, notice=form)
    _write(request, study, form, [worker])
    return redirect("console:workers-page", study.uuid, pseudonym)


@require_POST
@study_page(Role.EDITOR)
def write_all(request: HttpRequest, study: Study) -> HttpResponse:
    """Write to everybody of the study."""
    form = NoticeForm(request.POST, prefix="notice")
    if not form.is_valid():
        return _listed(request, study, form)
    _write(request, study, form, None)
    return redirect("console:workers", study.uuid)


def _write(request: HttpRequest, study: Study, form: NoticeForm, workers: list[Worker] | None) -> None:
    actor = visitor(request).get_username()
    outcome = notify(study, **form.cleaned_data, actor=actor, now=timezone.now(), workers=workers)
    wake(study.pk)
    message = _(
        "Message sent to %(people)s workers. Sent before: %(already)s. Not decided yet, so not sent: %(undecided)s."
    )
    messages.success(
        request, message % {"people": outcome.people, "already": outcome.already, "undecided": outcome.undecided}
    )


def _worker_or_404(study: Study, pseudonym: str) -> Worker:
    worker = review_workers.worker(study, pseudonym)
    if worker is None:
        raise Http404
    return worker
