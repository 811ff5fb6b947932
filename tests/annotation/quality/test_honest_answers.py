"""Simulated studies of honest people whose answers give means, shares, accuracy or win rates."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.design.kinds import default_wording
from annotation.models import Job, Judgment, Study, Text
from annotation.models.job import Job as StoredJob
from annotation.quality.fairness import possible_rules
from annotation.quality.honest_design import HonestDesign, HonestQuestion
from annotation.quality.honest_studies import OUTCOME, design_of, draw_study, honest_outcome, try_exclusions
from annotation.quality.key_measures import KeyMeasure, mean_of_answers
from annotation.quality.work_table import Bools, Work, counted
from annotation.studies.create import reword
from tests.annotation.review.factories import NOW, judged, member

ACCURACY = HonestDesign(
    texts=40, raters=10, per_task=20, labels=4, questions=(HonestQuestion("human_or_machine", "two_sided", 4),)
)
DESIGNS = {
    "accuracy": ACCURACY,
    "conditions": HonestDesign(20, 10, 10, 4, (HonestQuestion("human_or_machine", "two_sided", 4),), conditions=3),
    "criteria": HonestDesign(
        40, 4, 20, 5, (HonestQuestion("fluency", "ordinal", 5), HonestQuestion("relevance", "ordinal", 5))
    ),
    "numbers": HonestDesign(40, 4, 20, 101, (HonestQuestion("quality", "number", 101),)),
    "pairs": HonestDesign(40, 4, 10, 3, (HonestQuestion("preference", "preference", 3),), sources=1),
    "which": HonestDesign(20, 4, 5, 2, (HonestQuestion("which", "chosen_text", 2),), together=3, sources=1),
    "labels": HonestDesign(
        40, 4, 20, 3, (HonestQuestion("error", "single_label", 3, names=("None", "Disfluent", "Off")),)
    ),
}


def drop_no_rater(work: Work) -> Bools:
    return np.zeros(len(work), dtype=np.bool_)


def drop_at_random(work: Work) -> Bools:
    """One in five, whatever they answered: simulated people are in no order."""
    return np.arange(len(work)) % 5 == 0


def drop_who_disagrees(work: Work) -> Bools:
    """The third that least often agrees with the majority's side on each text."""
    lines = work.lines
    side = lines.label >= len(work.codes) / 2
    share = counted(lines.text, len(work.bodies), side) / counted(lines.text, len(work.bodies))
    agrees = counted(lines.assignment, len(work), side == (share[lines.text] > 0.5))
    return agrees <= np.quantile(agrees, 1 / 3)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_rule_that_excludes_no_person_changes_nothing(name: str) -> None:
    ((excluded, changes),) = try_exclusions(DESIGNS[name], [drop_no_rater], words=[20], studies=10)
    assert excluded == 0
    assert changes
    assert {(each.median, each.low, each.high, each.computed) for each in changes} == {(0, 0, 0, 10)}


@pytest.mark.parametrize("name", DESIGNS)
def test_excluding_people_at_random_moves_no_measure_to_one_side(name: str) -> None:
    """The median of 200 changes is known to about 1.25 standard deviations / sqrt(200) = 9%; the range holds 3.3 of
    these, so that 4 standard errors of the median are about a tenth of the range."""
    ((excluded, changes),) = try_exclusions(DESIGNS[name], [drop_at_random], words=[20], studies=200)
    assert excluded == -(-DESIGNS[name].people // 5)
    for each in changes:
        width = each.high - each.low
        assert width > 0
        assert abs(each.median) < 0.12 * width


def test_excluding_who_disagrees_raises_accuracy_among_honest_people() -> None:
    """A majority of people who are right more often than not is right more often still: whom it outvotes is worse."""
    ((_excluded, changes),) = try_exclusions(ACCURACY, [drop_who_disagrees], words=[20], studies=100)
    assert changes[0].before > 0.5
    assert changes[0].median > 0.01


def test_honest_evaluators_are_right_in_50_to_64_percent() -> None:
    """Clark et al. (2021): untrained evaluators 50 to 58%; the skill of a study is drawn evenly up to .64."""
    rng = np.random.default_rng(1)
    studies = [draw_study(ACCURACY, [20], rng) for _ in range(100)]
    right = [study.measures(np.ones(len(study.work), dtype=np.bool_))[0] for study in studies]
    assert 0.53 < np.mean(right) < 0.61
    assert np.quantile(right, 0.95) < 0.72


def test_a_set_has_exactly_one_chosen_text() -> None:
    design = DESIGNS["which"]
    lines = draw_study(design, [20], np.random.default_rng(1)).work.lines
    assert len(lines.label) == design.people * design.per_task * 3
    assert set(counted(np.arange(len(lines.label)) // 3, len(lines.label) // 3, lines.label)) == {1}
    assert all(len(set(row)) == 1 for row in (lines.text // 3).reshape(-1, 3).tolist())


def test_a_headline_counts_each_unit_alike() -> None:
    """Texts 0 (means 1 and, of two ratings, 3) and 1 on the first side, text 2 on the second: (2 + 5) / 2 - 1."""
    headline = KeyMeasure(
        "k", "n", np.array([0, 1, 0, 1]), np.array([1.0, 3, 5, 1]), np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1]) > 0
    )
    assert headline.compute(np.array([True, True])) == 2.5
    assert np.isnan(headline.compute(np.array([True, False])))
    alike = mean_of_answers("k", "n", np.array([0, 0, 1]), np.array([1.0, 0, 0]))
    assert alike.compute(np.array([True, True])) == pytest.approx(1 / 3)
    assert alike.compute(np.array([True, False])) == 0.5
    assert np.isnan(alike.compute(np.array([False, False])))


@pytest.fixture
def study(db: None) -> Study:
    """Human or machine: four tasks of 10 texts, each by 2 people."""
    study = judged(workers=2, hits=4, texts=10, name="evaluators")
    study.texts.all()
    Study.objects.filter(pk=study.pk).update(task="human_or_machine", raters_per_text=2)
    study.refresh_from_db()
    reword(study, default_wording("human_or_machine"), now=NOW)
    return study


@pytest.mark.parametrize(
    ("task", "measures"),
    [
        ("human_or_machine", ["Accuracy of all evaluators"]),
        ("likert", ["fluency: difference of means", "relevance: difference of means"]),
        ("direct_assessment", ["quality: difference of means"]),
        ("document_rating", ["quality: difference of means"]),
        ("pairwise", ["preference: win rate"]),
        ("which_machine", ["which_machine: machine text chosen"]),
        ("error_labels", ["No Error", "Disfluent", "Off Target", "Wrong Context"]),
    ],
)
def test_every_task_type_has_honest_studies(study: Study, task: str, measures: list[str]) -> None:
    Study.objects.filter(pk=study.pk).update(task=task)
    study.refresh_from_db()
    reword(study, default_wording(task), now=NOW)
    design = design_of(study)
    assert design is not None
    assert (design.raters, design.per_task) == (2, 10)
    honest = draw_study(design, [20], np.random.default_rng(1))
    assert [name.name for name in honest.names] == measures
    assert not np.isnan(honest.measures(np.ones(len(honest.work), dtype=np.bool_))).any()


def store_check(study: Study) -> StoredJob:
    outcome = json.loads(json.dumps(honest_outcome(study, possible_rules(study), words=[20])))
    return Job.objects.create(
        study=study, kind="preflight", state="done", created_at=NOW, finished_at=NOW, outcome=outcome
    )


def test_what_a_check_stores_depends_on_no_answer_and_on_no_source(study: Study) -> None:
    """Which text is whose is exchanged, and every answer: what a reader sees before unblinding stays as it was."""
    before = store_check(study).outcome[OUTCOME]
    references = list(study.texts.filter(source=Text.Source.REFERENCE).values_list("pk", flat=True))
    generator = study.generators.get()
    study.texts.exclude(pk__in=references).update(source=Text.Source.REFERENCE, generator=None)
    study.texts.filter(pk__in=references).update(source=Text.Source.MODEL, generator=generator)
    highest = study.scale.labels.order_by("-code").first()
    assert Judgment.objects.update(label=highest)
    assert store_check(study).outcome[OUTCOME] == before


def test_a_blinded_page_shows_honest_studies_and_no_result(study: Study) -> None:
    generator = study.generators.get()
    generator.name = "secret-generator"
    generator.save()
    check = store_check(study)
    for row in check.outcome[OUTCOME]["rules"]:
        row["excluded"] = 0.5
    check.save()
    headlines = [{"key": "k", "name": "secret-generator", "percent": True, "middle": None, "before": 0.123, "rows": []}]
    effects = {"generators": [], "headlines": headlines}
    Job.objects.create(study=study, kind="exclusions", state="done", created_at=NOW, outcome=effects)
    reader = Client()
    reader.force_login(member(study, "editor"))
    page = reader.get(reverse("console:quality-rules", args=[study.uuid])).content.decode()
    assert "Accuracy of all evaluators" in page
    assert "Results are blinded" in page
    assert "secret-generator" not in page
    assert "12.3%" not in page
