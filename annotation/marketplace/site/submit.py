"""What comes back from the frame of a HIT: answers, and drafts of answers.

Neither needs a session: the assignment's id, 150 random bits that only its worker and its requester know, authorises
handing in at the plain address; at the address of a single assignment its token does, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.marketplace.assignments import accept_submit, drafts
from annotation.marketplace.assignments.expire_due import arrive, catch_up
from annotation.marketplace.core import clock, due_times
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.ids import is_public_id
from annotation.marketplace.models import Assignment, Hit, Submission, TestAttempt
from annotation.marketplace.qualifications import qualification_tests
from annotation.marketplace.questions import form_parser
from annotation.marketplace.questions.answer_xml import answers_xml
from annotation.marketplace.questions.form_answers import EnteredAnswer, faults, form_answers_xml, parse_answers
from annotation.marketplace.questions.form_fields import Form
from annotation.marketplace.site.addresses import PREVIEW, assignment_of, submit_base
from annotation.marketplace.site.content_security import may_be_framed_by_site
from annotation.marketplace.site.frames import SUBMIT, form_page
from annotation.marketplace.site.host_guards import on_worker_host
from annotation.marketplace.site.question_frame import Showing

MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_FIELDS = 10_000

Pairs = list[tuple[str, str]]

# The state is read when it is asked for: after everything due by now has happened.
_ASSIGNMENT = Prepared(
    lambda assignment_id: (
        Assignment.objects.select_related("hit")
        .only("hit_id", "hit__kind")
        .annotate(**due_times.columns())
        .filter(assignment_id=assignment_id)
    ),
    str,
)


# What is said of each outcome: its title and a sentence.
WORDS = {
    "recorded": (_("Your answers are recorded"), _("Thank you. Choose “Continue” above this frame to go on.")),
    "twice": (_("Already submitted"), _("Your answers were recorded earlier; nothing was changed or lost.")),
    "returned": (_("This task was returned"), _("You returned this task, so answers for it are not accepted.")),
    "late": (_("The time for this task is over"), _("The deadline has passed, so the answers were not accepted.")),
    "preview": (_("This is a preview"), _("Accept the task first; answers from a preview are not recorded.")),
    "invalid": (_("Check your answers"), _("Not submitted yet. Correct the answers marked below.")),
    "unknown": (_("Unknown task"), _("Task not found. Your answers were not saved.")),
    "method": (_("Nothing was submitted"), _("Open the task and submit your answers there.")),
    "form": (_("The form could not be read"), _("It is too large or not a web form. Nothing was recorded.")),
}


@dataclass(frozen=True)
class Outcome:
    """What became of a form: `reason` is the word for programs; `same` says that exactly this was recorded before."""

    reason: str
    status: int
    same: bool = False
    form: Form | None = None
    answers: tuple[EnteredAnswer, ...] = ()
    faults: dict[str, str] = field(default_factory=dict)
    assignment_id: str = ""


@csrf_exempt
@on_worker_host
def external_submit(request: HttpRequest, token: str = "") -> HttpResponse:
    """Take in a HIT's form, once. The answer is a small page for the frame, or JSON for the page around it."""
    owner = assignment_of(token)
    if token and not owner:
        return _respond(request, Outcome("unknown", 404))
    if request.method != "POST":
        return _respond(request, Outcome("method", 405))
    try:
        pairs = _pairs(request)
    except (SuspiciousOperation, MultiPartParserError, ValueError):
        return _respond(request, Outcome("form", 400))
    assignment_id = dict(reversed(pairs)).get("assignmentId", "")
    if assignment_id == PREVIEW:
        return _respond(request, Outcome("preview", 409))
    if not is_public_id(assignment_id) or (owner and owner != assignment_id):
        return _respond(request, Outcome("unknown", 404))
    return _respond(request, _submit(assignment_id, pairs, tested=bool(owner)))


@csrf_exempt
@on_worker_host
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, token: str) -> HttpResponse:
    """Show or keep what a worker has typed so far, for whom the assignment's token was given to."""
    rows = Assignment.objects.only("pk", "state").filter(assignment_id=assignment_of(token))
    held = rows.first()
    if held is None:
        raise Http404
    if request.method != "POST":
        content, version = drafts.load_draft(held)
        return _private(JsonResponse({"draft": content, "version": version}))
    catch_up(clock.now())
    digits = request.GET.get("version", "")
    seen = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
    try:
        page = request.GET.get("page", "")[:32]
        version = drafts.keep(held, request.body, now=timezone.now(), page=page, version=seen)
    except WorkRefusedError as refusal:
        return _private(JsonResponse({"reason": refusal.reason}, status=413 if refusal.reason == "size" else 409))
    return _private(JsonResponse({"reason": "kept", "version": version}))


def _submit(assignment_id: str, pairs: Pairs, *, tested: bool) -> Outcome:
    rows = _ASSIGNMENT(assignment_id)
    if not rows:
        return _test(assignment_id, pairs) if tested else Outcome("unknown", 404)
    assignment, now = rows[0], arrive(due_times.moment_of(rows[0]))
    answer = _Answer.to(assignment, pairs)
    if answer.faults and assignment.state == Assignment.State.ACCEPTED:
        return Outcome("invalid", 422, False, answer.form, answer.answers, answer.faults, assignment_id)
    try:
        accept_submit.submit(assignment, pairs, answer=answer.xml, now=now, received_at=timezone.now())
    except WorkRefusedError as refusal:
        same = (
            refusal.reason == "twice" and Submission.objects.filter(assignment=assignment, answer=answer.xml).exists()
        )
        return Outcome(refusal.reason, 409, same=same)
    return Outcome("recorded", 200)


@dataclass(frozen=True)
class _Answer:
    """A form's fields as XML, by the rules of a QuestionForm where the HIT has one."""

    xml: str
    form: Form | None = None
    answers: tuple[EnteredAnswer, ...] = ()
    faults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def to(cls, assignment: Assignment, pairs: Pairs) -> _Answer:
        if assignment.hit.kind != Hit.Kind.FORM:
            return cls(answers_xml(pairs))
        form = form_parser.read(Hit.objects.values_list("question", flat=True).get(pk=assignment.hit_id))
        answers = parse_answers(form, pairs)
        return cls(form_answers_xml(answers), form, answers, faults(answers))


def _test(attempt_id: str, pairs: Pairs) -> Outcome:
    catch_up(clock.now())
    attempt = TestAttempt.objects.filter(attempt_id=attempt_id).first()
    if attempt is None:
        return Outcome("unknown", 404)
    form = form_parser.read(attempt.test)
    answers = parse_answers(form, pairs)
    wrong = faults(answers)
    if wrong and attempt.answered_at is None:
        return Outcome("invalid", 422, False, form, answers, wrong, attempt_id)
    try:
        qualification_tests.submit(attempt, answers, now=clock.now())
    except WorkRefusedError as refusal:
        same = refusal.reason == "twice" and attempt.answer == form_answers_xml(answers)
        return Outcome(refusal.reason, 409, same=same)
    return Outcome("recorded", 200)


def _pairs(request: HttpRequest) -> Pairs:
    """The fields of a form as they came, in order. Raises SuspiciousOperation, MultiPartParserError or ValueError."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY_BYTES:
        raise ValueError("the form is too large")
    if request.content_type == "multipart/form-data":
        files = [(name, file.name or "") for name, values in request.FILES.lists() for file in values]
        return [(name, str(value)) for name, values in request.POST.lists() for value in values] + files
    if request.content_type not in {"application/x-www-form-urlencoded", ""}:
        raise ValueError("the form has another encoding")
    return parse_qsl(request.body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)


def _respond(request: HttpRequest, outcome: Outcome) -> HttpResponse:
    title, text = WORDS[outcome.reason]
    if request.headers.get("Accept", "").startswith("application/json"):
        document = {
            "reason": outcome.reason,
            "same": outcome.same,
            "title": title,
            "text": text,
            "faults": outcome.faults,
        }
        return _private(JsonResponse(document, status=outcome.status))
    if outcome.form is not None:
        showing = Showing("", "", outcome.assignment_id, submit_base(outcome.assignment_id) + SUBMIT)
        return form_page(request, outcome.form, showing, answers=outcome.answers, faults=outcome.faults)
    context = {"reason": outcome.reason, "title": title, "text": text}
    return may_be_framed_by_site(render(request, "marketplace/frame_note.html", context, status=outcome.status))


def _private(response: JsonResponse) -> JsonResponse:
    response["Cache-Control"] = "private, no-store"
    return response
