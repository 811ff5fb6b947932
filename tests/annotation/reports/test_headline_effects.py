"""Headline measures of scales, preferences, chosen texts and labels, without rules and with each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.design.kinds import default_wording
from annotation.jobs import job_files
from annotation.jobs.run import run_due
from annotation.models import Job, Judgment, Study
from annotation.quality.honest_studies import OUTCOME, honest_outcome
from annotation.quality.rules import Rule
from annotation.reports.headline_effects import TOGETHER, headline_effects
from annotation.review.exclude import fix_rules
from annotation.studies.create import reword
from metrics.report.records import RatingRow, ReportInput, StudyFacts, TextRow
from metrics.report.row_records import AssignmentRow, RuleFacts
from tests.annotation.review.factories import NOW, judged, member


def report_of(answer: str, ratings: Sequence[RatingRow], rules: Sequence[RuleFacts]) -> ReportInput:
    """Texts a (a reference), g and h (of two generators), rated by three people in one task."""
    facts = StudyFacts("s", "task", "q", "text", (), "", "live", answers=(("c", answer),))
    texts = (
        TextRow("a", "reference", None, "A"),
        TextRow("g", "model", "gpt", "G"),
        TextRow("h", "model", "lstm", "H"),
    )
    people = tuple(AssignmentRow(str(n), f"w{n}", "1") for n in range(3))
    return ReportInput(
        study=facts, generators=(), texts=texts, ratings=tuple(ratings), assignments=people, rules=tuple(rules)
    )


def rated(rater: int, text: str, value: int, *, label: str = "", partner: str | None = None) -> RatingRow:
    return RatingRow(text, f"w{rater}", label or str(value), value, hit="1", criterion="c", partner=partner)


ALL, ALONE = RuleFacts("first", ("0",)), RuleFacts("second", ("1",), alone=True)


def test_means_are_those_of_the_texts_less_the_references() -> None:
    ratings = [rated(0, "a", 1), rated(1, "a", 3), rated(0, "g", 5), rated(1, "g", 3), rated(2, "h", 4)]
    gpt, lstm = headline_effects(report_of("ordinal", ratings, [ALL, ALONE]), draws=10)
    assert (gpt["name"], gpt["before"], gpt["percent"]) == ("c, gpt less references", 2.0, False)
    assert [(rule, n, value) for rule, n, value, *_ in gpt["rows"]] == [("first", 1, 0.0), ("second", 1, 4.0)]
    assert (lstm["before"], lstm["rows"][0][2]) == (2.0, 1.0)


def test_an_answer_that_the_report_excludes_counts_before_the_rules() -> None:
    ratings = [rated(0, "a", 1), replace(rated(1, "a", 3), kept=False)]
    (only,) = headline_effects(report_of("number", ratings, [ALL]), draws=10)
    assert (only["before"], only["rows"][0][2]) == (2.0, 3.0)


def test_rules_of_the_study_also_count_together() -> None:
    rules = [ALL, RuleFacts("second", ("1",))]
    ratings = [rated(n, "a", n) for n in range(3)]
    (mean,) = headline_effects(report_of("ordinal", ratings, rules), draws=10)
    assert [(row[0], row[1], row[2]) for row in mean["rows"]] == [
        ("first", 1, 1.5),
        ("second", 1, 1.0),
        (TOGETHER, 2, 2.0),
    ]


def test_a_tie_is_half_a_win_and_sides_of_a_pair_do_not_matter() -> None:
    """gpt against the references: won, tied, lost."""
    ratings = [
        rated(0, "g", 1, partner="a"),
        rated(1, "a", 0, partner="g"),
        rated(2, "a", 1, partner="g"),
    ]
    (rate,) = headline_effects(report_of("preference", ratings, [ALL]), draws=10)
    assert (rate["name"], rate["before"], rate["rows"][0][2]) == ("c: gpt preferred to references", 0.5, 0.25)
    assert rate["middle"] == 0.5


def test_chosen_texts_are_counted_by_generator() -> None:
    ratings = [rated(n, text, int(text == "g" and n < 2)) for n in range(3) for text in "ag"]
    (gpt,) = headline_effects(report_of("chosen_text", ratings, [ALL]), draws=10)
    assert (gpt["before"], gpt["rows"][0][2]) == (pytest.approx(2 / 3), 0.5)


def test_several_labels_of_a_text_are_one_answer() -> None:
    ratings = [
        rated(0, "g", 1, label="Disfluent"),
        rated(0, "g", 2, label="Off"),
        rated(1, "g", 1, label="Disfluent"),
        rated(2, "g", 0, label="None"),
    ]
    effects = headline_effects(report_of("several_labels", ratings, [ALL]), draws=10)
    assert {part["name"]: part["before"] for part in effects} == {
        "gpt: None": pytest.approx(1 / 3),
        "gpt: Disfluent": pytest.approx(2 / 3),
        "gpt: Off": pytest.approx(1 / 3),
    }
    assert {part["name"]: part["rows"][0][2] for part in effects}["gpt: Off"] == 0


def test_random_removals_are_as_many_submissions() -> None:
    """Of three people who say 0, 1 and 2, one removed leaves 1.5, 1 or .5; a rule that removes nobody stays away."""
    ratings = [rated(n, "a", n) for n in range(3)]
    idle = RuleFacts("idle", ())
    (mean,) = headline_effects(report_of("ordinal", ratings, [ALL, idle]), draws=200)
    assert mean["rows"] == [["first", 1, 1.5, 0.5, 1.5]]
    assert headline_effects(report_of("ordinal", ratings, []), draws=10) == []


@pytest.fixture
def scales(db: None) -> Study:
    study = judged(workers=4, hits=1, texts=12, name="scales")
    Study.objects.filter(pk=study.pk).update(task="likert", raters_per_text=4)
    study.refresh_from_db()
    reword(study, default_wording("likert"), now=NOW)
    Judgment.objects.update(criterion="fluency")
    return study


def test_the_job_stores_them_and_the_pages_show_them(scales: Study, settings: object, tmp_path: object) -> None:
    settings.VAR = tmp_path  # type: ignore[attr-defined]
    reviewer = Client()
    owner = member(scales, "owner")
    reviewer.force_login(owner)
    rules, page = (reverse(f"console:{name}", args=[scales.uuid]) for name in ("quality-rules", "results-exclusions"))
    fix_rules(scales, "straight", (Rule("straight_lining"),), actor=owner, now=NOW)
    Job.objects.create(study=scales, kind="exclusions", created_at=NOW)
    run_due()
    done = Job.objects.get(kind="exclusions")
    assert (done.state, done.problem) == ("done", "")
    (part,) = done.outcome["headlines"]
    table = (job_files.folder_of(done) / "headline-measures.csv").read_text(encoding="utf-8")
    assert "headline-measures.csv" in done.outcome["files"]
    assert f'{part["name"]}",Straight lines,1,' in table
    call_command("exclusions", scales.name, stdout=(printed := StringIO()))
    assert "fluency, tiny less references" in printed.getvalue()
    assert part["name"] == "fluency, tiny less references"
    straight = next(row for row in part["rows"] if row[0] == "Straight lines")
    assert straight[1] == 1
    outcome = honest_outcome(scales, [Rule("straight_lining")], words=[20])
    change = outcome[OUTCOME]["rules"][0]["changes"][0]
    change.update(key=part["key"], low=-0.0001, high=0.0001, median=0.0)
    Job.objects.create(study=scales, kind="preflight", state="done", created_at=NOW, finished_at=NOW, outcome=outcome)
    # The job has looked at the results, which ends blinding.
    shown = reviewer.get(rules).content.decode()
    assert "fluency, tiny less references" in shown
    assert "outside the honest range" in shown
    assert "fluency, tiny less references" in reviewer.get(page).content.decode()
