"""Checked, confirmed, published, watched."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import conf, desk, overviews, standing
from annotation.console import bills
from annotation.console.forms.publish import Publish
from annotation.console.permission import study_page, visitor
from annotation.crowd.client import Market
from annotation.deciding import WINDOW
from annotation.exceptions import StateError
from annotation.flows import jobs
from annotation.flows.preflight import preflight
from annotation.flows.publish import publish as publish_study
from annotation.flows.review import approve, undo
from annotation.models import Job, Role, Study, Submission
from annotation.tasks import wake

SOON = timedelta(hours=24)


@study_page()
def publish(request: HttpRequest, study: Study) -> HttpResponse:
    context = {"study": study, "cells": overviews.laid_out(study), "form": Publish(wanted=study.name)}
    return render(request, "console/publish.html", {**context, "bill": bills.of(study)})


@study_page()
def check(request: HttpRequest, study: Study) -> HttpResponse:
    """What was found: every page is rendered, filled in and read back, so it comes after the page."""
    found = preflight(study, market=Market(conf.endpoint()))
    context = {"study": study, "found": found, "plan": overviews.plan_of(study), "endpoint": conf.endpoint()}
    return render(request, "console/check.html", {**context, "form": Publish(wanted=study.name)})


@require_POST
@study_page(Role.OWNER)
def confirm(request: HttpRequest, study: Study) -> HttpResponse:
    form = Publish(request.POST, wanted=study.name)
    if not form.is_valid():
        context = {"study": study, "cells": overviews.laid_out(study), "form": form, "bill": bills.of(study)}
        return render(request, "console/publish.html", context, status=422)
    found = preflight(study, market=Market(conf.endpoint()))
    if found.errors:
        raise StateError(f"Nothing was published: {found.errors[0].sentence}")
    actor, by_invitation = request.user.get_username(), form.cleaned_data["by_invitation"]
    publish_study(study, actor=actor, now=timezone.now(), by_invitation=by_invitation)
    wake(study.pk)
    return redirect("console:progress", study.uuid)


@study_page()
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    """The picture moves by itself: htmx asks for the part that changes."""
    template = "console/progress_state.html" if request.headers.get("HX-Request") else "console/progress.html"
    context = {
        "at": standing.progress(study),
        "work": overviews.work(study),
        "due": standing.deadlines(study, now=timezone.now(), within=SOON),
        "back": desk.to_take_back(study, visitor(request), now=timezone.now()),
        "job": study.jobs.filter(kind=Job.Kind.CROWD).order_by("-created_at").first(),
    }
    return render(request, template, {"study": study, **context})


@require_POST
@study_page(Role.EDITOR)
def crowd(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask the simulated people of a rehearsal to come."""
    if study.mode != Study.Mode.REHEARSAL or study.status != Study.Status.PUBLISHED:
        raise StateError("Simulated people come to a published rehearsal only.")
    jobs.ask(Job.Kind.CROWD, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:progress", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def approve_all(request: HttpRequest, study: Study) -> HttpResponse:
    """Pay for everything that is handed in and not decided."""
    waiting = Submission.objects.filter(hit__study=study)
    done = approve(study, waiting, actor=visitor(request), now=timezone.now(), window=WINDOW)
    wake(study.pk)
    told = _("%d assignments are approved. They are paid in ten minutes; until then this can be taken back.")
    messages.success(request, told % done.decided)
    return redirect("console:progress", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def undo_all(request: HttpRequest, study: Study) -> HttpResponse:
    """Take back what the visitor decided and the marketplace has not heard of."""
    mine = Submission.objects.filter(hit__study=study, decisions__matter="payment", decisions__actor=visitor(request))
    number = undo(study, mine, actor=visitor(request), now=timezone.now())
    messages.success(request, _("%d decisions are taken back. The marketplace was told nothing.") % number)
    return redirect("console:progress", study.uuid)
