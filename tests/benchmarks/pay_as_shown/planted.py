"""Lies that the comparison must find: each patches what the pages say, or what is stored and paid afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.marketplace import cents
from annotation.marketplace.assignments import decisions
from annotation.marketplace.money.ledger import Cost
from annotation.marketplace.site import groups, invitations, pages, way
from annotation.marketplace.templatetags import marketplace as tags

Patch = Callable[[Any, str, Any], None]


def say_another_amount(patch: Patch) -> None:
    """The pages say twice what is paid, for a task and for an hour."""
    patch(tags, "format_money", lambda amount, currency, language="en": cents.format_money(2 * amount, currency))


def say_another_currency(patch: Patch) -> None:
    """The pages write francs as euros."""
    swapped = {"CHF": "EUR"}
    patch(
        tags,
        "format_money",
        lambda amount, currency, language="en": cents.format_money(amount, swapped.get(currency, currency)),
    )


def forget_what_was_read(patch: Patch) -> None:
    """What is stored is what holds when the button is pressed, and not what the person had read before."""
    for module in (groups, invitations, pages, way):
        patch(module, "hold_to_terms", lambda request, held, now: True)


def pay_by_the_type(patch: Patch) -> None:
    """The reward is changed after acceptance, and paid as it is then."""
    pay = decisions.pay

    def pay_changed(assignment: Any, cost: Cost, **rest: Any) -> None:
        changed = Cost(assignment.hit.hit_type.reward_cents + 5, cost.fee)
        pay(assignment, changed if rest["purpose"] == "reward" else cost, **rest)

    patch(decisions, "pay", pay_changed)


PLANTED = (
    (say_another_amount, "had read"),
    (say_another_currency, "EUR"),
    (forget_what_was_read, "minutes="),
    (pay_by_the_type, "the ledger has"),
)
