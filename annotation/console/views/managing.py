"""Duplicate, rename and archive a study."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.study_names import CopyStudy, RenameStudy, RepeatStudy
from annotation.console.permission import study_page, visitor
from annotation.models import Role, Study
from annotation.reports.replicate_study import replicate
from annotation.studies.archive import archive, unarchive
from annotation.studies.duplicate import duplicate
from annotation.studies.rename import rename


@study_page()
def manage(request: HttpRequest, study: Study) -> HttpResponse:
    return _shown(request, study)


def _shown(request: HttpRequest, study: Study, **forms: Any) -> HttpResponse:
    context = {
        "copying": CopyStudy(initial={"copy_name": f"{study.name}-copy"[:100]}),
        "naming": RenameStudy(),
        "repeating": RepeatStudy(initial={"repeat_name": f"{study.name}-again"[:100]}),
        **forms,
    }
    form = next((form for form in forms.values() if form.errors), None)
    return render(
        request, "console/manage.html", {"study": study, **context, "form": form}, status=422 if form else 200
    )


@require_POST
@study_page()
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    form = CopyStudy(request.POST)
    if form.is_valid():
        fields, owner = form.cleaned_data, visitor(request)
        with attach_errors(form, above=True, name="copy_name"):
            options = {"with_texts": fields["with_texts"], "keep_seed": fields["keep_seed"], "owner": owner}
            done = duplicate(study, fields["copy_name"], actor=owner.get_username(), now=timezone.now(), **options)
            messages.success(request, _("Study duplicated. You are looking at the copy, which you own."))
            return redirect("console:overview", done.study.uuid)
    return _shown(request, study, copying=form)


@require_POST
@study_page(Role.REVIEWER)
def repeat(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a draft that repeats the study, from its snapshot."""
    form = RepeatStudy(request.POST)
    if form.is_valid():
        fields, owner = form.cleaned_data, visitor(request)
        with attach_errors(form, above=True, name="repeat_name"):
            how = {"people": fields["people"], "anchors": fields["anchors"], "owner": owner}
            done = replicate(study, fields["repeat_name"], actor=owner.get_username(), now=timezone.now(), **how)
            messages.success(request, _("Study created. It repeats %(study)s, and you own it.") % {"study": study})
            return redirect("console:overview", done.study.uuid)
    return _shown(request, study, repeating=form)


@require_POST
@study_page(Role.OWNER)
def name(request: HttpRequest, study: Study) -> HttpResponse:
    form = RenameStudy(request.POST)
    if form.is_valid():
        with attach_errors(form):
            if rename(study, form.cleaned_data["name"], actor=visitor(request).get_username(), now=timezone.now()):
                messages.success(request, _("Study renamed."))
            return redirect("console:manage", study.uuid)
    return _shown(request, study, naming=form)


@require_POST
@study_page(Role.OWNER)
def away(request: HttpRequest, study: Study) -> HttpResponse:
    if archive(study, actor=visitor(request).get_username(), now=timezone.now()):
        messages.success(request, _("Study archived. Find it in the list with the state “Archived”."))
    return redirect("console:manage", study.uuid)


@require_POST
@study_page(Role.OWNER)
def back(request: HttpRequest, study: Study) -> HttpResponse:
    if unarchive(study, actor=visitor(request).get_username(), now=timezone.now()):
        messages.success(request, _("The study is in the list of studies again."))
    return redirect("console:manage", study.uuid)
