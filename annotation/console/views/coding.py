"""Coding of explanations by two people, their agreement, and the settling of what they see differently."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation import coded, desk
from annotation.console.forms.desk import CodebookForm, Codes
from annotation.console.permission import study_page, visitor
from annotation.exceptions import StateError
from annotation.flows import code_reasons
from annotation.models import Codebook, Remark, Role, Study
from metrics.comments import NULL


@require_safe
@study_page(Role.REVIEWER)
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    books = [coded.standing(study, purpose) for purpose in Codebook.Purpose.values]
    parts = [
        {
            "standing": one,
            "next": desk.to_code(study, one.book, visitor(request)) if one.book else None,
            "unsettled": desk.to_settle(study, one.book) if one.book else [],
            "form": Codes(known=one.codes),
            "edit": CodebookForm(initial={"lines": one.lines}, auto_id=f"{one.purpose}-%s"),
        }
        for one in books
    ]
    return render(request, "console/coding.html", {"study": study, "parts": parts})


@require_POST
@study_page(Role.EDITOR)
def book(request: HttpRequest, study: Study, purpose: str) -> HttpResponse:
    form = CodebookForm(request.POST)
    if not form.is_valid():
        raise StateError(_("A codebook has a line at least."))
    categories = coded.read_lines(form.cleaned_data["lines"].splitlines())
    made = code_reasons.edit_codebook(study, purpose, categories, actor=visitor(request), now=timezone.now())
    messages.success(request, _("Version %(number)s of the codebook holds from now on.") % {"number": made.number})
    return redirect("console:coding", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def code(request: HttpRequest, study: Study, purpose: str, remark: int) -> HttpResponse:
    one, held = _about(study, purpose, remark)
    code_reasons.code(one, held, _chosen(request), coder=visitor(request), now=timezone.now())
    return redirect("console:coding", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def settle(request: HttpRequest, study: Study, purpose: str, remark: int) -> HttpResponse:
    one, held = _about(study, purpose, remark)
    code_reasons.adjudicate(one, held, _chosen(request), actor=visitor(request), now=timezone.now())
    return redirect("console:coding", study.uuid)


def _about(study: Study, purpose: str, remark: int) -> tuple[Remark, Codebook]:
    rows = Remark.objects.select_related("presentation__submission__hit")
    one = rows.filter(pk=remark, presentation__submission__hit__study=study).first()
    held = coded.current(study, purpose)
    if one is None or held is None:
        raise Http404
    return one, held


def _chosen(request: HttpRequest) -> list[str]:
    return request.POST.getlist("codes") or [NULL]
