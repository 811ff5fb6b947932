"""How raters were paid, as far as a report must know it."""

from __future__ import annotations

from annotation.models import Study

BY_MARKETPLACE, ELSEWHERE = "ledger", "elsewhere"


def paid_by_amount(study: Study) -> bool:
    """Whether the reward of an assignment is what a rater receives, as far as is known: not where everybody who came
    has a voucher, course credit, nothing, or what the words of their channel say."""
    ways = list(study.ways_in.values_list("pays", "pay_words"))
    return not ways or any(pays == BY_MARKETPLACE or (pays == ELSEWHERE and not words) for pays, words in ways)
