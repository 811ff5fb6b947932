"""One person, one HIT of a group, on a marketplace that does not see to it: by waves, and the first work counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.design.presets import ArmPlan, CellPlan
from annotation.exceptions import StateError
from annotation.importing.add_texts import add_texts
from annotation.models import Decision, Intent, Study, Submission
from annotation.mturk.client import Market
from annotation.mturk.records import SubmittedWork
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def two_cells(db: None) -> Study:
    """Two arms, one HIT each, two places in each HIT."""
    made = create(
        "arms",
        mode="rehearsal",
        plan=Plan(texts_per_hit=4, raters_per_text=2, reward_cents=50, once=True),
        wording=default_wording("typicality"),
        actor="ada",
        now=NOW,
    )
    add_texts(made, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(4)], actor="ada", now=NOW)
    arms = [ArmPlan("none", 50), ArmPlan("instructions", 50)]
    arrange(made, arms, [CellPlan("none"), CellPlan("instructions")], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    return made


def wave(study: Study, market: Market) -> int:
    found = publish(study, actor="ada", now=NOW, wave=True)
    work(Q(), market=market, clock=lambda: NOW)
    return found.intended


def test_a_wave_is_one_cell_and_the_next_waits_until_it_is_full(
    two_cells: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    assert two_cells.arm_assignment == "chosen"
    assert wave(two_cells, market) == 1
    two_cells.refresh_from_db()
    assert two_cells.arm_assignment == "waves"
    everybody_rates("ann")
    collect(two_cells, market=market, now=NOW)
    with pytest.raises(StateError, match="1 HITs of the previous wave are still open"):
        wave(two_cells, market)
    everybody_rates("bob")
    collect(two_cells, market=market, now=NOW)
    with pytest.raises(StateError, match="do not have the pass yet"):
        wave(two_cells, market)
    work(Q(), market=market, clock=lambda: NOW)
    assert [wave(two_cells, market), wave_of(two_cells)] == [1, 2]


def wave_of(study: Study) -> int:
    return study.intents.filter(kind=Intent.Kind.CREATE_HIT).count()


def test_who_was_in_a_wave_is_given_the_pass_once(
    two_cells: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    wave(two_cells, market)
    everybody_rates("ann")
    for _ in range(2):
        collect(two_cells, market=market, now=NOW)
    granted = two_cells.intents.filter(kind=Intent.Kind.GRANT)
    assert list(granted.values_list("subject", flat=True)) == list(Submission.objects.values_list("worker", flat=True))
    assert work(Q(), market=market, clock=lambda: NOW).failed == 0


def test_of_two_works_of_one_person_the_first_is_used_whenever_it_was_found(two_cells: Study, market: Market) -> None:
    """The later one is collected first."""
    Study.objects.update(once=False)
    publish(two_cells, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    Study.objects.update(once=True)
    first, second = two_cells.hits.order_by("slot")
    two_cells.refresh_from_db()
    slipping = Slipping(market, {str(second.market_id): 60, str(first.market_id): 0})
    for hit in (second, first):
        collect(two_cells, market=slipping, now=NOW, only=[str(hit.market_id)])
    left_out = Decision.objects.get(matter="analysis")
    assert (left_out.submission.hit, left_out.verdict) == (second, "exclude")
    assert "first work is used" in left_out.reason
    assert Submission.objects.count() == 2


def test_work_submitted_before_it_was_accepted_is_collected_without_a_time_worked(
    two_cells: Study, market: Market
) -> None:
    """The marketplace's clock was set back by an hour meanwhile; what others submitted comes in the same pass."""
    Study.objects.update(once=False)
    publish(two_cells, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    first, second = two_cells.hits.order_by("slot")
    handed_in = {str(first.market_id): -3600, str(second.market_id): 60}
    collect(two_cells, market=Slipping(market, handed_in), now=NOW, only=list(handed_in))
    times = Submission.objects.order_by("hit__slot").values_list("accepted_at", "submitted_at", "work_seconds")
    assert list(times) == [(None, NOW - timedelta(hours=1), None), (NOW, NOW + timedelta(minutes=1), 60)]


class Slipping:
    """A marketplace on which one person is in two HITs: seconds after NOW at which each was handed in."""

    def __init__(self, market: Market, handed_in: dict[str, int]) -> None:
        self.market, self.handed_in = market, handed_in

    def __getattr__(self, name: str) -> object:
        return getattr(self.market, name)

    def submitted(self, hit_id: str) -> list[SubmittedWork]:
        at = NOW + timedelta(seconds=self.handed_in[hit_id])
        return [SubmittedWork(f"assignment-{hit_id}", hit_id, "person", "Submitted", "<a/>", NOW, at)]
