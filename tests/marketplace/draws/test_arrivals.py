"""Simulated arrivals, in their short form (`make draws` runs 10,000), and wrong draws that they find."""

from __future__ import annotations

import pytest

from annotation.marketplace.models import StudyDraw
from annotation.marketplace.models import draws as draw_rows
from tests.benchmarks.arrivals import findings, planted
from tests.benchmarks.arrivals.people import Life, Plan

pytestmark = pytest.mark.django_db

DROP_OUT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
# About eighteen people come back to another cell here. Of the few of the plan above, all may draw their own again.
MANY_LEAVE = Plan(places=25, drop_out=dict.fromkeys(DROP_OUT, 0.6), inside=20, seed=3)


@pytest.fixture
def fixed_seed(monkeypatch):
    """The draws of a run are those of every run."""
    monkeypatch.setattr(StudyDraw._meta.get_field("seed"), "default", lambda: "7")
    assert draw_rows.new_seed() != draw_rows.new_seed()


def faults_of(plan: Plan, arrivals: int) -> list[str]:
    life = Life(plan)
    seen = life.run(arrivals)
    return [found.rule for found in findings.findings(seen, plan, life.requester, equal=False) if not found.holds]


@pytest.mark.database
def test_arrivals_are_always_put_into_a_least_filled_cell(fixed_seed):
    assert faults_of(Plan(places=25, drop_out=DROP_OUT, inside=20), 1000) == []


@pytest.mark.parametrize(
    ("wrong", "rule"), planted.PLANTED, ids=lambda value: value.__name__ if callable(value) else ""
)
def test_a_wrong_draw_is_found(fixed_seed, monkeypatch, wrong, rule):
    wrong(monkeypatch.setattr)
    plan = Plan(places=25, drop_out=DROP_OUT, inside=20)
    assert rule in faults_of(MANY_LEAVE if wrong is planted.forgets_the_cell else plan, 160)
