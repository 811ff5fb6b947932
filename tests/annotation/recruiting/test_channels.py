"""Channels of a study: opened, changed, closed and watched from the requester's side of the wall."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import Q

from annotation.exceptions import MarketError, StateError
from annotation.models import AuditEvent, Study
from annotation.mturk.channels import ChannelFunnel, ChannelRecord, ChannelSettings, GuestRecord
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.recruiting.change_channel import change_channel, close_channel, reopen_channel
from annotation.recruiting.invite_people import invite_people, read_guests, renew_link
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.queries import channel_of, channels_of, people_of
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW
from tests.marketplace.channels.guests import Guest as Visitor

pytestmark = pytest.mark.django_db(transaction=True)
Opened = Callable[..., ChannelRecord]
Visitors = Callable[[], Visitor]


def publish_now(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)


def test_a_channel_is_opened_before_publishing_and_leads_in_afterwards(
    live: Study, ours: Market, opened: Opened, visitor: Visitors
) -> None:
    link = opened("link").link
    assert visitor().open(link) == "not-yet"
    publish_now(live, ours)
    guest = visitor()
    assert guest.open(link) == "welcome"
    guest.enter(link)
    (channel,) = channels_of(live, ours)
    assert (channel.kind, channel.link, channel.state(NOW)) == ("link", link, "open")
    assert (channel.funnel.opened, channel.funnel.began, channel.funnel.finished) == (2, 1, 0)
    assert channel.funnel.refused == {"not-yet": 1}


@pytest.mark.database
def test_the_same_call_again_opens_no_second_channel_and_another_of_its_name_is_refused(
    live: Study, ours: Market, opened: Opened
) -> None:
    assert opened("link").channel_id == opened("link").channel_id
    with pytest.raises(StateError, match="have a channel named 'Link' already") as refused:
        opened("link", places=3)
    assert refused.value.field == "name"
    assert len(channels_of(live, ours)) == 1


def test_kinds_stand_side_by_side_under_one_tag(live: Study, ours: Market, opened: Opened) -> None:
    for kind in ("link", "list", "team", "accounts"):
        assert opened(kind).study == live.channel_tag
    assert [channel.kind for channel in channels_of(live, ours)] == ["link", "list", "team", "accounts"]
    assert [bool(channel.link) for channel in channels_of(live, ours)] == [True, False, False, False]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"places": 0}, "places"),
        ({"pays": "gold"}, "pays"),
        ({"return_url": "http://panel.example/done"}, "return_url"),
        ({"opens_at": NOW, "closes_at": NOW - timedelta(days=1)}, "closes_at"),
        ({"return_url": "https://app.prolific.com/submit?cc={code}"}, "completion_code"),
        ({"codes": ("A1", "A1")}, "codes"),
        ({"completion_code": "DONE", "codes": ("A1",)}, "codes"),
        ({"completion_code": "DONE", "stop_code": "DONE"}, "stop_code"),
        ({"id_parameters": ("a b",)}, "id_parameters"),
    ],
)
def test_a_refused_value_is_named_and_opens_nothing(
    live: Study, ours: Market, opened: Opened, values: dict[str, object], field: str
) -> None:
    with pytest.raises(StateError) as refused:
        opened("link", **values)
    assert refused.value.field == field
    live.refresh_from_db()
    assert live.channel_tag == ""
    assert opened("link").link


def test_a_study_published_to_everybody_has_no_channels(live: Study, ours: Market, opened: Opened) -> None:
    publish(live, actor="ada", now=NOW)
    with pytest.raises(StateError, match="published to every registered account"):
        opened("link")


def test_another_marketplace_has_no_channels(live: Study, market: Market) -> None:
    with pytest.raises(MarketError, match="has no channels"):
        open_channel(live, ChannelPlan("link"), market=market, actor="ada", now=NOW)


@pytest.mark.database
def test_texts_have_numbered_versions_and_say_how_many_agreed(
    live: Study, ours: Market, opened: Opened, visitor: Visitors
) -> None:
    channel = opened("link", consent="I agree to read.")
    publish_now(live, ours)
    visitor().enter(channel.link)
    late = visitor()
    page = late.browser.get(channel.link)
    change_channel(
        live, channel.channel_id, ChannelSettings(consent="I agree to rate."), market=ours, actor="ada", now=NOW
    )
    assert page.status_code == 200
    known = channel_of(live, channel.channel_id, ours)
    texts = [(row.number, row.text, row.agreed) for row in known.versions if row.purpose == "consent"]
    assert texts == [(1, "I agree to read.", 1), (2, "I agree to rate.", 0)]
    assert known.funnel.consented == 1
    assert list(AuditEvent.objects.filter(study=live, verb="change_channel").values_list("facts__set", flat=True)) == [
        ["Consent"]
    ]


def test_a_closed_channel_admits_nobody_until_it_is_reopened(
    live: Study, ours: Market, opened: Opened, visitor: Visitors
) -> None:
    channel = opened("link")
    publish_now(live, ours)
    assert close_channel(live, channel.channel_id, market=ours, actor="ada", now=NOW).state(NOW) == "closed"
    assert visitor().open(channel.link) == "closed"
    assert channels_of(live, ours)[0].funnel.refused == {"closed": 1}
    assert reopen_channel(live, channel.channel_id, market=ours, actor="ada", now=NOW).state(NOW) == "open"
    assert visitor().open(channel.link) == "welcome"


@pytest.mark.database
def test_times_and_places_can_be_emptied(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("link", places=5, closes_at=NOW + timedelta(days=9))
    emptied = ChannelSettings(empty=("places", "closes_at"))
    changed = change_channel(live, channel.channel_id, emptied, market=ours, actor="ada", now=NOW)
    assert (channel.places, changed.places, changed.closes_at) == (5, None, None)


def test_people_of_a_list_have_a_link_each_and_a_progress(
    live: Study, ours: Market, opened: Opened, visitor: Visitors
) -> None:
    channel = opened("list")
    guests = read_guests(["email,name\n", "ann@example.org,Ann\n", "ben@example.org,Ben\n"])
    invited = invite_people(live, channel.channel_id, guests, market=ours, actor="ada", now=NOW)
    publish_now(live, ours)
    assert [(person.name, bool(person.link)) for person in invited.new] == [("Ann", True), ("Ben", True)]
    again = invite_people(live, channel.channel_id, guests, market=ours, actor="ada", now=NOW)
    assert (again.new, again.before) == ((), 2)
    visitor().enter(invited.new[0].link)
    people = people_of(live, channel.channel_id, ours)
    assert [(person.name, person.state) for person in people] == [("Ann", "began"), ("Ben", "invited")]
    other = renew_link(live, channel.channel_id, people[1].participant_id, market=ours, actor="ada", now=NOW)
    assert visitor().open(other) == "welcome"
    stored = str(list(AuditEvent.objects.filter(study=live).values_list("facts", flat=True)))
    assert "ann@example.org" not in stored
    assert "Ann" not in stored


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["name\n", "Ann\n"], "Row 1: a column named email or id is missing"),
        (["email\n", "ann@example.org\n", "ANN@example.org\n"], "Row 3, email: the same as in row 2"),
        (["email,name\n", ",Ann\n"], "Row 2, email: an address or an id is needed"),
        (["email\n"], "1 to 10000 people, not 0"),
    ],
)
def test_a_bad_list_is_refused_with_row_and_rule(lines: list[str], sentence: str) -> None:
    with pytest.raises(StateError, match=sentence) as refused:
        read_guests(lines)
    assert refused.value.field == "people"


def test_an_address_that_the_marketplace_refuses_invites_nobody(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("list")
    guests = [GuestRecord("ann@example.org", row=2), GuestRecord("no address", row=3)]
    with pytest.raises(StateError, match="Row 3, email: 'no address' is not a valid email address") as refused:
        invite_people(live, channel.channel_id, guests, market=ours, actor="ada", now=NOW)
    assert refused.value.field == "people"
    assert people_of(live, channel.channel_id, ours) == []


def test_a_channel_of_another_study_is_none_of_this_one(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("link")
    other = create("other", mode="live", plan=Plan(), actor="ada", now=NOW)
    open_channel(other, ChannelPlan("link"), market=ours, actor="ada", now=NOW)
    with pytest.raises(StateError, match="has no such channel"):
        close_channel(other, channel.channel_id, market=ours, actor="ada", now=NOW)
    assert channels_of(other, ours)[0].funnel == ChannelFunnel()


def test_the_check_warns_of_an_open_link_whose_people_the_marketplace_cannot_pay(
    live: Study, ours: Market, opened: Opened
) -> None:
    """A link without a panel ID and paid by the ledger; a link with one, a list and a voucher are not named."""
    opened("link", "class", pays="ledger")
    opened("link", "panel", pays="ledger", id_parameters=("PROLIFIC_PID",))
    opened("link", "vouchers", pays="voucher")
    opened("list", "friends", pays="ledger")
    found = [row.sentence for row in preflight(live, market=ours).findings if row.rule == "no_payee"]
    assert len(found) == 1
    assert found[0].startswith("The channel “class” records what its people earn, but the marketplace cannot send it")
