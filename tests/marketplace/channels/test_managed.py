"""What people meet who come by channels that the requester manages by the signed operations."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore import session as botocore_session
from botocore.config import Config
from botocore.exceptions import ClientError

from annotation.marketplace.models import Assignment, Channel, Participant
from tests.marketplace.channels.guests import TAG, Guest, tasks
from tests.marketplace.people import Lab

pytestmark = pytest.mark.django_db(transaction=True)
MODEL = Path(__file__).resolve().parents[3] / "annotation" / "mturk" / "service"
Guests = Callable[[], Guest]


def service(lab: Lab) -> Any:
    """The operations that Amazon's API never had, by boto3."""
    core = botocore_session.get_session()
    core.get_component("data_loader").search_paths.append(str(MODEL))
    return boto3.Session(botocore_session=core).client(
        "assay",
        endpoint_url=lab.url,
        region_name="us-east-1",
        config=Config(proxies={}),
        aws_access_key_id=lab.key,
        aws_secret_access_key=lab.secret,
    )


def opened(lab: Lab, kind: str = "link", **members: Any) -> dict[str, Any]:
    named = {"Name": kind, **members}
    return service(lab).create_channel(Study=TAG, Kind=kind, **named)


def finished(guest: Guest, link: str, hits: list[dict]) -> str:
    """Take part to the end; the last page."""
    person = guest.enter(link)
    for hit in hits:
        person.do(hit)
    return person.get("/hits/end/").text


@pytest.mark.database
def test_codes_run_out_and_the_person_is_told_whom_to_send_their_own(lab: Lab, guest: Guests) -> None:
    hits = tasks(lab, 1)
    channel = opened(lab, Codes=["FIRST-1"], Contact="ada@example.org")
    assert channel["CodesLeft"] == 1
    pages = [finished(guest(), channel["Link"], hits) for _ in range(2)]
    assert ["FIRST-1" in page for page in pages] == [True, False]
    assert ["have run out" in page for page in pages] == [False, True]
    assert "please send it to ada@example.org" in pages[1]
    assert re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", pages[1])
    assert Participant.objects.filter(finished_at__isnull=False).count() == 2


@pytest.mark.database
@pytest.mark.parametrize("known_by", ["ExternalId", "Email"])
def test_who_takes_part_by_one_channel_is_the_same_person_in_another(lab: Lab, guest: Guests, known_by: str) -> None:
    tasks(lab)
    person = {known_by: "ann@example.org"}
    links = [
        service(lab).invite_people(ChannelId=opened(lab, kind)["ChannelId"], People=[person])["Invited"][0]["Link"]
        for kind in ("list", "team")
    ]
    guest().enter(links[0])
    assert guest().open(links[1]) == "other-link"
    assert Participant.objects.filter(began_at__isnull=False).count() == 1


def mark_of(lab: Lab, *people: str) -> str:
    """A qualification type that these workers have."""
    type_id: str = lab.client.create_qualification_type(
        Name="took part", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    for worker in people:
        lab.client.associate_qualification_with_worker(
            QualificationTypeId=type_id, WorkerId=worker, SendNotification=False
        )
    return type_id


@pytest.mark.parametrize(
    ("comparator", "words"), [("Exists", ("welcome", "unqualified")), ("DoesNotExist", ("unqualified", "welcome"))]
)
@pytest.mark.parametrize("known_by", ["ExternalId", "Email"])
def test_a_study_for_the_same_people_or_for_others_knows_who_took_part_by_another_link(
    lab: Lab, guest: Guests, comparator: str, words: tuple[str, str], known_by: str
) -> None:
    """A repetition asks for the mark of the study that it repeats, or for its absence."""
    tasks(lab)
    first = opened(lab, "list")["ChannelId"]
    (invited,) = service(lab).invite_people(ChannelId=first, People=[{known_by: "ann@example.org"}])["Invited"]
    ann = guest().enter(invited["Link"])
    requirement = {
        "QualificationTypeId": mark_of(lab, ann.worker_id),
        "Comparator": comparator,
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    hit = lab.hit(Keywords="assay:study=again", MaxAssignments=9, QualificationRequirements=[requirement])
    again = service(lab).create_channel(Study="again", Kind="list", Name="again")["ChannelId"]
    people = [{known_by: name} for name in ("ann@example.org", "bob@example.org")]
    links = [row["Link"] for row in service(lab).invite_people(ChannelId=again, People=people)["Invited"]]
    assert tuple(guest().open(link) for link in links) == words
    person = guest().enter(links[words.index("welcome")])
    person.do(hit)
    assert Assignment.objects.filter(worker__worker_id=person.worker_id, state="Submitted").count() == 1


def test_stopping_early_shows_the_code_for_it(lab: Lab, guest: Guests) -> None:
    first, _ = tasks(lab, 2)
    channel = opened(lab, CompletionCode="ALL-DONE", StopCode="STOPPED")
    person = guest().enter(channel["Link"])
    person.do(first)
    page = person.post("/hits/stop/", "/hits/stop/")
    assert "STOPPED" in page.text
    assert "ALL-DONE" not in page.text
    funnel = service(lab).get_channel(ChannelId=channel["ChannelId"])["Funnel"]
    assert (funnel["Finished"], funnel["StoppedEarly"]) == (1, 1)


def test_a_reload_is_not_counted_again(lab: Lab, guest: Guests) -> None:
    channel = opened(lab)
    visitor = guest()
    assert [visitor.open(channel["Link"]) for _ in range(3)] == ["not-yet"] * 3
    funnel = service(lab).get_channel(ChannelId=channel["ChannelId"])["Funnel"]
    assert (funnel["Opened"], funnel["Refused"]) == (1, [{"Reason": "not-yet", "Count": 1}])


def test_another_requester_sees_and_changes_nothing(lab: Lab, open_lab: Callable[..., Lab]) -> None:
    channel, other = opened(lab), service(open_lab("other"))
    assert other.list_channels(Study=TAG)["Channels"] == []
    for call in (other.get_channel, other.close_channel, other.list_participants):
        with pytest.raises(ClientError, match="You have no channel of this id") as refused:
            call(ChannelId=channel["ChannelId"])
        assert refused.value.response["Field"] == "ChannelId"
    assert Channel.objects.get().closed_at is None


def test_one_token_opens_one_channel(lab: Lab) -> None:
    first, again = (opened(lab, ClientToken="t1") for _ in range(2))
    assert first["ChannelId"] == again["ChannelId"]
