"""Who calls the API, and on which studies they may act."""

from __future__ import annotations

import json
import re
from uuid import UUID

from django.http import HttpRequest
from ninja.errors import HttpError
from ninja.security import HttpBearer

from annotation.accounts.models import ApiToken, User
from annotation.api.responses import RefusedError
from annotation.models import Job, Role, Study, Submission
from annotation.review import assignment as review_assignment
from annotation.studies.access import may, studies_of

FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
UNWRITABLE = "[\x00\ud800-\udfff]"
SPELT = re.compile(rf"\\u(?:0000|[dD][89a-fA-F])|{UNWRITABLE}")


class Token(HttpBearer):
    """`Authorization: Bearer assay_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The person behind the token; a request without one is refused (401)."""
        user = ApiToken.objects.user_of(token)
        if user is not None:
            _refuse_unwritable(request)
        return user


def _refuse_unwritable(request: HttpRequest) -> None:
    """Characters can be sent that no database writes down. Raises RefusedError (422) naming the field."""
    sent = dict(request.POST.lists()) if request.content_type in FORMS else _spelt_oddly(request.body)
    for field, value in sent.items() if isinstance(sent, dict) else [("", sent)]:
        if not _writable([field, value]):
            rule = "It holds a character that cannot be written down (NUL, or half of a surrogate pair)."
            raise RefusedError(422, rule, code="input", errors={field if _writable(field) else "": rule})


def _spelt_oddly(body: bytes) -> object:
    """The body's JSON where it may spell such a character; what cannot be read is told where it is read."""
    try:
        text = body.decode(json.detect_encoding(body), "surrogatepass")
        return json.loads(text) if SPELT.search(text) else None
    except ValueError:
        return None


def _writable(value: object) -> bool:
    if isinstance(value, dict):
        return all(_writable(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(map(_writable, value))
    return not isinstance(value, str) or not re.search(UNWRITABLE, value)


def caller(request: HttpRequest) -> User:
    """Who calls."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user


def study_for(request: HttpRequest, study: UUID, role: Role = Role.VIEWER) -> Study:
    """The study; 404 for a stranger to it, 403 for a member with too small a role."""
    study_row = studies_of(caller(request)).filter(uuid=study).first()
    if study_row is None:
        raise HttpError(404, "There is no such study.")
    if not may(study_row, role):
        raise HttpError(403, "Your role on this study does not let you do this.")
    return study_row


def submission_for(request: HttpRequest, study: UUID, assignment: str) -> tuple[Study, Submission]:
    """An assignment for its reviewers."""
    study_row = study_for(request, study, Role.REVIEWER)
    submission = review_assignment.submission(study_row, assignment)
    if submission is None:
        raise HttpError(404, "There is no such assignment in this study.")
    return study_row, submission


def job_for(request: HttpRequest, job: UUID, role: Role = Role.VIEWER) -> Job:
    """A job of studies that the caller may all see; one without a study (comparison, import) for who asked for it."""
    job_row = Job.objects.select_related("study").filter(uuid=job).first()
    mine = job_row is not None and (job_row.asked_by_id == caller(request).pk or caller(request).is_superuser)
    if job_row is None or (job_row.study is None and not mine):
        raise HttpError(404, "There is no such job.")
    for study in [job_row.study.uuid] if job_row.study else job_row.settings.get("studies", ()):
        study_for(request, study, role)
    return job_row
