"""The terms on a page travel with its button, so that what a person has read is what they accept."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from django.core import signing
from django.http import HttpRequest

from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.invitations.offer import PayOffer
from annotation.marketplace.models import Assignment

FIELD = "shown"
# The reason of a refusal: see `refusal_messages`.
PAY_CHANGED = "pay-changed"
_SEAL = signing.Signer(salt="marketplace.shown-terms")


def seal_terms(offer: PayOffer | None, *, by_amount: bool) -> str:
    """Pay, currency and minutes as a page shows them, signed: the value of the hidden field of its form.

    by_amount: the page names the amount, and no voucher instead of it. "" where it shows nothing of this.
    """
    if offer is None:
        return ""
    pay = (offer.reward_cents, offer.currency) if by_amount else (None, "")
    return _SEAL.sign_object([*pay, offer.minutes, offer.people])


def hold_to_terms(request: HttpRequest, held: Assignment, *, now: datetime) -> bool:
    """Store the minutes that the person had read with `held`, which they have accepted by this request at `now`.

    False, and the assignment is returned, where it pays otherwise than the page said: the requester has changed the
    pay since. A form without terms is held to nothing, and neither is what the person had accepted before.
    """
    try:
        reward, currency, minutes, people = _SEAL.unsign_object(request.POST.get(FIELD, ""))
    except (signing.BadSignature, ValueError, TypeError):
        return True
    if held.accepted_at != now:
        return True
    if reward is not None and (reward, currency) != (held.shown_reward_cents, held.shown_currency):
        with suppress(WorkRefusedError):
            accept_submit.return_assignment(held, now=now)
        return False
    if minutes != held.shown_minutes:
        rows = Assignment.objects.filter(pk=held.pk, state=Assignment.State.ACCEPTED)
        rows.update(shown_minutes=minutes, shown_minutes_people=people)
    return True
