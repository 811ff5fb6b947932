"""Data protection: one person's records and their erasure, and the record of processing. For administrators."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.console.form_errors import attach_errors
from annotation.console.forms.person import ErasePerson, FindPerson
from annotation.console.permission import console_page, refused, study_page, visitor
from annotation.jobs.data_protection import erase, person
from annotation.jobs.data_protection.processing_record import record_of_installation, record_of_study
from annotation.models import PersonRequest, Role, Study

LINES = 20
# Both forms have a field for the name: on one page their ids differ.
ERASE_ID = "erase_%s"


@console_page
def overview(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, **context: Any) -> HttpResponse:
    if not visitor(request).is_superuser:
        return refused(request, _("Only an administrator of this installation can see this page"), status=403)
    shown = {
        "finding": FindPerson(),
        "requests": PersonRequest.objects.order_by("-at", "-pk")[:LINES],
        "record": record_of_installation(now=timezone.now()),
        **context,
    }
    forms = [form for form in context.values() if isinstance(form, FindPerson) and form.errors]
    return render(
        request,
        "console/data_protection.html",
        {**shown, "form": forms[0] if forms else None},
        status=422 if forms else 200,
    )


def _actor(request: HttpRequest) -> dict[str, Any]:
    user = visitor(request)
    return {"actor": user, "actor_name": user.get_username(), "now": timezone.now()}


@require_POST
@console_page
def show(request: HttpRequest) -> HttpResponse:
    """What is stored of the person, by table; or all of it as a file. The name is in no address."""
    form = FindPerson(request.POST)
    if form.is_valid():
        with attach_errors(form):
            stored = person.show_person(**form.cleaned_data, **_actor(request))
            if "file" in request.POST:
                response = HttpResponse(stored.document(now=timezone.now()), content_type="application/json")
                response["Content-Disposition"] = 'attachment; filename="person.json"'
                return response
            return _page(
                request, stored=stored, finding=form, erasing=ErasePerson(initial=form.cleaned_data, auto_id=ERASE_ID)
            )
    return _page(request, finding=form)


@require_POST
@console_page
def erase_person(request: HttpRequest) -> HttpResponse:
    form = ErasePerson(request.POST, auto_id=ERASE_ID)
    if form.is_valid():
        fields = form.cleaned_data
        wish = erase.ErasureRequest(fields["answers"] == "erase", fields["reason"], fields["unpaid"])
        with attach_errors(form):
            return _page(request, erased=erase.erase_person(fields["name"], wish, **_actor(request)))
    return _page(request, erasing=form)


@require_safe
@console_page
def installation_record(request: HttpRequest) -> HttpResponse:
    if not visitor(request).is_superuser:
        return refused(request, _("Only an administrator of this installation can see this page"), status=403)
    return _download(record_of_installation(now=timezone.now()).markdown(), "processing.md")


@require_safe
@study_page(Role.REVIEWER)
def study_record(request: HttpRequest, study: Study) -> HttpResponse:
    return _download(record_of_study(study, now=timezone.now()).markdown(), f"processing-{study.name}.md")


def _download(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
