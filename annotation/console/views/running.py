"""What can be done about a published study, and what it pays: parts of its page Progress."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation import settings
from annotation.collecting import reconcile
from annotation.console.forms.running import Floor
from annotation.console.permission import study_page
from annotation.jobs.celery_tasks import wake
from annotation.models import Role, Study
from annotation.mturk.client import Market
from annotation.outbox.retry import drop, retry
from annotation.publishing.end import close, expire_now
from annotation.publishing.pause import pause, resume
from annotation.publishing.top_up import top_up
from annotation.review import wages as review_wages
from annotation.review.fair_pay import raise_pay

Act = Callable[..., Any]


def _go_on(study: Study, *, actor: str, now: datetime) -> None:
    """Nothing is decided: the loop is woken, which carries out what waits."""


ACTS: dict[str, tuple[Act, Callable[[Any], str]]] = {
    "go-on": (_go_on, lambda done: _("Sending pending actions.")),
    "pause": (pause, lambda done: _("Paused. Workers with an open assignment can still submit.")),
    "resume": (resume, lambda done: _("Resumed. Tasks with open places are available again.")),
    "expire": (
        expire_now,
        lambda done: _("Recruitment stopped. Close the study when all submissions are decided."),
    ),
    "close": (close, lambda done: _("Closed. All collected data are kept here.")),
    "top-up": (
        top_up,
        lambda done: ngettext("%d more place requested.", "%d more places requested.", done.places) % done.places,
    ),
    "retry": (
        retry,
        lambda done: ngettext("%d action will be retried.", "%d actions will be retried.", done.effects) % done.effects,
    ),
    "drop": (drop, lambda done: ngettext("%d action discarded.", "%d actions discarded.", done.effects) % done.effects),
}


@study_page()
def wages(request: HttpRequest, study: Study) -> HttpResponse:
    """What an hour pays: every submission's time is looked at, so it comes behind the page."""
    return _wages(request, study, Floor.of(study, request.GET if "floor" in request.GET else None))


def _wages(request: HttpRequest, study: Study, form: Floor) -> HttpResponse:
    arm_wages = review_wages.arm_wages(study, floor_cents=form.cents())
    context = {
        "study": study,
        "form": form,
        "wages": arm_wages,
        "lacking": any(wage.lacking_cents for wage in arm_wages),
    }
    template = "console/running_wages.html" if "HX-Request" not in request.headers else "console/wages.html"
    return render(request, template, context, status=422 if form.errors else 200)


@require_POST
@study_page(Role.EDITOR)
def act(request: HttpRequest, study: Study, what: str) -> HttpResponse:
    if what not in ACTS:
        raise Http404
    verb, message_of = ACTS[what]
    done = verb(study, actor=request.user.get_username(), now=timezone.now())
    wake(study.pk)
    messages.success(request, message_of(done))
    return redirect("console:progress", study.uuid)


@require_POST
@study_page(Role.OWNER)
def fair_pay(request: HttpRequest, study: Study) -> HttpResponse:
    form = Floor.of(study, request.POST)
    if form.is_valid():
        done = raise_pay(study, floor_cents=form.cents(), actor=request.user.get_username(), now=timezone.now())
        wake(study.pk)
        messages.success(
            request, ngettext("%d bonus will be paid.", "%d bonuses will be paid.", done.bonuses) % done.bonuses
        )
        return redirect("console:progress", study.uuid)
    return _wages(request, study, form)


@study_page()
def compare(request: HttpRequest, study: Study) -> HttpResponse:
    is_draft = study.status == Study.Status.DRAFT
    comparison = None if is_draft else reconcile.compare(study, market=Market(settings.endpoint()))
    return render(request, "console/compare.html", {"study": study, "found": comparison})


@require_POST
@study_page(Role.EDITOR)
def fix_difference(request: HttpRequest, study: Study) -> HttpResponse:
    actor, now = request.user.get_username(), timezone.now()
    if ghost := request.POST.get("ghost"):
        reconcile.close_ghost(study, ghost, market=Market(settings.endpoint()), actor=actor, now=now)
        messages.success(request, _("HIT closed. No more workers can accept it."))
    elif "gone" in request.POST:
        number = reconcile.write_off(study, market=Market(settings.endpoint()), actor=actor, now=now)
        messages.success(request, ngettext("%d HIT marked as deleted.", "%d HITs marked as deleted.", number) % number)
    else:
        number = reconcile.adopt(study, market=Market(settings.endpoint()), actor=actor, now=now)
        messages.success(
            request, ngettext("%d HIT linked to this study.", "%d HITs linked to this study.", number) % number
        )
    wake(study.pk)
    return redirect("console:running-compare", study.uuid)
