"""The design editor, with its price beside it, and the pages as people will see them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.design import ArmsForm, DesignForm, LaterForm
from annotation.console.forms.wording import WordingFile, WordingForm, to_json_text
from annotation.console.permission import study_page, visitor
from annotation.design import queries
from annotation.design.arrange_cells import arrange
from annotation.design.configure import configure
from annotation.design.discard_layout import clear_design
from annotation.design.kinds import kind_called
from annotation.design.lay_out import design as lay_out
from annotation.design.lay_out import takes_long
from annotation.design.preview_time import record_preview_time
from annotation.design.task_kind import check_questions
from annotation.design.wording import from_json
from annotation.exceptions import AssayError, DesignError, StateError
from annotation.hits.mturk_request import page_address
from annotation.hits.wording_preview import edited_address, read_receipt
from annotation.jobs.celery_tasks import ask, ask_to_simulate
from annotation.models import Job, Role, Study, StudyWording
from annotation.publishing import cost_estimate, expected_precision
from annotation.studies.access import may
from annotation.studies.create import reword
from annotation.texts import pile


@study_page()
def design(request: HttpRequest, study: Study) -> HttpResponse:
    if study.status != Study.Status.DRAFT or study.hits.exists():
        return _laid_out(request, study, LaterForm.of(study))
    under_way = study.jobs.filter(kind=Job.Kind.LAY_OUT, state__in=["waiting", "running"]).first()
    context = {
        "study": study,
        "form": DesignForm.of(study),
        "arms": ArmsForm.of(study),
        "bill": cost_estimate.estimate_study(study),
        "proposes": may(study, Role.EDITOR),
    }
    context["under_way"] = under_way
    return render(request, "console/design.html", {**context, "versions": queries.versions(study)})


def _laid_out(request: HttpRequest, study: Study, form: LaterForm) -> HttpResponse:
    context = {
        "study": study,
        "cells": queries.laid_out(study),
        "bill": cost_estimate.estimate_study(study),
        "form": form,
    }
    return render(request, "console/design_laid_out.html", context, status=422 if form.errors else 200)


@require_POST
@study_page(Role.EDITOR)
def later(request: HttpRequest, study: Study) -> HttpResponse:
    """Change what does not touch the tasks: money, people, times. Afterwards only the retention date may change."""
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study.name} is published. Change its retention date on the page Retention.")
    form = LaterForm.of(study, request.POST)
    if form.is_valid():
        with attach_errors(form, above=True):
            configure(study, form.cleaned_data, actor=request.user.get_username(), now=timezone.now())
            messages.success(request, _("Saved."))
            return redirect("console:design", study.uuid)
    return _laid_out(request, study, form)


@require_POST
@study_page(Role.EDITOR)
def save(request: HttpRequest, study: Study) -> HttpResponse:
    """Store the design; with the button that says so, deal the texts into HITs as well."""
    form, arms = DesignForm.of(study, request.POST), ArmsForm.posted(study, request.POST)
    if all([form.is_valid(), arms.is_valid()]):
        with attach_errors(form, arms, above=True):
            return _store(request, study, form, arms)
    bill = cost_estimate.estimate_study(study)
    context = {"study": study, "form": form, "arms": arms, "bill": bill, "proposes": True}
    return render(request, "console/design.html", {**context, "versions": queries.versions(study)}, status=422)


def _store(request: HttpRequest, study: Study, form: DesignForm, arms: ArmsForm) -> HttpResponse:
    actor, now = request.user.get_username(), timezone.now()
    study_pile = pile.pile(study)
    if "pay_minimum" in request.POST:
        _pay_minimum(study, form.cleaned_data, arms, study_pile)
    configure(study, form.cleaned_data, actor=actor, now=now)
    arrange(study, arms.arms(study.reward_cents), arms.cells(study_pile), actor=actor, now=now)
    if "lay_out" in request.POST:
        return _create_tasks(request, study)
    if "training" in request.POST:
        return redirect("console:design-training", study.uuid)
    messages.success(request, _("Design saved."))
    return redirect("console:design", study.uuid)


def _pay_minimum(study: Study, fields: dict[str, Any], arms: ArmsForm, study_pile: pile.Pile) -> None:
    """Change the reward of the form, in every training, to what the bill of the form states as the minimum."""
    study.currency = fields["currency"]
    bill = cost_estimate.estimate_forms(study, fields, arms.cells(study_pile), arms.arms(fields["reward_cents"]))
    if bill.estimate.fair_cents is not None and bill.reward_cents is not None:
        fields["reward_cents"], arms.cleaned_data["same_pay"] = bill.estimate.fair_cents, True


@require_POST
@study_page(Role.EDITOR)
def create_tasks(request: HttpRequest, study: Study) -> HttpResponse:
    """Deal the texts into HITs by the design as it is stored."""
    return _create_tasks(request, study)


def _create_tasks(request: HttpRequest, study: Study) -> HttpResponse:
    actor, now = request.user.get_username(), timezone.now()
    if takes_long(study):
        return redirect("console:job", ask(Job.Kind.LAY_OUT, by=visitor(request), now=now, study=study).uuid)
    layout = lay_out(study, actor=actor, now=now)
    messages.success(
        request,
        _("%(hits)d tasks with %(places)d places created.") % {"hits": layout.hits, "places": layout.assignments},
    )
    return redirect("console:preview", study.uuid)


@require_POST
@study_page(Role.EDITOR)
def price(request: HttpRequest, study: Study) -> HttpResponse:
    """The bill of the form as it stands, for the page that moves."""
    form, arms = DesignForm.of(study, request.POST), ArmsForm.posted(study, request.POST)
    if not (form.is_valid() and arms.is_valid()):
        return render(
            request, "console/bill.html", {"study": study, "bill": cost_estimate.estimate_study(study), "stale": True}
        )
    fields = form.cleaned_data
    study.currency = fields["currency"]  # of the form, which may not be stored yet
    bill = cost_estimate.estimate_forms(study, fields, arms.cells(pile.pile(study)), arms.arms(fields["reward_cents"]))
    return render(request, "console/bill.html", {"study": study, "bill": bill, "proposes": True})


def _number(request: HttpRequest, name: str) -> int | None:
    """A number below 100,000 that the address asks for; of money, below 1,000,000,000."""
    digits = request.GET.get(name, "")
    longest = 9 if name in ("cents", "budget") else 5
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= longest else None


@study_page()
def precision(request: HttpRequest, study: Study) -> HttpResponse:
    """A part of the page, which comes after it: simulated by a job, which the part begins where there is none."""
    names = ("contexts", "raters", "per_hit", "evaluators", "cents")
    numbers = {name: _number(request, name) or 0 for name in names}
    per_hit, context = max(1, numbers["per_hit"]), {"study": study, "here": request.get_full_path()}
    size = expected_precision.size_to_simulate(
        study, contexts=min(numbers["contexts"], 2_000), raters=min(max(1, numbers["raters"]), 200), per_hit=per_hit
    )
    if size is None:
        evaluators = numbers["evaluators"] or None
        context["expected"] = expected_precision.precision_of_accuracy(study, per_hit=per_hit, evaluators=evaluators)
        return render(request, "console/precision.html", context)
    job = expected_precision.simulation_of(study, size)
    if request.method == "POST" and (job is None or job.state == Job.State.FAILED):
        job = ask_to_simulate(study, size, by=visitor(request), now=timezone.now())
    if job is not None and job.state == Job.State.DONE:
        context["expected"] = expected_precision.precision_from(
            job.outcome, size, cents=numbers["cents"], budget=_number(request, "budget")
        )
    return render(request, "console/precision.html", {**context, "job": job})


@require_POST
@study_page(Role.EDITOR)
def clear(request: HttpRequest, study: Study) -> HttpResponse:
    clear_design(study, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, _("Tasks discarded. Texts and design are unchanged."))
    return redirect("console:design", study.uuid)


@study_page(Role.EDITOR)
def wording(request: HttpRequest, study: Study) -> HttpResponse:
    before = from_json(_version(study, _number(request, "version")).body)
    form = WordingForm(request.POST, wording=before) if request.method == "POST" else WordingForm.of(before)
    if form.is_valid():
        with attach_errors(form, above=True):
            version = reword(study, form.wording(), actor=request.user.get_username(), now=timezone.now())
            messages.success(request, _("Task text saved as version %d.") % version.version)
            return redirect("console:design", study.uuid)
    context = {"study": study, "form": form, "versions": queries.versions(study)}
    response = render(request, "console/wording.html", context, status=422 if form.errors else 200)
    response._csp_update = {"frame-src": [settings.HIT_ORIGIN]}  # type: ignore[attr-defined]
    return response


@require_POST
@study_page(Role.EDITOR)
def wording_preview(request: HttpRequest, study: Study) -> HttpResponse:
    """The task page with the words of the form as it stands, to be answered; what cannot be shown says why."""
    stored = _version(study, None)
    form = WordingForm(request.POST, wording=from_json(stored.body))
    context = {"study": study, "width": "desk" if request.POST.get("look_width") == "desk" else "phone"}
    if form.is_valid():
        try:
            edited = form.wording()
            check_questions(kind_called(study.task), edited)
            return render(
                request,
                "console/wording_preview.html",
                {**context, "address": edited_address(stored, edited)},
            )
        except DesignError as error:
            context["problem"] = str(error)
    return render(request, "console/wording_preview.html", context)


@require_POST
@study_page(Role.EDITOR)
def preview_time(request: HttpRequest, study: Study) -> HttpResponse:
    """Store the time that the task page beside the form measured, in the name of who is signed in."""
    receipt = read_receipt(request.POST.get("receipt", ""))
    if receipt is None or receipt.study != study.pk:
        raise Http404
    context = {"receipt": receipt, "study": study, "problem": ""}
    try:
        record_preview_time(
            study,
            answered=receipt.answered,
            median_seconds=receipt.median_seconds,
            questions=receipt.questions,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except AssayError as error:
        context["problem"] = str(error)
    return render(request, "console/preview_time.html", context)


@study_page(Role.EDITOR)
def wording_file(request: HttpRequest, study: Study) -> HttpResponse:
    """All words as a file: the version that the address names, or the one in use."""
    stored = _version(study, _number(request, "version"))
    response = HttpResponse(to_json_text(from_json(stored.body)), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="task-text-{study.name}-{stored.version}.json"'
    return response


@study_page(Role.EDITOR)
def upload_wording(request: HttpRequest, study: Study) -> HttpResponse:
    """Take the words of a file as the latest version."""
    form = WordingFile(request.POST or None, request.FILES or None)
    if form.is_valid():
        with attach_errors(form, above=True):
            version = reword(study, form.wording(), actor=request.user.get_username(), now=timezone.now())
            messages.success(request, _("Task text saved as version %d.") % version.version)
            return redirect("console:design-wording", study.uuid)
    context = {"study": study, "form": form}
    return render(request, "console/wording_file.html", context, status=422 if form.errors else 200)


def _version(study: Study, number: int | None) -> StudyWording:
    """That version of the words, or the one in use."""
    stored = study.wordings.all() if number is None else study.wordings.filter(version=number)
    version = stored.last()
    if version is None:
        raise Http404
    return version


@require_POST
@study_page(Role.EDITOR)
def use_again(request: HttpRequest, study: Study, version: int) -> HttpResponse:
    """Go back to an older version of the words: it is stored once more, as the latest."""
    older = from_json(_version(study, version).body)
    newer = reword(study, older, actor=request.user.get_username(), now=timezone.now())
    messages.success(
        request, _("Version %(old)d is in use again, as version %(new)d.") % {"old": version, "new": newer.version}
    )
    return redirect("console:design-wording", study.uuid)


@study_page()
def preview(request: HttpRequest, study: Study) -> HttpResponse:
    """One HIT after the other in a frame without rights, as wide as a telephone or a desk."""
    hits = study.hits.select_related("cell__arm", "cell__generator").order_by("slot")
    count = hits.count()
    number = min(max(_number(request, "hit") or 1, 1), max(count, 1))
    hit = hits.filter(slot=number - 1).first()
    width = "desk" if request.GET.get("width") == "desk" else "phone"
    context = {
        "study": study,
        "hit": hit,
        "number": number,
        "count": count,
        "width": width,
        "bill": cost_estimate.estimate_study(study),
    }
    response = render(request, "console/preview.html", {**context, "address": page_address(hit) if hit else ""})
    response._csp_update = {"frame-src": [settings.HIT_ORIGIN]}  # type: ignore[attr-defined]
    return response
