"""The completeness score is honest: each part that is emptied costs its own items, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lxml import html as lxml_html

from metrics.report.build import build_report
from metrics.report.checklists.completeness import ChecklistItem, check_completeness, completeness_score
from metrics.report.checklists.computed import list_computed
from metrics.report.formats.html import html
from metrics.report.records import CrowdFacts, MoneyFacts, PlanFacts, ReportInput
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.kinds_of_study import KINDS, page_of
from tests.metrics.report.samples import NOW

# The item of the list of what is not recorded, and of the facts that a person is asked for, that an item is.
LISTED_AS = {
    "Qualifications of raters": ("Criteria that raters met",),
    "Number of raters": ("Number of raters",),
    "Ratings of each item": ("Ratings per text",),
    "Scale": ("Scale of every criterion",),
    "Agreement of raters": ("Agreement of raters",),
    "Statistical test": ("Statistical test",),
    "Exclusions": ("Exclusions",),
    "Dates": ("First submission",),
    "Interface": ("Pages as raters saw them",),
    "Ethics and consent": ("ethics", "consent"),
    "Pay": ("payment",),
}
Emptied = Callable[[ReportInput], ReportInput]


def of_study(**changes: object) -> Emptied:
    return lambda given: replace(given, study=replace(given.study, **changes))


def of_crowd(**changes: object) -> Emptied:
    return lambda given: replace(given, crowd=replace(given.crowd, **changes))


EMPTIED: dict[str, tuple[Emptied, set[str]]] = {
    "criteria": (of_crowd(criteria=()), {"Qualifications of raters"}),
    "money": (lambda given: replace(given, money=MoneyFacts()), {"Pay"}),
    "instructions": (of_study(instructions=None), {"Instructions and question"}),
    "question": (of_study(question="not recorded"), {"Instructions and question"}),
    "scale": (of_study(scale=()), {"Scale"}),
    "dates": (of_study(collected_from=None), {"Dates"}),
    "pages": (lambda given: replace(given, pages=()), {"Interface"}),
    "ethics": (of_crowd(ethics=None), {"Ethics and consent"}),
    "consent": (of_crowd(consent=None), {"Ethics and consent"}),
    "quality": (
        lambda given: replace(given, quality=None, flags=None, crowd=replace(given.crowd, excluded=None)),
        {"Exclusions"},
    ),
    "ratings": (
        lambda given: replace(given, ratings=(), crowd=CrowdFacts(**{**facts(given), "workers": None})),
        {"Number of raters", "Ratings of each item", "Agreement of raters", "Statistical test"},
    ),
    "texts": (lambda given: replace(given, texts=()), {"Number of items"}),
}


def facts(given: ReportInput) -> dict:
    return {name: getattr(given.crowd, name) for name in CrowdFacts.__dataclass_fields__}


def checked(given: ReportInput) -> tuple[ChecklistItem, ...]:
    # A report without texts cannot be made: there is nothing that its ratings are of.
    computed = list_computed(build_report(replace(given, texts=evaluators().texts)).sections)
    return check_completeness(given, computed)


def absent(given: ReportInput) -> set[str]:
    return {one.item for one in checked(given) if not one.recorded}


def test_a_whole_study_lacks_nothing() -> None:
    assert absent(evaluators()) == set()
    assert completeness_score(checked(evaluators())) == "13 of 13"


@pytest.mark.parametrize("part", EMPTIED)
def test_what_is_emptied_is_missed(part: str) -> None:
    empty, items = EMPTIED[part]
    assert absent(empty(evaluators())) == items


def test_every_item_is_missed_somewhere() -> None:
    assert set.union(*(items for _, items in EMPTIED.values())) == {one.item for one in checked(evaluators())}


COMPUTED = ("Agreement of raters", "Statistical test")


@pytest.mark.parametrize("name", KINDS)
def test_what_is_recorded_is_never_listed_as_not_recorded(name: str) -> None:
    page = lxml_html.fromstring(page_of(name))
    listed = page.xpath("string(//section[@id='not-recorded']/p)").rstrip(".\n").split("; ")
    asked = set(page.xpath("//ul[@class='missing']/li/@data-key"))
    rows = {row[0].text: row[1].text for row in page.xpath("//section[@id='datasheet']//table//tbody/tr")}
    for item, names in LISTED_AS.items():
        if item in COMPUTED:  # by Assay, where the ratings allow it: no person can record it
            assert not set(names) & {*listed, *asked}, item
        elif item in rows:
            assert (rows[item] == "yes") is not (set(names) & {*listed, *asked} != set()), item
    assert len(listed) == len(set(listed))
    assert not [entry for entry in listed if entry.startswith(("They ", "Its ", "How they "))]
    assert ("One condition for everybody." in page.text_content()) is not ("Conditions of the design" in listed) or (
        page.xpath("//table[contains(@class, 'conditions')]") != []
    )


def test_a_stored_plan_is_not_asked_for_in_words_and_no_work_is_a_number() -> None:
    given = KINDS["unrated"]()
    stored = PlanFacts(registered_at=datetime(2026, 11, 1, tzinfo=UTC), sha256="0" * 64)
    report = build_report(replace(given, plan=stored, crowd=replace(given.crowd, submitted=0), assignments=()), k=3)
    page = lxml_html.fromstring(html(report, now=NOW))
    listed = page.xpath("string(//section[@id='not-recorded']/p)").rstrip(".\n").split("; ")
    assert not {"Plan of the study", "Assignments submitted", "Statistical power of the sample"} & {*listed}
    assert "Planned power" in listed
