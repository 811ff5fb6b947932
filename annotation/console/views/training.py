"""The training items of a study: looked at, written, ordered, brought in and taken out as a file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.training_items import ITEM_FORMS, ImportTraining
from annotation.console.permission import study_page
from annotation.console.training_cards import COLUMN_HELP, training_arms
from annotation.design.training_file import FORMATS, TrainingFile, read_training, write_example, write_training
from annotation.design.training_items import ARMS, items_of
from annotation.design.wording import Wording
from annotation.hits.training_preview import preview_address
from annotation.models import Role, Study
from annotation.readers.problems import FileProblems
from annotation.studies import change_training
from annotation.studies.change_training import current_wording
from annotation.studies.check_training import check_training

MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


@study_page()
def training(request: HttpRequest, study: Study) -> HttpResponse:
    stored, wording = current_wording(study)
    arms, draft = training_arms(study, wording), study.status == Study.Status.DRAFT
    context = {
        "study": study,
        "version": stored.version,
        "arms": arms,
        "removed": _version_in_query(request, "removed"),
        "imported": _version_in_query(request, "imported"),
        "complete": draft and not any(fault.level == "error" for fault in check_training(study, wording)),
        "has_texts": study.texts.judged().exists(),
        "columns": COLUMN_HELP,
        "form": ImportTraining(),
        "writable": draft,
        "hits": study.hits.filter(wording=stored).count(),
    }
    return render(request, "console/training.html", context)


def _version_in_query(request: HttpRequest, name: str) -> int | None:
    """The version of the task text before a change that the address tells of."""
    digits = request.GET.get(name, "")
    return int(digits) if digits.isdecimal() and len(digits) < 6 else None


@study_page(Role.EDITOR)
def add(request: HttpRequest, study: Study, arm: str) -> HttpResponse:
    return _edit(request, study, arm, None)


@study_page(Role.EDITOR)
def edit(request: HttpRequest, study: Study, arm: str, number: int) -> HttpResponse:
    return _edit(request, study, arm, number)


def _edit(request: HttpRequest, study: Study, arm: str, number: int | None) -> HttpResponse:
    stored, wording = current_wording(study)
    form_class, items = _form_of(arm), items_of(wording.training, arm) if arm in ARMS else ()
    if number is not None and not 1 <= number <= len(items):
        raise Http404
    initial = {} if number is None else form_class.initial_of(items[number - 1])
    form = form_class(request.POST or None, initial=initial)
    if form.is_valid():
        with attach_errors(form, above=True):
            if number is None:  # the last place is the last one, whatever was changed meanwhile
                change_training.add_item(study, arm, form.item(), **_by(request))
            else:
                change_training.replace_item(study, arm, number, form.item(), version=_version(request), **_by(request))
            messages.success(request, _("Saved."))
            return _after_saving(request, study, arm)
    context = {"study": study, "form": form, "arm": arm, "number": number, "sides": wording.buttons}
    context["version"] = request.POST.get("version") or stored.version
    return render(request, "console/training_item.html", context, status=422 if form.errors else 200)


def _after_saving(request: HttpRequest, study: Study, arm: str) -> HttpResponse:
    if "another" in request.POST:
        return redirect("console:design-training-add", study.uuid, arm)
    return _to_training(study, arm)


def _form_of(arm: str) -> Any:
    if arm not in ITEM_FORMS:
        raise Http404
    return ITEM_FORMS[arm]


def _by(request: HttpRequest) -> dict[str, Any]:
    return {"actor": request.user.get_username(), "now": timezone.now()}


def _to_training(study: Study, arm: str, **query: int) -> HttpResponse:
    address = reverse("console:design-training", args=[study.uuid])
    return redirect(f"{address}{'?' + urlencode(query) if query else ''}#{arm}")


def _version(request: HttpRequest) -> int | None:
    """The version of the task text that the page showed."""
    digits = request.POST.get("version", "")
    return int(digits) if digits.isdecimal() and len(digits) < 9 else None


@require_POST
@study_page(Role.EDITOR)
def move(request: HttpRequest, study: Study, arm: str, number: int) -> HttpResponse:
    """One place up, or down where the button says so."""
    to = number + (1 if "down" in request.POST else -1)
    change_training.move_item(study, arm, number, to=to, version=_version(request), **_by(request))
    return _to_training(study, f"{arm}-{to}")


@require_POST
@study_page(Role.EDITOR)
def remove(request: HttpRequest, study: Study, arm: str, number: int) -> HttpResponse:
    """The page that follows offers to undo it: the version before is still there."""
    before = current_wording(study)[0].version
    change_training.remove_item(study, arm, number, version=_version(request) or before, **_by(request))
    return _to_training(study, "removed", removed=before)


@require_POST
@study_page(Role.EDITOR)
def restore(request: HttpRequest, study: Study, version: int) -> HttpResponse:
    change_training.restore_items(study, version, version=_version(request), **_by(request))
    messages.success(request, _("The items are as they were before."))
    return _to_training(study, "main")


@study_page()
def preview(request: HttpRequest, study: Study, arm: str) -> HttpResponse:
    """The task page with this training, in a frame without rights."""
    stored, wording = current_wording(study)
    if arm not in ARMS:
        raise Http404
    machine_first, width = request.GET.get("side") == "machine", request.GET.get("width", "phone")
    context = {
        "study": study,
        "arm": arm,
        "items": items_of(wording.training, arm),
        "machine_first": machine_first,
        "width": "desk" if width == "desk" else "phone",
        "address": preview_address(stored, arm, machine_first=machine_first),
    }
    response = render(request, "console/training_preview.html", context)
    response._csp_update = {"frame-src": [settings.HIT_ORIGIN]}  # type: ignore[attr-defined]
    return response


@study_page(Role.EDITOR)
def bring(request: HttpRequest, study: Study) -> HttpResponse:
    """Read a file and store its items; where something about them is odd, show them and ask first."""
    stored, wording = current_wording(study)
    form, read = ImportTraining(request.POST or None, request.FILES or None), None
    if form.is_valid():
        try:
            read = _read(form.cleaned_data["file"])
        except FileProblems as problems:
            _list_problems(form, problems)
    context = {"study": study, "form": form, "columns": COLUMN_HELP}
    if read is not None:
        how = form.cleaned_data["how"]
        shown = training_arms(study, replace(wording, training=read.training))
        if not read.warnings and not any(card.faults for arm in shown for card in arm.cards):
            return _store(request, study, read, how=how, version=stored.version)
        confirm = {"items": write_training(read.training, "jsonl"), "how": how, "version": stored.version}
        context |= {"arms": shown, "warnings": read.warnings, "confirm": confirm, "how": how}
    return render(request, "console/training_import.html", context, status=422 if form.errors else 200)


def _list_problems(form: ImportTraining, problems: FileProblems) -> None:
    """Each problem is a sentence of its own, and the last one says how many there are where not all are listed."""
    for problem in problems.problems:
        form.add_error("file", f"{problems.file}, {problem}")
    if problems.total > len(problems.problems):
        form.add_error("file", _("%d problems in all. Nothing was saved.") % problems.total)


def _read(file: UploadedFile[Any]) -> TrainingFile:
    """Read an upload under its own name, which messages then name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(file.name or "file.csv").name
        path.write_bytes(file.read())
        return read_training(path)


@require_POST
@study_page(Role.EDITOR)
def confirm(request: HttpRequest, study: Study) -> HttpResponse:
    """Store the items that the page before showed; they are read once more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        path.write_text(request.POST.get("items", ""), encoding="utf-8", newline="")
        read = read_training(path)
    return _store(request, study, read, how=request.POST.get("how", ""), version=_version(request))


def _store(request: HttpRequest, study: Study, read: TrainingFile, *, how: str, version: int | None) -> HttpResponse:
    """The page that follows offers to undo it: the version before is still there."""
    before = current_wording(study)[0].version
    change_training.import_items(study, read.training, append=how == "append", version=version, **_by(request))
    return _to_training(study, "main", imported=before)


@study_page()
def export(request: HttpRequest, study: Study, file_format: str) -> HttpResponse:
    """The items of all trainings, in a file that can be imported again."""
    if file_format not in FORMATS:
        raise Http404
    wording: Wording = current_wording(study)[1]
    return _attached(write_training(wording.training, file_format), f"training-{study.name}", file_format)


@study_page()
def example(request: HttpRequest, study: Study) -> HttpResponse:
    """A file to be filled in."""
    return _attached(write_example(), "training-example", "csv")


def _attached(text: str, name: str, file_format: str) -> HttpResponse:
    """A byte order mark lets Excel read a CSV as UTF-8."""
    body = text.encode("utf-8-sig" if file_format == "csv" else "utf-8")
    response = HttpResponse(body, content_type=MEDIA_TYPES[file_format])
    response["Content-Disposition"] = f'attachment; filename="{name}.{file_format}"'
    return response
