"""Recruiting by the command and by the web API."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Role, Study
from annotation.mturk.records import Endpoint
from tests.annotation.api.conftest import Caller, fault
from tests.marketplace.channels.guests import Guest as Visitor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def by_settings(endpoint: Endpoint, settings: Any) -> None:
    """The installation's marketplace is our own, on this socket."""
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key


def recruit(*words: str) -> str:
    out = io.StringIO()
    call_command("recruit", "headlines", *words, stdout=out)
    return out.getvalue()


@pytest.mark.database
@pytest.mark.usefixtures("live")
def test_the_command_opens_shows_and_closes_a_link(visitor: Callable[[], Visitor]) -> None:
    assert "Next: manage.py recruit headlines link" in recruit("status")
    link = recruit("link", "--places", "3").split("Address to send: ")[1].split()[0]
    assert visitor().open(link) == "not-yet"
    shown = recruit("status")
    assert f"Link  link  open  {link}" in shown
    assert "opened 1, " in shown
    assert "not admitted: not-yet 1" in shown
    assert "Link: closed." in recruit("close")
    assert visitor().open(link) == "closed"
    assert "Link: open." in recruit("reopen", "--channel", "Link")
    with pytest.raises(CommandError, match="it has: Link"):
        recruit("close", "--channel", "Class")


@pytest.mark.usefixtures("live")
def test_the_command_writes_one_link_a_person_and_shows_progress(tmp_path: Path) -> None:
    people, links = tmp_path / "people.csv", tmp_path / "links.csv"
    people.write_text("email,name\nann@example.org,Ann\nben@example.org,=Ben\n", encoding="utf-8")
    with pytest.raises(CommandError, match="give both"):
        recruit("list", "--file", str(people))
    assert "2 people invited (0 had been before)" in recruit("list", "--file", str(people), "--out", str(links))
    rows = list(csv.DictReader(links.read_text("utf-8").splitlines()))
    assert [(row["name"], row["link"].startswith("http")) for row in rows] == [("Ann", True), ("'=Ben", True)]
    assert recruit("people") == "Ann  invited  0 submitted\n=Ben  invited  0 submitted\n"
    with pytest.raises(CommandError, match="name a new file"):
        recruit("list", "--file", str(people), "--out", str(links))


def test_the_api_opens_changes_and_reads_a_channel(live: Study) -> None:
    owner = Caller("olga", live, Role.OWNER)
    path = f"/studies/{live.uuid}/channels"
    made = owner("post", path, {"kind": "list", "consent": "I agree."})
    assert made.status_code == 201
    channel = made.json()
    one = f"{path}/{channel['channel_id']}"
    invited = owner("post", f"{one}/people", {"people": [{"email": "ann@example.org", "name": "Ann"}]}).json()
    assert (invited["new"][0]["name"], invited["before"]) == ("Ann", 0)
    assert owner("get", f"{one}/people").json()["items"][0]["state"] == "invited"
    changed = owner("patch", one, {"consent": "I agree to all.", "places": 4}).json()
    assert (changed["places"], changed["state"]) == (4, "open")
    versions = [row["number"] for row in owner("get", one).json()["versions"]]
    assert versions == [1, 2]
    assert owner("post", f"{one}/close").json()["state"] == "closed"
    assert len(owner("get", path).json()) == 1
    refused = owner("post", path, {"kind": "link", "return_url": "http://panel.example/"})
    assert fault(refused)[2] == ["return_url"]
