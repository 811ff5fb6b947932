"""Arms: how raters came to them, what each pays, which is empty, and that all judgments together are none of them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from metrics.data.arm_assignment import UNKNOWN, ArmAssignment, assignment_sentence
from metrics.report.build import build_report
from metrics.report.checklists.computed import Computed
from metrics.report.checklists.heds import fill_datasheet
from metrics.report.checklists.responsible_nlp import fill_checklist
from metrics.report.comparison.compare import compare_studies
from metrics.report.formats import csv as tables
from metrics.report.formats.html import html
from metrics.report.formats.json import payload, read
from metrics.report.formats.latex import latex
from metrics.report.pay import VOLUNTEERS
from metrics.report.prose.methods import paragraph
from metrics.report.record_codec import decode, encode
from metrics.report.records import ExtrasFacts, MoneyFacts, ReportInput
from metrics.report.result import Report
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import NOW

CHOSEN = "Assignment to arms was not random"
COMPARISONS = {"evaluators", "evaluators-conditions", "evaluators-tukey", "evaluators-mixed"}


def came(how: ArmAssignment | None, given: ReportInput | None = None) -> ReportInput:
    given = given or evaluators()
    return replace(given, study=replace(given.study, arm_assignment=how))


@pytest.fixture(scope="module")
def chosen() -> Report:
    return build_report(came("chosen"))


def methods(given: ReportInput) -> str:
    return " ".join(paragraph(given, (), k=16, level=0.95))


def test_every_comparison_of_arms_that_raters_chose_says_so_in_every_format(chosen: Report) -> None:
    (part,) = [one for one in chosen.sections if one.key == "human-or-machine"]
    noted = {table.name for table in part.tables if any(note.startswith(CHOSEN) for note in table.notes)}
    assert noted == COMPARISONS
    assert any(line.startswith(CHOSEN) for line in part.lead)
    assert CHOSEN in part.charts[0].alt
    assert html(chosen, now=NOW, hashes={}).count(CHOSEN) > len(COMPARISONS)
    assert latex(chosen, has_figures=False).count(CHOSEN) >= len(COMPARISONS)
    assert json.dumps(payload(chosen, now=NOW)).count(CHOSEN) > len(COMPARISONS)
    rows = list(csv.DictReader(tables.csv_files(chosen)["results.csv"]))
    assert {row["table"] for row in rows if row["note"].startswith(CHOSEN)} == COMPARISONS


def test_the_same_people_in_two_arms_are_named_beside_the_tests_that_take_arms_as_independent() -> None:
    given = evaluators()
    none, examples = (condition.name for condition in given.conditions)
    seen = [rating for rating in given.ratings if rating.condition == none]
    twice = replace(given, ratings=(*seen, *(replace(rating, condition=examples, hit="again") for rating in seen)))
    noted = {
        name: any(note.startswith("Some evaluators judged in several conditions") for note in table.notes)
        for name, source in (("twice", twice), ("once", given))
        for section in build_report(source).sections
        for table in section.tables
        if table.name == "evaluators-conditions"
    }
    assert noted == {"twice": True, "once": False}


def test_the_methods_paragraph_says_it_once_and_of_several_arms_only() -> None:
    assert methods(came("chosen")).count(CHOSEN) == 1
    alone = came("chosen")
    assert CHOSEN not in methods(replace(alone, conditions=alone.conditions[:1]))


def test_an_arm_that_was_drawn_carries_no_such_sentence() -> None:
    drawn = build_report(came("drawn"))
    for text in (html(drawn, now=NOW, hashes={}), latex(drawn, has_figures=False), methods(drawn.input)):
        assert CHOSEN not in text
        assert UNKNOWN not in text


def test_of_an_unknown_assignment_nothing_is_claimed() -> None:
    assert UNKNOWN in methods(came(None))
    assert CHOSEN not in methods(came(None))


def test_arms_that_were_open_one_after_another_are_told_so() -> None:
    assert "one after another" in assignment_sentence("waves")


def test_how_raters_came_survives_the_file_of_the_report(chosen: Report) -> None:
    again = read(json.loads(json.dumps(payload(chosen, now=NOW))))
    assert again.study.arm_assignment == "chosen"
    more = replace(chosen.input.study, aim="Who can tell?", extras=ExtrasFacts((1, 1), (0, 2), (1, 1)))
    more_crowd = replace(chosen.input.crowd, pays=(VOLUNTEERS,))
    given = replace(chosen.input, study=more, crowd=more_crowd)
    found = decode(ReportInput, json.loads(json.dumps(encode(given))))
    assert (found.study, found.crowd) == (more, more_crowd)


def test_a_comparison_of_studies_carries_the_sentence_of_each(chosen: Report) -> None:
    first = came("chosen")
    second = replace(came(None), study=replace(came(None).study, name="later"))
    told = json.dumps([one.lead for one in compare_studies((first, second)).sections], ensure_ascii=False)
    assert f"“{first.study.name}”: {CHOSEN}" in told
    assert f"“later”: {UNKNOWN}" in told


def test_all_judgments_are_no_arm_of_the_figure(chosen: Report) -> None:
    (part,) = [one for one in chosen.sections if one.key == "human-or-machine"]
    figure = part.charts[0]
    assert figure.name == "accuracy-by-condition"
    assert "of 2 arms" in figure.alt
    assert not [note for note in figure.notes if "all judgments" in note.text]


def test_an_arm_in_which_nobody_judged_is_named_as_empty() -> None:
    given = evaluators()
    none = replace(given.conditions[0], name="comparison", training="comparison", workers=0, submitted=0)
    report = build_report(replace(given, conditions=(*given.conditions, none)))
    (part,) = [one for one in report.sections if one.key == "human-or-machine"]
    assert "Empty, without a judgment that counts: comparison." in part.lead
    assert any("comparison (empty)" in note.text for note in part.charts[0].notes)
    assert "of 2 arms" in part.charts[0].alt


def paying(**rewards: int) -> ReportInput:
    given = evaluators()
    arms = tuple(replace(one, reward_cents=rewards[one.name]) for one in given.conditions)
    return replace(given, conditions=arms, money=MoneyFacts(125, wage_cents=448, median_seconds=804.0))


def test_each_arm_is_told_with_its_own_reward_and_no_wage_is_made_of_both() -> None:
    told = methods(paying(none=125, examples=175))
    assert "The reward was 1.25 USD (none) and 1.75 USD (examples) per assignment" in told
    assert "per hour" not in told
    page = html(build_report(paying(none=125, examples=175)), now=NOW, hashes={})
    assert "Hourly wage" not in page
    sheet = {one.question: one.answer for one in fill_datasheet(paying(none=125, examples=175), Computed())}
    assert sheet["Pay"] == "1.25 USD (none) and 1.75 USD (examples) per assignment."
    listed = {one.question[:2]: one.answer or "" for one in fill_checklist(paying(none=125, examples=175), ())}
    assert "1.25 USD (none) and 1.75 USD (examples) per assignment" in listed["D2"]
    assert "per hour" not in listed["D2"]


def test_arms_of_one_reward_are_told_together() -> None:
    told = methods(paying(none=125, examples=125))
    assert "The reward was 1.25 USD per assignment; the median assignment took" in told
    assert "4.48 USD per hour" in told


def test_the_way_of_paying_is_told_and_volunteers_are_paid_nothing() -> None:
    given = paying(none=125, examples=125)
    panel = "Pay was arranged outside the marketplace (10 EUR by the panel)."
    outside = replace(given, crowd=replace(given.crowd, pays=(panel,)))
    assert panel in methods(outside)
    sheet = {one.question: one.answer for one in fill_datasheet(outside, Computed())}
    assert sheet["Pay"] == f"4.48 USD per hour at the median time. {panel}"
    free = methods(replace(given, crowd=replace(given.crowd, pays=(VOLUNTEERS,))))
    assert VOLUNTEERS in free
    assert "1.25" not in free


@pytest.mark.parametrize(
    ("extras", "told"),
    [
        (ExtrasFacts((1, 1), (0, 0), (0, 0)), "Each task also held 1 attention check."),
        (ExtrasFacts((2, 2), (1, 1), (0, 0)), "Each task also held 2 attention checks and 1 repeated text."),
        (
            ExtrasFacts((1, 1), (2, 2), (0, 3)),
            "Each task also held 1 attention check, 2 repeated texts and 0 to 3 texts with known answers (gold).",
        ),
    ],
)
def test_checks_repeats_and_gold_are_stated(extras: ExtrasFacts, told: str) -> None:
    given = evaluators()
    assert told in methods(replace(given, study=replace(given.study, extras=extras)))


@pytest.mark.parametrize("extras", [None, ExtrasFacts()])
def test_without_checks_repeats_and_gold_none_are_stated(extras: ExtrasFacts | None) -> None:
    given = evaluators()
    assert "also held" not in methods(replace(given, study=replace(given.study, extras=extras)))


def test_the_aim_is_not_printed_as_the_question() -> None:
    given = evaluators()
    study = replace(given.study, aim="Is GPT-3 as good as people?", question="Who wrote this text?")
    given = replace(given, study=study)
    assert "Raters were asked: “Who wrote this text?”" in methods(given)
    assert "as good as people" not in methods(given)
    sheet = {one.question: one.answer for one in fill_datasheet(given, Computed())}
    assert sheet["Question shown to evaluators"] == "Who wrote this text?"
