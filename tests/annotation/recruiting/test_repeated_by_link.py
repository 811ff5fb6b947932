"""A study whose people came by a link is repeated by a link: for others only, or for the same people only.

Both links know people by an id in the address. Each person comes with a browser of their own each time, so that nothing
but the id tells who they are.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.configure import configure
from annotation.design.lay_out import design
from annotation.models import Study, Submission
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.reports.replicate_study import replicate
from annotation.reports.take_snapshot import take
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.test_channels import publish_now
from tests.marketplace.channels.guests import Guest

pytestmark = pytest.mark.django_db(transaction=True)
BY_ID = ChannelSettings(id_parameters=("PID",), pays="volunteer")


def do_everything(guest: Guest, address: str) -> None:
    person = guest.enter(address)
    for hit in person.offers():  # type: ignore[attr-defined]
        person.do({"HITId": hit})


def count_submissions(study: Study, market: Market) -> int:
    collect(study, market=market, now=NOW)
    read(study, now=NOW)
    return Submission.objects.filter(hit__study=study).count()


def repeated_link(original: Study, market: Market, people: str) -> tuple[Study, str]:
    again = replicate(original, f"for-{people}", people=people, actor="ada", now=NOW).study
    configure(again, {"mode": "live"}, actor="ada", now=NOW)
    design(again, actor="ada", now=NOW)
    link = open_channel(again, ChannelPlan("link", "", BY_ID), market=market, actor="ada", now=NOW).link
    publish_now(again, market)
    return again, link


def test_by_the_id_in_the_address_people_are_let_in_once_more_or_kept_out(
    live: Study, ours: Market, opened: Callable[..., ChannelRecord], visitor: Callable[[], Guest]
) -> None:
    first = opened("link", id_parameters=("PID",), pays="volunteer").link
    publish_now(live, ours)
    do_everything(visitor(), f"{first}?PID=ann")
    assert count_submissions(live, ours) == 1
    Study.objects.filter(pk=live.pk).update(status="closed")
    live.refresh_from_db()
    take(live, actor="ada", reason="report", now=NOW)

    for_others, link = repeated_link(live, ours, "others")
    assert visitor().open(f"{link}?PID=ann") == "unqualified"
    do_everything(visitor(), f"{link}?PID=ben")
    assert count_submissions(for_others, ours) == 1

    for_the_same, link = repeated_link(live, ours, "same")
    assert visitor().open(f"{link}?PID=ben") == "unqualified"
    do_everything(visitor(), f"{link}?PID=ann")
    assert count_submissions(for_the_same, ours) == 1
