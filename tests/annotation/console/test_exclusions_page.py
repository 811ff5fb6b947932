"""What exclusions do to the results: behind the warning, computed by a job, told with shares on each side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import selectors, sensitivity
from annotation.flows import exclude
from annotation.flows.unblind import unblind
from annotation.models import Job, Study
from annotation.quality.exclusion import Rule
from annotation.running import run_due
from tests.annotation.review.world import NOW, judged, member

pytestmark = [pytest.mark.django_db, pytest.mark.database]


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
    assert "Nobody has looked yet" in page
    assert selectors.seen_at(study) is None


def test_a_viewer_does_not_compute_and_a_reviewer_who_does_has_looked(study: Study) -> None:
    address = reverse("console:results-exclusions-compute", args=[study.uuid])
    assert entered(study, "viewer").post(address).status_code == 403
    assert entered(study, "reviewer").post(address).status_code == 302
    assert selectors.seen_at(study) is not None


def test_the_page_tells_every_selection_and_where_it_lies(study: Study) -> None:
    reviewer = entered(study, "reviewer")
    reviewer.post(reverse("console:results-exclusions-compute", args=[study.uuid]))
    run_due()
    job = Job.objects.get(kind="exclusions")
    assert (job.state, job.problem) == ("done", "")
    page = reviewer.get(reverse("console:results-exclusions", args=[study.uuid])).content.decode()
    for words in ("<svg", "no rule", "Straight lines, One answer", "These rules leave nobody out"):
        assert words in page, words
    part = job.outcome["generators"][0]
    assert len(part["rows"]) == part["selections"] == 4


def test_each_default_stands_alone_beside_the_studys_own_rules(study: Study) -> None:
    stored = exclude.fix_rules(study, "own", [Rule("disagreement", 0.9)], actor=None, now=NOW)
    exclude.apply_rules(stored, actor=None, now=NOW)
    found = sensitivity.asked(study)
    assert found.alone == ("Straight lines", "One answer")
    assert "Agreement with the others (0.9)" in found.units
    assert "Incomplete" in found.idle


def test_what_is_left_of_the_texts_is_told_with_the_quality(study: Study) -> None:
    editor = entered(study, "editor")
    everybody = exclude.fix_rules(study, "all", [Rule("one_answer", -1)], actor=None, now=NOW)
    exclude.apply_rules(everybody, actor=None, now=NOW)
    page = editor.get(reverse("console:quality-outcome", args=[study.uuid])).content.decode()
    assert "F26 Texts with fewer than 5 ratings left" in page
    assert "24 of 24 items fell below 5 ratings." in page


def test_a_job_is_not_begun_twice(study: Study) -> None:
    unblind(study, actor="ada", now=timezone.now())
    reviewer = entered(study, "reviewer")
    address = reverse("console:results-exclusions-compute", args=[study.uuid])
    assert reviewer.post(address)["Location"] == reviewer.post(address)["Location"]
