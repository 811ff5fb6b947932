"""Facts that contradict each other stop a report with a sentence that says both, and no honest study is stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from metrics.errors import BadInput
from metrics.report.checklists.consistency import CHECKS, check_consistency
from metrics.report.pay import PLAY_MONEY, SIMULATED_CROWD
from metrics.report.records import ReportInput
from metrics.report.row_records import PlanFacts
from tests.annotation.reports.round_trips import KINDS, NOW, PLAN, PLAN_SHA256

Changes = dict[str, Any]
LIVE = {"study.mode": "live"}
LATER = {"study.collected_from": NOW, "study.collected_to": NOW.replace(day=3)}
# Of 32 evaluators, each with one approved submission of 5 texts in one of 8 HITs; the sixth is excluded, and each of 8
# conditions has 4. A fact of rows is changed in the first one.
PLANTED: tuple[tuple[Changes, str], ...] = (
    ({"crowd.rejected": 1}, "crowd.submitted is 32, and crowd.approved and crowd.rejected together are 33"),
    ({"crowd.excluded": 33}, "crowd.submitted is 32, and crowd.excluded is 33"),
    ({"crowd.submitted": 40}, "crowd.submitted is 40, and the count of assignments is 32"),
    ({"crowd.approved": 31}, "crowd.approved is 31, and the count of approved in assignments.payment is 32"),
    (
        {"crowd.approved": None, "crowd.rejected": 20},
        "crowd.rejected is 20, and the count of rejected in assignments.payment is 0",
    ),
    ({"crowd.excluded": 2}, "crowd.excluded is 2, and the count of excluded in assignments.kept is 1"),
    ({"crowd.workers": 31}, "crowd.workers is 31, and the count of people in assignments.rater is 32"),
    ({"crowd.workers": 2, "assignments": ()}, "crowd.workers is 2, and the count of people in ratings.rater is 32"),
    ({"conditions.submitted": 5}, "conditions.submitted of none × gpt is 5, and the count of its assignments is 4"),
    (
        {"conditions.workers": 3},
        "conditions.workers of none × gpt is 3, and the count of people in its assignments is 4",
    ),
    (
        {"conditions.excluded": 1},
        "conditions.excluded of none × gpt is 1, and the count of excluded in its assignments is 0",
    ),
    ({"study.hits": 7}, "study.hits is 7, and the count of HITs in assignments and ratings is 8"),
    ({"study.texts_per_hit": 4}, "study.texts_per_hit is 4, and HIT "),
    (LATER, "study.collected_from is 2026-11-20 00:00:00+00:00, after study.collected_to, which is 2026-11-03 00:00"),
    (
        {"money.total_cents": 22401},
        "money.total_cents is 22401, and money.paid_cents, money.fee_cents and money.bonus_cents sum up to 22400",
    ),
    ({"assignments.currency": "EUR"}, "money.currency is USD, and assignments.currency of A00001 is EUR"),
    (
        {"assignments.reward_cents": 150},
        "conditions.reward_cents of none × gpt is 100, and assignments.reward_cents of A00001 is 150",
    ),
    (
        {"assignments.reward_cents": 150, "conditions": ()},
        "money.reward_cents is 100, and assignments.reward_cents of A00001 is 150",
    ),
    (
        {**LIVE, "crowd.provider": SIMULATED_CROWD},
        "study.mode is live, and crowd.provider says: rehearsal crowd (simulated raters)",
    ),
    ({**LIVE, "crowd.pays": PLAY_MONEY[:1]}, "study.mode is live, and crowd.pays says: Raters were simulated"),
    (
        {"assignments.kept": False, "crowd.excluded": 2, "conditions.excluded": 1},
        "assignments.kept of A00001 says excluded, and ratings.kept of its text t",
    ),
    ({"ratings.kept": False}, "assignments.kept of A00001 says included, and ratings.kept of its text t"),
    (
        {"assignments.withdrawn": True},
        "assignments.withdrawn of A00001 says True, and the count of its ratings is 5",
    ),
    (
        {"assignments.checks": 1, "assignments.checks_failed": 2},
        "assignments.checks of A00001 is 1, and assignments.checks_failed is 2",
    ),
    (
        {"plan": PlanFacts(text='{"a": 2}', sha256=PLAN_SHA256)},
        f"plan.sha256 is {PLAN_SHA256}, and the SHA-256 of plan.text is ",
    ),
)
HONEST: dict[str, Changes] = {
    "counts without rows": {"assignments": ()},
    "means alone": {"assignments": (), "ratings": ()},
    "nothing decided yet": {"crowd.approved": None, "crowd.rejected": None},
    "HITs and longer HITs that nobody has answered": {"study.hits": 9, "study.texts_per_hit": 50},
    "a reward that was raised after the work": {"money.reward_cents": 250},
    "arms of several rewards": {"assignments.reward_cents": 100, "money.reward_cents": 75},
    "a fee that is not known": {"money.fee_cents": None, "money.total_cents": None},
    "the logged plan": {"plan": PlanFacts(text=PLAN, sha256=PLAN_SHA256)},
    "an import that knows what it took from a rehearsal": {"study.mode": "imported", "crowd.provider": SIMULATED_CROWD},
}


def planted(changes: Changes) -> ReportInput:
    """The study of evaluators with other facts, by their paths."""
    given = KINDS["evaluators"](3)
    for path, value in changes.items():
        part, _, name = path.partition(".")
        held = getattr(given, part)
        if isinstance(held, tuple) and name:
            value = (replace(held[0], **{name: value}), *held[1:])
        elif name:
            value = replace(held, **{name: value})
        given = replace(given, **{part: value})
    return given


@pytest.mark.parametrize(("changes", "sentence"), PLANTED, ids=[sentence for _, sentence in PLANTED])
def test_facts_that_disagree_stop_the_report_with_a_sentence(changes: Changes, sentence: str) -> None:
    with pytest.raises(BadInput) as stopped:
        check_consistency(planted(changes))
    assert str(stopped.value).startswith(f"study headlines: two facts disagree, so correct the wrong field: {sentence}")


@pytest.mark.parametrize("changes", HONEST.values(), ids=HONEST)
def test_what_a_study_can_have_stops_nothing(changes: Changes) -> None:
    check_consistency(planted(changes))


def test_two_answers_of_a_person_without_hits_are_not_taken_for_each_other() -> None:
    """Imports without HITs: whose rows are alike but for what was excluded."""
    given = KINDS["scales"](3)
    rows = tuple(replace(row, hit=None) for row in given.assignments)
    rows = (*rows, replace(rows[0], id="A00006", kept=False))
    crowd = replace(given.crowd, submitted=6, approved=6, excluded=1)
    ratings = tuple(replace(rating, hit=None) for rating in given.ratings)
    mixed = (replace(ratings[0], kept=False), *ratings[1:])
    check_consistency(replace(given, assignments=rows, crowd=crowd, ratings=mixed))


def test_every_check_is_planted() -> None:
    caught = {
        check.sentence
        for changes, _ in PLANTED
        for check in CHECKS
        for first, second, *_ in check.pairs(planted(changes))
        if None not in (first, second) and not check.agree(first, second)
    }
    assert caught == {check.sentence for check in CHECKS}
