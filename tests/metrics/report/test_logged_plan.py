"""A plan that was logged is said to be older than the answers where it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from metrics.report.prose.statistics import state_plan
from metrics.report.row_records import PlanFacts
from tests.metrics.report.samples import rated

LOGGED = datetime(2026, 11, 3, 9, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (60, ", before the first submission;"),
        (0, ", before the first submission;"),
        (-60, ", after the first submission;"),
    ],
)
def test_a_plan_logged_in_the_second_of_the_first_submission_came_before_it(seconds: int, said: str) -> None:
    made = rated(contexts=2, raters=2)
    study = replace(made.study, collected_from=LOGGED + timedelta(seconds=seconds))
    (sentence,) = state_plan(replace(made, study=study, plan=PlanFacts(registered_at=LOGGED, deviations=())))
    assert said in str(sentence)
