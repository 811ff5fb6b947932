"""Coding of explanations by two people, their agreement, and the settling of what they see differently."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.console.form_errors import attach_errors
from annotation.console.forms.review import CodebookForm, CodesForm
from annotation.console.permission import study_page, visitor
from annotation.models import Codebook, Remark, Role, Study
from annotation.quality import code_explanations, coder_agreement, coding_queue
from metrics.evaluators.comment_codes import NULL

KEYS = "1234567890abcdefghijklmnop"


@require_safe
@study_page(Role.REVIEWER)
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    return _shown(request, study)


def _shown(request: HttpRequest, study: Study, refused: Refused | None = None) -> HttpResponse:
    parts = [_part(request, study, purpose) for purpose in Codebook.Purpose.values]
    for part in parts:
        if refused and part["standing"].purpose == refused.purpose:
            part |= refused.shown(part["standing"])
    _give_keys(parts)
    context = {"study": study, "parts": parts, "form": refused and refused.form}
    context["explained"] = any(part["standing"].remarks for part in parts)
    return render(request, "console/coding.html", context, status=422 if refused else 200)


@dataclass(frozen=True)
class Refused:
    """What was sent and cannot be: an edited codebook (`edit`), or the codes of an explanation (`code`, `settle`)."""

    form: Form
    purpose: str
    name: str
    remark: Remark | None = None

    def shown(self, progress: coder_agreement.CodingProgress) -> dict[str, Any]:
        """The part of the page in which it stands again, with what is wrong beside it."""
        if self.remark is None:
            return {self.name: self.form}
        if wrong := self.form.errors.get("codes"):
            return {self.name: _sheet(progress, self.remark, self.form.data["codes"]) | {"wrong": wrong}}
        return {}


def _give_keys(parts: list[dict[str, Any]]) -> None:
    """One sheet hears the keys: the first with something to code, else to settle; `u` is for its codebook's last."""
    open_ones = [(part, part[name]) for name in ("code", "settle") for part in parts if part[name]]
    for part, sheet in open_ones[:1]:
        part["keyed"] = sheet["keyed"] = True
        for key, choice in zip(KEYS, sheet["choices"], strict=False):
            choice["key"] = key
    if not open_ones:
        for part in [part for part in parts if part["last"]][:1]:
            part["keyed"] = True


def _part(request: HttpRequest, study: Study, purpose: str) -> dict[str, Any]:
    """A codebook with what this person can do by it: the next explanation, or their last one to be changed."""
    progress = coder_agreement.coding_progress(study, purpose)
    edit = CodebookForm(initial={"lines": progress.lines}, auto_id=f"{purpose}-%s")
    part: dict[str, Any] = {"standing": progress, "edit": edit, "code": None, "settle": None, "last": None}
    if progress.book is None:
        return part
    waiting, unsettled = (
        coding_queue.to_code(study, progress.book, visitor(request)),
        coding_queue.to_settle(study, progress.book),
    )
    last = coding_queue.last_coded(progress.book, visitor(request))
    if last and request.GET.get("redo") == purpose:
        part["code"] = _sheet(progress, last.remark, last.codes) | {"redo": True}
    elif following := waiting.first():
        part["code"] = _sheet(progress, following, ())
    if unsettled:
        alike = set.intersection(*(set(coding.codes) for coding in unsettled[0].codings.all()))
        part["settle"] = _sheet(progress, unsettled[0], alike)
    return part | {"last": last, "left": waiting.count(), "unsettled": len(unsettled)}


def _sheet(progress: coder_agreement.CodingProgress, remark: Remark, checked: Collection[str]) -> dict[str, Any]:
    choices = [
        {"code": code, "category": progress.category[code], "checked": code in checked} for code in progress.codes
    ]
    return {"remark": remark, "choices": choices}


@require_POST
@study_page(Role.EDITOR)
def book(request: HttpRequest, study: Study, purpose: str) -> HttpResponse:
    form = CodebookForm(request.POST, auto_id=f"{purpose}-%s")
    if form.is_valid():
        with attach_errors(form, categories="lines"):
            categories = coder_agreement.read_lines(form.cleaned_data["lines"].splitlines())
            codebook = code_explanations.edit_codebook(
                study, purpose, categories, actor=visitor(request), now=timezone.now()
            )
            message = _("Codebook saved as version %(number)s.") % {"number": codebook.number}
            messages.success(request, message)
            return _back(study, purpose)
    return _shown(request, study, Refused(form, purpose, "edit"))


@require_POST
@study_page(Role.REVIEWER)
def code(request: HttpRequest, study: Study, purpose: str, remark: int) -> HttpResponse:
    explanation, held = _about(study, purpose, remark)
    form = _chosen(request, f"{purpose}-%s")
    with attach_errors(form, above=True):
        code_explanations.code(
            explanation, held, form.cleaned_data["codes"], coder=visitor(request), now=timezone.now()
        )
        return _back(study, purpose)
    return _shown(request, study, Refused(form, purpose, "code", explanation))


@require_POST
@study_page(Role.REVIEWER)
def settle(request: HttpRequest, study: Study, purpose: str, remark: int) -> HttpResponse:
    explanation, held = _about(study, purpose, remark)
    form = _chosen(request, f"settle-{purpose}-%s")
    with attach_errors(form, above=True):
        code_explanations.adjudicate(
            explanation, held, form.cleaned_data["codes"], actor=visitor(request), now=timezone.now()
        )
        return _back(study, purpose)
    return _shown(request, study, Refused(form, purpose, "settle", explanation))


def _back(study: Study, purpose: str) -> HttpResponse:
    """To where the next explanation of that codebook stands."""
    return redirect(f"{reverse('console:coding', args=[study.uuid])}#part-{purpose}")


def _about(study: Study, purpose: str, remark: int) -> tuple[Remark, Codebook]:
    rows = Remark.objects.select_related("presentation__submission__hit")
    explanation = rows.filter(pk=remark, presentation__submission__hit__study=study).first()
    held = coder_agreement.current(study, purpose)
    if explanation is None or held is None:
        raise Http404
    return explanation, held


def _chosen(request: HttpRequest, auto_id: str) -> CodesForm:
    form = CodesForm({"codes": request.POST.getlist("codes") or [NULL]}, auto_id=auto_id)
    form.is_valid()
    return form
