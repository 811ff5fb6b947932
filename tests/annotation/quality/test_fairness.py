"""The check before publishing says whom the chosen rules would wrong; the default rules wrong no honest group."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.jobs.check_study import check_study
from annotation.models import Study
from annotation.quality.fairness import chosen_rules, rules_now, wronged_by
from annotation.quality.filters import DEFAULTS, NAMED_SETS
from annotation.quality.rules import Rule
from annotation.review.exclude import fix_rules
from tests.annotation.review.factories import NOW, judged, make

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    return judged(workers=4, hits=2, texts=10, reasons=True, ages=lambda at: timedelta(hours=1))


def test_default_rules_exclude_no_honest_group(study: Study) -> None:
    assert {rule.kind for rule in chosen_rules(study)} == set(DEFAULTS)
    assert [row.worst for row in wronged_by(study, chosen_rules(study))] == [0] * len(DEFAULTS)
    draft = make(workers=1, hits=0, name="draft")
    assert not [row for row in check_study(draft).findings if row.rule == "unfair_rule"]


def test_rules_of_writing_style_are_told_with_the_people_they_would_wrong(study: Study) -> None:
    """Whoever writes a word or two, dictates or writes German is hit by every such rule, by its own definition."""
    papers = tuple(Rule(kind) for kind in NAMED_SETS["papers"].kinds)
    fix_rules(study, "As in the papers", papers, actor=None, now=NOW)
    wronged = {row.check.kind: row.wronged for row in wronged_by(study, chosen_rules(study))}
    assert wronged["short_reasons"]["terse"] == 50
    assert wronged["pasted"]["dictating"] == 50
    assert wronged["other_language"]["second_language"] == 50
    assert wronged["too_fast"]["screen_reader"] == wronged["too_fast"]["very_fast"] == 0
    draft = make(workers=1, hits=0, name="draft")
    fix_rules(draft, "As in the papers", papers, actor=None, now=NOW)
    sentences = [row.sentence for row in check_study(draft).findings if row.rule == "unfair_rule"]
    assert any("Short explanations" in text and "50 of 50 who write tersely" in text for text in sentences)


def test_the_short_list_names_rules_that_measured_something_and_how_many_they_concern(study: Study) -> None:
    rows = {row.check.kind: row for row in rules_now(study)}
    assert "practice" not in rows
    assert rows["too_fast"].submissions == 0
    assert rows["repeated_reasons"].submissions == 8
    assert rows["repeated_reasons"].fairness.people == 50
