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
from annotation.api.responses import Page, Paged, clean_form, gives, paged
from annotation.exceptions import StateError
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, ScoreFile, ShareLink
from annotation.reports import scores_upload
from annotation.reports.attach_scores import attach, detach
from annotation.reports.public_release import comment_keys, set_objections
from annotation.reports.share import revoke, share
from annotation.studies.blinding import seen_at
from annotation.studies.unblind import require_confirmation
from metrics.report.formats.write import Format
from metrics.report.row_records import WhichRaters

router = Router(tags=["Reports"])


class ReportIn(Schema):
    """The requested report."""

    formats: list[Format] = Field(default=["html", "json", "csv"], min_length=1)
    seed: int = Field(default=0, ge=0, lt=2**63)


class StudyReportIn(ReportIn):
    """The requested report. unblind: look at the results although they are blinded, which the log notes.

    raters: whom intervals are for where both exist, `new` raters or `these`; empty: as declared, else new ones.
    """

    unblind: bool = False
    raters: WhichRaters = ""


class ReleaseIn(Schema):
    """A public release. comments: [text, rater, question] of those that somebody has read; the others are withheld.

    withheld: pseudonyms or worker IDs of raters who do not share, in place of the stored list; null: as stored.
    """

    licence: str = Field(min_length=1, max_length=200)
    consent: str = Field(min_length=1, max_length=2000)
    comments: list[list[str]] = Field(default=[])
    withheld: list[str] | None = None


class ComparisonIn(ReportIn):
    """The studies to compare, in this order."""

    studies: list[UUID] = Field(min_length=2, max_length=40)


class LinkIn(Schema):
    """When a link expires; null: never."""

    ends_at: datetime | None = None


class LinkOut(Schema):
    """A link to a report. address: shown once, when it is created."""

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
    """What made the scores (JSON of Assay names it), and the columns of a CSV to attach, separated by commas."""

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
    """A file of scores that is attached to a study. kind: `nnd`, `automatic` or `scores` (a table)."""

    number: int = Field(alias="pk")
    kind: str
    name: str
    sha256: str
    model: str
    version: str
    actor: str
    attached_at: datetime | None


@router.get("/studies/{study}/results", response=gives(dict[str, Any]), summary="Results of the latest report")
def show_results(request: HttpRequest, study: UUID) -> dict[str, Any]:
    """Only after the results were unblinded (`unblind`)."""
    study_row = study_for(request, study)
    if not seen_at(study_row):
        raise StateError("The results of this study are blinded (`POST …/unblind`).")
    report = study_row.results.order_by("-pk").first()
    if report is None:
        raise HttpError(404, "This study has no report yet.")
    return dict(report.numbers)


@router.post("/studies/{study}/reports", response=gives(JobOut, 202), summary="Request a report")
def ask_report(request: HttpRequest, study: UUID, body: StudyReportIn) -> Status[Job]:
    """The job unblinds the results. While they are blinded, this needs a reviewer and `unblind`."""
    study_row = study_for(request, study)
    if not seen_at(study_row):
        study_row = study_for(request, study, Role.REVIEWER)
        require_confirmation(study_row, confirmed=body.unblind)
    options = {"formats": list(body.formats), "seed": body.seed, "raters": body.raters}
    job = ask(Job.Kind.REPORT, by=caller(request), now=timezone.now(), study=study_row, settings=options)
    return Status(202, job)


@router.post("/studies/{study}/releases", response=gives(JobOut, 202), summary="Create a public release")
def create_release(request: HttpRequest, study: UUID, body: ReleaseIn) -> Status[Job]:
    """A zip with new pseudonyms and without times, among the files of the job. Results must not be blinded."""
    study_row = study_for(request, study, Role.OWNER)
    if not seen_at(study_row):
        raise StateError(f"The results of {study_row.name} are blinded. Unblind them first: a release shows them.")
    comment_keys(body.comments)
    now = timezone.now()
    if body.withheld is not None:
        set_objections(study_row, body.withheld, actor=caller(request).get_username(), now=now)
    wish = body.dict(exclude={"withheld"})
    return Status(202, ask(Job.Kind.RELEASE, by=caller(request), now=now, study=study_row, settings=wish))


@router.post("/comparisons", response=gives(JobOut, 202), summary="Compare studies")
def ask_comparison(request: HttpRequest, body: ComparisonIn) -> Status[Job]:
    """Of unblinded studies on which the caller is at least a reviewer."""
    studies = [study_for(request, study, Role.REVIEWER) for study in dict.fromkeys(body.studies)]
    if blind := [study.name for study in studies if not seen_at(study)]:
        raise StateError(f"Results are still blinded: {', '.join(blind)}.")
    if len(studies) < 2:
        raise StateError("A comparison needs at least two studies.").at("studies")
    options = {"studies": [str(study.uuid) for study in studies], "formats": list(body.formats), "seed": body.seed}
    return Status(202, ask(Job.Kind.COMPARISON, by=caller(request), now=timezone.now(), settings=options))


@router.get("/studies/{study}/scores", response=gives(Paged[ScoreFileOut]), summary="Attached files of scores")
def list_scores(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(ScoreFile.objects.filter(study=study_for(request, study)).order_by("pk"), page)


@router.post("/studies/{study}/scores", response=gives(ScoreFileOut, 201), summary="Attach a file of scores")
def attach_scores(request: HttpRequest, study: UUID, file: File[UploadedFile], form: Form[ScoresIn]) -> Any:
    """A CSV with the column `id` and a column for each score, or JSON of `python -m metrics`; all or nothing."""
    study_row = study_for(request, study, Role.EDITOR)
    clean_form(ScoresUpload(form.dict(), {"file": file}))  # type: ignore[arg-type]
    path = uploads.keep(file)
    try:
        columns = scores_upload.parse_columns(form.columns)
        scores = {"model": form.model, "version": form.version, "columns": columns}
        actor = caller(request).get_username()
        return Status(201, attach(study_row, path, **scores, actor=actor, now=timezone.now()))  # type: ignore[arg-type]
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


@router.delete("/studies/{study}/scores/{number}", response=gives(None, 204), summary="Detach a file of scores")
def detach_scores(request: HttpRequest, study: UUID, number: int) -> Status[None]:
    held = ScoreFile.objects.filter(study=study_for(request, study, Role.EDITOR), pk=number).first()
    if held is None:
        raise HttpError(404, "There is no such file.")
    detach(held, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.post("/jobs/{job}/links", response=gives(LinkOut, 201), summary="Share a finished report")
def make_link(request: HttpRequest, job: UUID, body: LinkIn) -> Status[dict[str, Any]]:
    job_row = job_for(request, job, Role.EDITOR)
    shared = share(job_row, by=caller(request), now=timezone.now(), ends_at=body.ends_at)
    address = settings.CONSOLE_ORIGIN + reverse("shared-report", args=[shared.token])
    return Status(201, {"id": shared.link.pk, "address": address})


@router.get("/studies/{study}/links", response=gives(Paged[KnownLink]), summary="Links to the study's reports")
def list_links(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    links = ShareLink.objects.filter(job__study=study_for(request, study, Role.EDITOR))
    return paged(links.select_related("job").order_by("-pk"), page)


@router.delete("/links/{link}", response=gives(None, 204), summary="Revoke a link")
def revoke_link(request: HttpRequest, link: int) -> Status[None]:
    link_row = ShareLink.objects.select_related("job__study").filter(pk=link).first()
    if link_row is None:
        raise HttpError(404, "There is no such link.")
    job_for(request, link_row.job.uuid, Role.EDITOR)
    revoke(link_row, by=caller(request), now=timezone.now())
    return Status(204, None)
