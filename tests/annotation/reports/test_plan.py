"""The plan before the data: kept in the log at publication, told in the report, with what differs from it since."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from annotation.console.templatetags.console import facts
from annotation.design.configure import configure
from annotation.exceptions import DesignError, StateError
from annotation.management.commands.new_study import setting
from annotation.models import AuditEvent, Study
from annotation.reports.report_rows import plan, plan_warnings, statements
from annotation.studies.create import Plan, create
from annotation.studies.preregistration import plan_of, planned
from annotation.studies.statements import state
from metrics.report.row_records import ComparisonPlan

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def study() -> Study:
    call_command("new_study", "plain", preset="clark-2021", mode="rehearsal", set=[("margin_points", 5)])
    return Study.objects.get()


def publish(study: Study) -> None:
    """What publishing writes into the log."""
    AuditEvent.objects.record(study, "publish", actor="ada", now=NOW, hits=1, plan=plan_of(study))
    Study.objects.filter(pk=study.pk).update(status="published")
    study.refresh_from_db()


def test_the_margin_and_the_digest_of_the_plan_are_told(study: Study) -> None:
    state(study, "plan", "Two trainings are compared.", actor="ada", now=NOW)
    publish(study)
    found = plan(study, statements(study), planned(study))
    assert found is not None
    assert (found.margin_points, found.registered_at) == (5, NOW)
    assert found.sentences == ("Two trainings are compared.",)
    assert found.sha256 == hashlib.sha256(found.text.encode()).hexdigest()
    assert json.loads(found.text)["settings"]["margin_points"] == 5
    assert found.deviations == ()


def test_the_power_of_the_plan_is_calculated_unless_somebody_stated_it(study: Study) -> None:
    publish(study)
    told = plan(study, {}, planned(study)).power
    # Method, 2.12: 130 evaluators find d = .247563; with five texts each that is .247563 x sqrt(.25 / 5) = 5.5 points.
    assert "130 evaluators of 5 texts each find an accuracy 5.5 percentage points" in told
    assert "d = 0.248" in told


def test_a_plan_that_is_changed_after_the_data_is_told_as_it_was(study: Study) -> None:
    state(study, "plan", "Five points.", actor="ada", now=NOW)
    publish(study)
    state(study, "plan", "Whatever came out.", actor="ada", now=NOW)
    said = statements(study)
    assert plan(study, said, planned(study)).sentences == ("Five points.",)
    (warned,) = plan_warnings(said, planned(study))
    assert (warned.kind, "what was planned before the data" in warned.sentence) == ("plan_changed", True)


def test_what_differs_from_the_plan_is_a_deviation(study: Study) -> None:
    publish(study)
    state(study, "deviations", "One day more.", actor="ada", now=NOW)
    Study.objects.filter(pk=study.pk).update(reward_cents=200)
    study.refresh_from_db()
    told = plan(study, statements(study), planned(study)).deviations
    assert told == ("One day more.", "reward_cents is 200, and 125 was planned.")


def test_a_margin_is_fixed_once_the_study_is_published(study: Study) -> None:
    publish(study)
    with pytest.raises(StateError, match="its settings are fixed"):
        configure(study, {"margin_points": 10}, actor="ada", now=NOW)
    with pytest.raises(CommandError, match="its settings are fixed"):
        call_command("configure", "plain", set=[("margin_points", 10)])


@pytest.mark.parametrize("points", [0, 50])
def test_a_margin_out_of_its_range_is_refused(study: Study, points: int) -> None:
    with pytest.raises(DesignError, match="margin_points cannot be used"):
        configure(study, {"margin_points": points}, actor="ada", now=NOW)


def test_a_margin_around_chance_is_of_human_or_machine_only() -> None:
    with pytest.raises(DesignError, match="margin_points cannot be used: A margin around chance"):
        create("typical", mode="rehearsal", plan=Plan(margin_points=5), actor="ada", now=NOW)


def test_nothing_planned_is_told_as_nothing(study: Study) -> None:
    assert plan(study, {}, planned(study)) is None
    assert plan_warnings({}, None) == []


def test_the_log_tells_of_a_plan_without_spelling_it_out(study: Study) -> None:
    publish(study)
    told = facts({**study.audit.get(verb="publish").facts, "reserved_cents": 500})
    assert told == "tasks: 1; plan: stored; reserved: $5.00"
    assert facts({"kind": "prolific", "set": ["HighestRewardMinor"]}) == "kind: Prolific; set: highest reward"


def test_the_declared_comparison_stands_in_the_plan_and_in_the_report(study: Study) -> None:
    declared = {
        "compare_first": "gpt2",
        "compare_second": "references",
        "compare_criterion": "human_or_machine",
        "compare_margin": 0.1,
        "compare_family": "main",
        "compare_raters": "these",
    }
    call_command("configure", "plain", set=[setting(f"{name}={value}") for name, value in declared.items()])
    study.refresh_from_db()
    publish(study)
    found = plan(study, {}, planned(study))
    assert found.comparison == ComparisonPlan("human_or_machine", "gpt2", "references", 0.1, "main", "these")
    Study.objects.filter(pk=study.pk).update(compare_margin=0.2)
    study.refresh_from_db()
    assert "compare_margin is 0.2, and 0.1 was planned." in plan(study, {}, planned(study)).deviations


def test_what_was_not_declared_is_none(study: Study) -> None:
    publish(study)
    assert plan(study, {}, planned(study)).comparison is None


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"compare_first": "gpt2"}, "names two sources"),
        ({"compare_first": "gpt2", "compare_second": "gpt2"}, "not compared with itself"),
        ({"compare_family": "main"}, "Name the two sources"),
        ({"compare_margin": 0.0}, "compare_margin cannot be used"),
        ({"compare_margin": float("nan")}, "compare_margin cannot be used"),
    ],
)
def test_a_comparison_that_says_nothing_is_refused(study: Study, changes: dict, rule: str) -> None:
    with pytest.raises(DesignError, match=rule):
        configure(study, changes, actor="ada", now=NOW)
