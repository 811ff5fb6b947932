"""Expected precision and plans are simulated by jobs, which a page or a call begins, and are read from them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.jobs import queue
from annotation.jobs.run import run_due
from annotation.models import Job, Study
from annotation.publishing import decision_plans
from metrics.planning import expected_precision, known_pilots, prior_pilot
from tests.annotation.api.conftest import Caller
from tests.annotation.review.factories import make, member

pytestmark = [pytest.mark.django_db, pytest.mark.database]
CONTEXTS, RATERS, PER_HIT = 10, 3, 5


@pytest.fixture
def study() -> Study:
    return make(workers=1, hits=1, texts=4, straight=0)


def place(study: Study, *, contexts: int = CONTEXTS) -> str:
    numbers = f"contexts={contexts}&raters={RATERS}&per_hit={PER_HIT}&cents=1000&budget=1500"
    return f"{reverse('console:design-precision', args=[study.uuid])}?{numbers}"


def reader(study: Study) -> Client:
    client = Client()
    client.force_login(member(study, "viewer", "vera"))
    return client


def test_the_page_begins_one_job_and_shows_the_half_width_when_it_is_done(study: Study) -> None:
    vera = reader(study)
    assert 'hx-trigger="load"' in vera.get(place(study)).content.decode()
    assert not Job.objects.exists()
    for _ in range(2):
        assert "Queued" in vera.post(place(study)).content.decode()
    assert "Queued" in vera.get(place(study)).content.decode()
    run_due()
    assert Job.objects.get().state == "done"
    pilot = prior_pilot(next(iter(known_pilots())))
    simulated = expected_precision(pilot, texts=2 * CONTEXTS, raters=RATERS, per_hit=PER_HIT, studies=100)
    assert f"HUSE ± {simulated.half_width('huse'):.2f}" in vera.get(place(study)).content.decode()
    # The overview lists work on the study, not what was looked up for a page.
    assert "Background jobs" not in vera.get(reverse("console:overview", args=[study.uuid])).content.decode()


def test_another_size_takes_the_place_of_the_one_that_waits(study: Study) -> None:
    vera = reader(study)
    vera.post(place(study))
    vera.post(place(study, contexts=12))
    jobs = Job.objects.order_by("pk").values_list("state", "settings__contexts", "problem")
    assert list(jobs) == [("failed", CONTEXTS, "Canceled by vera."), ("waiting", 12, "")]
    assert "Simulate again" in vera.get(place(study)).content.decode()
    assert "Queued" in vera.post(place(study)).content.decode()


def test_the_api_answers_with_the_job_until_it_is_done(study: Study) -> None:
    vera, at = Caller("vera", study, "viewer"), f"/studies/{study.uuid}/precision"
    first, second = (vera("get", at) for _ in range(2))
    assert (first.status_code, first.json()["kind"]) == (202, "precision")
    assert second.json()["uuid"] == first.json()["uuid"]
    run_due()
    done = vera("get", at)
    assert (done.status_code, done.json()["power"]) == (200, 0.8)


def test_a_plan_for_a_decision_on_huse_is_simulated_by_a_job_at_the_fees_of_its_request(
    study: Study, settings: Any
) -> None:
    settings.MTURK_FEES = "none"
    vera, at = Caller("vera", study, "viewer"), f"/studies/{study.uuid}/plan"
    wanted = {"decision": "huse_q", "difference": 0.3, "raters": [5], "budget_cents": 100}
    first, second = (vera("post", at, wanted) for _ in range(2))
    assert (first.status_code, first.json()["kind"]) == (202, "plan_decision")
    assert second.json()["uuid"] == first.json()["uuid"]
    # A larger difference is another question; one that cannot be asked begins nothing.
    assert vera("post", at, {**wanted, "difference": 0.4}).json()["uuid"] != first.json()["uuid"]
    assert vera("post", at, {**wanted, "difference": None}).status_code == 409
    assert Job.objects.count() == 2
    run_due(max_jobs=1)
    plan = vera("post", at, wanted)
    assert plan.status_code == 200
    (cheapest,) = plan.json()["reaching"]
    assert cheapest["power"] == pytest.approx(0.8, abs=0.1)
    assert (cheapest["raters"], plan.json()["missing"]) == (5, cheapest["cents"] - 100)
    # Under other fees it is another question, which the stored answer is no answer to.
    settings.MTURK_FEES = "mturk"
    under_fees = vera("post", at, wanted)
    assert (under_fees.status_code, under_fees.json()["uuid"] == first.json()["uuid"]) == (202, False)
    assert Job.objects.get(uuid=under_fees.json()["uuid"]).settings["fees"] == "mturk"
    settings.MTURK_FEES = "none"
    assert vera("post", at, wanted).json() == plan.json()
    # Its job is no work on the study.
    browser = Client()
    browser.force_login(User.objects.get(username="vera"))
    assert "Background jobs" not in browser.get(reverse("console:overview", args=[study.uuid])).content.decode()
    # A plan for ratings is a formula, and answered at once.
    ratings = vera("post", at, {"decision": "ratings", "difference": 0.5, "raters": [5]})
    assert (ratings.status_code, Job.objects.count()) == (200, 3)


def test_the_page_of_a_plan_says_how_many_numbers_of_raters_are_tried(study: Study, monkeypatch: Any) -> None:
    monkeypatch.setattr(decision_plans, "SIMULATED", 10)
    vera, wanted = Caller("vera", study, "viewer"), {"decision": "huse_q", "difference": 0.5, "raters": [3, 5]}
    job = vera("post", f"/studies/{study.uuid}/plan", wanted).json()
    browser, shown, report = Client(), [], queue.tell
    browser.force_login(User.objects.get(username="vera"))

    def look(*progress: Any, **when: Any) -> None:
        report(*progress, **when)
        shown.append(browser.get(reverse("console:job", args=[job["uuid"]])).content.decode())

    monkeypatch.setattr(queue, "tell", look)
    run_due()
    assert ["Simulating studies: 0 / 2" in shown[0], "Simulating studies: 1 / 2" in shown[1], len(shown)] == [
        True,
        True,
        2,
    ]
