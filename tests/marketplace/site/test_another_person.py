"""Two people at one computer: who comes second can start as another person, and who came first loses nothing."""

from __future__ import annotations

import pytest
from django.test import Client
from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.invitations import open_channel, participants
from annotation.marketplace.invitations.channel_plan import LinkPlan, Plan
from annotation.marketplace.invitations.resume import new_address
from annotation.marketplace.models import Assignment, Participant
from annotation.marketplace.site.browser_cookie import COOKIE
from tests.marketplace.site.accounts import create_requester, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("worker_host")]

SITE = "http://site.example"
BUTTON = "Start as another person"


@pytest.fixture
def open_way():
    """open_way(kind): a channel to a study of one task; the channel."""

    def opened(kind: str):
        lab = create_requester()
        publish(lab, "Rate", study="typical", by_channel=True)
        return open_channel.open_channel(
            lab, name=kind, kind=kind, study="typical", type_ids=(), plan=Plan(title="Texts"), now=clock.now()
        )

    return opened


def end_session(client: Client) -> None:
    """The browser keeps the cookie of its participants only."""
    for name in [name for name in client.cookies if name != COOKIE]:
        del client.cookies[name]


def press(client: Client, page: str, words: str):
    """Press the button of a page by its words."""
    form = html.fromstring(page).xpath("//form[.//button[normalize-space()=$words]]", words=words)[0]
    return client.post(form.action, dict(form.form_values()), follow=True)


def test_the_second_person_at_a_computer_starts_anew_and_the_first_goes_on_by_their_address(open_way) -> None:
    link = open_channel.new_link(open_way("link"), LinkPlan(), now=clock.now()).removeprefix(SITE)
    shared = Client(SERVER_NAME="site.example")
    first_look = shared.get(link).text
    assert BUTTON not in first_look
    press(shared, first_look, "Start the task")
    first = Participant.objects.get()
    address = new_address(first.worker, now=clock.now()).removeprefix(SITE)

    end_session(shared)
    assert "there you can start as another person" in shared.get("/hits/", follow=True).text
    back = shared.get(link).text
    assert "Continue the study" in back
    anew = press(shared, back, BUTTON).text
    assert (BUTTON in anew, "Continue the study" in anew) == (False, False)
    press(shared, anew, "Start the task")
    second = Participant.objects.exclude(pk=first.pk).get()
    assert second.worker != first.worker
    assert Assignment.objects.filter(worker=first.worker, state="Accepted").count() == 1

    at_home = Client(SERVER_NAME="site.example")
    form = html.fromstring(at_home.get(address).text).forms[-1]
    assert at_home.post(form.action or address, dict(form.form_values()), follow=True).status_code == 200
    assert Participant.objects.count() == 2
    assert Assignment.objects.filter(worker=first.worker).count() == 1


def test_a_personal_link_offers_no_other_person_and_forgets_nobody(open_way) -> None:
    invited = participants.invite(
        open_way("list"), [participants.Guest(2, "", "7", "")], LinkPlan(), now=clock.now()
    ).new[0]
    link = invited.link.removeprefix(SITE)
    client = Client(SERVER_NAME="site.example")
    press(client, client.get(link).text, "Start the task")
    known = client.cookies[COOKIE].value
    end_session(client)
    assert "start as another person" not in client.get("/hits/", follow=True).text
    assert BUTTON not in client.get(link).text
    client.post(f"{link}another/")
    assert client.cookies[COOKIE].value == known
    assert client.post("/hits/in/nothing/another/").status_code == 404
