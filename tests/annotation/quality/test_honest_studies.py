"""The check before publishing stores what each rule would do to HUSE in studies in which everybody is honest."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.jobs.run import run_due
from annotation.models import Generator, Job, Study, Text
from annotation.publishing.preflight_result import Preflight
from annotation.quality import honest_studies
from annotation.quality.fairness import possible_rules
from annotation.quality.filters import DEFAULTS
from annotation.quality.honest_design import HonestDesign
from annotation.quality.honest_huse import draw_huse_study
from annotation.quality.honest_studies import HUSE_STUDIES, OUTCOME, SEED, design_of, honest_outcome, rehearse_rules
from annotation.quality.rules import Rule
from metrics import Item, evaluate
from tests.annotation.review.factories import NOW, judged, make, member

DESIGN = HonestDesign(texts=50, raters=10, per_task=25, labels=6)


def test_a_rule_that_excludes_no_honest_person_leaves_the_measure() -> None:
    (row,) = rehearse_rules(DESIGN, [Rule("incomplete")], words=[20])
    assert row.excluded == 0
    assert [(each.key, each.median, each.low, each.high) for each in row.changes] == [
        ("huse", 0, 0, 0),
        ("huse_q", 0, 0, 0),
    ]
    assert {each.computed for each in row.changes} == {HUSE_STUDIES}


def test_a_rule_of_short_explanations_excludes_the_terse_of_whom_there_are_5_percent() -> None:
    """20 studies of 20 people: 400 x .05 = 20 terse people, standard deviation sqrt(400 x .05 x .95) = 4.4."""
    assert DESIGN.people == 20
    (row,) = rehearse_rules(DESIGN, [Rule("short_reasons")], words=[20], studies=20)
    assert abs(20 * row.excluded - 20) < 4 * 4.4
    huse = row.changes[0]
    assert huse.low < huse.high
    assert huse.low <= huse.median <= huse.high


def test_the_measure_of_a_simulated_study_is_that_of_evaluate() -> None:
    """Also where people are excluded, so that texts keep different numbers of ratings."""
    honest = draw_huse_study(DESIGN, [20], np.random.default_rng(1))
    included = np.arange(DESIGN.people) % 7 != 3
    lines = honest.work.lines
    items = []
    for text in range(DESIGN.texts):
        labels = [
            int(label)
            for label, of, by in zip(lines.label, lines.text, lines.assignment, strict=True)
            if of == text and included[by]
        ]
        items.append(
            Item(
                id=str(text),
                hj=Fraction(sum(labels), len(labels)),
                log_prob=float(honest.q[text]) - 10,  # HUSE does not see a shift; some drawn values are above 0
                length=1,
                source="reference" if honest.is_reference[text] else "model",
            )
        )
    result = evaluate(items, ["exact"], draws=0)["exact"]
    assert honest.measures(included) == pytest.approx((result.huse.value, result.huse_q.value))


def test_a_study_in_which_a_text_keeps_no_rating_has_no_measure() -> None:
    honest = draw_huse_study(HonestDesign(texts=20, raters=1, per_task=10, labels=6), [20], np.random.default_rng(1))
    assert np.isnan(honest.measures(np.array([True, False]))).all()


@pytest.fixture
def study(db: None) -> Study:
    study = judged(workers=2, hits=2, texts=20, name="honest")
    Study.objects.filter(pk=study.pk).update(raters_per_text=2)
    study.refresh_from_db()
    return study


def test_the_design_is_that_of_the_study_in_whole_tasks(study: Study) -> None:
    """Two tasks of 10 references and 10 model texts each."""
    Study.objects.filter(pk=study.pk).update(texts_per_hit=25, raters_per_text=3)
    study.refresh_from_db()
    assert design_of(study) == HonestDesign(texts=40, raters=3, per_task=20, labels=6)
    Study.objects.filter(pk=study.pk).update(mode="imported")
    study.refresh_from_db()
    assert design_of(study) is None
    assert honest_outcome(study, [Rule("incomplete")], words=[20]) == {}


def entered(study: Study, role: str) -> Client:
    client = Client()
    client.force_login(member(study, role))
    return client


def test_the_job_of_a_check_stores_every_default_rule(
    db: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR = tmp_path
    # No marketplace answers here, and waiting for one takes seconds.
    monkeypatch.setattr("annotation.jobs.check_study.preflight", lambda study, **how: Preflight((), 0, 0, 0, 0))
    draft = make(workers=1, hits=0, name="draft")
    tiny = Generator.objects.get(study=draft)
    Text.objects.bulk_create(
        Text(
            study=draft,
            key=f"t{i}",
            body="A fine day",
            source="model" if i % 2 else "reference",
            generator=tiny if i % 2 else None,
        )
        for i in range(20)
    )
    Study.objects.filter(pk=draft.pk).update(raters_per_text=2)
    entered(draft, "editor").post(reverse("console:publish-recheck", args=[draft.uuid]))
    run_due()
    job = Job.objects.get(kind="preflight")
    assert (job.state, job.problem) == ("done", "")
    assert (job.step, job.done, job.of) == ("Simulating studies of honest people", HUSE_STUDIES, HUSE_STUDIES)
    stored = job.outcome[OUTCOME]
    assert stored["design"]["texts"] == 20
    assert set(DEFAULTS) <= {row["kind"] for row in stored["rules"]}


def test_the_rules_page_shows_what_the_check_stored_and_simulates_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, rules = entered(study, "editor"), reverse("console:quality-rules", args=[study.uuid])
    page = editor.get(rules).content.decode()
    assert "No check of this design has simulated whole studies of honest people." in page
    assert "If everybody is honest" not in page
    assert "Check study" in page
    assert "Check study" not in entered(study, "viewer").get(rules).content.decode()
    outcome = honest_outcome(study, possible_rules(study), words=[20])
    for row in outcome[OUTCOME]["rules"]:
        row["excluded"] = 1.25
        row["changes"][1].update(median=-0.0321, low=-0.05, high=0.0049)
    Job.objects.create(study=study, kind="preflight", state="done", created_at=NOW, finished_at=NOW, outcome=outcome)
    monkeypatch.setattr(honest_studies, "draw_study", None)
    page = editor.get(rules).content.decode()
    assert "No check of this design" not in page
    assert "Check study" not in page
    # The texts of this study have no log p: its headline measure is HUSE-Q.
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert re.search(r"1\.[23] of \d+ people excluded HUSE-Q: −0\.032 \[−0\.050, \+0\.005\]", words)
    assert f"simulated {HUSE_STUDIES} studies of honest people only (seed {SEED})" in words
    assert "2026-11-21 12:00 UTC" in words
    Study.objects.filter(pk=study.pk).update(raters_per_text=3)
    page = editor.get(rules).content.decode()
    assert "No check of this design" in page
    assert "−0.032" not in page


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": "pairwise"}, "answers that Assay cannot simulate"),
        ({"mode": "imported"}, "for an imported study"),
        ({"evaluators_per_cell": 3}, "each condition has evaluators of its own"),
        ({}, "needs more than 16 texts"),
    ],
)
def test_the_rules_page_says_why_no_honest_studies_are_simulated(
    study: Study, change: dict[str, Any], sentence: str
) -> None:
    viewer, rules = entered(study, "viewer"), reverse("console:quality-rules", args=[study.uuid])
    assert sentence not in viewer.get(rules).content.decode()
    if change:
        Study.objects.filter(pk=study.pk).update(**change)
    else:
        study.texts.filter(source="model").update(source="reference", generator=None)
    page = viewer.get(rules).content.decode()
    assert sentence in page
    assert "No check of this design" not in page
