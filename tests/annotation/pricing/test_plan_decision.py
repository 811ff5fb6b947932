"""manage.py plan_decision: what a wanted power needs, and what a budget cannot reach."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mturk_fees")]


def text(*arguments: str) -> str:
    out = StringIO()
    call_command("plan_decision", *arguments, stdout=out)
    return out.getvalue()


STATED = ("ratings", "0.44", "--spreads", "text=0.8,severity=0.5,noise=1.2", "--raters=5,10")


def test_the_cheapest_study_comes_first_and_each_reaches_the_power():
    plan = json.loads(text(*STATED, "--json"))
    costs = [row["cents"] for row in plan["reaching"]]
    assert costs == sorted(costs)
    assert all(row["power"] >= 0.8 for row in plan["reaching"])
    assert [row["texts"] for row in plan["reaching"]] == [3 * row["contexts"] for row in plan["reaching"]]


def test_a_budget_that_is_too_small_is_named_with_what_is_missing_and_what_it_reaches():
    needed = json.loads(text(*STATED, "--json"))["reaching"][0]["cents"]
    found = text(*STATED, "--budget=30")
    assert "No plan within the budget of $30.00 reaches it." in found
    assert f"The cheapest that does costs ${needed / 100:.2f}, ${needed / 100 - 30:.2f} more." in found
    assert "reach a power of 0." in found
    assert "within the budget of $500.00" in text(*STATED, "--budget=500")


def test_huse_is_planned_from_a_prior_study():
    assert "the prior study huse-2019-summarization" in text("huse", "--raters=10", "--studies=20")


def test_a_simulation_says_how_far_it_is(capsys):
    text("huse_q", "0.5", "--raters=5,10", "--studies=20")
    assert capsys.readouterr().err.splitlines() == [
        f"Simulating studies: {tried} of 2 numbers of raters tried." for tried in (0, 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ratings"], "enter the difference to find"),
        (["huse_q", "1.9", "--studies=20"], "can fall by"),
        (["ratings", "0.3", "--spreads=texts=1"], "is not a list such as"),
        (["ratings", "0.3", "--pilot=nobody"], "no study called nobody"),
        (["ratings", "0.3", "--budget=1.005"], "at most 2 decimals"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_in_a_sentence(arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        text(*arguments)
