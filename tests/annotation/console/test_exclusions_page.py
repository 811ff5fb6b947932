"""Sensitivity to exclusions to the results: behind the warning, computed by a job, told with shares on each side."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml.html import fromstring

from annotation.jobs.job_files import folder_of
from annotation.jobs.run import run_due
from annotation.models import Job, Judgment, Scale, Study, Submission
from annotation.quality.rules import Rule
from annotation.reports import exclusion_rules as sensitivity
from annotation.reports import rule_choices
from annotation.reports.gather import score
from annotation.review import exclude
from annotation.studies import blinding
from annotation.studies.unblind import unblind
from metrics.huse.estimate import evaluate
from tests.annotation.review.factories import NOW, judged, make, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None, settings: Any, tmp_path: Path) -> Study:
    settings.VAR = tmp_path
    return judged(workers=8, hits=2, texts=12)


def entered(study: Study, role: str) -> Client:
    client = Client()
    client.force_login(member(study, role))
    return client


def test_nothing_is_shown_before_somebody_decides_to_look(study: Study) -> None:
    page = entered(study, "viewer").get(reverse("console:results-exclusions", args=[study.uuid])).content.decode()
    assert "Results are blinded" in page
    assert blinding.seen_at(study) is None


@pytest.mark.parametrize("name", ["console:results-exclusions-compute", "console:results-compute"])
def test_a_viewer_does_not_compute_and_a_reviewer_not_before_the_warning(study: Study, name: str) -> None:
    address, reviewer = reverse(name, args=[study.uuid]), entered(study, "reviewer")
    assert entered(study, "viewer").post(address).status_code == 403
    assert b"Results are blinded" in reviewer.post(address, follow=True).content
    assert blinding.seen_at(study) is None
    assert not study.jobs.exists()
    reviewer.post(reverse("console:results-reveal", args=[study.uuid]))
    run_due()
    assert blinding.seen_at(study) is not None
    assert reviewer.post(address).status_code == 302
    assert study.jobs.exclude(kind="unblind").count() == 1


def test_the_page_tells_every_selection_and_where_it_lies(study: Study) -> None:
    reviewer = entered(study, "reviewer")
    unblind(study, actor="reviewer", now=NOW)
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    run_due()
    job = Job.objects.get(kind="exclusions")
    assert (job.state, job.problem) == ("done", "")
    page = reviewer.get(reverse("console:results-exclusions", args=[study.uuid])).content.decode()
    for words in ("<svg", "no rule", "Straight lines, One answer", "No submissions excluded by:"):
        assert words in page, words
    part = job.outcome["generators"][0]
    assert part["name"] == "tiny"
    assert len(part["rows"]) == part["selections"] == 4


def test_ticked_rules_show_the_measures_of_what_they_leave_together(study: Study) -> None:
    """The second of two ticks asks for the part alone; a reader without scripts gets the page with both ticked."""
    viewer, address = entered(study, "viewer"), reverse("console:results-exclusions", args=[study.uuid])
    assert "Results are blinded" in viewer.get(f"{address}?rule=0", headers={"HX-Request": "true"}).content.decode()
    unblind(study, actor="reviewer", now=NOW)
    job = Job.objects.create(study=study, kind="exclusions", created_at=NOW)
    run_due()
    job.refresh_from_db()
    assert [name for name, _ in job.outcome["choices"]] == ["Straight lines", "One answer"]
    (part,) = job.outcome["generators"]
    rows = [dict(zip(part["columns"], row, strict=False)) for row in part["rows"]]
    values = {row["Rules"]: (row["Assignments excluded"], f"{row['HUSE-Q']:.3f}") for row in rows}
    page = viewer.get(f"{address}?rule=0&rule=1").content.decode()
    part = viewer.get(f"{address}?rule=0&rule=1", headers={"HX-Request": "true"}).content.decode()
    assert part.strip() in page
    assert "<html" not in part
    form = fromstring(page).xpath("//input[@name='rule']")
    assert [(box.get("value"), box.get("checked") is not None) for box in form] == [("0", True), ("1", True)]
    row = [cell.text_content() for cell in fromstring(part).xpath("//tbody/tr/*")]
    excluded, value = values["Straight lines, One answer"]
    assert row == ["tiny: HUSE-Q", values["no rule"][1], value]
    assert f"{excluded} of 16 submissions excluded." in part
    assert "A dash" not in part
    assert "Tick rules" in viewer.get(address).content.decode()
    (folder_of(job) / rule_choices.FILE).unlink()
    assert "not kept here" in viewer.get(f"{address}?rule=0").content.decode()


def test_rules_show_the_measure_before_and_after_once_results_are_unblinded(study: Study) -> None:
    exclude.fix_rules(study, "own", [Rule("one_answer")], actor=None, now=NOW)
    reviewer, rules = entered(study, "reviewer"), reverse("console:quality-rules", args=[study.uuid])
    assert "Results are blinded" in (page := reviewer.get(rules).content.decode())
    assert "→" not in page
    unblind(study, actor="reviewer", now=NOW)
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    run_due()
    rows = {row[0]: row[4] for row in Job.objects.get(kind="exclusions").outcome["generators"][0]["rows"]}
    page = reviewer.get(rules).content.decode()
    shown = re.search(r'tiny: <span class="whole">([0-9.]+) → ([0-9.]+)', page)
    assert shown is not None
    assert [float(value) for value in shown.groups()] == pytest.approx([rows["no rule"], rows["One answer"]], abs=0.01)
    Job.objects.all().delete()
    assert "→" not in reviewer.get(rules).content.decode()


def test_each_default_stands_alone_beside_the_studys_own_rules(study: Study) -> None:
    stored = exclude.fix_rules(study, "own", [Rule("disagreement", 0.9)], actor=None, now=NOW)
    exclude.apply_rules(stored, actor=None, now=NOW)
    found = sensitivity.rules(study)
    told = {one.name: (one.alone, bool(one.assignments)) for one in found or ()}
    assert told["Agreement with the others (0.9)"] == (False, True)
    assert told["Straight lines"] == told["One answer"] == (True, True)
    assert told["Incomplete"] == (True, False)


def test_work_that_no_filter_has_measured_has_no_rules_to_tell() -> None:
    assert sensitivity.rules(make(workers=2, hits=1, texts=2, name="unmeasured")) is None


def test_the_shares_shown_count_the_selections_about_the_interval_without_rules(
    db: None, settings: Any, tmp_path: Path
) -> None:
    """The interval by `evaluate` on all ratings, the values selection by selection by `evaluate` on what is left."""
    settings.VAR = tmp_path
    study = judged(workers=8, hits=2, texts=20, name="wide")
    everything = score(study).generators[0].items
    whole = evaluate(everything, ["exact"], missing="quality_only")["exact"].huse_q
    assert whole.interval is not None
    values = []
    for rules in ((), ("straight_lining",), ("one_answer",), ("straight_lining", "one_answer")):
        gone = Submission.objects.filter(flags__kind__in=rules)
        kept = Judgment.objects.exclude(presentation__submission__in=gone)
        codes: dict[str, list[int]] = {}
        for key, code in kept.values_list("presentation__text__key", "label__code"):
            codes.setdefault(key, []).append(int(code))
        left = [replace(one, hj=Fraction(sum(codes[one.id]), len(codes[one.id]))) for one in everything]
        values.append(evaluate(left, ["exact"], missing="quality_only")["exact"].huse_q.value)
    sides = [
        sum(value < whole.interval.low - 1e-12 for value in values),
        sum(whole.interval.low - 1e-12 <= value <= whole.interval.high + 1e-12 for value in values),
        sum(value > whole.interval.high + 1e-12 for value in values),
    ]
    assert sum(sides) == 4
    reviewer = entered(study, "reviewer")
    unblind(study, actor="reviewer", now=NOW)
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    run_due()
    page = reviewer.get(reverse("console:results-exclusions", args=[study.uuid])).content.decode()
    shown = fromstring(page).xpath("//dl[@class='sums'][dt[text()='Selections'] or div/dt[text()='Selections']]//dd")
    assert [one.text_content() for one in shown] == ["4", *(f"{100 * side / 4:.0f}%" for side in sides)]


def test_the_page_and_the_report_tell_the_same_numbers(study: Study) -> None:
    """Selections of the page against the report's, and both against the ratings that each assignment gave."""
    reviewer = entered(study, "reviewer")
    unblind(study, actor="reviewer", now=NOW)
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    reviewer.post(reverse("console:results-compute", args=[study.uuid]))
    run_due()
    page = Job.objects.get(kind="exclusions").outcome["generators"][0]
    report = json.loads((folder_of(Job.objects.get(kind="report")) / "report.json").read_text(encoding="utf-8"))
    section = next(one for one in report["results"] if one["key"] == "exclusions")
    sides, table = section["tables"]
    (shares,) = sides["rows"]
    assert [shares[side] for side in ("below", "inside", "above")] == page["sides"]
    assert [list(row.values())[1:] for row in table["rows"]] == page["rows"]
    # The first of eight workers gave one label throughout, in both HITs of twelve texts.
    alone = next(row for row in table["rows"] if row["rules"] == "One answer")
    assert (alone["assignments"], alone["ratings"], alone["fewest"]) == (2, 24, 7)


def asked_who_wrote(study: Study) -> Study:
    """The same answers, as those of people who were asked who wrote each text: 0 and 1 are 1, 4 and 5 are 4."""
    Study.objects.filter(pk=study.pk).update(task="human_or_machine")
    scale = Scale.objects.ensure(f"who wrote {study}", [(str(code), str(code), "") for code in range(1, 5)])
    for label in scale.labels.all():
        codes = {1: ["0", "1"], 4: ["4", "5"]}.get(int(label.code), [label.code])
        Judgment.objects.filter(label__code__in=codes, criterion="typicality").exclude(label__scale=scale).update(
            label=label, criterion="human_or_machine"
        )
    return Study.objects.get(pk=study.pk)


def right_answers(rules: tuple[str, ...]) -> float:
    """The mean over people of their shares of right answers, without the work that has a flag of these rules."""
    kept = Judgment.objects.exclude(presentation__submission__in=Submission.objects.filter(flags__kind__in=rules))
    shares: dict[int, list[bool]] = {}
    told = kept.values_list("presentation__submission__worker", "presentation__text__source", "label__code")
    for worker, source, code in told:
        shares.setdefault(worker, []).append((int(code) > 2) == (source == "model"))
    return mean(mean(one) for one in shares.values())


def test_a_study_of_who_wrote_the_texts_tells_accuracy_on_the_same_page(
    db: None, settings: Any, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    study = asked_who_wrote(judged(workers=8, hits=2, texts=12, name="authors"))
    reviewer = entered(study, "reviewer")
    unblind(study, actor="reviewer", now=NOW)
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    run_due()
    job = Job.objects.get(kind="exclusions")
    assert (job.state, job.problem) == ("done", "")
    (part,) = job.outcome["generators"]
    assert part["name"] == "all judgments"
    names = ("Assignments excluded", "Ratings excluded", "Evaluators left", "Accuracy")
    rows = [dict(zip(part["columns"], row, strict=False)) for row in part["rows"]]
    values = {row["Rules"]: [row[name] for name in names] for row in rows}
    assert values["no rule"] == [0, 0, 8, pytest.approx(right_answers(()))]
    assert values["One answer"] == [2, 24, 7, pytest.approx(right_answers(("one_answer",)))]
    page = reviewer.get(reverse("console:results-exclusions", args=[study.uuid])).content.decode()
    for words in ("all judgments", "<svg", "Conclusions on accuracy are the same under every one of 4 selections"):
        assert words in page, words


def test_what_is_left_of_the_texts_is_told_with_the_quality(study: Study) -> None:
    editor = entered(study, "editor")
    everybody = exclude.fix_rules(study, "all", [Rule("one_answer", 0)], actor=None, now=NOW)
    exclude.apply_rules(everybody, actor=None, now=NOW)
    page = editor.get(reverse("console:quality-outcome", args=[study.uuid])).content.decode()
    assert "Texts with fewer than 5 remaining ratings" in page
    assert "24 of 24 items have fewer than 5 ratings." in page


def test_a_job_is_not_begun_twice(study: Study) -> None:
    unblind(study, actor="ada", now=timezone.now())
    reviewer = entered(study, "reviewer")
    address = reverse("console:results-exclusions-compute", args=[study.uuid])
    assert reviewer.post(address)["Location"] == reviewer.post(address)["Location"]
