"""The requester's account."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.cents import DOLLARS, dollars
from annotation.marketplace.models import RequesterBalance
from annotation.marketplace.operations.registry import Call, extension_operation, operation


@operation("GetAccountBalance", writes=False)
def get_account_balance(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """In dollars, as Mechanical Turk answered; `ListBalances` has every currency."""
    return {
        "AvailableBalance": dollars(call.requester.balance_cents),
        "OnHoldBalance": dollars(call.requester.held_cents),
    }


@extension_operation("ListBalances", writes=False)
def list_balances(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The balances of every currency that the account has; dollars first."""
    rows = [(DOLLARS, call.requester.balance_cents, call.requester.held_cents)]
    others = RequesterBalance.objects.filter(requester=call.requester).order_by("currency")
    rows += others.values_list("currency", "balance_cents", "held_cents")
    return {
        "Balances": [
            {
                "Currency": currency,
                "AvailableBalance": dollars(balance, currency),
                "OnHoldBalance": dollars(held, currency),
            }
            for currency, balance, held in rows
        ]
    }
