"""The review desk: the queue, one assignment a screen, decisions that wait for their window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.review import Approve, Bulk, Propose, ProposeOnProlific, Reason, ReplyForm, ReturnForm
from annotation.console.permission import study_page, visitor
from annotation.console.views.prolific import SUBMISSION_STATUSES
from annotation.exceptions import MarketError
from annotation.models import Role, Study, Submission
from annotation.mturk.client import Market
from annotation.mturk.prolific import ProlificSubmissionRecord
from annotation.outbox.decision_intents import WINDOW
from annotation.quality import evidence
from annotation.review import approve, exclude, reject
from annotation.review import assignment as review_assignment
from annotation.review import queue as review_queue
from annotation.review.prolific_work import ask_to_return, find_prolific_work, suggest_category
from annotation.studies.access import may, studies_of

LINES = 50
SLACK = timedelta(seconds=30)


@require_safe
@study_page(Role.REVIEWER)
def queue(request: HttpRequest, study: Study) -> HttpResponse:
    now, kind, state = timezone.now(), request.GET.get("flag", ""), request.GET.get("state", "")
    page = Paginator(review_assignment.select_queue(study, now=now, kind=kind, state=state), LINES).get_page(
        request.GET.get("page")
    )
    shown = {"study": study, "page": page, "flag": kind, "state": state, "kinds": evidence.known_kinds()}
    more = {
        "counts": review_queue.decided_counts(study),
        "answers": review_queue.answered(study, now=now).count(),
        "back": review_assignment.latest_undoable(study, visitor(request), now=now),
        "actions": Bulk.ACTIONS,
    }
    return render(request, "console/review.html", {**shown, **more})


@require_safe
@study_page(Role.REVIEWER)
def assignment(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    return _shown(request, study, _submission_or_404(study, assignment))


def _shown(request: HttpRequest, study: Study, submission: Submission, **forms: Any) -> HttpResponse:
    now = timezone.now()
    context = {
        "study": study,
        "one": submission,
        "due": review_queue.due_at(study, submission),
        "lines": review_assignment.lines(submission),
        "findings": evidence.findings(submission),
        "history": review_assignment.history(submission.worker, studies_of(visitor(request))),
        "decisions": submission.decisions.select_related("actor", "rule_set").order_by("matter"),
        "waits": review_queue.waits(submission, now=now),
        "next": review_assignment.next_submission(study, submission, now=now),
        "back": review_assignment.latest_undoable(study, visitor(request), now=now),
        "replies": submission.replies.select_related("recorded_by", "heeded_by").order_by("at"),
        "unread": submission.replies.filter(heeded_at=None).exists(),
        "approve": Approve(prefix="approve"),
        **_prolific_context(study, submission),
        "overturn": Reason(prefix="overturn"),
        "reply": ReplyForm(prefix="reply"),
        "analysis": Reason(prefix="analysis"),
        "form": next(iter(forms.values()), None),
    }
    status = 422 if forms else 200
    return render(request, "console/assignment.html", {**context, **forms}, status=status)


@require_POST
@study_page(Role.REVIEWER)
def approve_submission(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission, form = _submission_or_404(study, assignment), Approve(request.POST, prefix="approve")
    leaving = "leave" in request.POST
    if form.is_valid() and leaving and not form.cleaned_data["leave_out"]:
        form.add_error("leave_out", _("Enter a reason for the exclusion."))
    if form.errors:
        return _shown(request, study, submission, approve=form)
    reason = form.cleaned_data["leave_out"] if leaving else ""
    done = approve.approve(
        study,
        _as_rows(submission),
        actor=visitor(request),
        now=timezone.now(),
        window=WINDOW,
        leave_out=reason,
        individually=True,
    )
    messages.success(request, _undoable(_("Approved"), submission) if done.decided else _("Already decided."))
    return _onward(study, submission)


@require_POST
@study_page(Role.REVIEWER)
def undo(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission = _submission_or_404(study, assignment)
    approve.undo_decisions(study, _as_rows(submission), actor=visitor(request), now=timezone.now())
    messages.success(request, _("Undone. Nothing was sent to the marketplace."))
    return redirect("console:review-assignment", study.uuid, submission.market_id)


def _prolific_context(study: Study, submission: Submission) -> dict[str, Any]:
    """The forms that fit the person: those from Prolific are rejected by other rules, and can be asked to return."""
    try:
        work = _find_prolific_work(study, submission)
    except MarketError as error:
        # The desk stays usable; only a rejection needs to know by which rules.
        return {"prolific_problem": str(error)}
    if work is None:
        return {"propose": Propose(prefix="propose")}
    category = {"category": suggest_category(submission)}
    return {
        "propose": ProposeOnProlific(prefix="propose", initial=category),
        "ask_return": ReturnForm(prefix="return"),
        "on_prolific": work,
        "status_there": SUBMISSION_STATUSES.get(work.status.lower(), work.status),
    }


def _find_prolific_work(study: Study, submission: Submission) -> ProlificSubmissionRecord | None:
    return find_prolific_work(study, submission, Market(settings.endpoint()))


@require_POST
@study_page(Role.REVIEWER)
def ask_return(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    """Ask a person from Prolific to return their submission."""
    submission, form = _submission_or_404(study, assignment), ReturnForm(request.POST, prefix="return")
    if form.is_valid():
        with attach_errors(form, above=True):
            reason, market = form.cleaned_data["reason"], Market(settings.endpoint())
            actor = visitor(request).get_username()
            ask_to_return(study, submission, reason=reason, market=market, actor=actor, now=timezone.now())
            messages.success(request, _("The participant is asked to return the submission."))
            return _onward(study, submission)
    return _shown(request, study, submission, ask_return=form)


@require_POST
@study_page(Role.REVIEWER)
def propose(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission = _submission_or_404(study, assignment)
    kind = ProposeOnProlific if _find_prolific_work(study, submission) else Propose
    form = kind(request.POST, prefix="propose")
    if refusal := _acted(request, study, submission, reject.propose_rejection, propose=form):
        return refusal
    messages.success(request, _("Rejection proposed. A second reviewer must confirm it."))
    return _onward(study, submission)


@require_POST
@study_page(Role.REVIEWER)
def second(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission, read = _submission_or_404(study, assignment), _moment(request.POST.get("read", ""))
    beyond = "beyond" in request.POST and may(study, Role.OWNER)
    reject.confirm_rejection(
        study, submission, actor=visitor(request), now=timezone.now(), beyond_guard=beyond, read=read
    )
    messages.success(request, _undoable(_("Rejected"), submission))
    return _onward(study, submission)


@require_POST
@study_page(Role.REVIEWER)
def drop(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission = _submission_or_404(study, assignment)
    reject.withdraw_proposal(study, submission, actor=visitor(request), now=timezone.now())
    return redirect("console:review-assignment", study.uuid, submission.market_id)


@require_POST
@study_page(Role.REVIEWER)
def overturn(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission, form = _submission_or_404(study, assignment), Reason(request.POST, prefix="overturn")
    if refusal := _acted(request, study, submission, reject.reverse_rejection, overturn=form):
        return refusal
    messages.success(request, _("Rejection reversed. The submission will be approved."))
    return redirect("console:review-assignment", study.uuid, submission.market_id)


@require_POST
@study_page(Role.REVIEWER)
def reply(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission, form = _submission_or_404(study, assignment), ReplyForm(request.POST, prefix="reply")
    return _acted(request, study, submission, reject.record_reply, reply=form) or redirect(
        "console:review-assignment", study.uuid, submission.market_id
    )


@require_POST
@study_page(Role.REVIEWER)
def uphold(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    submission = _submission_or_404(study, assignment)
    reject.uphold_rejection(study, submission, actor=visitor(request), now=timezone.now())
    messages.success(request, _("Rejection upheld."))
    return redirect("console:review-assignment", study.uuid, submission.market_id)


@require_POST
@study_page(Role.REVIEWER)
def analysis(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    """Leave out of the analysis, or take back in; payment is another matter."""
    submission, form = _submission_or_404(study, assignment), Reason(request.POST, prefix="analysis")
    if "include" in request.POST:
        exclude.include_submissions(study, _as_rows(submission), actor=visitor(request), now=timezone.now())
    elif form.is_valid():
        exclude.exclude_submissions(
            study, _as_rows(submission), **form.cleaned_data, actor=visitor(request), now=timezone.now()
        )
    else:
        return _shown(request, study, submission, analysis=form)
    return redirect("console:review-assignment", study.uuid, submission.market_id)


@require_POST
@study_page(Role.REVIEWER)
def bulk(request: HttpRequest, study: Study) -> HttpResponse:
    form = Bulk(request.POST)
    # No name holds a NUL, on which PostgreSQL fails.
    chosen = [name for name in request.POST.getlist("chosen") if "\x00" not in name]
    seen = review_assignment.preview_chosen(study, chosen)
    if not form.is_valid() or not form.cleaned_data["confirmed"]:
        context, status = {"study": study, "preview": seen, "form": form}, 422 if form.errors else 200
        return render(request, "console/review_bulk.html", context, status=status)
    leave_out = form.cleaned_data["reason"].strip() if form.cleaned_data["action"] == "leave_out" else ""
    rows = Submission.objects.filter(hit__study=study, market_id__in=chosen)
    done = approve.approve(study, rows, actor=visitor(request), now=timezone.now(), window=WINDOW, leave_out=leave_out)
    for sentence in _did(done):
        messages.success(request, sentence)
    return redirect("console:review", study.uuid)


def _undoable(what: str, submission: Submission) -> str:
    """What was decided, and how long it can be taken back: less where the marketplace soon approves by itself."""
    now = timezone.now()
    waits = review_queue.waits(submission, now=now)
    if waits is None or waits.not_before is None:
        return _("%(what)s. The marketplace is notified at once.") % {"what": what}
    if now + WINDOW - waits.not_before < SLACK:
        return _("%(what)s. You can undo this for ten minutes.") % {"what": what}
    sentence = _("%(what)s. You can undo this until %(moment)s UTC.")
    return sentence % {"what": what, "moment": f"{waits.not_before:%H:%M:%S}"}


def _did(done: approve.Review) -> Iterator[str]:
    """What became of what was chosen, which others may have decided since it was shown."""
    if done.decided:
        yield _("%(n)s approved. You can undo this for ten minutes.") % {"n": done.decided}
    else:
        yield _("Nothing was approved.")
    if done.sooner:
        sentence = _("Sent to the marketplace sooner, before it approves them automatically: %(n)s.")
        yield sentence % {"n": done.sooner}
    if done.already:
        yield _("%(n)s already decided and unchanged.") % {"n": done.already}
    if done.proposed:
        yield (
            ngettext(
                "%d needs a second reviewer (rejection proposed).",
                "%d need a second reviewer (rejection proposed).",
                done.proposed,
            )
            % done.proposed
        )


def _acted(
    request: HttpRequest, study: Study, submission: Submission, verb: Callable[..., object], **named_form: Form
) -> HttpResponse | None:
    """Call the verb with what a form says, under the form's name on the page; the page again where it says nothing."""
    (form,) = named_form.values()
    if form.is_valid():
        with attach_errors(form):
            verb(study, submission, **form.cleaned_data, actor=visitor(request), now=timezone.now())
            return None
    return _shown(request, study, submission, **named_form)


def _moment(iso_time: str) -> datetime | None:
    """When the proposal was made that stood on the page, as the page told it."""
    try:
        return parse_datetime(iso_time)
    except ValueError:
        return None


def _submission_or_404(study: Study, market_id: str) -> Submission:
    submission = review_assignment.submission(study, market_id)
    if submission is None:
        raise Http404
    return submission


def _as_rows(submission: Submission) -> Any:
    return Submission.objects.filter(pk=submission.pk)


def _onward(study: Study, submission: Submission) -> HttpResponse:
    """To the next in the queue, or to the queue where that was the last."""
    following = (
        review_assignment.next_submission(study, submission, now=timezone.now())
        or review_queue.undecided(study, now=timezone.now()).first()
    )
    if following is None:
        return redirect("console:review", study.uuid)
    return redirect("console:review-assignment", study.uuid, following.market_id)
