"""What the card of a rater proposes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string

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


def test_the_pages_state_the_error_of_chances_that_was_measured() -> None:
    """The largest gap of both sets of crowds, in whole points."""
    page = (Path(__file__).resolve().parents[3] / "docs/people.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| stated chance against frequency, largest gap.*$", page, re.MULTILINE)
    largest = max(float(gap) for gap in re.findall(r"([0-9.]+) ±", row))
    assert f"were up to {largest:.0f} points" in render_to_string("console/review_chance.html")
