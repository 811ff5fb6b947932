"""What Amazon's API never had: the name that people read, and how many accounts could enter."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.requester_name import set_display_name
from annotation.marketplace.hits.eligibility import count_qualified
from annotation.marketplace.models import Requester
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.qualifications.requirements import normalised


@extension_operation("GetRequester", writes=False)
def get_requester(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return _requester_shape(call.requester)


@extension_operation("UpdateRequester", writes=True)
def update_requester(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    set_display_name(call.requester, parameters["DisplayName"])
    return _requester_shape(call.requester)


@extension_operation("CountWorkers", writes=False)
def count_workers(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    accounts, qualified = count_qualified([normalised(row) for row in parameters["QualificationRequirements"]])
    return {"Accounts": accounts, "Qualified": qualified}


def _requester_shape(requester: Requester) -> dict[str, Any]:
    return {"AccountName": requester.account_name, "DisplayName": requester.display_name}
