"""The review desk: the queue, one assignment a screen, decisions that wait for their window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation import desk, reviewing
from annotation.console.forms.desk import Approve, Bulk, Propose, Reason, ReplyForm
from annotation.console.permission import may, studies_of, study_page, visitor
from annotation.console.refusals import beside
from annotation.deciding import WINDOW
from annotation.flows import exclude, reject, review
from annotation.models import Role, Study, Submission

LINES = 50


@require_safe
@study_page(Role.REVIEWER)
def queue(request: HttpRequest, study: Study) -> HttpResponse:
    now, kind, state = timezone.now(), request.GET.get("flag", ""), request.GET.get("state", "")
    page = Paginator(desk.queue(study, now=now, kind=kind, state=state), LINES).get_page(request.GET.get("page"))
    shown = {"study": study, "page": page, "flag": kind, "state": state, "kinds": reviewing.known_kinds()}
    counts = reviewing.decided_counts(study)
    back = desk.to_take_back(study, visitor(request), now=now)
    return render(request, "console/review.html", {**shown, "counts": counts, "back": back, "actions": Bulk.ACTIONS})


@require_safe
@study_page(Role.REVIEWER)
def assignment(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    return _shown(request, study, _one(study, assignment))


def _shown(request: HttpRequest, study: Study, one: Submission, **forms: Any) -> HttpResponse:
    now = timezone.now()
    told = {
        "study": study,
        "one": one,
        "due": reviewing.due_at(study, one),
        "lines": desk.lines(one),
        "findings": reviewing.findings(one),
        "history": desk.history(one.worker, studies_of(visitor(request))),
        "decisions": one.decisions.select_related("actor", "rule_set").order_by("matter"),
        "waits": reviewing.waits(one, now=now),
        "next": desk.following(study, one, now=now),
        "back": desk.to_take_back(study, visitor(request), now=now),
        "replies": one.replies.select_related("recorded_by").order_by("at"),
        "approve": Approve(prefix="approve"),
        "propose": Propose(prefix="propose"),
        "overturn": Reason(prefix="overturn"),
        "reply": ReplyForm(prefix="reply"),
        "analysis": Reason(prefix="analysis"),
        "form": next(iter(forms.values()), None),
    }
    status = 422 if forms else 200
    return render(request, "console/assignment.html", {**told, **forms}, status=status)


@require_POST
@study_page(Role.REVIEWER)
def approve(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one, form = _one(study, assignment), Approve(request.POST, prefix="approve")
    leaving = "leave" in request.POST
    if form.is_valid() and leaving and not form.cleaned_data["leave_out"]:
        form.add_error("leave_out", _("Leaving work out of the analysis needs a reason."))
    if form.errors:
        return _shown(request, study, one, approve=form)
    reason = form.cleaned_data["leave_out"] if leaving else ""
    done = review.approve(
        study,
        _as_rows(one),
        actor=visitor(request),
        now=timezone.now(),
        window=WINDOW,
        leave_out=reason,
    )
    told = _("Approved; it can be taken back for ten minutes.") if done.decided else _("This had been decided before.")
    messages.success(request, told)
    return _onward(study, one)


@require_POST
@study_page(Role.REVIEWER)
def undo(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one = _one(study, assignment)
    review.undo(study, _as_rows(one), actor=visitor(request), now=timezone.now())
    messages.success(request, _("Taken back. The marketplace was told nothing."))
    return redirect("console:review-assignment", study.uuid, one.market_id)


@require_POST
@study_page(Role.REVIEWER)
def propose(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one, form = _one(study, assignment), Propose(request.POST, prefix="propose")
    if refusal := _acted(request, study, one, reject.propose, propose=form):
        return refusal
    messages.success(request, _("Proposed. It takes a second person to refuse payment."))
    return _onward(study, one)


@require_POST
@study_page(Role.REVIEWER)
def second(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one = _one(study, assignment)
    beyond = "beyond" in request.POST and may(study, Role.OWNER)
    reject.second(study, one, actor=visitor(request), now=timezone.now(), beyond_guard=beyond)
    messages.success(request, _("Payment is refused; it can be taken back for ten minutes."))
    return _onward(study, one)


@require_POST
@study_page(Role.REVIEWER)
def drop(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one = _one(study, assignment)
    reject.drop_proposal(study, one, actor=visitor(request), now=timezone.now())
    return redirect("console:review-assignment", study.uuid, one.market_id)


@require_POST
@study_page(Role.REVIEWER)
def overturn(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one, form = _one(study, assignment), Reason(request.POST, prefix="overturn")
    if refusal := _acted(request, study, one, reject.overturn, overturn=form):
        return refusal
    messages.success(request, _("The rejection becomes an approval."))
    return redirect("console:review-assignment", study.uuid, one.market_id)


@require_POST
@study_page(Role.REVIEWER)
def reply(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    one, form = _one(study, assignment), ReplyForm(request.POST, prefix="reply")
    return _acted(request, study, one, reject.record_reply, reply=form) or redirect(
        "console:review-assignment", study.uuid, one.market_id
    )


@require_POST
@study_page(Role.REVIEWER)
def analysis(request: HttpRequest, study: Study, assignment: str) -> HttpResponse:
    """Leave out of the analysis, or take back in; payment is another matter."""
    one, form = _one(study, assignment), Reason(request.POST, prefix="analysis")
    if "include" in request.POST:
        exclude.take_back_in(study, _as_rows(one), actor=visitor(request), now=timezone.now())
    elif form.is_valid():
        exclude.leave_out(study, _as_rows(one), **form.cleaned_data, actor=visitor(request), now=timezone.now())
    else:
        return _shown(request, study, one, analysis=form)
    return redirect("console:review-assignment", study.uuid, one.market_id)


@require_POST
@study_page(Role.REVIEWER)
def bulk(request: HttpRequest, study: Study) -> HttpResponse:
    chosen, form = request.POST.getlist("chosen"), Bulk(request.POST)
    seen = desk.preview(study, chosen)
    if not form.is_valid() or not form.cleaned_data["confirmed"]:
        told, status = {"study": study, "preview": seen, "form": form}, 422 if form.errors else 200
        return render(request, "console/review_bulk.html", told, status=status)
    leave_out = form.cleaned_data["reason"].strip() if form.cleaned_data["action"] == "leave_out" else ""
    rows = Submission.objects.filter(hit__study=study, market_id__in=chosen)
    done = review.approve(study, rows, actor=visitor(request), now=timezone.now(), window=WINDOW, leave_out=leave_out)
    messages.success(request, _("%(n)s approved; they can be taken back for ten minutes.") % {"n": done.decided})
    return redirect("console:review", study.uuid)


def _acted(
    request: HttpRequest, study: Study, one: Submission, verb: Callable[..., object], **given: Form
) -> HttpResponse | None:
    """Call the verb with what a form says, under the form's name on the page; the page again where it says nothing."""
    (form,) = given.values()
    if form.is_valid():
        with beside(form):
            verb(study, one, **form.cleaned_data, actor=visitor(request), now=timezone.now())
            return None
    return _shown(request, study, one, **given)


def _one(study: Study, market_id: str) -> Submission:
    found = desk.submission(study, market_id)
    if found is None:
        raise Http404
    return found


def _as_rows(one: Submission) -> Any:
    return Submission.objects.filter(pk=one.pk)


def _onward(study: Study, one: Submission) -> HttpResponse:
    """To the next in the queue, or to the queue where that was the last."""
    following = desk.following(study, one, now=timezone.now()) or reviewing.undecided(study, now=timezone.now()).first()
    if following is None:
        return redirect("console:review", study.uuid)
    return redirect("console:review-assignment", study.uuid, following.market_id)
