"""The caller of the API, and the studies on which they may act."""

from __future__ import annotations

import json
import logging
import re
from uuid import UUID

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security import HttpBearer

from annotation.accounts.api_limits import count_call
from annotation.accounts.lock_wait import limit_lock_wait
from annotation.accounts.models import ApiToken, User
from annotation.api.responses import RefusedError
from annotation.models import Job, Role, Study, Submission
from annotation.review import assignment as review_assignment
from annotation.studies.access import may, studies_of

FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
READING = ("GET", "HEAD")
# A call is counted in milliseconds; where another session holds the lock for longer, a read goes on without.
COUNT_SECONDS = 0.5
UNWRITABLE = "[\x00\ud800-\udfff]"
SPELT = re.compile(rf"\\u(?:0000|[dD][89a-fA-F])|{UNWRITABLE}")
logger = logging.getLogger(__name__)


class Token(HttpBearer):
    """`Authorization: Bearer assay_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """Return the user of the token; without one the answer is 401."""
        token_row = ApiToken.objects.find(token)
        if token_row is None:
            return None
        _refuse_too_many(token_row, request)
        _refuse_unwritable(request)
        return token_row.user


def _refuse_too_many(token: ApiToken, request: HttpRequest) -> None:
    """Raise RefusedError (429) where the token has had its calls of this minute.

    A read that cannot be counted, because the database takes no writes just now, is answered: what is stored can still
    be read. A write fails with the reason.
    """
    max_calls: int = settings.API_CALLS_A_MINUTE
    if request.method in READING:
        try:
            with limit_lock_wait(COUNT_SECONDS):
                wait = count_call(token, max_calls=max_calls, now=timezone.now())
        except OperationalError as error:
            logger.warning("A read of token %d was not counted: %s", token.pk, str(error).partition("\n")[0])
            return
    else:
        wait = count_call(token, max_calls=max_calls, now=timezone.now())
    if wait:
        sentence = f"This token may call {max_calls} times a minute. Try again in {wait} s."
        raise RefusedError(429, sentence, code="limit", headers={"Retry-After": str(wait)})


def _refuse_unwritable(request: HttpRequest) -> None:
    """Raise RefusedError (422) naming a field with characters that no database can store."""
    sent = dict(request.POST.lists()) if request.content_type in FORMS else _spelt_oddly(request.body)
    for field, value in sent.items() if isinstance(sent, dict) else [("", sent)]:
        if not _writable([field, value]):
            rule = "It holds a character that cannot be written down (NUL, or half of a surrogate pair)."
            raise RefusedError(422, rule, code="input", errors={field if _writable(field) else "": rule})


def _spelt_oddly(body: bytes) -> object:
    """Return the body's JSON if it may spell such a character; None if it cannot be read, which its reader reports."""
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
    """Return the user who calls."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user


def study_for(request: HttpRequest, study: UUID, role: Role = Role.VIEWER) -> Study:
    """Return the study; 404 without a role on it, 403 with too small a role."""
    study_row = studies_of(caller(request)).filter(uuid=study).first()
    if study_row is None:
        raise HttpError(404, "There is no such study.")
    if not may(study_row, role):
        raise HttpError(403, "Your role on this study does not let you do this.")
    return study_row


def submission_for(request: HttpRequest, study: UUID, assignment: str) -> tuple[Study, Submission]:
    """Return the study and one of its assignments, for reviewers."""
    study_row = study_for(request, study, Role.REVIEWER)
    submission = review_assignment.submission(study_row, assignment)
    if submission is None:
        raise HttpError(404, "There is no such assignment in this study.")
    return study_row, submission


def job_for(request: HttpRequest, job: UUID, role: Role = Role.VIEWER) -> Job:
    """Return a job of a study on which the caller has the role; one without a study only for the user who requested
    it, while they see all studies that it reads."""
    job_row = Job.objects.select_related("study").filter(uuid=job).first()
    mine = job_row is not None and (job_row.asked_by_id == caller(request).pk or caller(request).is_superuser)
    if job_row is None or (job_row.study is None and not mine):
        raise HttpError(404, "There is no such job.")
    for study in [job_row.study.uuid] if job_row.study else job_row.settings.get("studies", ()):
        study_for(request, study, role if job_row.study else Role.VIEWER)
    return job_row
