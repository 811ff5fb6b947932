"""The operations. Each fetches with permission, calls one verb or read, and answers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import NinjaAPI, Status
from ninja.errors import HttpError

from annotation.api.entrance import Token, caller, job_for, study_for
from annotation.api.records import ComparisonIn, JobOut, LinkIn, LinkOut, Problem, ReportIn, StatementIn, StudyOut
from annotation.console.permission import studies_of
from annotation.exceptions import AssayError
from annotation.flows import jobs
from annotation.flows.share import revoke, share
from annotation.flows.state import state
from annotation.flows.unblind import unblind
from annotation.models import Job, Role, ShareLink, Study
from annotation.running import folder_of
from annotation.selectors import seen_at

MOST_LISTED = 200
api = NinjaAPI(
    title="Assay",
    version="1",
    description="Studies, reports and what is shared of them. Send `Authorization: Bearer TOKEN`.",
    auth=Token(),
    docs_url=None,  # its pages would load scripts from elsewhere; openapi.json is the document
    urls_namespace="api",
)


@api.exception_handler(AssayError)
def refused(request: HttpRequest, error: AssayError) -> HttpResponse:
    """Errors of the requester side as a sentence."""
    return api.create_response(request, {"detail": str(error)}, status=409)


@api.get("/studies", response=list[StudyOut], summary="Studies that you may see, newest first")
def list_studies(request: HttpRequest, after: int = 0) -> QuerySet[Study]:
    return studies_of(caller(request)).order_by("-pk")[after : after + MOST_LISTED]


@api.get("/studies/{study}", response={200: StudyOut, 404: Problem}, summary="One study")
def show_study(request: HttpRequest, study: UUID) -> Study:
    return study_for(request, study)


@api.get(
    "/studies/{study}/results",
    response={200: dict[str, Any], 404: Problem, 409: Problem},
    summary="Numbers last reported",
)
def show_results(request: HttpRequest, study: UUID) -> dict[str, Any]:
    one = study_for(request, study)
    if not seen_at(one):
        raise HttpError(409, "Nobody has looked at the results of this study yet; asking for a report does.")
    found = one.results.order_by("-pk").first()
    if found is None:
        raise HttpError(404, "No report of this study has been made yet.")
    return dict(found.numbers)


@api.put("/studies/{study}/statements/{key}", response={204: None, 403: Problem, 409: Problem}, summary="State a fact")
def put_statement(request: HttpRequest, study: UUID, key: str, given: StatementIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    state(found, key, given.body, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@api.post("/studies/{study}/reports", response={202: JobOut, 403: Problem, 404: Problem}, summary="Ask for a report")
def ask_report(request: HttpRequest, study: UUID, given: ReportIn) -> Status[Job]:
    """Computing results is looking at them: before somebody has looked, it takes a reviewer, and is noted."""
    found = study_for(request, study)
    if not seen_at(found):
        unblind(study_for(request, study, Role.REVIEWER), actor=caller(request).get_username(), now=timezone.now())
    wanted = {"formats": list(given.formats), "seed": given.seed}
    job = jobs.ask(Job.Kind.REPORT, by=caller(request), now=timezone.now(), study=found, settings=wanted)
    return Status(202, job)


@api.post("/comparisons", response={202: JobOut, 403: Problem, 404: Problem, 409: Problem}, summary="Compare studies")
def ask_comparison(request: HttpRequest, given: ComparisonIn) -> Status[Job]:
    """Of studies on which the caller reviews, and whose results somebody has looked at."""
    found = [study_for(request, one, Role.REVIEWER) for one in dict.fromkeys(given.studies)]
    blind = [one.name for one in found if not seen_at(one)]
    if blind or len(found) < 2:
        raise HttpError(409, f"Nobody has looked at the results of {', '.join(blind)} yet." if blind else "Name two.")
    wanted = {"studies": [str(one.uuid) for one in found], "formats": list(given.formats), "seed": given.seed}
    return Status(202, jobs.ask(Job.Kind.COMPARISON, by=caller(request), now=timezone.now(), settings=wanted))


@api.get("/jobs/{job}", response={200: JobOut, 404: Problem}, summary="How far a job is")
def show_job(request: HttpRequest, job: UUID) -> Job:
    return job_for(request, job)


@api.get("/jobs/{job}/files/{name}", response={200: bytes, 404: Problem}, summary="A file that a report wrote")
def show_file(request: HttpRequest, job: UUID, name: str) -> FileResponse:
    found = job_for(request, job)
    if found.state != Job.State.DONE or name not in found.outcome.get("files", []):
        raise HttpError(404, "There is no such file.")
    return FileResponse((folder_of(found) / name).open("rb"), as_attachment=True, filename=name)


@api.post("/jobs/{job}/links", response={201: LinkOut, 403: Problem, 409: Problem}, summary="Share a finished report")
def make_link(request: HttpRequest, job: UUID, given: LinkIn) -> Status[dict[str, Any]]:
    found = job_for(request, job, Role.EDITOR)
    made = share(found, by=caller(request), now=timezone.now(), ends_at=given.ends_at)
    address = settings.CONSOLE_ORIGIN + reverse("shared-report", args=[made.token])
    return Status(201, {"id": made.link.pk, "address": address})


@api.delete("/links/{link}", response={204: None, 404: Problem}, summary="Revoke a link")
def revoke_link(request: HttpRequest, link: int) -> Status[None]:
    found = ShareLink.objects.select_related("job__study").filter(pk=link).first()
    if found is None:
        raise HttpError(404, "There is no such link.")
    job_for(request, found.job.uuid, Role.EDITOR)
    revoke(found, by=caller(request), now=timezone.now())
    return Status(204, None)
