"""People of a study with several conditions are assigned by the marketplace that can; the check says who cannot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db.models import Q

from annotation.design.configure import configure
from annotation.exceptions import DesignError
from annotation.hits.mturk_request import hit_order
from annotation.marketplace.models import HitType, StudyDraw
from annotation.models import Study
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.studies.preregistration import differences, planned
from tests.annotation.conftest import NOW
from tests.annotation.publishing.test_waves import two_cells

__all__ = ["two_cells"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def endpoint(endpoint: Endpoint) -> Endpoint:
    """Of Assay's marketplace."""
    return replace(endpoint, provider="assay")


def go_out(study: Study, market: Market, **how: bool) -> Study:
    publish(study, actor="ada", now=NOW, **how)
    work(Q(), market=market, clock=lambda: NOW)
    study.refresh_from_db()
    return study


def test_each_condition_is_published_under_a_key_that_names_no_arm(two_cells: Study, market: Market) -> None:
    assert go_out(two_cells, market).arm_assignment == "drawn"
    cells = set(HitType.objects.values_list("cell", flat=True))
    assert len(cells) == 2
    assert StudyDraw.objects.get().study == cells.pop().partition(".")[0]
    for keywords in HitType.objects.values_list("keywords", flat=True):
        assert not any(word in keywords for word in ("none", "instructions", two_cells.name, "assay:study"))


def test_a_study_by_invitation_is_drawn_under_its_tag(two_cells: Study, market: Market) -> None:
    go_out(two_cells, market, by_invitation=True)
    assert StudyDraw.objects.get().study == two_cells.channel_tag


def test_a_seed_that_was_chosen_is_that_of_the_draw_and_in_the_plan(two_cells: Study, market: Market) -> None:
    with pytest.raises(DesignError, match="letters, digits, dots, dashes and underscores"):
        configure(two_cells, {"draw_seed": "spring 26"}, actor="ada", now=NOW)
    configure(two_cells, {"draw_seed": "spring-26"}, actor="ada", now=NOW)
    go_out(two_cells, market)
    assert StudyDraw.objects.get().seed == "spring-26"
    plan = planned(two_cells)
    assert plan is not None
    assert plan.plan["settings"]["draw_seed"] == "spring-26"
    Study.objects.filter(pk=two_cells.pk).update(draw_seed="other")
    two_cells.refresh_from_db()
    assert differences(two_cells, plan.plan) == ["draw_seed is other, and spring-26 was planned."]


def test_a_study_of_one_condition_is_not_drawn(study: Study, market: Market) -> None:
    assert go_out(study, market).arm_assignment == "chosen"
    assert not StudyDraw.objects.exists()


def test_waves_are_not_drawn(two_cells: Study, market: Market) -> None:
    assert go_out(two_cells, market, wave=True).arm_assignment == "waves"
    assert not StudyDraw.objects.exists()


def test_another_marketplace_gets_no_key_and_the_check_says_what_that_means(
    two_cells: Study, market: Market, endpoint: Endpoint
) -> None:
    sentences = {finding.rule: finding.sentence for finding in preflight(two_cells, market=market).findings}
    assert "arms_not_random" not in sentences
    other = Market(replace(endpoint, provider="other"))
    sentences = {finding.rule: finding.sentence for finding in preflight(two_cells, market=other).findings}
    assert sentences["arms_not_random"].startswith(
        "The marketplace “other” cannot assign people to conditions at random. Assignment to arms is not random:"
    )
    assert "assay:cell" not in hit_order(two_cells.hits.get(slot=0), token="t").keywords
    assert go_out(two_cells, other).arm_assignment == "chosen"
    assert not StudyDraw.objects.exists()
