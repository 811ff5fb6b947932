"""Accepting some HIT of a group."""

from __future__ import annotations

from django.http import HttpRequest

from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.assignments.enter_study import enter_study
from annotation.marketplace.draws.counts import pays_by_amount
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits.catalogue import some_ids_of
from annotation.marketplace.invitations.offer import offer_of
from annotation.marketplace.models import Assignment, HitType, WorkerAccount
from annotation.marketplace.site.host_guards import Visit
from annotation.marketplace.site.shown_terms import seal_terms

# Reasons for which another HIT of the group may do.
PASSING = {"full", "closed", "held"}


def accept_some(visit: Visit, hit_type: HitType) -> Assignment | None:
    """Take a place of any HIT of the group; None when there is none left for the worker.

    Raises WorkRefusedError for reasons that hold for the whole group.
    """
    for hit_id in some_ids_of(visit.worker, hit_type, now=visit.now):
        try:
            return accept_submit.accept(hit_id, worker=visit.worker, now=visit.now)
        except WorkRefusedError as refusal:
            if refusal.reason not in PASSING:
                raise
    return None


def enter_or_accept(visit: Visit, hit_type: HitType) -> Assignment | None:
    """The same; in a study of several cells a place of a HIT of the visitor's own cell. Raises WorkRefusedError."""
    if hit_type.cell:
        return enter_study(hit_type.requester, hit_type.study, worker=visit.worker, now=visit.now)
    return accept_some(visit, hit_type)


def terms_of_type(hit_type: HitType) -> dict[str, object]:
    """For a page from which an account accepts work of `hit_type`: minutes and pay, and the field that carries them."""
    offer = offer_of(hit_type)
    by_amount = pays_by_amount(hit_type.requester, None)
    return {"pay_offer": offer, "shown_terms": seal_terms(offer, by_amount=by_amount)}


def remember_wish(request: HttpRequest, visit: Visit) -> None:
    """Store what the form of a preview says about starting the next task automatically."""
    if "wish" in request.POST and (wish := "auto_accept" in request.POST) is not visit.worker.auto_accept:
        WorkerAccount.objects.filter(pk=visit.worker.pk).update(auto_accept=wish)
