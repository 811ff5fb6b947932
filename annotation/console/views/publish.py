"""Checked, confirmed, published, watched."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.publish import Publish
from annotation.console.permission import study_page, visitor
from annotation.design import queries
from annotation.exceptions import ChangedError, MarketError, StateError
from annotation.jobs.celery_tasks import ask, wake
from annotation.models import Job, Role, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.decision_intents import WINDOW
from annotation.overview.home import step_of
from annotation.publishing import cost_estimate, preflight_result, progress, summary
from annotation.publishing.preflight import afford
from annotation.publishing.publish import publish as publish_study
from annotation.recruiting.queries import are_paid_by_site
from annotation.review import assignment, deadlines
from annotation.review.approve import approve, takes_long, undo_decisions
from annotation.studies.check_training import RULES

SOON = timedelta(hours=24)


@study_page()
def publish(request: HttpRequest, study: Study) -> HttpResponse:
    return _shown(request, study, _form(study))


def _form(study: Study, data: QueryDict | None = None) -> Publish:
    """The study's name is typed where the site would pay, or where it cannot be known."""
    try:
        spends = are_paid_by_site(study, Market(settings.endpoint()))
    except MarketError:
        spends = True
    return Publish(data, study_name=study.name, spends=spends)


def _shown(request: HttpRequest, study: Study, form: Publish) -> HttpResponse:
    context = {"cells": queries.laid_out(study), "bill": cost_estimate.estimate_study(study), **_checked(study, form)}
    status = 422 if form.errors else 200
    return render(request, "console/publish.html", {"study": study, **context}, status=status)


def _checked(study: Study, form: Publish) -> dict[str, Any]:
    """The latest check of the study as it is now, and what it found once it has ended."""
    endpoint = settings.endpoint()
    job = preflight_result.latest(study, endpoint=endpoint.url, now=timezone.now())
    result = preflight_result.from_json(job.outcome) if job and job.state == Job.State.DONE else None
    return {
        "job": job,
        "found": result,
        "plan": summary.plan_of(study),
        "endpoint": endpoint,
        "form": form,
        "training_rules": RULES,
    }


@study_page()
def check(request: HttpRequest, study: Study) -> HttpResponse:
    """How far the check is, and what it found: the part of the page that moves."""
    return _part(request, study)


def _part(request: HttpRequest, study: Study) -> HttpResponse:
    if "HX-Request" not in request.headers:
        return redirect("console:publish", study.uuid)
    return render(request, "console/check.html", {"study": study, **_checked(study, _form(study))})


@require_POST
@study_page(Role.EDITOR)
def recheck(request: HttpRequest, study: Study) -> HttpResponse:
    """Have the study checked as it is now; the page asks for it by itself where there is no such check.

    From a published study it leads back to its rules, which show what the check has stored.
    """
    state = preflight_result.state_of(study, endpoint=settings.endpoint().url)
    ask(Job.Kind.PREFLIGHT, by=visitor(request), now=timezone.now(), study=study, settings=state)
    if study.status != Study.Status.DRAFT:
        return redirect("console:quality", study.uuid)
    return _part(request, study)


@require_POST
@study_page(Role.OWNER)
def confirm(request: HttpRequest, study: Study) -> HttpResponse:
    form = _form(study, request.POST)
    if form.is_valid():
        # A study with channels is open by them only.
        actor, by_invitation = request.user.get_username(), bool(study.channel_tag)
        _require_checked(study, by_invitation=by_invitation)
        with attach_errors(form):
            publish_study(study, actor=actor, now=timezone.now(), by_invitation=by_invitation)
            wake(study.pk)
            messages.success(request, _("Study published."))
            return redirect("console:recruit" if by_invitation else "console:progress", study.uuid)
    return _shown(request, study, form)


def _require_checked(study: Study, *, by_invitation: bool) -> None:
    """Raises StateError unless the study as it is now was found fit for these people, and there still is the money."""
    endpoint = settings.endpoint()
    result = preflight_result.passed(study, endpoint=endpoint.url, now=timezone.now())
    if result is None:
        raise StateError("Nothing was published. The study has changed since it was checked. Check it again.")
    errors = result.stopping(by_invitation=by_invitation)
    if errors := errors or afford(study, endpoint=endpoint, by_invitation=by_invitation):
        raise StateError(f"Nothing was published: {errors[0].sentence}")


@study_page()
def show_progress(request: HttpRequest, study: Study) -> HttpResponse:
    """The picture moves by itself: htmx asks for the part that changes."""
    template = "console/progress_state.html" if request.headers.get("HX-Request") else "console/progress.html"
    context = {
        "at": progress.progress(study),
        "work": summary.work(study),
        "waiting": assignment.count_waiting(study),
        "due": deadlines.deadlines(study, now=timezone.now(), within=SOON),
        "back": assignment.latest_undoable(study, visitor(request), now=timezone.now()),
        "job": study.jobs.filter(kind=Job.Kind.CROWD).order_by("-created_at").first(),
        "approving": study.jobs.filter(kind=Job.Kind.APPROVE, state__in=["waiting", "running"]).first(),
    }
    if template == "console/progress.html":
        context |= {"effects": progress.effects(study), "step": step_of(study, now=timezone.now())}
    return render(request, template, {"study": study, **context})


@require_POST
@study_page(Role.EDITOR)
def crowd(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask the simulated people of a rehearsal to come."""
    if study.mode != Study.Mode.REHEARSAL or study.status != Study.Status.PUBLISHED:
        raise StateError("Simulated participants can only run in a published rehearsal.")
    ask(Job.Kind.CROWD, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:progress", study.uuid)


@require_safe
@study_page(Role.REVIEWER)
def ask_approve_all(request: HttpRequest, study: Study) -> HttpResponse:
    """How many, how much, how many of them flagged: before everything that waits is approved."""
    return _show_approve_all(request, study)


def _show_approve_all(request: HttpRequest, study: Study, problem: str = "") -> HttpResponse:
    seen = assignment.preview_of(study, Submission.objects.all())
    context = {"study": study, "preview": seen, "problem": problem}
    return render(request, "console/approve_all.html", context, status=409 if problem else 200)


@require_POST
@study_page(Role.REVIEWER)
def approve_all(request: HttpRequest, study: Study) -> HttpResponse:
    """Pay for everything that was shown and confirmed (by a job, where it is much); ask again where it is not the same
    any more."""
    if not (shown := request.POST.get("shown", "")):
        return redirect("console:progress-approve-all", study.uuid)
    mine, actor, now = Submission.objects.all(), visitor(request), timezone.now()
    if takes_long(study, mine):
        job = ask(Job.Kind.APPROVE, by=actor, now=now, study=study, settings={"shown": shown})
        return redirect("console:job", job.uuid)
    try:
        done = approve(study, mine, actor=actor, now=now, window=WINDOW, shown=shown)
    except ChangedError:
        problem = _("Nothing was approved. The list has changed since you opened this page. Check it again.")
        return _show_approve_all(request, study, problem)
    wake(study.pk)
    message = ngettext("%d submission approved.", "%d submissions approved.", done.decided) % done.decided
    messages.success(request, f"{message} {_('Payment follows in ten minutes. You can undo this until then.')}")
    if done.sooner:
        early = _("Sent to the marketplace sooner, before it approves them automatically: %d.")
        messages.success(request, early % done.sooner)
    if done.proposed:
        left = ngettext(
            "%d needs a second reviewer (rejection proposed).",
            "%d need a second reviewer (rejection proposed).",
            done.proposed,
        )
        messages.success(request, left % done.proposed)
    return redirect("console:progress", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def undo_all(request: HttpRequest, study: Study) -> HttpResponse:
    """Take back what the visitor decided and the marketplace has not heard of."""
    mine = Submission.objects.filter(hit__study=study, decisions__matter="payment", decisions__actor=visitor(request))
    number = undo_decisions(study, mine, actor=visitor(request), now=timezone.now())
    message = ngettext("%d decision undone.", "%d decisions undone.", number) % number
    messages.success(request, f"{message} {_('Nothing was sent to the marketplace.')}")
    return redirect("console:progress", study.uuid)
