"""Reports: asked for, read, and shared by links that can be revoked."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.api.answers import Page, Paged, gives, paged
from annotation.api.entrance import caller, job_for, study_for
from annotation.api.jobs import JobOut
from annotation.exceptions import StateError
from annotation.flows.share import revoke, share
from annotation.flows.unblind import unblind
from annotation.models import Job, Role, ShareLink
from annotation.selectors import seen_at
from annotation.tasks import ask
from metrics.report.write import Format

router = Router(tags=["Reports"])


class ReportIn(Schema):
    """What report is wanted."""

    formats: list[Format] = Field(default=["html", "json", "csv"], min_length=1)
    seed: int = Field(default=0, ge=0)


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


@router.get("/studies/{study}/results", response=gives(dict[str, Any]), summary="Numbers last reported")
def show_results(request: HttpRequest, study: UUID) -> dict[str, Any]:
    """Only once somebody decided to look (`unblind`, or a report)."""
    one = study_for(request, study)
    if not seen_at(one):
        raise StateError("Nobody has looked at the results of this study yet; asking for a report does.")
    found = one.results.order_by("-pk").first()
    if found is None:
        raise HttpError(404, "No report of this study has been made yet.")
    return dict(found.numbers)


@router.post("/studies/{study}/reports", response=gives(JobOut, 202), summary="Ask for a report")
def ask_report(request: HttpRequest, study: UUID, given: ReportIn) -> Status[Job]:
    """Computing results is looking at them: before somebody has looked, it takes a reviewer, and is noted."""
    found = study_for(request, study)
    if not seen_at(found):
        unblind(study_for(request, study, Role.REVIEWER), actor=caller(request).get_username(), now=timezone.now())
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
