"""A study whose people came by a link, or from Prolific, is repeated so: for others only, or for the same people only.

Both links know people by an id in the address. Each person comes with a browser of their own each time, so that nothing
but the id tells who they are. Prolific invites whom a study of ours admits, and nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.configure import configure
from annotation.design.lay_out import design
from annotation.models import AuditEvent, Study, Submission
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.reports.replicate_study import replicate
from annotation.reports.take_snapshot import take
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.prolific_recruitment import Recruitment
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


def repeated_study(original: Study, people: str) -> Study:
    again = replicate(original, f"for-{people}", people=people, actor="ada", now=NOW).study
    configure(again, {"mode": "live"}, actor="ada", now=NOW)
    design(again, actor="ada", now=NOW)
    return again


def repeated_link(original: Study, market: Market, people: str) -> tuple[Study, str]:
    again = repeated_study(original, people)
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


def test_prolific_invites_the_people_of_a_repetition_and_no_others(
    recruitment: Recruitment, caplog: pytest.LogCaptureFixture
) -> None:
    original, stub = recruitment.study, recruitment.stub
    recruitment.begin(places=2)
    for number in (1, 2):
        recruitment.finish(number)
    recruitment.run()
    assert count_submissions(original, recruitment.market) == 2
    Study.objects.filter(pk=original.pk).update(status="closed")
    original.refresh_from_db()
    take(original, actor="ada", reason="report", now=NOW)
    ids = {row["participant_id"] for row in stub.read_facts()["submissions"]}
    chosen = {"filter_id": "age", "selected_range": {"lower": 18, "upper": 60}}
    pages = []
    for people, by_name in (("same", "custom_allowlist"), ("others", "custom_blocklist")):
        again = repeated_study(original, people)
        repetition = replace(recruitment, study=again)
        repetition.begin(places=2)
        body = json.loads(stub.read_requests("create_study")[-1]["body"])
        assert body["filters"][0] == chosen
        (of_people,) = body["filters"][1:]
        assert (of_people["filter_id"], set(of_people["selected_values"])) == (by_name, ids)
        pages += [body_of(again, "console:recruit-prolific", repetition.channel), body_of(again, "console:log")]
    texts = [*pages, caplog.text, *map(str, AuditEvent.objects.values_list("facts", flat=True))]
    assert [key for key in ids if any(key in text for text in texts)] == []


def body_of(study: Study, name: str, *more: str) -> str:
    """A page of the console as an administrator sees it."""
    client = Client()
    client.force_login(User.objects.get_or_create(username="root", is_superuser=True)[0])
    return client.get(reverse(name, args=(study.uuid, *more))).content.decode()
