"""The sentence that leads the results: what it says, how long it is, and that every format prints the same one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from lxml import html

from metrics.cli import better
from metrics.inference.verdicts import OUTCOMES, Outcome
from metrics.report.build import build_report
from metrics.report.formats.latex import latex
from metrics.report.formats.plain_text import table
from metrics.report.formats.write import write_report
from metrics.report.records import RatingRow, ReportInput, StudyFacts, TextRow
from metrics.report.result import Report
from metrics.report.row_records import ComparisonPlan, ConditionFacts, PlanFacts, WhichRaters
from metrics.report.section import Section
from metrics.report.sections import agreement, answer
from metrics.tables.column import prose
from metrics.tables.shown import format_cell
from metrics.types import Estimate, Interval
from tests.annotation.reports.round_trips import KINDS
from tests.metrics.report.samples import rated

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def section(report_input: ReportInput) -> Section | None:
    return answer.SECTIONS[0].section(report_input)


def sentence(report_input: ReportInput) -> str:
    found = section(report_input)
    assert found is not None
    return found.lead[0]


def rows(report_input: ReportInput, table: str = "answer-comparisons") -> list[dict]:
    found = section(report_input)
    (of_name,) = [each for each in found.tables if each.name == table]
    keys = [column.key for column in of_name.columns]
    return [dict(zip(keys, row, strict=True)) for row in of_name.rows]


def declared(first: str, second: str, margin: float | None = None, raters: WhichRaters = "") -> PlanFacts:
    return PlanFacts(registered_at=NOW, comparison=ComparisonPlan("clarity", first, second, margin, "main", raters))


VERDICTS: dict[Outcome, Callable[[], ReportInput]] = {
    "better": lambda: rated({"a": 1.0, "b": 0.0}),
    "worse": lambda: rated(plan=declared("tiny", "small", 0.3)),
    "equivalent": lambda: rated({"a": 0.1, "b": 0.0}, plan=declared("a", "b", 1.0)),
    "undecided": lambda: rated({"a": 0.0, "b": 0.0}),
    "too small": lambda: rated({"a": 2.0, "b": 0.0}, contexts=4),
    "not comparable": lambda: rated(plan=declared("small", "absent")),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_pages_terminal_latex_and_json_say_the_same_sentence_of_each_verdict(outcome: Outcome, tmp_path: Path) -> None:
    report = build_report(VERDICTS[outcome](), kinds=answer.SECTIONS)
    assert report.results["answer"].verdict.outcome == outcome
    write_report(report, tmp_path, now=NOW, formats=("html", "json"))
    expected = report.verdicts[0]
    assert len(expected.split()) <= answer.MAX_WORDS
    assert report.sections[0].lead == (expected,)
    page = html.parse(tmp_path / "report.html")
    shown = [" ".join(found.text_content().split()) for found in page.xpath("//section[@id='summary']")]
    words = " ".join(expected.split())
    assert words in shown[0]
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert document["verdicts"][0] == document["results"][0]["lead"][0] == expected
    assert prose(expected) in latex(report, has_figures=False)
    for terminal in (table(report), better.table(report.sections[0])):
        assert words.replace("−", "-") in " ".join(terminal.replace("−", "-").split())


def test_whom_intervals_are_for_is_declared_or_asked_for_and_the_sentence_says_it() -> None:
    plan = declared("tiny", "small", 0.3, "these")
    these = build_report(rated(plan=plan), kinds=KINDS_WITH_A_CHOICE)
    assert "The 95% interval is for new contexts with these raters." in these.verdicts[0]
    assert these.verdicts[0].endswith("Declared by the plan of 25 November 2026: comparison and margin, these raters.")
    new = build_report(rated(plan=plan), kinds=KINDS_WITH_A_CHOICE, raters="new")
    assert "The 95% interval is for new contexts and new raters." in new.verdicts[0]
    by_default = build_report(rated(), kinds=KINDS_WITH_A_CHOICE)
    for report, is_new in ((these, False), (new, True), (by_default, True)):
        targets = {interval.target for interval in intervals_of(report)}
        assert targets
        assert {"new raters" in target for target in targets} == {is_new}
        whom = "and new raters" if is_new else "with these raters"
        assert f"over new texts {whom}" in title_of(report, "agreement")


KINDS_WITH_A_CHOICE = (*answer.SECTIONS, *agreement.SECTIONS)


def title_of(report: Report, name: str) -> str:
    return next(each.title for part in report.sections for each in part.tables if each.name == name)


def intervals_of(report: Report) -> list[Interval]:
    """Of means and differences of sources, and of alpha."""
    tables = [each for part in report.sections for each in part.tables if not each.name.startswith(("icc", "mixed"))]
    cells = [cell for each in tables for row in each.rows for cell in row]
    found = [cell.interval for cell in cells if isinstance(cell, Estimate) and cell.interval]
    return [interval for interval in found if "raters" in interval.target]


@pytest.mark.parametrize("name", KINDS)
def test_it_has_at_most_sixty_words_in_every_design(name: str) -> None:
    found = section(KINDS[name](3))
    if found is not None:
        assert len(found.lead[0].split()) <= answer.MAX_WORDS


def test_of_several_generators_the_highest_two_lead_and_holm_counts_all_pairs() -> None:
    given = rated()
    words = sentence(given)
    assert words.startswith("long-name-of-a-generator is better than small on clarity: ")
    assert "adjusted for 3 comparisons" in words
    assert "No setting declared before the data names a comparison of sources or its margin" in words
    assert "the highest two of 3 generators" in words
    assert len(words.split()) <= answer.MAX_WORDS
    assert [row["verdict"] for row in rows(given)] == ["better", "better", "better"]
    assert [(row["source"], row["ranks"], row["group"]) for row in rows(given, "answer-sources")] == [
        ("long-name-of-a-generator", "1", "1"),
        ("small", "2", "2"),
        ("tiny", "3", "3"),
    ]


def test_sources_that_cannot_be_parted_have_ranks_and_no_column_of_groups() -> None:
    given = rated({"a": 0.0, "b": 0.0})
    assert [(row["ranks"], "group" in row) for row in rows(given, "answer-sources")] == [("1 to 2", False)] * 2


def test_a_source_of_more_severe_errors_is_not_called_better() -> None:
    given = rated({"a": 1.0, "b": 0.0})
    severe = replace(given, ratings=tuple(replace(rating, criterion="severity") for rating in given.ratings))
    assert sentence(severe).startswith("a is rated higher than b on severity: ")
    assert [row["verdict"] for row in rows(severe)] == ["rated higher"]


def test_shares_are_in_percent_their_differences_in_points_and_both_agree() -> None:
    """Texts have from 1 to 14 ratings, and count alike in both."""
    given = KINDS["one condition"](3)
    means = {row["source"]: row["mean"].value for row in rows(given, "answer-sources")}
    for row in rows(given):
        assert row["difference"].value == pytest.approx(means[row["first"]] - means[row["second"]])
    columns = {column.key: column for table in section(given).tables for column in table.columns}
    assert format_cell(columns["difference"], rows(given)[0]["difference"]).partition(" [")[0].endswith(" pp")
    assert format_cell(columns["mean"], rows(given, "answer-sources")[0]["mean"]).partition(" [")[0].endswith("%")


def test_the_declared_comparison_leads_in_its_declared_order() -> None:
    plan = PlanFacts(registered_at=NOW, comparison=ComparisonPlan("clarity", "tiny", "small", 0.3, "main"))
    words = sentence(rated(plan=plan))
    assert words.startswith("tiny is worse than small on clarity: −0.")
    assert "adjusted" not in words
    assert words.endswith("Declared by the plan of 25 November 2026: comparison and margin.")


def test_a_declared_margin_that_holds_the_interval_makes_them_equivalent() -> None:
    plan = PlanFacts(comparison=ComparisonPlan(margin=2.0))
    words = sentence(rated({"a": 0.1, "b": 0.0}, plan=plan))
    assert words.startswith("a and b are equivalent on clarity within the margin of 2 points: ")
    assert "The 90% interval is for new contexts and new raters." in words
    assert words.endswith("Declared by the plan: the margin; compared by default: the two generators.")
    assert [row["verdict"] for row in rows(rated({"a": 0.1, "b": 0.0}, plan=plan))] == ["equivalent"]


def test_a_margin_does_not_make_alike_what_was_shown_to_differ() -> None:
    words = sentence(rated({"a": 1.0, "b": 0.0}, plan=PlanFacts(comparison=ComparisonPlan(margin=3.0))))
    assert words.startswith("a is better than b on clarity (p")
    assert ", but by less than the margin of 3 points: " in words


def test_no_p_of_a_difference_stands_beside_equivalence_on_another_criterion() -> None:
    given = rated({"a": 0.0, "b": 0.0}, plan=PlanFacts(comparison=ComparisonPlan(margin=2.0)))
    twice = replace(given, ratings=(*given.ratings, *(replace(row, criterion="fun") for row in given.ratings)))
    words = str(section(twice).lead[1])
    assert words.startswith("a less b on the other criterion: fun ")
    assert "] points, equivalent within the margin (95% intervals" in words


def test_references_are_a_family_of_their_own() -> None:
    given = rated({"a": 1.0, "b": 0.2, "references": 0.0})
    found = section(given)
    notes = " ".join(found.tables[-1].notes)
    assert "pairs of generators in clarity (1), each generator against the references in clarity (2)" in notes
    by_pair = {(row["first"], row["second"]): row for row in rows(given)}
    assert by_pair["a", "b"]["p"] == by_pair["a", "b"]["p_holm"]
    against = [by_pair[name, "references"] for name in ("a", "b")]
    smaller, larger = sorted(against, key=lambda row: row["p"])
    assert smaller["p_holm"] == pytest.approx(2 * smaller["p"])
    assert larger["p_holm"] == pytest.approx(max(larger["p"], 2 * smaller["p"]))


def test_a_pair_that_was_declared_and_not_rated_is_not_comparable() -> None:
    plan = PlanFacts(comparison=ComparisonPlan("clarity", "small", "absent"))
    assert sentence(rated(plan=plan)).startswith("small and absent are not comparable on clarity: they were not both")


def test_sources_without_a_common_context_are_not_comparable() -> None:
    given = rated({"a": 1.0, "b": 0.0})
    texts = tuple(replace(text, context_id=f"{text.generator}-{text.context_id}") for text in given.texts)
    words = sentence(replace(given, texts=texts))
    assert words.startswith("a and b are not comparable on clarity: no context has ratings of both a and b.")


def test_few_contexts_are_too_small_to_say() -> None:
    words = sentence(rated({"a": 2.0, "b": 0.0}, contexts=4))
    assert words.startswith("Not tested whether a is better than b on clarity: 4 contexts, and at least 5")


def test_texts_without_contexts_are_compared_unpaired() -> None:
    given = rated({"a": 1.0, "b": 0.0})
    bare = replace(given, texts=tuple(replace(text, context_id=None) for text in given.texts))
    words = sentence(bare)
    assert "60 texts, 8 raters. The 95% interval is for new texts and new raters." in words


def test_labels_without_an_order_and_a_single_source_have_no_section() -> None:
    assert section(rated({"a": 1.0, "b": 0.0}, task="error labels")) is None
    assert section(rated({"a": 1.0})) is None


def evaluated() -> ReportInput:
    """Evaluators of two trainings; who was trained is right in 3 of 4 answers, the others in half."""
    texts = [TextRow(f"t{i}", "model" if i % 2 else "reference", "gpt" if i % 2 else None, "A.") for i in range(40)]
    conditions = tuple(ConditionFacts(name, name) for name in ("none", "examples"))
    ratings = []
    for training, share in (("none", 2), ("examples", 3)):
        for person in range(12):
            for place in range(20):
                text = texts[(7 * person + place) % 40]
                right = (place + person) % 4 < share
                value = (4 if right else 1) if text.generator else (1 if right else 4)
                rating = RatingRow(text.id, f"{training}{person}", str(value), value, criterion="human_or_machine")
                ratings.append(replace(rating, condition=training))
    study = StudyFacts("turing", "human or machine", "Who?", "text", (), "1 to 4", "imported")
    return ReportInput(study, (), tuple(texts), tuple(ratings), conditions=conditions)


def test_evaluators_are_compared_by_generator_and_by_training() -> None:
    given = evaluated()
    assert sentence(given).startswith("gpt is taken for human less often than the references: −")
    by_pair = {(row["criterion"], row["first"], row["second"]): row for row in rows(given)}
    trained = by_pair["accuracy", "none", "examples"]
    assert trained["difference"].value == pytest.approx(-0.25)
    assert trained["verdict"] == "worse"


def test_preferences_are_compared_by_strength() -> None:
    rng = np.random.default_rng(2)
    texts = [TextRow(f"{name}{c}", "model", name, "A.", f"c{c}") for c in range(40) for name in ("a", "b")]
    ratings = [
        RatingRow(f"a{c}", f"w{r}", "first", 1 if rng.random() < 0.8 else -1, criterion="better", partner=f"b{c}")
        for c in range(40)
        for r in range(10)
    ]
    study = StudyFacts("pairs", "pairwise preference", "Which?", "text", (), "", "imported")
    given = ReportInput(study, (), tuple(texts), tuple(ratings))
    words = sentence(given)
    assert words.startswith("a is preferred to b on “better”: 1.")
    assert "in log odds" in words
    (row,) = rows(given)
    share = sum(rating.value == 1 for rating in ratings) / len(ratings)
    assert row["superiority"] is None, "their own table states it, with an interval of its own"
    assert row["difference"].value == pytest.approx(np.log(share / (1 - share)), abs=1e-6)


def test_ratings_of_several_labels_of_one_text_have_no_mean() -> None:
    given = rated({"a": 1.0, "b": 0.0})
    doubled = replace(given, ratings=(*given.ratings, replace(given.ratings[0], value=Fraction(1))))
    assert section(doubled) is None
