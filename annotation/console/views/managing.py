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
from annotation.jobs.celery_tasks import ask_to_copy
from annotation.models import Job, Role, Study
from annotation.reports import replicate_study
from annotation.studies import duplicate
from annotation.studies.archive import archive, unarchive
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
        by, now, options = visitor(request), timezone.now(), dict(form.cleaned_data)
        name = options.pop("copy_name")
        with attach_errors(form, above=True, name="copy_name"):
            if duplicate.takes_long(study, with_texts=options["with_texts"]):
                duplicate.check_copy(study, name)
                settings = {"name": name, **options}
                job = ask_to_copy(Job.Kind.DUPLICATE, study, by=by, now=now, settings=settings)
                return redirect("console:job", job.uuid)
            done = duplicate.duplicate(study, name, owner=by, actor=by.get_username(), now=now, **options)
            messages.success(request, _("Study duplicated. You are looking at the copy, which you own."))
            return redirect("console:overview", done.study.uuid)
    return _shown(request, study, copying=form)


@require_POST
@study_page(Role.REVIEWER)
def repeat(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a draft that repeats the study, from its snapshot."""
    form = RepeatStudy(request.POST)
    if form.is_valid():
        by, now, options = visitor(request), timezone.now(), dict(form.cleaned_data)
        name = options.pop("repeat_name")
        with attach_errors(form, above=True, name="repeat_name"):
            if replicate_study.takes_long(study):
                replicate_study.check_repetition(study, name, options["people"])
                settings = {"name": name, "seed": 1, **options}
                job = ask_to_copy(Job.Kind.REPEAT, study, by=by, now=now, settings=settings)
                return redirect("console:job", job.uuid)
            done = replicate_study.replicate(study, name, owner=by, actor=by.get_username(), now=now, **options)
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
