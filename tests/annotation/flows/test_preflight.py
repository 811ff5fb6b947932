"""What is found before a study is published, and what a person must type to spend."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from annotation.crowd.client import Market
from annotation.crowd.records import Endpoint
from annotation.datasets.records import TextRecord
from annotation.designs.presets import ArmPlan, CellPlan
from annotation.designs.wording import default_wording
from annotation.flows.add_texts import add_texts
from annotation.flows.arrange import arrange
from annotation.flows.create import Plan, create, reword
from annotation.flows.design import design
from annotation.flows.preflight import preflight
from annotation.models import Intent, Study

from .conftest import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def rules(study: Study, market: Market | None = None) -> dict[str, str]:
    return {one.rule: one.level for one in preflight(study, market=market).findings}


def test_a_sound_study_has_warnings_only_and_a_bill(study: Study, market: Market) -> None:
    """2 HITs x 2 raters x $0.50, 20 % of fee each."""
    found = preflight(study, market=market)
    assert (found.hits, found.assignments, found.total_cents) == (2, 4, 240)
    assert found.errors == ()


def test_an_empty_account_and_a_small_budget_stop_it(study: Study, market: Market) -> None:
    call_command("requester", "lab", "--balance", "1.00", stdout=io.StringIO())
    Study.objects.update(budget_cents=200)
    study.refresh_from_db()
    found = {one.rule: one.sentence for one in preflight(study, market=market).errors}
    assert "$1.40 are missing" in found["balance"]
    assert "$0.40 are missing" in found["budget"]


def test_a_page_too_large_is_named(db: None) -> None:
    made = create("long", mode="rehearsal", plan=Plan(texts_per_hit=5, raters_per_text=1), actor="ada", now=NOW)
    add_texts(made, [TextRecord(f"t{i}", "word " * 4000, "reference") for i in range(5)], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    (error,) = preflight(made).errors
    assert error.rule == "page"
    assert "a question holds at most 65,535" in error.sentence


def test_an_arm_without_its_training_is_an_error(db: None) -> None:
    made = create(
        "people", mode="rehearsal", plan=Plan(texts_per_hit=2), wording=default_wording("human_or_machine"),
        actor="ada", now=NOW,
    )  # fmt: skip
    add_texts(made, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(4)], actor="ada", now=NOW)
    arrange(made, [ArmPlan("examples", 175)], [CellPlan("examples")], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    assert rules(made)["no_training"] == "error"


def test_a_context_without_its_other_text_is_an_error(study: Study) -> None:
    paired = [
        TextRecord("r9", "Reference", "reference", context="c1"),
        TextRecord("m9", "Model", "model", generator="tiny", context="c1"),
        TextRecord("r10", "Alone", "reference", context="c2"),
    ]
    Study.objects.update(status="draft")
    study.hits.all().delete()
    add_texts(study, paired, actor="ada", now=NOW)
    assert rules(study)["unpaired"] == "error"


def test_words_changed_after_the_design_are_a_warning(study: Study) -> None:
    reword(study, replace(default_wording("typicality"), heading="How usual?"), now=NOW)
    assert rules(study)["wording_changed"] == "warning"


def test_publishing_asks_for_the_studys_name(
    study: Study, endpoint: Endpoint, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MTURK_ENDPOINT_URL = endpoint.url  # type: ignore[attr-defined]
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key  # type: ignore[attr-defined]
    monkeypatch.setattr("builtins.input", lambda _: "something else")
    with pytest.raises(CommandError, match="nothing was published"):
        call_command("publish", "headlines", stdout=io.StringIO())
    assert Intent.objects.count() == 0
    monkeypatch.setattr("builtins.input", lambda asked: "headlines" if "$2.40" in asked else "")
    out = io.StringIO()
    call_command("publish", "headlines", stdout=out)
    assert "2 HITs with 4 assignments: $2.00 in rewards and $0.40 in fees" in out.getvalue()
    assert Intent.objects.count() == 2
