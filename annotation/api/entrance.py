"""Who calls the API, and on which studies they may act."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja.errors import HttpError
from ninja.security import HttpBearer

from annotation.accounts.models import ApiToken, User
from annotation.console.permission import may, studies_of
from annotation.models import Job, Role, Study


class Token(HttpBearer):
    """`Authorization: Bearer assay_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The person behind the token; a request without one is refused (401)."""
        return ApiToken.objects.user_of(token)


def caller(request: HttpRequest) -> User:
    """Who calls."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user


def study_for(request: HttpRequest, study: UUID, least: Role = Role.VIEWER) -> Study:
    """The study; 404 for a stranger to it, 403 for a member with too small a role."""
    found = studies_of(caller(request)).filter(uuid=study).first()
    if found is None:
        raise HttpError(404, "There is no such study.")
    if not may(found, least):
        raise HttpError(403, "Your role on this study does not let you do this.")
    return found


def job_for(request: HttpRequest, job: UUID, least: Role = Role.VIEWER) -> Job:
    """The job of a study that the caller may see; a comparison for who asked for it, while all its studies are seen."""
    found = Job.objects.select_related("study").filter(uuid=job).first()
    if found is None or (found.study is None and not _own_comparison(request, found)):
        raise HttpError(404, "There is no such job.")
    for study in [found.study.uuid] if found.study else found.settings["studies"]:
        study_for(request, study, least)
    return found


def _own_comparison(request: HttpRequest, job: Job) -> bool:
    return job.kind == Job.Kind.COMPARISON and job.asked_by_id == caller(request).pk
