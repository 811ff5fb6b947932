"""The way of somebody who came by a link: their task, the next one, their own pay before it, stopping."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.draws.counts import pays_by_amount
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits.catalogue import held_by
from annotation.marketplace.invitations import completion, next_task
from annotation.marketplace.invitations.offer import submitted_pay
from annotation.marketplace.models import Assignment, Participant
from annotation.marketplace.site.host_guards import Visit, worker_page
from annotation.marketplace.site.shown_terms import hold_to_terms, seal_terms


def next_step(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What an invited person sees instead of a list: their task, the end, the next task, or why there is none."""
    if completion.finish_if_done(visit.worker, now=visit.now):
        return redirect("hits:end")
    held = held_by(visit.worker).first()
    if held is not None:
        return redirect("hits:work", held.assignment_id)
    return waiting_page(request, visit)


def waiting_page(
    request: HttpRequest, visit: Visit, *, recorded: Assignment | None = None, pay_changed: bool = False
) -> HttpResponse:
    """Between two tasks: what the next one pays and a button for it, or why there is none.

    recorded: what was submitted just now. pay_changed: since the person opened the page whose button they pressed.
    """
    there_is_more = completion.has_work_left(visit.worker, visit.now)
    submitted = completion.count_submitted(visit.worker)
    next_offer = next_task.next_offer(visit.worker, now=visit.now) if there_is_more else None
    channel = visit.worker.channel
    by_amount = channel is not None and pays_by_amount(channel.requester, channel)
    context = {
        "visit": visit,
        "channel": visit.worker.channel,
        "reason": "" if there_is_more else next_task.why_nothing(visit.worker, now=visit.now),
        "team_waits": not there_is_more and completion.waits_for_team(visit.worker, visit.now),
        "progress": next_task.progress_of(visit.worker, now=visit.now),
        "submitted": submitted,
        "recorded": recorded,
        "pay_changed": pay_changed,
        "submitted_pay": submitted_pay(visit.worker) if submitted and by_amount else None,
        "pay_offer": next_offer if by_amount else None,
        "shown_terms": seal_terms(next_offer, by_amount=by_amount),
    }
    return render(request, "marketplace/channels/next.html", context)


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Start the next task: the button between two of them."""
    return started(request, visit) if request.method == "POST" else redirect("hits:list")


def started(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Give the person their next task and lead to it; to what is in the way of it otherwise."""
    if visit.worker.channel_id is None:
        return redirect("hits:list")
    try:
        held = next_task.start_next(visit.worker, now=visit.now)
    except WorkRefusedError as refusal:
        return redirect(*consent_address(visit) if refusal.reason == "consent" else ("hits:list",))
    if not hold_to_terms(request, held, now=visit.now):
        return waiting_page(request, visit, pay_changed=True)
    return redirect("hits:work", held.assignment_id)


def consent_address(visit: Visit) -> tuple[str, ...]:
    """Where a person agrees to a text that has changed since they came in."""
    hit_id = next_task.first_open(visit.worker, now=visit.now)
    return ("hits:consent", hit_id) if hit_id else ("hits:list",)


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Stop before the last task: what was submitted counts, what is open is returned; first the page that says so."""
    person = Participant.objects.select_related("channel", "link").filter(worker=visit.worker).first()
    if person is None:
        return redirect("hits:list")
    if person.finished_at is not None:
        return redirect("hits:end")
    submitted = completion.count_submitted(visit.worker)
    if request.method == "POST":
        for held in held_by(visit.worker):
            _give_back(held, visit)
        if submitted:
            early = completion.has_work_left(visit.worker, visit.now)
            completion.finish(person, now=visit.now, early=early)
            return redirect("hits:end")
        return render(request, "marketplace/channels/stopped.html", _stop_context(visit, person, submitted))
    return render(request, "marketplace/channels/stop.html", _stop_context(visit, person, submitted))


def _give_back(held: Assignment, visit: Visit) -> None:
    try:
        accept_submit.return_assignment(held, now=visit.now)
    except WorkRefusedError:
        return  # Its time ran out a moment ago.


def _stop_context(visit: Visit, person: Participant, submitted: int) -> dict[str, object]:
    return {
        "visit": visit,
        "person": person,
        "channel": person.channel,
        "submitted": submitted,
        "held": held_by(visit.worker).first(),
        "early_code": person.channel.stop_code,
    }
