"""Each new preset from draft to report: its bill, its pages answered by simulated people, its numbers and its truth."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from annotation.design.lay_out import design
from annotation.design.presets import PRESETS
from annotation.exceptions import DesignError
from annotation.publishing.cost_estimate import estimate_study
from annotation.rehearsal.passer_truths import known_truths
from annotation.reports.gather import score
from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.report.result import Report
from metrics.tables.record import Table
from tests.annotation.publishing.rehearsed_kinds import NOW, drafted, rehearsed

pytestmark = pytest.mark.django_db
# What a preset needs beside two systems.
TEXTS: dict[str, Any] = {"which-of-k": {"generators": ("alpha",), "references": 2}}
NEW = ("summeval", "hanna", "direct-assessment-mt", "two-models", "error-labels")


def tables(report: Report) -> Iterator[Table]:
    yield from (table for section in report.sections for table in section.tables)


@pytest.mark.parametrize("name", PRESETS)
def test_the_bill_beside_the_design_is_the_bill_of_the_tasks(name: str) -> None:
    study = drafted(PRESETS[name], f"bill-{name}", contexts=23, budget_cents=None, country="", **(TEXTS.get(name, {})))
    before = estimate_study(study).estimate
    laid_out = design(study, actor="ada", now=NOW)
    after = (laid_out.hits, laid_out.assignments, laid_out.reward_cents, laid_out.fee_cents)
    assert (before.hits, before.assignments, before.reward_cents, before.fee_cents) == after
    assert before.minutes is not None
    assert before.minutes > 1


@pytest.fixture(params=NEW)
def reported(request: pytest.FixtureRequest) -> tuple[str, Report, dict[tuple[str, str], float]]:
    """A rehearsed study of a preset: its name, its report, and the truth by criterion and source."""
    study = drafted(PRESETS[request.param], f"rehearsed-{request.param}", contexts=12)
    rehearsed(study, seed=3)
    truths = {(truth.criterion, truth.source): truth.value for truth in known_truths(study)}
    return request.param, build_report(score(study)), truths


def test_numbers_of_the_report_are_those_of_its_csv_and_its_truth_lies_in_the_intervals(
    reported: tuple[str, Report, dict[tuple[str, str], float]],
) -> None:
    name, report, truths = reported
    rows = list(csv.DictReader(csv_files(report)["ratings.csv"]))
    criteria = [criterion.name for criterion in PRESETS[name].wording.criteria]
    assert {row["criterion"] for row in rows} == set(criteria)
    found = {table.name: table for table in tables(report)}
    if name == "two-models":
        _check_preferences(found, rows, criteria, truths)
        return
    by_text: defaultdict[tuple[str, str], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_text[row["criterion"], row["item"].rstrip("0123456789")][row["item"]].append(float(row["value"]))
    means = {(row[0], row[1]): row[2] for row in found["scales"].rows}
    rated = ["severity"] if name == "error-labels" else criteria
    assert set(means) == {(criterion, source) for criterion in rated for source in ("alpha", "beta")} == set(truths)
    for key, estimate in means.items():
        assert estimate.value == pytest.approx(fmean(fmean(values) for values in by_text[key].values()))
    for criterion, first, second, difference, *_ in found["answer-comparisons"].rows:
        assert (first, second) == ("alpha", "beta")
        truth = truths[criterion, "alpha"] - truths[criterion, "beta"]
        assert difference.interval.low < truth < difference.interval.high
    assert ("criteria" in found) == (len(rated) > 1)
    assert ("standardized" in found) == (name == "direct-assessment-mt")
    if "criteria" in found:
        _check_correlations(found["criteria"], by_text)


def _check_preferences(
    found: dict[str, Table], rows: list[dict[str, str]], criteria: list[str], truths: dict[tuple[str, str], float]
) -> None:
    for criterion in criteria:
        (row,) = found[f"preferences-{criterion}"].rows
        votes = [float(vote["value"]) for vote in rows if vote["criterion"] == criterion]
        assert row[:2] == ("alpha", "beta")
        # Without a script a page changes no sides: the first text was on the left.
        (left,) = [side[1] for side in found["sides"].rows if side[0] == criterion]
        assert left == pytest.approx(fmean(vote > 0 for vote in votes if vote))
        assert row[2].value == pytest.approx(fmean((1 + (vote > 0) - (vote < 0)) / 2 for vote in votes))
        assert row[2].interval.low < truths[criterion, "alpha over beta"] < row[2].interval.high


def _check_correlations(table: Table, by_text: dict[tuple[str, str], defaultdict[str, list[float]]]) -> None:
    for first, second, over_all, _within, n in table.rows:
        x, y = (
            [fmean(by_text[criterion, source][text]) for source in ("alpha", "beta") for text in by_text[first, source]]
            for criterion in (first, second)
        )
        assert n == len(x) == 24
        assert over_all == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_a_document_is_on_one_page_in_its_order_and_its_contexts_are_what_intervals_are_over() -> None:
    study = drafted(PRESETS["documents"], "documents", contexts=8, parts=4)
    before = estimate_study(study).estimate
    laid_out = rehearsed(study, seed=5)
    assert (before.hits, before.reward_cents) == (laid_out.hits, laid_out.reward_cents) == (6, 6 * 3 * 300)
    shown = []
    for hit in study.hits.all():
        shown += [item.text.key for item in hit.items.select_related("text").order_by("position")]
    documents = [shown[at : at + 4] for at in range(0, len(shown), 4)]
    assert sorted(documents) == sorted(
        [f"{system}{at}-{part}" for part in range(4)] for system in ("alpha", "beta") for at in range(8)
    )
    found = {table.name: table for table in tables(build_report(score(study)))}
    (row,) = found["answer-comparisons"].rows
    columns = [column.key for column in found["answer-comparisons"].columns]
    assert (row[columns.index("contexts")], row[columns.index("n")]) == (8, 8 * 2 * 4 * 3)


def test_which_of_k_counts_who_found_the_machines_text_against_one_in_k() -> None:
    study = drafted(PRESETS["which-of-k"], "which", contexts=30, generators=("alpha",), references=3)
    rehearsed(study, seed=4)
    truths = {truth.source: truth.value for truth in known_truths(study)}
    report = build_report(score(study))
    answers: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in csv.DictReader(csv_files(report)["ratings.csv"]):
        answers[row["rater"], re.sub(r"\D+", " ", row["item"]).split()[0]][row["item"]] = row["label"]
    assert len(answers) == 30 * 5
    assert all(
        sorted(marks.values()) == ["A machine wrote it", *["A person wrote it"] * 3] for marks in answers.values()
    )
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for (_, context), marks in answers.items():
        right[context].append(marks[f"alpha{context}"] == "A machine wrote it")
    found = {table.name: table for table in tables(report)}
    machine, people = found["chosen-which_machine"].rows
    assert (machine[0], people[0]) == ("alpha", "references")
    assert machine[1].value == pytest.approx(fmean(map(fmean, right.values()))) == pytest.approx(1 - people[1].value)
    assert (machine[2], people[2], machine[-1]) == (pytest.approx(0.25), pytest.approx(0.75), 150)
    assert machine[3].value == pytest.approx(machine[1].value - 0.25)
    assert machine[1].interval.low < truths["alpha"] < machine[1].interval.high
    assert truths["alpha"] + truths["references"] == pytest.approx(1)
    # The paired t-test of context means is the same one-way variance.
    assert machine[1].settings["v_item"] == pytest.approx(np.var(list(map(fmean, right.values())), ddof=1) / 30)


@pytest.mark.parametrize(("generators", "references"), [(("alpha",), 0), (("alpha", "beta"), 1), ((), 3)])
def test_which_of_k_needs_one_generated_text_among_references(generators: tuple[str, ...], references: int) -> None:
    study = drafted(PRESETS["which-of-k"], "odd", contexts=2, generators=generators, references=references)
    with pytest.raises(DesignError, match=r"exactly one generated text and at least one reference; 2 of 2 contexts"):
        design(study, actor="ada", now=NOW)
