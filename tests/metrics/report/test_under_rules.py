"""Sensitivity to exclusions in a report: every number by hand from the ratings left, in every format."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from lxml import html as lxml_html

from metrics.data.evaluator_judgments import MACHINE, EvaluatorJudgment
from metrics.evaluators.evaluate import evaluate_judgments
from metrics.huse.estimate import evaluate
from metrics.report.build import build_report
from metrics.report.formats.write import write_report
from metrics.report.records import ReportInput
from metrics.report.result import Report
from metrics.report.row_records import RuleFacts
from metrics.report.sections import exclusions
from metrics.report.sections.judgments import judgments as judgments_of
from metrics.tables.record import Table
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import NOW, study, with_assignments, with_rules

LACKS = {"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}
SELECTIONS = ["no rule", "Too fast", "One answer (20)", "Too fast, One answer (20)", "Straight lines"]


@pytest.fixture(scope="module")
def given() -> ReportInput:
    return with_rules(study(LACKS))


@pytest.fixture(scope="module")
def report(given: ReportInput) -> Report:
    return build_report(given, seed=7)


@pytest.fixture(scope="module")
def folder(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rules")
    write_report(report, out, now=NOW, formats=("html", "json", "csv", "latex"))
    return out


def part(report: Report):
    return next(one for one in report.sections if one.key == "exclusions")


def lines(table: Table) -> list[dict]:
    return [dict(zip([one.key for one in table.columns], row, strict=True)) for row in table.rows]


def by_hand(given: ReportInput, generator: int, names: str):
    """HUSE by `evaluate` on the means of the ratings that are left, for every text of one generator."""
    gone = {one for rule in given.rules or () if rule.name in names.split(", ") for one in rule.assignments}
    out = {(one.hit, one.rater) for one in given.assignments if one.id in gone}
    values: dict[str, list[Fraction]] = {}
    for rating in given.ratings:
        if (rating.hit, rating.rater) not in out:
            values.setdefault(rating.text, []).append(Fraction(rating.value))
    items = [
        replace(one, hj=sum(values[one.id], Fraction(0)) / len(values[one.id]))
        for one in given.generators[generator].items
    ]
    return evaluate(items, ["exact"], seed=7)["exact"].huse, sum(len(values[one.id]) for one in items)


@pytest.mark.parametrize("at", [0, 1])
def test_each_selection_is_huse_of_the_ratings_that_it_leaves(report: Report, given: ReportInput, at: int) -> None:
    table = part(report).tables[1 + at]
    told = lines(table)
    assert [one["rules"] for one in told] == SELECTIONS
    assert {one["generator"] for one in told} == {given.generators[at].name}
    everything = by_hand(given, at, "")[1]
    for one in told:
        huse, left = by_hand(given, at, one["rules"])
        assert one["value"] == pytest.approx(huse.value, abs=1e-12), one["rules"]
        assert one["ratings"] == everything - left
    assert "200 random removals" in table.title


def test_the_shares_on_each_side_count_the_selections_about_the_headlines_interval(report, given) -> None:
    sides = lines(part(report).tables[0])
    for at, one in enumerate(sides):
        huse, _ = by_hand(given, at, "")
        assert huse.interval is not None
        values = [by_hand(given, at, names)[0].value for names in SELECTIONS]
        below = sum(value < huse.interval.low - 1e-12 for value in values) / len(values)
        above = sum(value > huse.interval.high + 1e-12 for value in values) / len(values)
        assert (one["below"], one["inside"], one["above"]) == pytest.approx((below, 1 - below - above, above))
        assert (one["headline"].value, one["headline"].interval) == (huse.value, huse.interval)
        assert one["n"] == 5


def test_exclusions_that_hold_change_nothing_for_they_are_one_of_the_selections(report, given) -> None:
    """The report's HJ is then that of the ratings kept; without any rule all of them count all the same."""
    gone = {one for rule in (given.rules or ())[:2] for one in rule.assignments}
    out = {(one.hit, one.rater) for one in given.assignments if one.id in gone}
    ratings = tuple(replace(one, kept=(one.hit, one.rater) not in out) for one in given.ratings)
    kept: dict[str, list[Fraction]] = {}
    for rating in ratings:
        if rating.kept:
            kept.setdefault(rating.text, []).append(Fraction(rating.value))
    generators = tuple(
        replace(
            facts,
            items=tuple(
                replace(one, hj=sum(kept[one.id], Fraction(0)) / len(kept[one.id]), ratings=len(kept[one.id]))
                for one in facts.items
            ),
        )
        for facts in given.generators
    )
    rows = tuple(replace(one, kept=one.id not in gone) for one in given.assignments)
    decided = with_assignments(replace(given, ratings=ratings, generators=generators), rows)
    applied = build_report(decided, seed=7)
    assert replace(part(applied), lead=part(report).lead) == part(report)
    assert part(applied).lead == ("All conclusions on HUSE hold without exclusions.", *part(report).lead)
    assert "All conclusions on HUSE hold without exclusions." in applied.methods
    both = next(one for one in lines(part(applied).tables[1]) if one["rules"] == SELECTIONS[3])
    assert applied.generators[0].modes["exact"].huse.value == pytest.approx(both["value"], abs=1e-12)


def test_it_stands_in_the_page_the_json_the_csv_and_the_document(folder: Path) -> None:
    page = lxml_html.fromstring((folder / "report.html").read_text(encoding="utf-8"))
    (own,) = page.xpath("//div[@id='exclusions']")
    assert len(own.xpath(".//figure")) == 2
    assert "Excludes no submissions: Incomplete." in own.text_content()
    quality = page.xpath("//section[@id='quality']//dd[text()='in the results']")
    assert len(quality) == 1
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    tables = next(one["tables"] for one in told["results"] if one["key"] == "exclusions")
    rows = list(csv.DictReader(io.StringIO((folder / "results.csv").read_text(encoding="utf-8"), newline="")))
    for table in tables[1:]:
        for row in table["rows"]:
            named = f"{row['generator']}, {row['rules']}"
            (line,) = [
                one for one in rows if (one["table"], one["row"], one["column"]) == (table["name"], named, "value")
            ]
            assert float(line["value"]) == row["value"]
    document = (folder / "study.tex").read_text(encoding="utf-8")
    assert r"\subsection{Sensitivity to exclusions}" in document
    assert "Too fast, One answer (20)" in document


def test_without_measured_work_it_is_absent_and_without_effect_there_is_one_selection(given: ReportInput) -> None:
    assert "exclusions" not in {one.key for one in build_report(replace(given, rules=None)).sections}
    idle = replace(given, rules=tuple(replace(one, assignments=()) for one in given.rules or ()))
    (one, *_) = exclusions.huse_under_rules(given.generators[0], idle).specifications
    assert (one.named, one.ratings) == ("no rule", 0)
    found = part(build_report(idle))
    assert [row["inside"] for row in lines(found.tables[0])] == [1.0, 1.0]
    assert any(line.startswith("No rule excludes a submission.") for line in found.lead)
    assert not [line for line in (*found.lead, *found.tables[1].notes) if "1 selection" in line or "every" in line]


def test_many_selections_of_many_texts_are_drawn_less_often(given: ReportInput, monkeypatch) -> None:
    monkeypatch.setattr(exclusions, "AFFORDED", 120)  # 60 texts a generator and 5 selections are 300
    assert exclusions.huse_under_rules(given.generators[0], given).settings["draws"] == 80
    assert exclusions.huse_under_rules(given.generators[0], given, draws=30).settings["draws"] == 30


def test_a_text_that_loses_every_rating_has_no_value_under_that_rule(given: ReportInput) -> None:
    text = given.generators[0].items[0].id
    raters = {(one.hit, one.rater) for one in given.ratings if one.text == text}
    everybody = tuple(one.id for one in given.assignments if (one.hit, one.rater) in raters)
    harsh = replace(given, rules=(replace((given.rules or ())[0], assignments=everybody),))
    _, one = exclusions.huse_under_rules(given.generators[0], harsh, draws=5).specifications
    assert (one.value, one.fewest) == (None, 0)


def test_selections_that_leave_a_text_nothing_are_counted_apart_and_conclude_nothing(given: ReportInput) -> None:
    """Of four selections of two rules the two that hold the harsher rule leave the first text without a rating."""
    first = given.generators[0].items[0].id
    raters = {(one.hit, one.rater) for one in given.ratings if one.text == first}
    everybody = tuple(one.id for one in given.assignments if (one.hit, one.rater) in raters)
    mild, _, *_ = given.rules or ()
    harsh = replace(given, rules=(mild, RuleFacts("Harsh", everybody)), generators=given.generators[:1])
    told = part(build_report(harsh, seed=7))
    (sides,) = lines(told.tables[0])
    assert (sides["n"], sides["without"], sides["below"] + sides["inside"] + sides["above"]) == (4, 2, 1.0)
    said = "2 of 4 selections leave a text without a rating and have no value."
    assert said in told.tables[1].notes
    assert f"t=1.0: {said}" in told.lead
    assert "under 2 selections of exclusion rules" in told.charts[0].alt
    assert said in told.charts[0].alt
    assert not any("every one of 4 selections" in line for line in told.lead)


def test_a_text_that_nobody_rated_takes_the_analysis_from_no_other(given: ReportInput) -> None:
    facts = given.generators[0]
    lone = replace(facts.items[0], id="lone", hj=None, ratings=0)
    more = replace(given, generators=(replace(facts, items=(*facts.items, lone)),))
    with_it, without = (exclusions.huse_under_rules(one.generators[0], one, draws=5) for one in (more, given))
    assert [one.value for one in with_it.specifications] == [one.value for one in without.specifications]


def test_where_no_interval_is_defined_nothing_is_said_to_hold(given: ReportInput) -> None:
    found = exclusions.huse_under_rules(given.generators[0], given, draws=5)
    bare = replace(
        found,
        headline=replace(found.headline, interval=None),
        specifications=tuple(replace(one, interval=None) for one in found.specifications),
    )
    assert exclusions.state_conclusions({"t=1.0": bare}) == (
        "No interval is defined with or without rules, so that nothing is concluded of t=1.0.",
    )


@pytest.fixture(scope="module")
def judges() -> ReportInput:
    """Evaluators of two trainings, all included; each of two rules leaves out three of the twelve of one training."""
    given = evaluators()
    ratings = tuple(replace(one, kept=True) for one in given.ratings)
    rows = tuple(replace(one, kept=True, reason="") for one in given.assignments)
    given = with_assignments(replace(given, ratings=ratings), rows)
    own = {name: [one.id for one in given.assignments if one.condition == name] for name in ("none", "examples")}
    rules = (RuleFacts("Too fast", tuple(own["examples"][::4])), RuleFacts("Short", tuple(own["none"][:3])))
    return replace(given, rules=rules)


@pytest.fixture(scope="module")
def judged(judges: ReportInput) -> Report:
    return build_report(judges, seed=7)


def left_of(judges: ReportInput, names: str, condition: str) -> list[EvaluatorJudgment]:
    gone = {one for rule in judges.rules or () if rule.name in names.split(", ") for one in rule.assignments}
    raters = {one.rater for one in judges.assignments if one.id in gone}
    every = judgments_of(judges, every=True)
    return [one for one in every if one.rater not in raters and condition in (one.factors["training"], "all judgments")]


@pytest.mark.parametrize(("at", "condition"), [(1, "none"), (2, "examples"), (3, "all judgments")])
def test_evaluators_accuracy_stands_under_each_selection_in_each_condition(judges, judged, at, condition) -> None:
    told = lines(part(judged).tables[at])
    assert [one["rules"] for one in told] == ["no rule", "Too fast", "Short", "Too fast, Short"]
    for one in told:
        left = left_of(judges, one["rules"], condition)
        accuracy = evaluate_judgments(left).overall.accuracy.accuracy
        span = accuracy.interval
        assert (one["condition"], one["evaluators"]) == (condition, len({judgment.rater for judgment in left}))
        assert (one["value"], one["low"], one["high"]) == pytest.approx((accuracy.value, span.low, span.high))


def test_whether_what_is_said_of_evaluators_holds_is_told_in_a_sentence(judges: ReportInput, judged: Report) -> None:
    said: dict[str, list[str]] = {}
    for condition in ("none", "examples", "all judgments"):
        spans = [
            evaluate_judgments(left_of(judges, names, condition)).overall.accuracy.accuracy.interval
            for names in ("", "Too fast", "Short", "Too fast, Short")
        ]
        sides = {"better than chance" if one.low > 0.5 else "not shown to differ from chance" for one in spans}
        assert len(sides) == 1
        said.setdefault(sides.pop(), []).append(condition)
    words = "; ".join(f"{side}: {', '.join(own)}" for side, own in said.items())
    every = "every one of 4 selections of rules"
    wanted = f"Conclusions on accuracy are the same under {every}. {words[:1].upper()}{words[1:]}."
    assert part(judged).lead == (wanted,)
    assert wanted in judged.methods


def test_a_study_of_evaluators_tells_it_in_every_format(judged: Report, tmp_path: Path) -> None:
    write_report(judged, tmp_path, now=NOW, formats=("html", "json", "csv", "latex"))
    page = lxml_html.fromstring((tmp_path / "report.html").read_text(encoding="utf-8"))
    (own,) = page.xpath("//div[@id='exclusions']")
    assert len(own.xpath(".//figure")) == 3
    told = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    tables = next(one["tables"] for one in told["results"] if one["key"] == "exclusions")
    assert tables[0]["name"] == "exclusions-evaluators-sides"
    written = (tmp_path / "results.csv").read_text(encoding="utf-8")
    assert "exclusions-evaluators-2" in written
    assert "Too fast, Short" in (tmp_path / "study.tex").read_text(encoding="utf-8")


def test_a_conclusion_that_a_rule_makes_is_named(judges: ReportInput) -> None:
    """Whoever of the untrained was right in fewer than two answers is left out: all others together beat chance."""
    right: dict[str, int] = {}
    for one in judgments_of(judges, every=True):
        right[one.rater] = right.get(one.rater, 0) + ((one.rating > 2) == (one.truth == MACHINE))
    weak = tuple(one.id for one in judges.assignments if one.condition == "none" and right[one.rater] < 2)
    harsh = replace(judges, rules=(RuleFacts("Weak", weak),))
    spans = [
        evaluate_judgments(left_of(harsh, rule, "all judgments")).overall.accuracy.accuracy.interval
        for rule in ("", "Weak")
    ]
    assert [span.low > 0.5 for span in spans] == [False, True]
    assert part(build_report(harsh, seed=7)).lead == (
        "Without exclusions, accuracy over all judgments is not shown to differ from chance; "
        "that changes under 1 of 2 selections: “Weak”.",
        "Every other conclusion is the same under every selection.",
    )
