"""Comparators and values (specification 2.5)."""

from __future__ import annotations

import pytest

from annotation.marketplace.hits.eligibility import percent_approved
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.qualifications.requirements import LOCALE, met


def wants(comparator: str, *values: int) -> dict:
    return {"QualificationTypeId": "3X", "Comparator": comparator, "IntegerValues": list(values)}


def place(comparator: str, *names: str) -> dict:
    split = [name.split("-") for name in names]
    values = [{"Country": parts[0], **({"Subdivision": parts[1]} if parts[1:] else {})} for parts in split]
    return {"QualificationTypeId": LOCALE, "Comparator": comparator, "LocaleValues": values}


@pytest.mark.parametrize(
    ("comparator", "values", "meeting"),
    [
        ("LessThan", [5], {4}), ("LessThanOrEqualTo", [5], {4, 5}), ("GreaterThan", [5], {6}),
        ("GreaterThanOrEqualTo", [5], {5, 6}), ("EqualTo", [5], {5}), ("NotEqualTo", [5], {4, 6}),
        ("In", [4, 6], {4, 6}), ("NotIn", [4, 6], {5}), ("Exists", [], {4, 5, 6}), ("DoesNotExist", [], set()),
    ],
)  # fmt: skip
def test_scores_are_compared_as_the_comparator_says(comparator, values, meeting):
    assert {value for value in (4, 5, 6) if met(wants(comparator, *values), value)} == meeting


@pytest.mark.parametrize("comparator", ["NotEqualTo", "NotIn", "LessThan", "Exists", "EqualTo", "In"])
def test_who_has_no_score_meets_nothing_but_its_absence(comparator):
    assert not met(wants(comparator, 1), None)
    assert met(wants("DoesNotExist"), None)


@pytest.mark.parametrize(
    ("requirement", "where", "expected"),
    [
        (place("In", "US", "CA"), ("CA", ""), True), (place("In", "US", "CA"), ("DE", ""), False),
        (place("EqualTo", "US"), ("US", "CA"), True), (place("EqualTo", "US-CA"), ("US", "CA"), True),
        (place("EqualTo", "US-CA"), ("US", ""), False), (place("EqualTo", "US-CA"), ("US", "NY"), False),
        (place("NotIn", "US-FL", "US-GA"), ("US", "FL"), False), (place("NotIn", "US-FL", "US-GA"), ("US", "NY"), True),
        (place("NotEqualTo", "US"), ("US", "NY"), False), (place("NotEqualTo", "US"), None, False),
    ],
)  # fmt: skip
def test_a_country_covers_its_states(requirement, where, expected):
    assert met(requirement, where) is expected


@pytest.mark.parametrize(
    ("submitted", "approved", "rejected", "percent"),
    [(0, 0, 0, 100), (40, 20, 20, 100), (99, 50, 49, 100), (100, 95, 5, 95), (1041, 1000, 41, 96), (200, 0, 0, 100)],
)
def test_below_a_hundred_handed_in_everybody_counts_as_fully_approved(submitted, approved, rejected, percent):
    worker = WorkerAccount(submitted_count=submitted, approved_count=approved, rejected_count=rejected)
    assert percent_approved(worker) == percent
