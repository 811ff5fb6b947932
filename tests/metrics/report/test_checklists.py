"""HEDS and the responsible NLP checklist: filled from the report's facts, the same in three formats."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from metrics.data.answer_types import AnswerType
from metrics.report.checklists.computed import Computed
from metrics.report.checklists.heds import fill_datasheet
from metrics.report.checklists.missing import FACTS, list_missing
from metrics.report.checklists.responsible_nlp import fill_checklist
from metrics.report.formats.checklists import OPEN, checklist_files
from metrics.report.records import ReportInput, ScaleLabel
from metrics.report.row_records import CommentRow, PlanFacts
from tests.annotation.reports.round_trips import KINDS
from tests.metrics.report.kinds_of_study import KINDS as KINDS_OF_STUDY
from tests.metrics.report.kinds_of_study import page_of, report_of
from tests.metrics.report.latex import compile_tex, needs
from tests.metrics.report.samples import CROWD, MONEY, STUDY
from tests.report_checker.page import Page, words

HEAD = r"\documentclass{acl-like}\begin{document}"
KNOWN = ReportInput(
    replace(STUDY, mode="live"),
    (),
    (),
    money=MONEY,
    crowd=replace(CROWD, ethics="Board 17", consent="ticked", provider="a panel", criteria=("tall",)),
    licence="CC BY 4.0",
    language="German",
    statements=(("people", "students"), ("demographics", "ages 18 to 30"), ("impact", "none expected")),
)


@pytest.mark.parametrize("name", ["heds", "responsible-nlp"])
def test_the_three_formats_hold_the_same_answers(name: str, tmp_path: Path) -> None:
    files = checklist_files(report_of("evaluators"))
    document = json.loads(files[f"{name}.json"])
    answered = sum(entry["answer"] is not None for entry in document["entries"])
    open_entries = len(document["entries"]) - answered
    assert document["answered"] == f"{answered} of {len(document['entries'])} questions"
    assert files[f"{name}.md"].count(OPEN) == files[f"{name}.tex"].count(OPEN) == open_entries > 0
    needs("pdflatex")
    (tmp_path / "list.tex").write_text(HEAD + files[f"{name}.tex"] + r"\end{document}")
    compile_tex(tmp_path, "list.tex", "pdflatex")


def test_the_page_shows_the_answers_of_the_file() -> None:
    entries = json.loads(checklist_files(report_of("evaluators"))["heds.json"])["entries"]
    sheet = Page(page_of("evaluators")).tree.get_element_by_id("datasheet")
    listed = [(words(pair.find("dt")), words(pair.find("dd"))) for pair in sheet.xpath(".//dl/div")]
    assert listed == [
        (entry["question"], " ".join(entry["answer"].split())) for entry in entries if entry["answer"] is not None
    ]


def test_what_is_known_answers_the_questions_about_annotators() -> None:
    answers = {entry.question.split()[0]: entry.answer for entry in fill_checklist(KNOWN, ("It is small.",))}
    assert (answers["A1"], answers["A2"], answers["B2"], answers["B5"]) == (
        "It is small.",
        "none expected",
        "CC BY 4.0",
        "German",
    )
    paid = "The reward was 1.00 USD per assignment; the median assignment took 13 min 24 s, 4.48 USD per hour."
    assert answers["D2"] == f"a panel; tall. {paid}"
    assert (answers["D3"], answers["D4"], answers["D5"]) == ("ticked", "Board 17", "students; ages 18 to 30")


def test_what_is_said_in_both_lists_agrees() -> None:
    """Of comments as personal data; of a plan in the log, which is no registration where work came before it."""
    begun = datetime(2026, 11, 3, 9, 5, tzinfo=UTC)
    comments = (CommentRow("t1", "w1", "why", "It is mine."),)
    plan = PlanFacts(registered_at=begun, sha256="9" * 64)
    known = replace(KNOWN, comments=comments, plan=plan, study=replace(KNOWN.study, collected_from=begun))
    lists = {entry.question.split()[0]: entry.answer for entry in fill_checklist(known, ())}
    assert lists["B4"] == "Raters appear under pseudonyms only; comments may contain personal data."
    sheet = answers_of(known)
    personal = "evaluators appear under pseudonyms only; comments may contain personal data"
    assert sheet["Personal data in the texts or the answers"] == personal
    logged = f"in the log of Assay, Tuesday, 3 November 2026, 09:05 UTC, SHA-256 {'9' * 64}"
    assert sheet["Registered beforehand"] == logged
    late = replace(known, plan=replace(plan, registered_at=begun + timedelta(seconds=1)))
    assert answers_of(late)["Registered beforehand"] is None
    stated = replace(known, plan=replace(plan, registered_where="osf.io/x"))
    assert answers_of(stated)["Registered beforehand"] == f"osf.io/x; {logged}"
    unproved = answers_of(replace(late, plan=replace(late.plan, registered_where="osf.io/x")))
    assert unproved["Registered beforehand"] == "osf.io/x; whether before the data is not known"


def test_what_the_study_cannot_know_is_left_to_the_authors() -> None:
    answers = {entry.question.split()[0]: entry.answer for entry in fill_checklist(replace(KNOWN, licence=None), ())}
    assert [answers[key] for key in ("A1", "B2", "B3", "C1")] == [None] * 4


def test_an_answer_is_no_markup_in_markdown() -> None:
    report = report_of("evaluators")
    evil = replace(report.input, licence="# <b>*free*</b>\n## part", statements=())
    text = checklist_files(replace(report, input=evil))["responsible-nlp.md"]
    assert "> \\# \\<b\\>\\*free\\*\\</b\\>\n> \\#\\# part" in text


def test_a_fact_leaves_the_list_of_what_is_missing_once_it_is_known() -> None:
    bare = KINDS["bare"](3)
    live = replace(bare, study=replace(bare.study, mode="live"), crowd=replace(bare.crowd, ethics=None, provider=None))
    missing = {fact.key for fact in list_missing(live)}
    assert {"ethics", "channel", "people", "licence", "contact"} <= missing <= {fact.key for fact, _ in FACTS}
    known = replace(live, licence="CC0", statements=(("contact", "ada"), ("people", "students")))
    assert missing - {fact.key for fact in list_missing(known)} == {"licence", "contact", "people"}


def test_who_was_simulated_is_not_asked_for() -> None:
    assert not {"people", "demographics"} & {
        fact.key for fact in list_missing(replace(KNOWN, study=STUDY, statements=()))
    }


def test_the_datasheet_states_the_scale_of_each_kind_of_answer() -> None:
    given = KINDS["scales"](3)
    ends = (ScaleLabel("Not at all", 0), ScaleLabel("Perfectly", 100))
    numbers = replace(given.study, scale=ends, coding="0 to 100", answers=(("quality", AnswerType.NUMBER),))
    sheet = answers_of(replace(given, study=numbers))
    assert sheet["Size of the scale"] == "101"
    assert sheet["Values of the scale"] == "whole numbers, 0 to 100"
    labels = replace(
        given.study, answers=(("error", AnswerType.SINGLE_LABEL), ("how_bad", AnswerType.ORDINAL)), coding="0 to 3"
    )
    sheet = answers_of(replace(given, study=labels))
    assert sheet["Size of the scale"] == f"{len(given.study.scale)} (error)"
    assert sheet["How responses become scores"] == "labels without an order: shares of each, no scores (error)"
    chosen = replace(given.study, answers=(("which_machine", AnswerType.CHOSEN_TEXT),))
    assert answers_of(replace(given, study=chosen, ratings=()))["Absolute or relative"] == "relative"


def test_the_datasheet_counts_responses_on_each_criterion() -> None:
    given = KINDS["scales"](3)
    answers = {(rating.text, rating.criterion, rating.unit) for rating in given.ratings if rating.kept}
    counts = Counter((text, criterion) for text, criterion, _ in answers)
    criteria = len({criterion for _, criterion in counts})
    assert criteria > 1
    assert answers_of(given)["Responses for each text"] == (
        f"{min(counts.values())} to {max(counts.values())} on each of {criteria} criteria"
    )


def answers_of(given: ReportInput) -> dict[str, str | None]:
    return {entry.question: entry.answer for entry in fill_datasheet(given, Computed())}


def test_the_datasheet_names_what_was_computed_and_nothing_else() -> None:
    sheets = {name: {entry.question: entry.answer for entry in report_of(name).sheet} for name in KINDS_OF_STUDY}
    agreement = {name: sheet["Inter-rater agreement"] for name, sheet in sheets.items()}
    assert agreement["error labels"] is agreement["unrated"] is agreement["near-negative"] is agreement["pairs"] is None
    assert agreement["which machine"] == "Krippendorff's alpha, in the results"
    assert agreement["likert"] == "Krippendorff's alpha and intraclass correlations, in the results"
    used = {name: sheet["Statistics used"] or "" for name, sheet in sheets.items()}
    assert used["unrated"] == ""
    assert used["error labels"].startswith("shares of labels; with intervals")
    assert used["pairs"].startswith("shares of preferences, Bradley-Terry strengths, differences between sources; ")
    assert [name for name, words in used.items() if "HUSE" in words] == [
        name for name in KINDS_OF_STUDY if report_of(name).generators
    ]
    recorded = {name: {one.item: one.recorded for one in report_of(name).checklist} for name in KINDS_OF_STUDY}
    assert not any(recorded[name]["Statistical test"] for name in ("error labels", "unrated", "near-negative", "pairs"))
    assert recorded["likert"]["Statistical test"]
    assert [name for name in KINDS_OF_STUDY if not recorded[name]["Scale"]] == [
        "scales",
        "severity",
        "nothing but texts",
    ]


def test_the_datasheet_says_of_which_criterion_each_answer_is() -> None:
    sheet = {entry.question: entry.answer for entry in report_of("severity").sheet}
    assert sheet["Values of the scale"] == (
        "No error, Disfluent, Off target (error); Bad of 1, Poor of 2, Fair of 3, Good of 4, Very good of 5 occur "
        "(severity)"
    )
    assert {entry.question: entry.answer for entry in report_of("pairs").sheet}["Size of a task"] == (
        "at most 25 pairs of texts"
    )
