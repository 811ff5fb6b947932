"""The requester's account."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.cents import dollars
from annotation.marketplace.operations.registry import Call, operation


@operation("GetAccountBalance", writes=False)
def get_account_balance(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "AvailableBalance": dollars(call.requester.balance_cents),
        "OnHoldBalance": dollars(call.requester.held_cents),
    }
