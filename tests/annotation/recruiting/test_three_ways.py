"""The console, the command and the web API manage channels by the same rules: who may, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from lxml import html

from annotation.marketplace.models import Channel
from annotation.models import AuditEvent, Membership, Role, Study
from annotation.mturk.channels import ChannelRecord
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.recruiting.queries import channels_of
from tests.annotation.api.conftest import Caller
from tests.annotation.console.factories import csv
from tests.annotation.recruiting.test_channels import publish_now
from tests.marketplace.channels.guests import Guest as Visitor

pytestmark = pytest.mark.django_db(transaction=True)
Opened = Callable[..., ChannelRecord]


@pytest.fixture(autouse=True)
def by_settings(endpoint: Endpoint, settings: Any) -> None:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key


def console(study: Study, role: str = Role.OWNER) -> Client:
    user = Caller(f"{role}-at-the-console", study, role).user
    client = Client()
    client.force_login(user)
    return client


def form_values(client: Client, address: str) -> dict[str, str]:
    """What a browser sends that opens the page's form and saves it."""
    forms = html.fromstring(client.get(address).content).forms
    return dict(next(form for form in forms if "pays" in form.fields).form_values())


def at(study: Study, place: str, *more: str) -> str:
    return reverse(f"console:{place}", args=[study.uuid, *more])


@pytest.mark.database
def test_of_two_editors_of_one_channel_the_second_sees_both_texts_and_chooses(
    live: Study, ours: Market, opened: Opened
) -> None:
    channel = opened("link", consent="I agree to read.", pays="credit")
    ann, ben = console(live), console(live, Role.EDITOR)
    page = at(live, "recruit-edit", channel.channel_id)
    of_ann, of_ben = form_values(ann, page), form_values(ben, page)
    assert ann.post(page, of_ann | {"consent": "I agree to rate.", "title": "Headlines"}).status_code == 302
    answer = ben.post(page, of_ben | {"consent": "I agree to judge.", "contact": "ben@example.org"})
    assert answer.status_code == 409
    shown = answer.content.decode()
    assert "Someone else changed this channel while you edited it. Nothing of yours is saved yet." in shown
    row = html.fromstring(shown).xpath("//table//tbody/tr")
    assert [[cell.text_content() for cell in line] for line in row] == [
        ["Consent text", "I agree to rate.", "I agree to judge."]
    ]
    (stored,) = channels_of(live, ours)
    assert (stored.consent, stored.contact) == ("I agree to rate.", "")
    # What Ben left alone is as Ann saved it; his own text is still in the form, and is what he saves now.
    merged = dict(html.fromstring(shown).forms[-1].form_values())
    assert (merged["title"], merged["consent"].strip(), merged["contact"]) == (
        "Headlines",
        "I agree to judge.",
        "ben@example.org",
    )
    assert ben.post(page, merged).status_code == 302
    (stored,) = channels_of(live, ours)
    assert (stored.title, stored.consent, stored.contact) == ("Headlines", "I agree to judge.", "ben@example.org")
    assert AuditEvent.objects.filter(study=live, verb="change_channel").count() == 2


def test_two_editors_of_different_settings_keep_both(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("link", pays="credit")
    ann, ben = console(live), console(live, Role.EDITOR)
    page = at(live, "recruit-edit", channel.channel_id)
    of_ann, of_ben = form_values(ann, page), form_values(ben, page)
    ann.post(page, of_ann | {"places": "7"})
    shown = ben.post(page, of_ben | {"contact": "ben@example.org"}).content.decode()
    assert "You changed nothing that the other person changed." in shown
    ben.post(page, dict(html.fromstring(shown).forms[-1].form_values()))
    (stored,) = channels_of(live, ours)
    assert (stored.places, stored.contact, stored.version) == (7, "ben@example.org", 3)


def test_a_program_that_names_an_old_version_changes_nothing(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("link", id_parameters=("PROLIFIC_PID",), id_optional=True)
    path = f"/studies/{live.uuid}/channels/{channel.channel_id}"
    editor = Caller("eva", live, Role.EDITOR)
    assert editor("patch", path, {"version": 1, "places": 3}).json()["version"] == 2
    late = editor("patch", path, {"version": 1, "places": 9, "id_parameters": ["ID"]})
    assert late.status_code == 409
    assert late.json()["errors"][0]["field"] == "version"
    assert "its settings are at version 2, and yours are of version 1. Nothing was saved." in late.json()["detail"]
    assert editor("patch", path, {"places": 4}).json()["version"] == 3
    # Another parameter leaves alone whether it must be there.
    renamed = editor("patch", path, {"id_parameters": ["ID"]}).json()
    assert (renamed["places"], renamed["id_parameters"], renamed["id_optional"]) == (4, ["ID"], True)
    assert editor("patch", path, {"id_optional": False}).json()["id_parameters"] == ["ID"]


@pytest.fixture
def with_two_inside(live: Study, ours: Market, opened: Opened, visitor: Callable[[], Visitor]) -> ChannelRecord:
    channel = opened("link", pays="credit")
    publish_now(live, ours)
    for _ in range(2):
        visitor().enter(channel.link)
    return channel


@pytest.mark.parametrize(
    ("member", "value", "sentence"),
    [
        ("closes_at", "2001-01-02T03:04:00Z", "The closing time has passed. Set a later one, or close the channel."),
        ("closes_at", "2101-01-01T00:00:00Z", "A channel must close after it opens."),
        ("retain_until", "2001-01-02T03:04:00Z", "The time of deletion has passed."),
        ("return_url", "http://panel.example/done", "A return address starts with https://."),
        ("places", "1", "2 people have begun by this channel, so it has at least 2 places."),
    ],
)
def test_what_cannot_be_is_refused_everywhere_by_field_and_rule(
    live: Study, with_two_inside: ChannelRecord, member: str, value: str, sentence: str
) -> None:
    channel = with_two_inside
    owner = Caller("olga", live, Role.OWNER)
    path = f"/studies/{live.uuid}/channels/{channel.channel_id}"
    more: dict[str, str] = {}
    if sentence.startswith("A channel must close"):
        more = {"opens_at": "2102-01-01T00:00:00Z"}
    before = owner("get", path).json()
    # By the web API.
    refused = owner("patch", path, {member: int(value) if member == "places" else value, **more})
    assert (refused.status_code, [row["field"] for row in refused.json()["errors"]]) == (409, [member])
    assert sentence in refused.json()["detail"]
    # By the command.
    option = {"closes_at": "--closes", "retain_until": "--delete-data"}.get(member, f"--{member.replace('_', '-')}")
    words = [option, value] + (["--opens", more["opens_at"]] if more else [])
    with pytest.raises(CommandError, match=sentence.split(".")[0]):
        call_command("recruit", "headlines", "change", *words, stdout=io.StringIO())
    # In the console, beside the field.
    client = console(live)
    page = at(live, "recruit-edit", channel.channel_id)
    typed = {name: text.removesuffix(":00Z") for name, text in ({member: value} | more).items()}
    answer = client.post(page, form_values(client, page) | typed)
    assert answer.status_code == 422
    beside = html.fromstring(answer.content).xpath(f"//ul[@id='id_{member}_error']")
    assert sentence in beside[0].text_content()
    assert owner("get", path).json() == before


def test_doubled_addresses_invite_nobody_by_any_way(live: Study, ours: Market, opened: Opened, tmp_path: Path) -> None:
    channel = opened("list")
    rows = [{"email": "ann@example.org", "name": "Ann"}, {"email": "ANN@example.org", "name": "Anna"}]
    text = "email,name\n" + "".join(f"{row['email']},{row['name']}\n" for row in rows)
    people = f"/studies/{live.uuid}/channels/{channel.channel_id}/people"
    program = Caller("pam", live, Role.EDITOR)
    refused = program("post", people, {"people": rows})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "people")
    assert refused.json()["detail"] == "Row 2, email: the same as in row 1."
    file, links = tmp_path / "people.csv", tmp_path / "links.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match="Row 3, email: the same as in row 2"):
        call_command("recruit", "headlines", "list", "--file", str(file), "--out", str(links), stdout=io.StringIO())
    assert not links.exists()
    answer = console(live).post(at(live, "recruit-invite", channel.channel_id), {"people": csv(text)})
    assert answer.status_code == 422
    beside = html.fromstring(answer.content).xpath("//ul[@id='id_people_error']")
    assert beside[0].text_content().strip() == "Row 3, email: the same as in row 2."
    assert program("get", people).json()["items"] == []


def test_no_channel_is_opened_that_is_over_already(live: Study, ours: Market) -> None:
    owner, client = Caller("olga", live, Role.OWNER), console(live, Role.EDITOR)
    past = "2001-01-02T03:04"
    refused = owner("post", f"/studies/{live.uuid}/channels", {"kind": "link", "closes_at": past + ":00Z"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "closes_at")
    with pytest.raises(CommandError, match="The closing time has passed"):
        call_command("recruit", "headlines", "link", "--closes", past + "Z", stdout=io.StringIO())
    page = at(live, "recruit-new", "link")
    answer = client.post(page, {"pays": "credit", "consent": "", "closes_at": past})
    assert answer.status_code == 422
    assert "The closing time has passed." in answer.content.decode()
    live.refresh_from_db()
    assert live.channel_tag == ""
    assert channels_of(live, ours) == []


def test_the_command_sets_and_removes_places_and_times(live: Study, ours: Market, opened: Opened) -> None:
    opened("link")
    words = ["--places", "5", "--opens", "2101-01-01", "--closes", "2102-01-01T09:00Z", "--delete-data", "2103-01-01"]
    call_command("recruit", "headlines", "change", *words, stdout=io.StringIO())
    (stored,) = channels_of(live, ours)
    assert (stored.places, stored.opens_at, stored.closes_at, stored.retain_until) == (
        5,
        datetime(2101, 1, 1, tzinfo=UTC),
        datetime(2102, 1, 1, 9, tzinfo=UTC),
        datetime(2103, 1, 1, tzinfo=UTC),
    )
    words = ["--places", "none", "--opens", "none", "--closes", "none", "--delete-data", "none"]
    call_command("recruit", "headlines", "change", *words, stdout=io.StringIO())
    (stored,) = channels_of(live, ours)
    assert (stored.places, stored.opens_at, stored.closes_at, stored.retain_until) == (None,) * 4


@pytest.mark.parametrize("role", Role.values)
def test_an_editor_manages_channels_by_each_way_as_the_page_members_says(
    live: Study, ours: Market, opened: Opened, role: str
) -> None:
    channel = opened("link")
    may = role in {Role.EDITOR, Role.OWNER}
    program = Caller("pam", live, role)
    path = f"/studies/{live.uuid}/channels"
    by_api = [
        program("post", path, {"kind": "link", "name": "by program"}).status_code,
        program("patch", f"{path}/{channel.channel_id}", {"title": "By program"}).status_code,
        program("post", f"{path}/{channel.channel_id}/close").status_code,
        program("post", f"{path}/{channel.channel_id}/reopen").status_code,
    ]
    assert by_api == ([201, 200, 200, 200] if may else [403] * 4)
    client = console(live, role)
    page = at(live, "recruit-new", "link")
    by_console = [
        client.post(page, {"pays": "credit", "name": "by page", "shown_name": "Ada"}).status_code,
        client.post(at(live, "recruit-close", channel.channel_id)).status_code,
    ]
    assert by_console == ([302, 302] if may else [403] * 2)
    by_command = ["link", "--channel", "by command"], ["reopen", "--channel", "Link"]
    for words in by_command:
        if may:
            call_command("recruit", "headlines", *words, "--as", "pam", stdout=io.StringIO())
        else:
            with pytest.raises(CommandError, match="on which pam may do this"):
                call_command("recruit", "headlines", *words, "--as", "pam", stdout=io.StringIO())
    assert len(channels_of(live, ours)) == (4 if may else 1)
    assert Membership.objects.get(user=program.user).role == role


def test_the_date_of_deletion_of_a_published_study_is_the_owners_by_each_way(
    live: Study, ours: Market, opened: Opened
) -> None:
    channel = opened("link", pays="credit", retain_until=datetime(2101, 1, 1, tzinfo=UTC))
    editor, owner = Caller("eva", live, Role.EDITOR), Caller("olga", live, Role.OWNER)
    path = f"/studies/{live.uuid}/channels/{channel.channel_id}"
    later, words = "2103-01-01T00:00:00Z", ["change", "--delete-data", "2104-01-01", "--as"]
    assert editor("patch", path, {"retain_until": later}).status_code == 200
    publish_now(live, ours)
    for change in ({"retain_until": later}, {"empty": ["retain_until"]}):
        assert editor("patch", path, change).status_code == 403
    with pytest.raises(CommandError, match="on which eva may do this"):
        call_command("recruit", "headlines", *words, "eva", stdout=io.StringIO())
    page, client = at(live, "recruit-edit", channel.channel_id), console(live, Role.EDITOR)
    values = form_values(client, page)
    assert "retain_until" not in values
    assert client.post(page, values | {"retain_until": "", "contact": "eva@example.org"}).status_code == 302
    (stored,) = channels_of(live, ours)
    assert (stored.contact, stored.retain_until) == ("eva@example.org", datetime(2103, 1, 1, tzinfo=UTC))
    call_command("recruit", "headlines", *words, "olga", stdout=io.StringIO())
    assert channels_of(live, ours)[0].retain_until == datetime(2104, 1, 1, tzinfo=UTC)
    assert owner("patch", path, {"empty": ["retain_until"]}).json()["retain_until"] is None


def test_a_channel_whose_time_has_passed_is_reopened_by_no_way(live: Study, ours: Market, opened: Opened) -> None:
    channel = opened("link", pays="credit")
    program, path = Caller("pam", live, Role.EDITOR), f"/studies/{live.uuid}/channels/{channel.channel_id}"
    program("post", f"{path}/close")
    Channel.objects.update(closes_at=datetime(2001, 1, 1, tzinfo=UTC))
    sentence = "The time at which this channel closes has passed: set a later one first."
    refused = program("post", f"{path}/reopen")
    assert (refused.status_code, refused.json()["errors"]) == (409, [{"field": "closes_at", "rule": sentence}])
    with pytest.raises(CommandError, match=sentence):
        call_command("recruit", "headlines", "reopen", stdout=io.StringIO())
    answer = console(live, Role.EDITOR).post(at(live, "recruit-reopen", channel.channel_id))
    assert (answer.status_code, sentence in answer.content.decode()) == (409, True)
    assert channels_of(live, ours)[0].closed_at is not None
    # With a later time it is reopened.
    later = program("patch", path, {"closes_at": "2101-01-01T00:00:00Z"})
    assert later.status_code == 200
    assert program("post", f"{path}/reopen").json()["state"] == "open"
