"""The queue of people: everything of a person on one card, decided at once, and taken back by one key."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.console.form_errors import attach_errors
from annotation.console.forms.review import Reason, RejectPerson
from annotation.console.permission import study_page, visitor
from annotation.models import Role, Study, Worker
from annotation.review import assignment, decide_person, people, queue
from annotation.review.workers import worker as find_worker
from annotation.studies.access import studies_of

LINES = 25


@require_safe
@study_page(Role.REVIEWER)
def listing(request: HttpRequest, study: Study) -> HttpResponse:
    now = timezone.now()
    paginator = Paginator(people.waiting_people(study, now=now), LINES)
    paginator.count = people.count_waiting_people(study)
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "rows": people.people_rows(study, list(page.object_list)),
        "counts": queue.decided_counts(study),
        "answers": queue.answered(study, now=now).count(),
        "proposed": assignment.select_queue(study, now=now, state="proposed").count(),
        "back": people.last_action(study, visitor(request), now=now),
    }
    return render(request, "console/review_people.html", context)


@require_safe
@study_page(Role.REVIEWER)
def card(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    return _shown(request, study, _worker_or_404(study, pseudonym))


def _shown(request: HttpRequest, study: Study, worker: Worker, **forms: Any) -> HttpResponse:
    now, person = timezone.now(), people.person_card(study, worker)
    context = {
        "study": study,
        "worker": worker,
        "card": person,
        "bars": _bars(person.details),
        "parts": _parts(person.details),
        "history": assignment.history(worker, studies_of(visitor(request))),
        "next": people.next_person(study, worker, now=now, before=people.place_of(study, worker, now=now)),
        "back": people.last_action(study, visitor(request), now=now),
        "exclude": Reason(prefix="exclude", initial={"reason": person.reason_to_exclude}),
        "propose": RejectPerson(prefix="propose"),
        "form": next(iter(forms.values()), None),
    }
    return render(request, "console/review_person.html", {**context, **forms}, status=422 if forms else 200)


def _bars(details: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Each label with the person's and the others' share of it, in per cent."""
    counts, total = details.get("labels", []), max(sum(details.get("labels", [])), 1)
    names = details.get("label_names") or [str(at) for at in range(len(counts))]
    return [
        (name, round(100 * n / total), round(100 * share))
        for name, n, share in zip(names, counts, details.get("others", []), strict=False)
    ]


def _parts(details: dict[str, Any]) -> list[tuple[float, ...]]:
    """By part of an assignment: seconds on a text, of the others, distance from the others, theirs among themselves."""
    names = ("seconds", "seconds_of_others", "distance", "distance_of_others")
    return list(zip(*(details.get(name, []) for name in names), strict=False))


@require_POST
@study_page(Role.REVIEWER)
def pay(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Pay, and keep the answers in the analysis or, with a reason, exclude them."""
    worker, form, now = _worker_or_404(study, pseudonym), Reason(request.POST, prefix="exclude"), timezone.now()
    leaving = "leave" in request.POST
    if leaving and not form.is_valid():
        return _shown(request, study, worker, exclude=form)
    reason = form.cleaned_data["reason"] if leaving else ""
    before = people.place_of(study, worker, now=now)
    done = decide_person.pay_person(study, worker, actor=visitor(request), now=now, exclude=reason)
    message = ngettext("%(n)d submission approved", "%(n)d submissions approved", done.decided)
    sentence = _("%(done)s and excluded. You can undo this.") if leaving else _("%(done)s. You can undo this.")
    messages.success(request, sentence % {"done": message % {"n": done.decided}})
    return _onward(study, worker, before)


@require_POST
@study_page(Role.REVIEWER)
def propose(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    worker, form, now = _worker_or_404(study, pseudonym), RejectPerson(request.POST, prefix="propose"), timezone.now()
    if form.is_valid():
        with attach_errors(form):
            before = people.place_of(study, worker, now=now)
            n = decide_person.propose_rejections(study, worker, **form.cleaned_data, actor=visitor(request), now=now)
            message = ngettext(
                "Rejection of %(n)d submission proposed. A second reviewer must confirm it.",
                "Rejection of %(n)d submissions proposed. A second reviewer must confirm it.",
                n,
            )
            messages.success(request, message % {"n": n})
            return _onward(study, worker, before)
    return _shown(request, study, worker, propose=form)


@require_POST
@study_page(Role.REVIEWER)
def undo(request: HttpRequest, study: Study) -> HttpResponse:
    done = decide_person.undo_last_action(study, actor=visitor(request), now=timezone.now())
    message = ngettext("Undone for %(n)d submission.", "Undone for %(n)d submissions.", done.submissions)
    messages.success(request, message % {"n": done.submissions})
    return redirect("console:review-people-card", study.uuid, done.worker.pseudonym)


def _onward(study: Study, worker: Worker, before: dict[str, Any] | None) -> HttpResponse:
    """To the next person in the queue, or to the queue where that was the last."""
    following = people.next_person(study, worker, now=timezone.now(), before=before)
    if following is None:
        return redirect("console:review-people", study.uuid)
    return redirect("console:review-people-card", study.uuid, following)


def _worker_or_404(study: Study, pseudonym: str) -> Worker:
    worker = find_worker(study, pseudonym)
    if worker is None:
        raise Http404
    return worker
