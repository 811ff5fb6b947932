"""The completeness score is honest: each part that is emptied costs its own items, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from metrics.report.checklists.completeness import check_completeness, completeness_score
from metrics.report.records import CrowdFacts, MoneyFacts, ReportInput
from tests.metrics.report.evaluators_study import evaluators

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
    "quality": (lambda given: replace(given, quality=None, flags=None), {"Exclusions"}),
    "ratings": (
        lambda given: replace(given, ratings=(), crowd=CrowdFacts(**{**facts(given), "workers": None})),
        {"Number of raters", "Ratings of each item", "Agreement of raters", "Statistical test"},
    ),
    "texts": (lambda given: replace(given, texts=()), {"Number of items"}),
}


def facts(given: ReportInput) -> dict:
    return {name: getattr(given.crowd, name) for name in CrowdFacts.__dataclass_fields__}


def absent(given: ReportInput) -> set[str]:
    return {one.item for one in check_completeness(given) if not one.recorded}


def test_a_whole_study_lacks_nothing() -> None:
    assert absent(evaluators()) == set()
    assert completeness_score(check_completeness(evaluators())) == "13 of 13"


@pytest.mark.parametrize("part", EMPTIED)
def test_what_is_emptied_is_missed(part: str) -> None:
    empty, items = EMPTIED[part]
    assert absent(empty(evaluators())) == items


def test_every_item_is_missed_somewhere() -> None:
    assert set.union(*(items for _, items in EMPTIED.values())) == {
        one.item for one in check_completeness(evaluators())
    }
