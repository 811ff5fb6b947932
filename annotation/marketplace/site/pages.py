"""The pages of a worker's day: find, preview, accept, do, return, done."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.marketplace.assignments import accept_submit, device_codes, rejection_replies
from annotation.marketplace.cents import dollars
from annotation.marketplace.channels import admission_rules, reach
from annotation.marketplace.core.clock import now
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.draws.counts import pays_by_amount
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import entry_check, study_cards
from annotation.marketplace.hits.catalogue import some_ids_of
from annotation.marketplace.hits.eligibility import Eligibility, assess_worker
from annotation.marketplace.invitations import completion, next_task
from annotation.marketplace.invitations.offer import offer_of_assignment
from annotation.marketplace.models import Assignment, Hit, HitType, WorkerAccount
from annotation.marketplace.qualifications import once_pass
from annotation.marketplace.questions.question_types import parsed
from annotation.marketplace.site import studies
from annotation.marketplace.site.addresses import address_of, framing, origin_of
from annotation.marketplace.site.assignment_pages import accept_some, remember_wish, terms_of_type
from annotation.marketplace.site.content_security import may_frame, sandbox_of
from annotation.marketplace.site.forms import ReplyForm
from annotation.marketplace.site.host_guards import Visit, form_page, note, worker_page
from annotation.marketplace.site.refusal_messages import FORBIDDEN, refusal_message
from annotation.marketplace.site.refusal_reasons import Reason, reason_of_series, reasons_of, requirements_of
from annotation.marketplace.site.shown_terms import PAY_CHANGED, hold_to_terms, seal_terms
from annotation.marketplace.site.way import waiting_page

State = Assignment.State
# What the pages of an assignment read: Django takes longer to name the other columns than the database to find the row.
SHOWN = (
    "assignment_id", "state", "deadline", "auto_approval_at", "feedback", "worker_id", "hit__hit_id", "hit__kind",
    "hit__question", "hit__hit_type__group_id", "hit__hit_type__title", "hit__hit_type__reward_cents",
    "hit__hit_type__keywords", "hit__hit_type__requirements", "hit__hit_type__study", "hit__hit_type__cell",
    "rejected_at", "shown_reward_cents", "shown_currency", "shown_minutes", "shown_minutes_people",
    "hit__hit_type__currency",
    "hit__requester__pays", "hit__requester__user__username", "hit__requester__display_name",
)  # fmt: skip


@require_safe
@worker_page
def preview(request: HttpRequest, visit: Visit, hit_id: str) -> HttpResponse:
    if visit.worker.channel_id is not None:
        # Who came by a link starts by one button; there is nothing to choose from.
        return redirect("hits:list")
    hit = _hit(hit_id)
    if hit.hit_type.cell and (shown := _in_study(request, visit, hit)) is not None:
        return shown
    allowed = assess_worker(visit.worker, hit.hit_type)
    if not allowed.preview:
        return refused(request, "unqualified", hit=hit, worker=visit.worker)
    current = _live_assignment(visit, hit)
    if current is not None and current.state == State.ACCEPTED:
        return redirect("hits:work", current.assignment_id)
    try:
        admission_rules.check(hit, worker=visit.worker, now=visit.now)
    except WorkRefusedError as refusal:
        # Consent is asked only of those who could take part afterwards.
        known = entry_check.refusal(hit, worker=visit.worker, now=visit.now) if refusal.reason == "consent" else ""
        return refused(request, known or refusal.reason, hit=hit, worker=visit.worker)
    context = {
        "visit": visit,
        "hit": hit,
        "eligibility": allowed,
        "open": hit.status == Hit.Status.ASSIGNABLE and not current,
        "requirements": requirements_of(allowed, visit.worker, now=visit.now),
        "device": device_codes.is_requested(hit.hit_type.keywords),
        **terms_of_type(hit.hit_type),
    }
    return _framed(request, "marketplace/preview.html", context, hit, None)


def _in_study(request: HttpRequest, visit: Visit, hit: Hit) -> HttpResponse | None:
    """What is shown instead of a HIT of a study of several cells; None where it is of the visitor's own cell."""
    held = study_cards.held_in_study(visit.worker, hit.requester_id, hit.hit_type.study)
    if held is not None:
        return redirect("hits:work", held.assignment_id)
    if not studies.is_assigned(visit, hit):
        reason = studies.refusal(visit, hit)
        return (
            refused(request, reason, hit=hit, worker=visit.worker) if reason else studies.card_page(request, visit, hit)
        )
    if not studies.is_of_another_cell(visit, hit):
        return None
    other = studies.visible_hit(visit, hit)
    if other is not None:
        return redirect("hits:preview", other.hit_id)
    return refused(request, studies.refusal(visit, hit) or "full", hit=None, worker=visit.worker)


@require_POST
@worker_page
def accept(request: HttpRequest, visit: Visit, hit_id: str) -> HttpResponse:
    """Take a place of this HIT or, when others took the last one a moment ago, of another of its group."""
    try:
        held = accept_submit.accept(hit_id, worker=visit.worker, now=visit.now)
    except Hit.DoesNotExist:
        raise Http404 from None
    except WorkRefusedError as refusal:
        hit = _hit(hit_id)
        passing = refusal.reason == "full" and not hit.hit_type.cell
        following = accept_some(visit, hit.hit_type) if passing else None
        if following is None:
            return refused(request, refusal.reason, hit=hit, worker=visit.worker)
        held = following
    if not hold_to_terms(request, held, now=visit.now):
        return refused(request, PAY_CHANGED, hit=None, worker=visit.worker)
    remember_wish(request, visit)
    return HttpResponseRedirect(address_of("hits:work", held.assignment_id))


@require_safe
@worker_page
def work(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    held = load_assignment(visit, assignment_id)
    if held.state != State.ACCEPTED:
        return redirect("hits:done", assignment_id)
    if held.pay_is_due:  # type: ignore[attr-defined]
        return redirect("hits:your-pay", assignment_id)
    context = {"visit": visit, "assignment": held, "hit": held.hit, "left": held.deadline - visit.now}
    context["device"] = device_codes.is_requested(held.hit.hit_type.keywords)
    context |= {f"{page}_address": address_of(f"hits:{page}", assignment_id) for page in ("done", "return", "state")}
    if visit.worker.channel_id is not None:
        context["progress"] = next_task.progress_of(visit.worker, now=visit.now)
    response = _framed(request, "marketplace/work.html", context, held.hit, held)
    return device_codes.note(request, response, held, now=timezone.now())


@require_safe
@worker_page
def state(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """The state of an assignment, for the page's own script."""
    return JsonResponse({"state": load_assignment(visit, assignment_id).state})


@require_http_methods(["GET", "HEAD", "POST"])
@worker_page
def return_task(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Return an accepted task: first the page that asks whether one is sure, then the deed."""
    held = load_assignment(visit, assignment_id)
    if request.method != "POST":
        if visit.worker.channel_id is not None:
            return redirect("hits:stop")
        if held.state != State.ACCEPTED:
            return redirect("hits:done", assignment_id)
        context = {"visit": visit, "assignment": held, "hit": held.hit, "left": held.deadline - visit.now}
        return render(request, "marketplace/return.html", context)
    try:
        accept_submit.return_assignment(held, now=visit.now)
    except WorkRefusedError:
        return redirect("hits:done", assignment_id)
    return redirect("hits:list")


@require_safe
@worker_page
def done(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """What became of an assignment and what happens next."""
    return shown_done(request, visit, load_assignment(visit, assignment_id))


def shown_done(request: HttpRequest, visit: Visit, held: Assignment, form: ReplyForm | None = None) -> HttpResponse:
    """That page; with `form`, the answer to a rejection that could not be taken."""
    if visit.worker.channel and completion.finish_if_done(visit.worker, now=visit.now):
        return redirect("hits:end")
    if visit.worker.channel_id is not None and held.state == State.SUBMITTED:
        return waiting_page(request, visit, recorded=held)
    # Who may take no more of it is not offered the next one.
    allowed = assess_worker(visit.worker, held.hit.hit_type).accept
    more = some_ids_of(visit.worker, held.hit.hit_type, now=visit.now) if allowed else []
    bonuses = held.bonuses.order_by("pk")
    context: dict[str, Any] = {
        "visit": visit,
        "assignment": held,
        "hit": held.hit,
        "next_hit_id": more[0] if more else "",
    }
    shown_reward = held.shown_reward_cents
    context["reward_cents"] = held.hit.hit_type.reward_cents if shown_reward is None else shown_reward
    if more:
        # Of the kind that was just done: the terms are those that were shown for it.
        offer, by_amount = offer_of_assignment(held), pays_by_amount(held.hit.requester, None)
        context["shown_terms"] = seal_terms(offer, by_amount=by_amount)
    context |= {"bonuses": bonuses, "by_itself": visit.worker.auto_accept and held.state == State.SUBMITTED}
    if held.rejected_at is not None:
        context["answer"] = rejection_replies.reply_status_of(held.assignment_id, now=visit.now)
    return form_page(request, "marketplace/done.html", form or ReplyForm(), **context)


def _hit(hit_id: str) -> Hit:
    hit = (
        Hit.objects.select_related("hit_type", "requester__user", "requester__record", "requester__consent")
        .filter(hit_id=hit_id)
        .first()
    )
    if hit is None:
        raise Http404
    return hit


_ASSIGNMENT = Prepared(
    lambda assignment_id, worker: (
        Assignment.objects.select_related("hit__hit_type", "hit__requester__user")
        .only(*SHOWN)
        .annotate(pay_is_due=Exists(studies.UNSTARTED))
        .filter(assignment_id=assignment_id, worker=worker)
    ),
    str,
    int,
)


def load_assignment(visit: Visit, assignment_id: str) -> Assignment:
    """The visitor's assignment of that id. Raises Http404."""
    for held in _ASSIGNMENT(assignment_id, visit.worker.pk):
        held.worker = visit.worker
        return held
    raise Http404


def _live_assignment(visit: Visit, hit: Hit) -> Assignment | None:
    return (
        Assignment.objects.filter(hit=hit, worker=visit.worker)
        .exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
        .first()
    )


def _framed(
    request: HttpRequest, template: str, context: dict[str, Any], hit: Hit, held: Assignment | None
) -> HttpResponse:
    """A page with the HIT in its frame; the page's policy allows that frame and no other."""
    question = parsed(hit.question)
    framed = framing(hit, question, held)
    context |= {
        "frame": framed.address,
        "load": framed.load,
        "submit": framed.submit if held is not None else "",
        "frame_height": question.frame_height,
        "sandbox": sandbox_of(question),
        "reward": dollars(hit.hit_type.reward_cents, hit.hit_type.currency),
    }
    response = may_frame(render(request, template, context), origin_of(framed.address))
    if "allow-same-origin" in context["sandbox"]:
        # A page of its own origin may open windows that speak to it (psiTurk's last page reloads its opener).
        response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


def refused(request: HttpRequest, reason: str, *, hit: Hit | None, worker: WorkerAccount) -> HttpResponse:
    """The page that says why a step cannot be taken, or the one that must be passed first."""
    if reason == "consent" and hit is not None:
        return redirect("hits:consent", hit.hit_id)
    if reason == "finished":
        return redirect("hits:end")
    participant = worker.channel_id is not None
    lacking = assess_worker(worker, hit.hit_type) if reason == "unqualified" and hit is not None else None
    reasons = _reasons(lacking, worker) if lacking else []
    if hit and not reasons and not participant and (begun := _begun(reason, hit, worker)):
        reason, reasons = "series", [reason_of_series(begun, worker, now=now())]
    title, text = refusal_message(reason, participant=participant)
    return note(
        request,
        reason=reason,
        title=title,
        text=text,
        status=403 if reason in FORBIDDEN else 409,
        participant=participant,
        opens_at=reach.opens_to_accounts_at(worker, hit.hit_type, now()) if reason == "not-yet" and hit else None,
        reasons=reasons,
    )


def _begun(reason: str, hit: Hit, worker: WorkerAccount) -> HitType | None:
    """The other study of a series that keeps `worker` from `hit`."""
    return once_pass.begun_elsewhere(hit.hit_type, worker) if reason == "unqualified" else None


def _reasons(lacking: Eligibility, worker: WorkerAccount) -> list[Reason]:
    """The requirements that are not met; an account reads what it can do about each."""
    if worker.channel_id is not None:
        return reasons_of(lacking)
    return [row for row in requirements_of(lacking, worker, now=now()) if not row.is_met]
