"""Who calls the API, and on which studies they may act."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja.errors import HttpError
from ninja.security import HttpBearer

from annotation import desk
from annotation.accounts.models import ApiToken, User
from annotation.console.permission import may, studies_of
from annotation.models import Job, Role, Study, Submission


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


def submission_for(request: HttpRequest, study: UUID, assignment: str) -> tuple[Study, Submission]:
    """An assignment for its reviewers."""
    found = study_for(request, study, Role.REVIEWER)
    one = desk.submission(found, assignment)
    if one is None:
        raise HttpError(404, "There is no such assignment in this study.")
    return found, one


def job_for(request: HttpRequest, job: UUID, least: Role = Role.VIEWER) -> Job:
    """A job of studies that the caller may all see; one without a study (comparison, import) for who asked for it."""
    found = Job.objects.select_related("study").filter(uuid=job).first()
    mine = found is not None and (found.asked_by_id == caller(request).pk or caller(request).is_superuser)
    if found is None or (found.study is None and not mine):
        raise HttpError(404, "There is no such job.")
    for study in [found.study.uuid] if found.study else found.settings.get("studies", ()):
        study_for(request, study, least)
    return found
