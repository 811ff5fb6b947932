"""What the card of a rater proposes."""

from __future__ import annotations

import pytest

from annotation.models import PersonEvidence, Worker
from annotation.review.people import PersonCard


@pytest.mark.parametrize(
    ("kind", "proposed"),
    [("careful", ""), ("line", "One label over and over."), ("duplicate", "One label over and over.")],
)
def test_a_reason_to_exclude_is_proposed_only_where_the_evidence_speaks_for_bad_work(kind: str, proposed: str) -> None:
    card = PersonCard(Worker(), PersonEvidence(kind=kind), "One label over and over.", (), (), 0, ())
    assert card.reason_to_exclude == proposed


def test_no_reason_is_proposed_where_nothing_was_measured() -> None:
    assert PersonCard(Worker(), None, "", (), (), 0, ()).reason_to_exclude == ""
