"""The plan of a study: its facts, what is still to be answered, sealing, amendments, files for registries."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.plan_answers import PlanForm
from annotation.console.permission import study_page, visitor
from annotation.models import Role, Study
from annotation.reports.papers.plan_items import FORMS, items_of, open_questions
from annotation.reports.papers.plan_paper import FORMATS, LABELS, plan_file, plan_now
from annotation.studies.access import may
from annotation.studies.freeze_plan import amend_plan, save_answers, seal_plan, sealed_plans
from annotation.studies.plan_document import questions

TYPES = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


@study_page()
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


def _form(study: Study, data: Any = None) -> PlanForm:
    document, sealed = plan_now(study)
    return PlanForm.of(
        questions(document), document["answers"], data, sealed=sealed is not None, fixed=not may(study, Role.EDITOR)
    )


def _page(request: HttpRequest, study: Study, form: PlanForm | None = None) -> HttpResponse:
    document, sealed = plan_now(study)
    context = {
        "study": study,
        "form": form or _form(study),
        "sealed": sealed,
        "versions": sealed_plans(study),
        "items": items_of(document, "osf"),
        "missing": [LABELS[key] for key in open_questions(document)],
        "registries": [(key, label) for key, (label, _items) in FORMS.items()],
        "formats": FORMATS,
    }
    return render(request, "console/plan.html", context, status=422 if form and form.errors else 200)


@require_POST
@study_page(Role.EDITOR)
def save(request: HttpRequest, study: Study) -> HttpResponse:
    """Store answers; of a sealed plan, as an amendment."""
    form = _form(study, request.POST)
    if form.is_valid():
        who, now = visitor(request).get_username(), timezone.now()
        with attach_errors(form, above=True):
            if "reason" in form.fields:
                amend_plan(study, form.answers(), reason=form.cleaned_data["reason"], actor=who, now=now)
                messages.success(request, _("Amendment stored."))
            else:
                save_answers(study, form.answers(), actor=who, now=now)
                messages.success(request, _("Saved."))
            return redirect("console:plan", study.uuid)
    return _page(request, study, form)


@require_POST
@study_page(Role.EDITOR)
def seal(request: HttpRequest, study: Study) -> HttpResponse:
    seal_plan(study, actor=visitor(request).get_username(), now=timezone.now())
    messages.success(request, _("Plan sealed. Later changes are stored as amendments."))
    return redirect("console:plan", study.uuid)


@study_page()
def download(request: HttpRequest, study: Study, registry: str, number: int, file_format: str) -> HttpResponse:
    """number: of a sealed version; 0: as it is now."""
    content = plan_file(study, registry, file_format, now=timezone.now(), number=number or None)
    response = HttpResponse(content, content_type=TYPES[file_format])
    name = f"plan-{study.name}-{registry}.{file_format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
