"""Measures that need no crowd: near-negative tests and human-likelihood, of files or of a study."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import settings
from annotation.console.forms.text_measures import HUpload, NndModels, NndRule, NndUpload, StudyTexts
from annotation.console.permission import console_page, study_page, visitor
from annotation.console.views.jobs import job_for
from annotation.exceptions import StateError
from annotation.jobs import shared_files, uploads
from annotation.jobs.celery_tasks import ask
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Role, Study
from annotation.publishing import progress
from annotation.reports.saved_results import RESULTS, save_result
from annotation.reports.shown_tables import read_parts
from annotation.studies import blinding
from annotation.studies.access import may

NND_KINDS, H_KINDS = (Job.Kind.NND_TESTS, Job.Kind.NND_RUN), (Job.Kind.H_SCORE,)
LISTED = 20


@console_page
def near_negative_start(request: HttpRequest) -> HttpResponse:
    """Build tests of a file; and what the visitor has built and run before."""
    form = NndUpload(request.POST or None, request.FILES or None)
    if form.is_valid():
        files = _store_uploads([form.cleaned_data["file"], form.cleaned_data["texts"]])
        options = {"format": form.cleaned_data["format"], "files": files}
        return _ask(request, Job.Kind.NND_TESTS, options)
    context = {"form": form, "jobs": _visitor_jobs(request, NND_KINDS)}
    return render(request, "console/nnd.html", context, status=422 if form.errors else 200)


@console_page
def human_likelihood_start(request: HttpRequest) -> HttpResponse:
    """Score the texts of files; and what the visitor has scored before."""
    form = HUpload(request.POST or None, request.FILES or None)
    if form.is_valid():
        values = form.cleaned_data
        options = {name: values[name] for name in ("format", "model", "threshold", "backend")}
        options |= {"files": _store_uploads(values["texts"]), "origins": "".join(_store_uploads([values["origins"]]))}
        return _ask(request, Job.Kind.H_SCORE, options)
    context = {"form": form, "jobs": _visitor_jobs(request, H_KINDS)}
    return render(request, "console/h.html", context, status=422 if form.errors else 200)


@study_page()
def study_nnd(request: HttpRequest, study: Study) -> HttpResponse:
    """The rule by which tests are built of a study's ratings: behind the warning before results."""
    return _study_nnd(request, study, NndRule(study=study))


@require_POST
@study_page(Role.REVIEWER)
def build_study_nnd(request: HttpRequest, study: Study) -> HttpResponse:
    form = NndRule(request.POST, study=study)
    if blinding.seen_at(study) is None:
        return redirect("console:results", study.uuid)
    if not form.is_valid():
        return _study_nnd(request, study, form)
    return _ask(request, Job.Kind.NND_TESTS, {"rule": form.rule()}, study)


def _study_nnd(request: HttpRequest, study: Study, form: NndRule) -> HttpResponse:
    if blinding.seen_at(study) is None:
        context = {"study": study, "at": progress.progress(study), "heading": _("Near-negative tests")}
        return render(request, "console/blind.html", context)
    context = {"study": study, "form": form, "jobs": _study_jobs(study, NND_KINDS)}
    return render(request, "console/nnd_study.html", context, status=422 if form.errors else 200)


@study_page()
def study_h(request: HttpRequest, study: Study) -> HttpResponse:
    """Which model reads a study's texts."""
    return _study_h(request, study, StudyTexts())


@require_POST
@study_page(Role.REVIEWER)
def score_study_h(request: HttpRequest, study: Study) -> HttpResponse:
    form = StudyTexts(request.POST)
    if not form.is_valid():
        return _study_h(request, study, form)
    return _ask(request, Job.Kind.H_SCORE, {"model": form.cleaned_data["model"]}, study)


def _study_h(request: HttpRequest, study: Study, form: StudyTexts) -> HttpResponse:
    context = {
        "study": study,
        "form": form,
        "jobs": _study_jobs(study, H_KINDS),
        "texts": study.texts.judged().filter(known_label="").count(),
        "blinded": blinding.seen_at(study) is None,
    }
    return render(request, "console/h_study.html", context, status=422 if form.errors else 200)


@console_page
def near_negative_job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Tests that were built, and the models to take them; or what came of a run."""
    job = _ended_job(request, job_id, NND_KINDS)
    if job.kind == Job.Kind.NND_RUN:
        return _result(request, job, "console/nnd_result.html")
    form = NndModels(request.POST or None, request.FILES or None)
    if form.is_valid():
        _check_may(job, Role.REVIEWER)
        options = {"tests": str(job.uuid), **form.chosen(), "scores": _store_uploads(form.cleaned_data["scores"])}
        return _ask(request, Job.Kind.NND_RUN, options, job.study)
    context = _of(job) | {"form": form, "may_run": _may(job, Role.REVIEWER)}
    return render(request, "console/nnd_tests.html", context, status=422 if form.errors else 200)


@console_page
def human_likelihood_job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    return _result(request, _ended_job(request, job_id, H_KINDS), "console/h_result.html")


@require_POST
@console_page
def save(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Attach a job's result to its study, so that new reports include it."""
    job = _ended_job(request, job_id, tuple(RESULTS))
    if job.study is None:
        raise Http404
    _check_may(job, Role.EDITOR)
    with shared_files.borrow(folder_of(job)) as folder:
        save_result(job, folder, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, _("Saved. New reports of this study include it."))
    return redirect("console:exports-scores", job.study.uuid)


def _result(request: HttpRequest, job: Job, template: str) -> HttpResponse:
    with shared_files.borrow(folder_of(job)) as folder:
        parts = read_parts(folder)
    context = _of(job) | {"parts": parts, "may_save": job.study and _may(job, Role.EDITOR)}
    return render(request, template, context, status=200 if parts else 404)


def _of(job: Job) -> dict[str, Any]:
    """A job for a page. days: for which the files of one without a study are kept; None where they stay."""
    return {"job": job, "study": job.study, "days": None if job.study else settings.uploads_retention().days}


def _ended_job(request: HttpRequest, job_id: UUID, kinds: Collection[str]) -> Job:
    """A finished job that the visitor may see. Raises Http404."""
    job = job_for(visitor(request), job_id)
    if job.kind not in kinds or job.state != Job.State.DONE:
        raise Http404
    return job


def _may(job: Job, role: Role) -> bool:
    return job.study is None or may(job.study, role)


def _check_may(job: Job, role: Role) -> None:
    if not _may(job, role):
        raise StateError(_("Your role on this study does not let you do this"))


def _ask(request: HttpRequest, kind: Job.Kind, options: dict[str, Any], study: Study | None = None) -> HttpResponse:
    job = ask(kind, by=visitor(request), now=timezone.now(), study=study, settings=options)
    return redirect("console:job", job.uuid)


def _store_uploads(files: Iterable[Any]) -> list[str]:
    return [str(uploads.keep(file)) for file in files if file]


def _visitor_jobs(request: HttpRequest, kinds: Iterable[Job.Kind]) -> list[Job]:
    mine = Job.objects.filter(study=None, asked_by=visitor(request), kind__in=kinds)
    return list(mine.order_by("-created_at", "-pk")[:LISTED])


def _study_jobs(study: Study, kinds: Iterable[Job.Kind]) -> list[Job]:
    return list(study.jobs.filter(kind__in=kinds).order_by("-created_at", "-pk")[:LISTED])
