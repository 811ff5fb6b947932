"""The columns of an uploaded file: chosen from menus, with the first rows as they would be read."""

from __future__ import annotations

from itertools import islice
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.columns import FORM_FIELDS, MapRatings, MapTexts
from annotation.console.permission import console_page, study_page, visitor
from annotation.importing.saved_mappings import mapping_named, named_mappings, recall_mapping, remember_mapping
from annotation.jobs.celery_tasks import ask
from annotation.jobs.look_now import look_now
from annotation.models import Job, Role, SavedMapping, Study
from annotation.readers.foreign.look import FileLook, look_from_json
from annotation.readers.foreign.ratings_mapping import preview_ratings, ratings_mapping_from_json
from annotation.readers.foreign.text_mapping import cells_of_row, mapping_from_json
from annotation.readers.rows import Row

PREVIEW = 8
TEXTS, RATINGS = SavedMapping.Kind.TEXTS, SavedMapping.Kind.RATINGS
Form = MapTexts | MapRatings


@study_page(Role.EDITOR)
def columns(request: HttpRequest, study: Study, job_id: UUID) -> HttpResponse:
    """Choose what the columns hold; the whole file is checked then."""
    job = get_object_or_404(study.jobs, uuid=job_id, kind=Job.Kind.LOOK_AT_FILE, state="done")
    form, base = _form(request, job)
    if request.method == "POST" and form.is_valid():
        if "again" in request.POST:
            return redirect("console:texts-columns", study.uuid, _read_again(request, job, form).uuid)
        with attach_errors(form, above=True):
            settings = _remembered(request, job, form, base)
            check = ask(Job.Kind.CHECK_TEXTS, by=visitor(request), now=timezone.now(), study=study, settings=settings)
            return redirect("console:job", check.uuid)
    status = 422 if form.errors else 200
    return render(request, "console/columns.html", {"study": study, **_context(request, job, form)}, status=status)


@console_page
def rating_columns(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """As `columns`, for ratings, which become a study of their own."""
    job = _rating_job(request, job_id)
    form, base = _form(request, job)
    if request.method == "POST" and form.is_valid():
        if "again" in request.POST:
            return redirect("console:studies-ratings-columns", _read_again(request, job, form).uuid)
        with attach_errors(form, above=True):
            settings = _remembered(request, job, form, base)
            check = ask(Job.Kind.CHECK_RATINGS, by=visitor(request), now=timezone.now(), settings=settings)
            return redirect("console:job", check.uuid)
    status = 422 if form.errors else 200
    return render(request, "console/columns_ratings.html", _context(request, job, form), status=status)


def _rating_job(request: HttpRequest, job_id: UUID) -> Job:
    return get_object_or_404(
        Job, uuid=job_id, kind=Job.Kind.LOOK_AT_FILE, state="done", study=None, asked_by=visitor(request)
    )


@require_POST
@study_page(Role.EDITOR)
def preview(request: HttpRequest, study: Study, job_id: UUID) -> HttpResponse:
    """The menus and the first rows after a choice was changed."""
    job = get_object_or_404(study.jobs, uuid=job_id, kind=Job.Kind.LOOK_AT_FILE, state="done")
    return render(
        request, "console/columns_part.html", {"study": study, **_context(request, job, _form(request, job)[0])}
    )


@require_POST
@console_page
def rating_preview(request: HttpRequest, job_id: UUID) -> HttpResponse:
    job = _rating_job(request, job_id)
    return render(request, "console/columns_part.html", _context(request, job, _form(request, job)[0]))


def _read_again(request: HttpRequest, job: Job, form: Form) -> Job:
    """Look at the same file in another encoding, with another separator, at another sheet."""
    settings = {**job.settings, **form.form_of_file()}
    return look_now(by=visitor(request), study=job.study, settings=settings, now=timezone.now())


def _look(job: Job) -> FileLook:
    return look_from_json(job.outcome["look"])


def _form(request: HttpRequest, job: Job) -> tuple[Form, dict[str, Any]]:
    """The menus: as posted, else by the saved mapping that was chosen, the remembered one, or the guess."""
    look, kind = _look(job), _kind(job)
    base: dict[str, Any] = job.outcome["mapping"]
    name = request.GET.get("saved", "")
    if name:
        base = mapping_named(visitor(request), kind, name)
    elif recalled := recall_mapping(visitor(request), kind, look.fields):
        base = {**recalled, "layout": base["layout"]}
    data = request.POST if request.method == "POST" else None
    of_file = {name: job.settings.get(name, "") for name in FORM_FIELDS}
    if kind == RATINGS:
        initial = MapRatings.initial_of(ratings_mapping_from_json(base)) | of_file
        return MapRatings(data, initial=initial, look=look), base
    return MapTexts(data, initial=MapTexts.initial_of(mapping_from_json(base)) | of_file, look=look), base


def _kind(job: Job) -> str:
    return RATINGS if job.settings.get("of") == "ratings" else TEXTS


def _remembered(request: HttpRequest, job: Job, form: Form, base: dict[str, Any]) -> dict[str, Any]:
    """Store the choice for files of these columns, and return what the check reads."""
    content = form.mapping(base).as_json()
    form_of_file = {name: job.settings[name] for name in FORM_FIELDS if job.settings.get(name)}
    remember_mapping(
        visitor(request), _kind(job), _look(job).fields, content, now=timezone.now(), name=form.cleaned_data["name"]
    )
    remaining = {name: value for name, value in job.settings.items() if name not in (*FORM_FIELDS, "of")}
    return {**remaining, "mapping": {**content, **form_of_file}}


def _context(request: HttpRequest, job: Job, form: Form) -> dict[str, Any]:
    look, kind = _look(job), _kind(job)
    if not form.is_bound:
        form = type(form)({**form.initial, "name": ""}, initial=form.initial, look=look)
    problem = "" if form.is_valid() else " ".join(str(error) for errors in form.errors.values() for error in errors)
    main, other = form.shown()
    rows = _first_rows(form, job) if not problem else []
    return {
        "job": job,
        "look": look,
        "form": form,
        "main": main,
        "other": other,
        "hidden": form.hidden(),
        "rows": rows,
        "problem": problem,
        "of": kind,
        "layout": job.outcome["mapping"]["layout"],
        "hint": job.outcome["hint"],
        "saved": named_mappings(visitor(request), kind),
        "second": bool(job.settings.get("joined")),
    }


def _first_rows(form: Form, job: Job) -> list[dict[str, str]]:
    """The first texts or ratings as they would be read."""
    look = _look(job)
    rows = [Row(line, cells) for line, cells in zip(look.lines, look.rows, strict=True)]
    if isinstance(form, MapRatings):
        return list(islice(preview_ratings(rows, form.mapping()), PREVIEW))
    mapping = form.mapping(job.outcome["mapping"])
    names = ("id", "source", "generator", "context_text", "text")
    cells = (cells for row in rows for cells in cells_of_row(row, mapping))
    return [{"row": str(text.row), **{name: text.get(name) for name in names}} for text in islice(cells, PREVIEW)]
