"""The page of a running study: what can be seen by whom, and each button is one verb."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.models import Intent, Role, Study, Submission, Worker
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from tests.annotation.console.conftest import NOW

pytestmark = pytest.mark.django_db

Person = Callable[..., Client]


@pytest.fixture
def half_out(study: Study) -> Study:
    """Published: one HIT's creation failed, the other waits."""
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(25)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(25)]
    add_texts(study, texts, actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)
    publish(study, actor="ada", now=NOW)
    first = study.intents.order_by("pk")[0]
    Intent.objects.filter(pk=first.pk).update(state="failed", outcome="Marketplace error: too large.")
    return study


def page(study: Study, name: str = "progress", *parts: str) -> str:
    return reverse(f"console:{name}", args=[study.uuid, *parts])


def test_a_half_published_study_is_seen_with_the_reason_and_gone_on_with(half_out: Study, person: Person) -> None:
    owner = person(Role.OWNER)
    shown = owner.get(page(half_out)).content.decode()
    assert "1 marketplace action failed" in shown
    assert "Marketplace error: too large." in shown
    owner.post(page(half_out, "running-act", "retry"))
    assert set(half_out.intents.values_list("state", flat=True)) == {"waiting"}
    assert "Send pending actions" in owner.get(page(half_out)).content.decode()


def test_pause_resume_and_expire_are_buttons_of_editors(half_out: Study, person: Person) -> None:
    viewer, editor = person(Role.VIEWER), person(Role.EDITOR)
    assert viewer.post(page(half_out, "running-act", "pause")).status_code == 403
    for what, status in (("pause", "paused"), ("resume", "published"), ("expire", "ending")):
        assert editor.post(page(half_out, "running-act", what)).status_code == 302
        half_out.refresh_from_db()
        assert half_out.status == status
    assert editor.post(page(half_out, "running-act", "delete-everything")).status_code == 404


def test_what_cannot_be_done_is_refused_with_its_sentence(half_out: Study, person: Person) -> None:
    answer = person(Role.EDITOR).post(page(half_out, "running-act", "close"))
    assert answer.status_code == 409
    assert "expire its HITs first" in answer.content.decode()


def test_the_page_costs_the_same_however_much_was_judged(
    half_out: Study, person: Person, django_assert_max_num_queries: Callable
) -> None:
    owner = person(Role.OWNER)
    with django_assert_max_num_queries(36):
        owner.get(page(half_out))


@pytest.fixture
def worked(half_out: Study) -> Study:
    """One submission of ten minutes at a reward of 50 cents: $3.00 an hour."""
    Study.objects.filter(pk=half_out.pk).update(reward_cents=50)
    half_out.arms.update(reward_cents=None)
    hit = half_out.hits.order_by("pk")[0]
    worker = Worker.objects.create(pseudonym="w1")
    Submission.objects.create(
        hit=hit, worker=worker, market_id="a1", raw="{}", raw_format="test", work_seconds=600, received_at=NOW
    )
    return half_out


def test_the_difference_is_offered_only_where_somebody_lacks_it(worked: Study, person: Person) -> None:
    owner = person(Role.OWNER)
    below = owner.get(page(worked, "running-wages"), {"floor": "15.00"}).content.decode()
    assert "Pay the difference to $15.00 per hour" in below
    enough = owner.get(page(worked, "running-wages"), {"floor": "3.00"}).content.decode()
    assert "Pay the difference" not in enough
    assert "Median pay reaches $3.00 per hour in every training of this table." in enough
