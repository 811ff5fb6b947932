"""Sums of ratings by text: from keys of labels, or label by label, the same as adding up one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from django.db import connection

from annotation.collecting import ratings as selectors
from annotation.models import (
    Decision,
    Hit,
    Judgment,
    Presentation,
    Scale,
    ScaleLabel,
    Study,
    Submission,
    Text,
    Worker,
)
from annotation.studies.create import Plan, create

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EVEN = ["0", "1", "2", "3", "4", "5"]
TENTHS = ["0.1", "0.2", "0.3"]
ODD = ["0", "1", "10"]


def rated(codes: list[str]) -> Study:
    """Six texts, each rated by five people with labels drawn at random; gold among them."""
    study, dice = create("rated", mode="rehearsal", plan=Plan(), actor="ada", now=NOW), random.Random(3)
    scale = Scale.objects.create(name="of the test")
    Study.objects.filter(pk=study.pk).update(scale=scale)
    study.refresh_from_db()
    labels = [ScaleLabel.objects.create(scale=scale, label=f"label {code}", code=code) for code in codes]
    texts = [Text.objects.create(study=study, key=f"t{i}", source="reference", body="x") for i in range(6)]
    cell = study.arms.create(training="none").cells.create()
    hit = Hit.objects.create(study=study, cell=cell, slot=0, max_assignments=5)
    for number in range(5):
        worker = Worker.objects.known_as("test", f"A{number}")
        one = Submission.objects.create(hit=hit, worker=worker, market_id=f"S{number}", raw="x", received_at=NOW)
        for position, text in enumerate(texts):
            role = "gold" if position == 5 else "item"
            shown = Presentation.objects.create(submission=one, text=text, position=position, role=role)
            counted = text if role == "item" else None
            Judgment.objects.create(presentation=shown, label=dice.choice(labels), text=counted)
    return study


def one_by_one(study: Study) -> dict[int, tuple[int, Fraction]]:
    found: defaultdict[int, list[Fraction]] = defaultdict(list)
    for judgment in selectors.judgments(study).filter(~selectors.excluded()).select_related("label", "presentation"):
        found[judgment.presentation.text_id].append(Fraction(judgment.label.code))
    return {text: (len(codes), sum(codes)) for text, codes in found.items()}


@pytest.mark.parametrize("codes", [EVEN, TENTHS, ODD], ids=["even", "tenths", "uneven"])
def test_sums_are_those_of_adding_up_one_by_one_without_what_was_left_out(codes: list[str]) -> None:
    study = rated(codes)
    left_out = Submission.objects.order_by("pk")[1]
    for _ in range(2):
        sums = selectors.rating_sums(study)
        assert {text: (one.count, one.total) for text, one in sums.items()} == one_by_one(study)
        Decision.objects.get_or_create(
            submission=left_out, matter="analysis", verdict="exclude", defaults={"reason": "asleep", "at": NOW}
        )
    assert {one.count for one in sums.values()} == {4}


@pytest.mark.parametrize("codes", [EVEN, ODD])
def test_texts_of_another_study_between_those_of_this_one_are_not_counted(codes: list[str]) -> None:
    study = rated(codes)
    other = create("other", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)
    moved = Text.objects.filter(study=study).order_by("pk")[2]
    Text.objects.filter(pk=moved.pk).update(study=other)
    Presentation.objects.filter(text=moved).delete()
    worker, cell = Worker.objects.known_as("test", "B"), other.arms.create(training="none").cells.create()
    hit = Hit.objects.create(study=other, cell=cell, slot=0, max_assignments=1)
    one = Submission.objects.create(hit=hit, worker=worker, market_id="T", raw="x", received_at=NOW)
    shown = Presentation.objects.create(submission=one, text=moved, position=0)
    Judgment.objects.create(presentation=shown, label=ScaleLabel.objects.filter(scale=study.scale)[0], text=moved)
    found = {text: (one.count, one.total) for text, one in selectors.rating_sums(study).items()}
    assert moved.pk not in found
    assert found == one_by_one(study)


def test_raters_are_in_the_same_order_whatever_language_the_database_is_set_up_for() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute('ALTER TABLE annotation_worker ALTER pseudonym TYPE varchar(40) COLLATE "en-US-x-icu"')
    study = rated(EVEN)
    for worker, name in zip(Worker.objects.order_by("pk"), ("b", "B", "A_", "a", "A-1"), strict=True):
        Worker.objects.filter(pk=worker.pk).update(pseudonym=name)
    lines = dict.fromkeys(line.rater for line in selectors.rating_lines(study))
    assert list(lines) == ["A-1", "A_", "B", "a", "b"]
