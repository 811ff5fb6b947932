"""What of a study may be changed, until when, and how its words go forward and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.design import queries
from annotation.design.configure import configure
from annotation.design.kinds import default_wording
from annotation.design.wording import PracticePair, Training, as_json, from_json
from annotation.exceptions import DesignError, StateError
from annotation.models import Study
from annotation.publishing.preflight import preflight
from annotation.reports.report_rows import words
from annotation.studies.create import Plan, create, reword
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db
DAY = 86_400
FIRST = default_wording("typicality")
SECOND = replace(FIRST, heading="How usual?", intro=("Read and judge.",))


def set_to(study: Study, **changes: Any) -> list[str]:
    return configure(study, changes, actor="ada", now=NOW)


@pytest.fixture
def draft(db: None) -> Study:
    return create("plain", mode="rehearsal", plan=Plan(), wording=FIRST, actor="ada", now=NOW)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        # Requester API, 2017-01-17: durations of 30 s to a year, approval within 30 days.
        ("assignment_seconds", 29),
        ("assignment_seconds", 365 * DAY + 1),
        ("lifetime_seconds", 29),
        ("lifetime_seconds", 365 * DAY + 1),
        ("auto_approval_seconds", 30 * DAY + 1),
    ],
)
def test_times_that_no_marketplace_takes_are_refused_by_name(draft: Study, field: str, value: int) -> None:
    with pytest.raises(DesignError, match=f"{field} cannot be used: A marketplace"):
        set_to(draft, **{field: value})
    draft.refresh_from_db()
    assert getattr(draft, field) != value


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"raters_per_text": 0}, "raters_per_text"),
        ({"texts_per_hit": 0}, "texts_per_hit"),
        ({"evaluators_per_cell": 0}, "evaluators_per_cell"),
        ({"minimum_percent_approved": 101}, "minimum_percent_approved"),
        ({"country": "??"}, "country"),
        ({"mix": "fixed"}, "references_per_hit"),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_the_name_of_its_field(
    draft: Study, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(DesignError, match=f"The study's {field} cannot be used"):
        set_to(draft, **changes)


@pytest.mark.parametrize("code", ["abc", "nan", "1e400", "1/0", "٣"])
def test_a_label_whose_code_is_no_number_is_refused(code: str) -> None:
    told = as_json(FIRST)
    told["criteria"][0]["labels"][0][1] = code
    with pytest.raises(DesignError, match="A code of typicality is a number"):
        from_json(told)


def test_codes_may_be_fractions_and_below_zero() -> None:
    told = as_json(FIRST)
    for place, code in enumerate(("-1", "0.5", "1/3")):
        told["criteria"][0]["labels"][place][1] = code
    assert [code for _, code, _ in from_json(told).criteria[0].labels][:3] == ["-1", "0.5", "1/3"]


def test_times_may_change_after_the_layout_and_stand_in_the_log(study: Study) -> None:
    set_to(study, assignment_seconds=30, lifetime_seconds=365 * DAY, auto_approval_seconds=0)
    told = study.audit.order_by("-number").first()
    assert told is not None
    assert (told.verb, told.facts["changed"]["lifetime_seconds"]) == ("configure", 31_536_000)


def test_how_long_ids_are_kept_may_change_at_any_time_and_nothing_else(study: Study) -> None:
    Study.objects.update(status="published")
    until = datetime(2027, 6, 30, tzinfo=UTC)
    assert set_to(study, retain_until=until) == ["retain_until"]
    assert study.audit.order_by("-number").first().facts == {"changed": {"retain_until": "2027-06-30T00:00:00+00:00"}}  # type: ignore[union-attr]
    with pytest.raises(StateError, match="its settings are fixed"):
        set_to(study, retain_until=None, lifetime_seconds=DAY)
    study.refresh_from_db()
    assert study.retain_until == until


def test_a_preset_takes_a_retention_date() -> None:
    call_command("new_study", "kept", "--set", "retain_until=2027-06-30", "--set", "auto_approval_seconds=86400")
    made = Study.objects.get(name="kept")
    assert (made.retain_until, made.auto_approval_seconds) == (datetime(2027, 6, 30, tzinfo=UTC), DAY)
    with pytest.raises(CommandError, match="a date such as 2027-06-30"):
        call_command("new_study", "odd", "--set", "retain_until=soon")


def heading(study: Study) -> str:
    return str(study.wordings.last().body["heading"])  # type: ignore[union-attr]


def test_older_words_come_back_as_the_latest_version(draft: Study) -> None:
    reword(draft, SECOND, actor="ada", now=NOW)
    assert heading(draft) == "How usual?"
    assert reword(draft, FIRST, actor="ada", now=NOW).version == 3
    assert draft.wordings.last().body == as_json(FIRST)  # type: ignore[union-attr]
    assert [event.facts["version"] for event in draft.audit.filter(verb="reword").order_by("number")] == [2, 3]


def test_the_words_in_use_are_no_new_version(draft: Study) -> None:
    assert reword(draft, FIRST, actor="ada", now=NOW).version == 1
    assert draft.wordings.count() == 1


def test_another_noun_is_another_version_of_the_words_and_the_other_way_round(draft: Study) -> None:
    set_to(draft, noun="story")
    renamed = from_json(draft.wordings.last().body)
    assert (renamed.fill_nouns(renamed.criteria[0].question), renamed.nouns) == (
        "How typical is this story?",
        "stories",
    )
    reword(draft, replace(FIRST, noun="essay", nouns="essays"), actor="ada", now=NOW)
    draft.refresh_from_db()
    assert draft.noun == "essay"


def test_a_pair_that_names_a_side_in_its_own_words_is_told_before_publishing(db: None) -> None:
    pairs = (PracticePair("A.", "B.", "The second one repeats."), PracticePair("C.", "D.", "{machine} repeats."))
    words = replace(default_wording("human_or_machine"), training=Training(comparison=pairs))
    study = create("pairs", mode="rehearsal", plan=Plan(), wording=words, actor="ada", now=NOW)
    study.arms.create(training="comparison").cells.create()
    named = [one.sentence for one in preflight(study).findings if one.rule == "side_named"]
    assert len(named) == 1
    assert named[0].startswith("The explanation of practice pair 1 seems to name a side")


def test_versions_tell_what_holds_them_and_how_they_differ(study: Study) -> None:
    mine = study.wordings.get()
    reword(study, replace(FIRST, noun="headline", heading="How usual?"), actor="ada", now=NOW)
    latest, first = queries.versions(study)
    assert (latest.number, latest.in_use, latest.hits, latest.differs) == (2, True, 0, ())
    assert (first.number, first.in_use, first.hits) == (mine.version, False, 2)
    assert "heading" in first.differs


def test_hits_of_a_version_that_is_in_use_again_are_up_to_date(study: Study) -> None:
    first = study.wordings.get()
    reword(study, SECOND, now=NOW)
    assert "wording_changed" in {one.rule for one in preflight(study).findings}
    stored = study.wordings.create(version=3, digest=first.digest, body=first.body, created_at=NOW)
    assert stored.version == 3
    assert "wording_changed" not in {one.rule for one in preflight(study).findings}


def test_a_report_tells_the_words_that_people_read(study: Study) -> None:
    reword(study, SECOND, now=NOW)
    assert "Read and judge." not in (words(study).instructions or "")
