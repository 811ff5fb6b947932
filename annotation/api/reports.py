"""Reports: asked for, read, and shared by links that can be revoked."""

from __future__ import annotations

import shutil
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from ninja import Field, File, Form, Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile

from annotation.api.auth import caller, job_for, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, cleaned, gives, paged
from annotation.exceptions import StateError
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, ScoreFile, ShareLink
from annotation.reports import scores_upload
from annotation.reports.attach_scores import attach, detach
from annotation.reports.share import revoke, share
from annotation.studies.blinding import seen_at
from annotation.studies.unblind import look
from metrics.report.formats.write import Format

router = Router(tags=["Reports"])


class ReportIn(Schema):
    """What report is wanted."""

    formats: list[Format] = Field(default=["html", "json", "csv"], min_length=1)
    seed: int = Field(default=0, ge=0, lt=2**63)


class StudyReportIn(ReportIn):
    """What report is wanted. unblind: look at the results although nobody has yet, which the log notes."""

    unblind: bool = False


class ComparisonIn(ReportIn):
    """Which studies are compared, in this order."""

    studies: list[UUID] = Field(min_length=2, max_length=40)


class LinkIn(Schema):
    """When a link ends by itself; null: never."""

    ends_at: datetime | None = None


class LinkOut(Schema):
    """A link to a report. address: shown once, when it is made."""

    id: int
    address: str


class KnownLink(Schema):
    """A link to a report, without its token."""

    id: int
    job: UUID
    made_at: datetime
    ends_at: datetime | None
    revoked_at: datetime | None

    @staticmethod
    def resolve_job(link: ShareLink) -> UUID:
        return link.job.uuid


class ScoresIn(Schema):
    """What made the scores (JSON of ours says so itself), and the columns of a CSV to take, separated by commas."""

    model: str = ""
    version: str = ""
    columns: str = ""


class ScoresUpload(forms.Form):
    """The fields of ScoresIn and the file, by the rules that the console's form has too."""

    file = forms.FileField(validators=[scores_upload.check_size])
    model = forms.CharField(required=False, max_length=scores_upload.MAX_NAME_CHARS)
    version = forms.CharField(required=False, max_length=scores_upload.MAX_NAME_CHARS)
    columns = forms.CharField(required=False, max_length=scores_upload.MAX_COLUMNS_CHARS)


class ScoreFileOut(Schema):
    """A file of scores that a study keeps. kind: `nnd`, `automatic` or `scores` (a table)."""

    number: int = Field(alias="pk")
    kind: str
    name: str
    sha256: str
    model: str
    version: str
    actor: str
    attached_at: datetime | None


@router.get("/studies/{study}/results", response=gives(dict[str, Any]), summary="Numbers last reported")
def show_results(request: HttpRequest, study: UUID) -> dict[str, Any]:
    """Only once somebody decided to look (`unblind`)."""
    one = study_for(request, study)
    if not seen_at(one):
        raise StateError("Nobody has looked at the results of this study yet (`POST …/unblind`).")
    found = one.results.order_by("-pk").first()
    if found is None:
        raise HttpError(404, "No report of this study has been made yet.")
    return dict(found.numbers)


@router.post("/studies/{study}/reports", response=gives(JobOut, 202), summary="Ask for a report")
def ask_report(request: HttpRequest, study: UUID, given: StudyReportIn) -> Status[Job]:
    """Computing results is looking at them: before somebody has looked, it takes a reviewer and `unblind`."""
    found = study_for(request, study)
    if not seen_at(found):
        found = study_for(request, study, Role.REVIEWER)
        look(found, confirmed=given.unblind, actor=caller(request).get_username(), now=timezone.now())
    wanted = {"formats": list(given.formats), "seed": given.seed}
    job = ask(Job.Kind.REPORT, by=caller(request), now=timezone.now(), study=found, settings=wanted)
    return Status(202, job)


@router.post("/comparisons", response=gives(JobOut, 202), summary="Compare studies")
def ask_comparison(request: HttpRequest, given: ComparisonIn) -> Status[Job]:
    """Of studies on which the caller reviews, and whose results somebody has looked at."""
    found = [study_for(request, one, Role.REVIEWER) for one in dict.fromkeys(given.studies)]
    if blind := [one.name for one in found if not seen_at(one)]:
        raise StateError(f"Nobody has looked at the results of {', '.join(blind)} yet.")
    if len(found) < 2:
        raise StateError("A comparison is of two studies at least.").at("studies")
    wanted = {"studies": [str(one.uuid) for one in found], "formats": list(given.formats), "seed": given.seed}
    return Status(202, ask(Job.Kind.COMPARISON, by=caller(request), now=timezone.now(), settings=wanted))


@router.get("/studies/{study}/scores", response=gives(Paged[ScoreFileOut]), summary="Files of scores of the texts")
def list_scores(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(ScoreFile.objects.filter(study=study_for(request, study)).order_by("pk"), page)


@router.post("/studies/{study}/scores", response=gives(ScoreFileOut, 201), summary="Attach a file of scores")
def attach_scores(request: HttpRequest, study: UUID, file: File[UploadedFile], given: Form[ScoresIn]) -> Any:
    """A CSV with the column `id` and a column for each score, or JSON of `python -m metrics`; all of it or nothing."""
    annotated = study_for(request, study, Role.EDITOR)
    cleaned(ScoresUpload(given.dict(), {"file": file}))  # type: ignore[arg-type]
    path = uploads.keep(file)
    try:
        columns = scores_upload.parse_columns(given.columns)
        made = {"model": given.model, "version": given.version, "columns": columns}
        actor = caller(request).get_username()
        return Status(201, attach(annotated, path, **made, actor=actor, now=timezone.now()))  # type: ignore[arg-type]
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


@router.delete("/studies/{study}/scores/{number}", response=gives(None, 204), summary="Take a file of scores away")
def detach_scores(request: HttpRequest, study: UUID, number: int) -> Status[None]:
    held = ScoreFile.objects.filter(study=study_for(request, study, Role.EDITOR), pk=number).first()
    if held is None:
        raise HttpError(404, "There is no such file.")
    detach(held, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.post("/jobs/{job}/links", response=gives(LinkOut, 201), summary="Share a finished report")
def make_link(request: HttpRequest, job: UUID, given: LinkIn) -> Status[dict[str, Any]]:
    found = job_for(request, job, Role.EDITOR)
    made = share(found, by=caller(request), now=timezone.now(), ends_at=given.ends_at)
    address = settings.CONSOLE_ORIGIN + reverse("shared-report", args=[made.token])
    return Status(201, {"id": made.link.pk, "address": address})


@router.get("/studies/{study}/links", response=gives(Paged[KnownLink]), summary="Links to the study's reports")
def list_links(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    links = ShareLink.objects.filter(job__study=study_for(request, study, Role.EDITOR))
    return paged(links.select_related("job").order_by("-pk"), page)


@router.delete("/links/{link}", response=gives(None, 204), summary="Revoke a link")
def revoke_link(request: HttpRequest, link: int) -> Status[None]:
    found = ShareLink.objects.select_related("job__study").filter(pk=link).first()
    if found is None:
        raise HttpError(404, "There is no such link.")
    job_for(request, found.job.uuid, Role.EDITOR)
    revoke(found, by=caller(request), now=timezone.now())
    return Status(204, None)
