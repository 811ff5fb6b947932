"""A study of several cells on the worker site: its card before the draw, and what a person's own task pays after it."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.marketplace.assignments import device_codes
from annotation.marketplace.channels import consent
from annotation.marketplace.draws import counts
from annotation.marketplace.hits import catalogue, study_cards
from annotation.marketplace.invitations.offer import offer_of_assignment, offer_of_types
from annotation.marketplace.models import Assignment, Draw, Hit
from annotation.marketplace.site.host_guards import Visit, worker_page
from annotation.marketplace.site.refusal_reasons import requirements_of
from annotation.marketplace.site.shown_terms import seal_terms

# Of an assignment: that its worker must be told first what the task pays, as the cells of the study pay differently.
UNSTARTED = Draw.objects.filter(
    worker=OuterRef("worker"),
    requester=OuterRef("hit__requester"),
    study=OuterRef("hit__hit_type__study"),
    cell=OuterRef("hit__hit_type__cell"),
    started_at=None,
)


def visible_hit(visit: Visit, hit: Hit) -> Hit | None:
    """A HIT of the study of `hit` that the visitor may see: of their own cell once they were assigned to one."""
    rows = catalogue.untaken(visit.worker, visit.now)
    return rows.filter(requester=hit.requester_id, hit_type__study=hit.hit_type.study).order_by("pk").first()


def is_assigned(visit: Visit, hit: Hit) -> bool:
    """Whether the visitor has a cell in the study of `hit`."""
    return counts.draw_of(hit.requester_id, hit.hit_type.study, visit.worker.pk) is not None


def is_of_another_cell(visit: Visit, hit: Hit) -> bool:
    """Whether the visitor was assigned to another cell than that of `hit`."""
    known = counts.draw_of(hit.requester_id, hit.hit_type.study, visit.worker.pk)
    return known is not None and known.cell != hit.hit_type.cell


def refusal(visit: Visit, hit: Hit) -> str:
    """Why the visitor cannot enter the study of `hit`, the consent included; "" where they can."""
    reason = study_cards.refusal(visit.worker, hit.requester_id, hit.hit_type.study, now=visit.now)
    if not reason and not consent.agreed(visit.worker, consent.terms_for(visit.worker, hit, visit.now)):
        return "consent"
    return reason


def card_page(request: HttpRequest, visit: Visit, hit: Hit) -> HttpResponse:
    """The study before the draw: what its cells have in common, and the button to start."""
    types = study_cards.open_types(visit.worker, hit.requester_id, hit.hit_type.study, now=visit.now)
    # The way in is open only to who meets the requirements of one cell; these are shown.
    allowed = next(eligibility for _, eligibility in types if eligibility.accept)
    card = study_cards.card_of([hit_type for hit_type, _ in types])
    offer = None if card.pays_differ else offer_of_types([hit_type for hit_type, _ in types])
    context = {
        "visit": visit,
        "hit": hit,
        "card": card,
        "pay_offer": offer,
        "requirements": requirements_of(allowed, visit.worker, now=visit.now),
        "shown_terms": seal_terms(offer, by_amount=counts.pays_by_amount(card.requester, visit.worker.channel)),
        "device": device_codes.is_requested(hit.hit_type.keywords),
    }
    return render(request, "marketplace/study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@worker_page
def your_pay(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """After the draw and before the start: what this task pays."""
    rows = Assignment.objects.select_related("hit__hit_type", "hit__requester__user").defer("hit__question")
    held = rows.filter(Exists(UNSTARTED), assignment_id=assignment_id, worker=visit.worker).first()
    if held is None or held.state != Assignment.State.ACCEPTED:
        return redirect("hits:work", assignment_id)
    if request.method == "POST":
        counts.start(held.hit.requester_id, held.hit.hit_type.study, visit.worker.pk, now=visit.now)
        return redirect("hits:work", assignment_id)
    context = {"visit": visit, "assignment": held, "hit": held.hit, "left": held.deadline - visit.now}
    context["offer"] = offer_of_assignment(held)
    return render(request, "marketplace/your_pay.html", context)


def title_of(visit: Visit, hit: Hit) -> str:
    """What the visitor reads as the name of `hit`: of a study that they have no cell in nothing of a single cell."""
    if not hit.hit_type.cell or is_assigned(visit, hit):
        return hit.hit_type.title
    types = study_cards.open_types(visit.worker, hit.requester_id, hit.hit_type.study, now=visit.now)
    return study_cards.card_of([hit_type for hit_type, _ in types]).title if types else ""
