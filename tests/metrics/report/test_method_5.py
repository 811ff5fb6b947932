"""Method, section 5, item by item: whatever a report must hold stands in it, or in one list of what is not known.

The list is ours to keep in step with the method: each line names what is asked for and the words under which the page
tells it. Three reports are held against it: of typicality, of evaluators, and of a study about which nothing is known.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from lxml import html as lxml_html

from metrics.report.build import build_report
from metrics.report.formats.html import html
from metrics.report.formats.latex import latex
from metrics.report.records import ReportInput, StudyFacts
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.samples import NOW, study, with_rules, with_truth

ASKED: dict[str, dict[str, str]] = {
    "summary": {
        "question": "asked: |the question they (were|are) asked is not known|No text is recorded",
        "verdict": "differs from|No difference|no verdict|HUSE|right|No text has been rated",
        "what cannot be concluded": "does not prove|does not show|No text has been rated",
    },
    "design": {
        "task preset and version": "Task",
        "pages as shown": "Pages",
        "instructions": "Instructions as shown",
        "scale and coding": "coding:|Scale",
        "packing of HITs": "Texts per HIT|Size of a task",
        "randomisation": "Mixing and order of sources",
        "seed": "Seed of packing and order",
        "conditions": "Conditions|One condition",
        "planned n": "Raters planned per text|Evaluators planned per condition",
        "power": "Planned power|Statistical power",
        "plan": "Plan of the study",
        "where it was registered": "Registered|Registration",
        "its hash": "SHA-256 of the plan|Plan of the study",
        "deviations": "Deviations from the plan",
    },
    "items": {
        "sources": "Items by source",
        "selection funnel and truncation": "Selection (?:and truncation )?of texts",
        "generation settings and priming": "prompt and priming|Settings of generation",
        "decoding": "Decoding",
        "model of log p": "Model of the log-probabilities|Decoding and log-probabilities",
        "length unit": "Unit|Items by source",
        "minus infinity": "Probability zero|Items by source",
        "licence": "Licen[cs]e of the texts",
        "overlap and duplicates": "Occur more than once|Duplicates and overlap",
    },
    "raters": {
        "provider": "Recruited through|Recruitment",
        "criteria": "Criteria",
        "first day": "First submission",
        "last day": "Last submission",
        "weekdays": "Assignments by day",
        "started": "Assignments started",
        "submitted": "Assignments submitted",
        "returned": "Assignments returned",
        "excluded": "Excluded from analysis|excluded from the analysis",
        "pay": "Reward per assignment",
        "active time": "Time per assignment, median",
        "wage": "Hourly wage",
        "consent": "Consent",
        "ethics": "Ethics approval",
        "demographics": "Demographics",
        "ratings of a rater": "Included ratings per rater",
        "ratings of an item": "Ratings per text",
    },
    "quality": {
        "flags": "What it flags|Quality rules",
        "exclusions": "Exclusions in words|Exclusions|Quality rules",
        "with and without": "Results with and without exclusions|Quality rules",
        "methods paragraph": "Raters judged|The study has",
    },
    "results": {
        "HUSE": "HUSE",
        "sensitivity to exclusions": "Sensitivity to exclusions",
        "human or machine": "Human or machine",
        "explanations and codes": "Explanations",
        "agreement": "Agreement of raters",
        "frequency": "frequency",
        "NND": "Near-negative distinction",
        "automatic": "Automatic scores",
    },
    "datasheet": {
        "resources": "1 Main reference and resources|Where the resources are|Where the data come from",
        "systems": "2 Evaluated systems",
        "sample": "3.1 Sample of outputs|Items by source",
        "evaluators": "3.2 Evaluators|Number of raters",
        "design": "3.3 Experimental design|Size of a task",
        "criterion": "4.1 Quality criterion|Name of the criterion",
        "mode": "4.2 Evaluation mode",
        "elicitation": "4.3 Response elicitation",
        "ethics": "5 Ethics",
        "completeness": "Completeness",
    },
    "reproducibility": {
        "commit": "Commit",
        "command": "Command",
        "seed": "Seed of the analysis",
        "versions": "Versions",
        "configuration": "Settings",
        "hashes": "SHA-256 of the data files",
        "anonymity": "pseudonyms",
        "signatures": "Signatures|What made the numbers",
    },
    "limitations": {"limitations": "Warnings"},
}
UNKNOWN = ReportInput(
    study=StudyFacts("unknown", "typicality ratings", "not recorded", "text", (), "not recorded", "imported"),
    generators=(),
    texts=(),
)
# A section of the results that does not apply is absent.
APPLYING = {
    "typicality": {"HUSE", "sensitivity to exclusions", "agreement"},
    "evaluators": {"human or machine", "explanations and codes", "agreement"},
    "unknown": set(),
}
STUDIES = {
    "typicality": lambda: with_rules(with_truth(study({"tiny": (0.5, 0.3)}, texts=20, raters=6))),
    "evaluators": lambda: evaluators(),
    "unknown": lambda: UNKNOWN,
}


@pytest.fixture(scope="module", params=STUDIES)
def page(request: pytest.FixtureRequest) -> tuple[str, lxml_html.HtmlElement]:
    given = STUDIES[request.param]()
    return request.param, lxml_html.fromstring(html(build_report(given), now=NOW, hashes={"ratings.csv": "0" * 64}))


@pytest.mark.parametrize(("part", "item"), [(part, item) for part, items in ASKED.items() for item in items])
def test_every_item_of_the_method_stands_in_its_part(page, part: str, item: str) -> None:
    places = [part] if part == "results" else [part, "paper", "not-recorded"]
    sections = [section for key in places for section in page[1].xpath(f"//section[@id='{key}']")]
    applies = part != "results" or item in APPLYING[page[0]]
    words = " ".join(" ".join(section.text_content().split()) for section in sections)
    is_there = re.search(ASKED[part][item], words) is not None
    assert is_there == applies, (page[0], part, item)


def test_the_parts_stand_in_the_order_of_the_method(page) -> None:
    shown = page[1].xpath("//section/@id")
    assert [key for key in shown if key in ASKED] == [key for key in ASKED if key in shown]
    assert set(shown) - set(ASKED) <= {"paper", "not-recorded"}


def test_no_value_is_left_blank(page) -> None:
    blank = [one.getprevious() for one in page[1].xpath("//dl//dd") if not one.text_content().strip()]
    assert blank == []
    empty = [table for table in page[1].xpath("//table[tbody]") if not table.xpath("./tbody/tr")]
    assert [table.text_content().split("\n")[0] for table in empty] == []


def test_of_an_unknown_study_nothing_is_made_up() -> None:
    told = lxml_html.fromstring(html(build_report(UNKNOWN), now=NOW, hashes={}))
    assert told.xpath("//section[@id='results']//h4/text()") == []
    assert "Nothing was measured." in told.xpath("string(//section[@id='results'])")
    facts = {one.text_content().strip(): one.getnext().text_content().strip() for one in told.xpath("//dl//dt")}
    known = {name: value for name, value in facts.items() if value != "not recorded"}
    # What the form itself, the settings of the analysis and the study's own name and kind say.
    assert set(known) == {
        "Task", "Kind of study", "What a text is called", "Kind of output",
        "Objective or subjective", "Absolute or relative", "Intrinsic or extrinsic",
        "Personal data in the texts or the answers", "Seed of the analysis", "Level of intervals",
    }  # fmt: skip


def test_the_datasheet_names_the_systems_of_evaluators() -> None:
    given = replace(evaluators(), unscored=())
    answers = {one.question: one.answer for one in build_report(given).sheet}
    assert answers["Systems evaluated"] == "gpt"


def test_the_task_of_the_systems_is_what_a_person_states_and_not_what_raters_did() -> None:
    question = "Task that the systems perform"
    unstated, stated = (
        {entry.question: entry.answer for entry in build_report(replace(UNKNOWN, statements=statements)).sheet}
        for statements in ((), (("system_task", "summarization"),))
    )
    assert (unstated[question], stated[question]) == (None, "summarization")


def test_the_title_page_of_the_latex_names_no_author() -> None:
    source = latex(build_report(UNKNOWN), has_figures=False)
    assert r"\author{}" in source
    assert r"\large Human evaluation: typicality ratings" in source


def test_texts_that_nobody_rated_yet_are_not_said_to_be_judged() -> None:
    report_input = study({"tiny": (0.5, 0.3)}, texts=20, raters=6)
    unrated = {text.id for text in report_input.texts[:3]}
    partly = replace(report_input, ratings=tuple(row for row in report_input.ratings if row.text not in unrated))
    total = len(report_input.texts)
    sentence = f"Raters judged {total - 3} of these {total} texts."
    assert any(sentence in methods for methods in build_report(partly).methods)
    assert not any("of these" in methods for methods in build_report(report_input).methods)
