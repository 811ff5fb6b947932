"""manage.py plan: price, wage and precision in one place."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mturk_fees")]


def planned(*arguments: str, studies: int = 10) -> dict:
    out = StringIO()
    call_command("plan", *arguments, f"--studies={studies}", "--json", stdout=out)
    return json.loads(out.getvalue())


def test_the_huse_design_costs_what_the_specification_says_and_pays_what_was_measured():
    """8 HITs x 20 x $1 = $160; $192 with fees in HITs of nine, $224 in large ones; $4.48 an hour at 804 s."""
    found = planned("--contexts=100", "--raters=20", "--seconds=804")
    assert (found["bill"]["total"], found["bill"]["saving"], found["wage"]["median"]) == (192_00, 32_00, 448)
    assert planned("--contexts=100", "--raters=20", "--large-hits")["bill"]["total"] == 224_00


def test_the_table_has_a_row_for_every_number_of_texts_and_raters():
    rows = planned("--contexts=20,40", "--raters=3,6")["table"]
    assert [(row["layout"]["contexts"], row["layout"]["raters"]) for row in rows] == [
        (20, 3),
        (20, 6),
        (40, 3),
        (40, 6),
    ]
    assert all(row["precision"]["sd"]["huse"] > 0 for row in rows)


def test_what_more_money_buys_is_named_and_stays_within_it():
    found = planned("--contexts=100", "--raters=20", "--more=100")
    assert [option["bought"] for option in found["more"]] == ["10 more raters a text", "50 more contexts"]
    assert all(0 < option["cents"] - found["bill"]["total"] <= 100_00 for option in found["more"])


def test_the_page_says_what_is_over_the_budget_and_under_the_floor():
    out = StringIO()
    call_command("plan", "--contexts=100", "--raters=20", "--studies=10", "--budget=150", stdout=out)
    assert "$42.00 over the budget of $150.00" in out.getvalue()
    assert "would earn less than $15.00" in out.getvalue()


@pytest.mark.needs_data
def test_a_finished_study_is_a_pilot(data_dir):
    batch = data_dir / "huse" / "summarization_batch_results.csv"
    call_command("import_batch", str(batch), "--study=huse", stdout=StringIO(), stderr=StringIO())
    found = planned("huse", "--contexts=100", "--raters=20", studies=100)
    assert found["wage"]["measured"]
    assert found["wage"]["median"] == 448
    assert found["table"][0]["precision"]["mean"]["huse"] == pytest.approx(0.53, abs=0.06)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "no study called nobody"),
        (["--generators=0"], "at least one generator"),
        (["--excluded=1"], r"lies in \[0, 1\)"),
        (["--contexts=5"], "more than k = 16"),
        (["--reward=1.005"], "at most 2 decimals"),
        (["--raters=3,x"], "whole numbers"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_in_a_sentence(arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        planned(*arguments)
