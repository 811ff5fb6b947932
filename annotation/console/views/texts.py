"""Texts: looked at, brought in, chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.texts import SelectTexts, UploadTexts
from annotation.console.permission import study_page, visitor
from annotation.design.lay_out import MAX_TEXTS_AT_ONCE
from annotation.importing.add_samples import add_samples, has_samples
from annotation.jobs import queue
from annotation.jobs.celery_tasks import ask
from annotation.jobs.look_now import look_now
from annotation.jobs.run import run
from annotation.models import Job, Role, Study
from annotation.publishing import cost_estimate
from annotation.readers.foreign.our_form import is_our_form
from annotation.texts import pile, queries
from annotation.texts.select import TextsSelected, select_texts

LINES = 100


@study_page()
def texts(request: HttpRequest, study: Study) -> HttpResponse:
    filters = {name: request.GET.get(name, "").strip() for name in ("words", "side", "state")}
    paginator = Paginator(pile.filter_texts(study, **filters), LINES)
    context = {
        "study": study, "page": paginator.get_page(request.GET.get("page")), "asked": filters,
        "bill": cost_estimate.estimate_study(study),
        "sides": list(study.generators.order_by("name").values_list("name", flat=True)),
        "pile": pile.pile(study), "selection": queries.selection(study),
        "query": urlencode({name: value for name, value in filters.items() if value}) + "&",
    }  # fmt: skip
    return render(request, "console/texts.html", context)


@study_page(Role.EDITOR)
def add(request: HttpRequest, study: Study) -> HttpResponse:
    form = UploadTexts(request.POST or None, request.FILES or None)
    if form.is_valid():
        options = {
            name: form.cleaned_data[name]
            for name in ("generator", "columns", "sources", "encoding", "delimiter", "allow")
        }
        options |= form.stored_files()
        return redirect(*_look_or_check(request, study, options))
    context = {"study": study, "form": form, "bill": cost_estimate.estimate_study(study), "samples": has_samples(study)}
    return render(request, "console/texts_add.html", context, status=422 if form.errors else 200)


def _look_or_check(request: HttpRequest, study: Study, options: dict[str, Any]) -> tuple[Any, ...]:
    """To the menus of columns; a file with our own columns, or whose names were typed, is checked at once."""
    by: dict[str, Any] = {"by": visitor(request), "now": timezone.now()}
    typed = any(options[name] for name in ("columns", "sources", "delimiter"))
    if not typed and not is_our_form(Path(options["path"]), options["encoding"]):
        plain = {name: value for name, value in options.items() if value and name != "generator"}
        look = look_now(study=study, settings=plain, **by)
        readable = look.state == Job.State.DONE and look.outcome["look"]["columns"] and not look.outcome["refused"]
        return ("console:texts-columns", study.uuid, look.uuid) if readable else ("console:job", look.uuid)
    return "console:job", ask(Job.Kind.CHECK_TEXTS, study=study, settings=options, **by).uuid


@require_POST
@study_page(Role.EDITOR)
def use_samples(request: HttpRequest, study: Study) -> HttpResponse:
    """Add the sample texts of the task type; to the design."""
    raters = study.evaluators_per_cell
    count = add_samples(study, actor=request.user.get_username(), now=timezone.now()).texts
    messages.success(request, ngettext("%d sample text was added.", "%d sample texts were added.", count) % count)
    if study.evaluators_per_cell != raters:
        change = _("For this try, raters per condition were reduced from %(before)d to %(after)d.")
        messages.success(request, change % {"before": raters, "after": study.evaluators_per_cell})
    return redirect("console:design", study.uuid)


@require_POST
@study_page(Role.EDITOR)
def confirm(request: HttpRequest, study: Study) -> HttpResponse:
    """Add the texts of a file that was checked and found sound: it is read once more as it is stored; to the design."""
    checked = get_object_or_404(study.jobs, uuid=request.POST.get("job"), kind=Job.Kind.CHECK_TEXTS, state="done")
    few = checked.outcome["texts"] <= MAX_TEXTS_AT_ONCE
    by: dict[str, Any] = {"by": visitor(request), "now": timezone.now()}
    job = (queue.ask if few else ask)(Job.Kind.ADD_TEXTS, study=study, settings=checked.settings, **by)
    # Few texts are stored while their owner waits; somebody who pressed twice sees how far the first press is.
    if few and (running := queue.take(now=timezone.now(), only=job)):
        run(running)
        job.refresh_from_db()
    if job.state != Job.State.DONE:
        return redirect("console:job", job.uuid)
    count = job.outcome["texts"]
    messages.success(request, ngettext("%d text was added.", "%d texts were added.", count) % count)
    return redirect("console:design", study.uuid)


@study_page(Role.EDITOR)
def select(request: HttpRequest, study: Study) -> HttpResponse:
    form, tried = SelectTexts(request.POST or None), None
    if form.is_valid():
        with attach_errors(form, above=True):
            tried = _selected(request, study, form)
            if tried.number is not None:
                messages.success(request, _("%d texts selected.") % tried.kept)
                return redirect("console:texts", study.uuid)
    context = {"study": study, "form": form, "tried": tried, "stored": queries.selection(study)}
    context["texts"] = study.texts.exists()
    return render(request, "console/texts_select.html", context, status=422 if form.errors else 200)


def _selected(request: HttpRequest, study: Study, form: SelectTexts) -> TextsSelected:
    return select_texts(
        study, {"steps": form.steps()}, actor=request.user.get_username(), now=timezone.now(),
        dry_run="apply" not in request.POST, drop_log_probs=form.cleaned_data["drop_log_probs"],
    )  # fmt: skip
