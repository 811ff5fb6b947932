"""ListReviewPolicyResultsForHIT."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.operations.finding import load_hit
from annotation.marketplace.operations.registry import Call, operation


@operation("ListReviewPolicyResultsForHIT", writes=False)
def list_results(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Two empty reports: no HIT of this marketplace has a review policy, CreateHIT refuses them."""
    hit = load_hit(call, parameters["HITId"])
    levels = parameters.get("PolicyLevels") or ["Assignment", "HIT"]
    reports: dict[str, Any] = {f"{level}ReviewReport": {"ReviewResults": [], "ReviewActions": []} for level in levels}
    return {"HITId": hit.hit_id, **reports}
