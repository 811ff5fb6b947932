"""The page of results, where arms stand beside each other: it says how raters came to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Job, Result, Role, Study
from metrics.data.arm_assignment import UNKNOWN, assignment_sentence
from tests.annotation.review.factories import NOW

pytestmark = pytest.mark.django_db


def reported(study: Study, *trainings: str) -> None:
    """A report with an accuracy for each training and for everybody."""
    measures = [
        {"subject": training, "title": "Accuracy", "value": 0.5, "n": 9, "signature": "s"}
        for training in (*trainings, "all")
    ]
    numbers = {"results": [{"key": "human-or-machine", "measures": measures}]}
    result = Result.objects.create(study=study, made_at=NOW, data_sha256="0" * 64, numbers=numbers)
    outcome = {"result": result.pk, "figures": [], "files": ["report.html"]}
    Job.objects.create(
        study=study, kind=Job.Kind.REPORT, state="done", created_at=NOW, finished_at=NOW, outcome=outcome
    )


@pytest.mark.parametrize(
    ("how", "trainings", "told"),
    [
        ("chosen", ("none", "examples"), assignment_sentence("chosen")),
        ("", ("none", "examples"), UNKNOWN),
        ("drawn", ("none", "examples"), ""),
        ("chosen", ("none",), ""),
    ],
)
def test_arms_side_by_side_say_how_raters_came_to_them(
    study: Study, person: Any, how: str, trainings: tuple[str, ...], told: str
) -> None:
    Study.objects.filter(pk=study.pk).update(arm_assignment=how)
    reported(study, *trainings)
    visitor = person()
    for address in (reverse("console:results", args=[study.uuid]), reverse("console:findings")):
        page = visitor.get(address).content.decode()
        assert "Accuracy" in page
        said = [one for one in (assignment_sentence("chosen"), assignment_sentence("waves"), UNKNOWN) if one in page]
        assert said == ([told] if told else [])


def test_a_report_that_a_command_made_is_shown_without_its_figures(study: Study, person: Callable[..., Client]) -> None:
    quality = {"subject": "tiny", "title": "HUSE-Q", "value": 0.75, "n": 40, "signature": "s"}
    numbers = {"results": [{"key": "huse", "measures": [quality]}]}
    Result.objects.create(study=study, made_at=NOW, data_sha256="0" * 64, numbers=numbers)
    page = person(Role.OWNER).get(reverse("console:results", args=[study.uuid])).content.decode()
    assert "The files and figures of this report are not kept here." in page
    assert "0.750" in page
    assert "Nothing computed yet" not in page
    assert "Compute again" in page
