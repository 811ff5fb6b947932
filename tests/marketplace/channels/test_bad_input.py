"""What a person reads who comes with something wrong, and that nobody loses a place and nothing is half-done by it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from lxml import html

from annotation.marketplace.channels import consent
from annotation.marketplace.core import clock
from annotation.marketplace.invitations import open_channel
from annotation.marketplace.invitations.channel_plan import LinkPlan, Plan
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Consent,
    Hit,
    Link,
    Participant,
    ParticipantIdentity,
    WorkerAccount,
)
from tests.marketplace.channels.test_refused_before_consent import TERMS, Way, hosts, way_to, words_of

pytestmark = pytest.mark.django_db
__all__ = ["hosts"]
SITE = "site.example"


@pytest.fixture
def panel() -> Way:
    """A study whose link knows people by their panel id; one has come and is at a task."""
    way = way_to("huse-2019", "link")
    way.publish()
    assert way.channel
    plan = LinkPlan(id_parameters=("PROLIFIC_PID",), stored_parameters=("SESSION_ID",))
    way.address = open_channel.new_link(way.channel, plan, now=clock.now()).removeprefix(f"http://{SITE}")
    assert press(way, "first").redirect_chain[-1][0].startswith("/hits/work/")
    return way


def look(way: Way, query: str) -> Any:
    return Client(SERVER_NAME=SITE).get(f"{way.address}?{query}")


def press(way: Way, external_id: str, *, version: str = "") -> Any:
    """The button of the page, from a browser in which the page was opened before."""
    terms = consent.terms_of(Channel.objects.select_related("consent", "requester").get(pk=way.channel.pk))  # type: ignore[union-attr]
    values = {"external_id": external_id, "version": version or (terms.wording.digest if terms else "")}
    return Client(SERVER_NAME=SITE).post(f"{way.address}begin/", values, follow=True)


def stored() -> list[Any]:
    """Everything that a person who comes in leaves."""
    models = (Participant, ParticipantIdentity, WorkerAccount, Consent, Assignment)
    return [*(model.objects.count() for model in models), *Hit.objects.order_by("pk").values_list("pending", "status")]


ODD = (
    "This link cannot be read The participant ID in it was not filled in, is too long, or is not the only one. Please "
    "open the study again from your panel. If you read this again, write to the person who sent you the link."
)


@pytest.mark.parametrize(
    "external_id",
    [
        "{{%PROLIFIC_PID%}}",
        "${e://Field/PROLIFIC_PID}",
        "[PROLIFIC_PID]",
        "<id>",
        "%PROLIFIC_PID%",
        "prolific_pid",
        "undefined",
        "null",
        "x" * 201,
        "a\x00b",
        "a\u202eb",
    ],
)
def test_an_id_that_is_nobodys_own_lets_nobody_in(panel: Way, external_id: str) -> None:
    """Everybody who came with an unfilled place-holder would be one person."""
    before = stored()
    pages = [
        Client(SERVER_NAME=SITE).get(panel.address, {"PROLIFIC_PID": external_id}),
        press(panel, external_id),
    ]
    for page in pages:
        assert (page.status_code, TERMS in words_of(page)) == (400, False)
        assert words_of(page).endswith(ODD)
    assert stored() == before
    assert press(panel, "5f3a").redirect_chain[-1][0].startswith("/hits/work/")


@pytest.mark.parametrize("external_id", ["5f3a", "7/9", "ann@example.org", "Ä-1_2.3", "100%", "none of us"])
def test_ids_that_panels_and_classes_have_let_their_people_in(panel: Way, external_id: str) -> None:
    assert press(panel, external_id).redirect_chain[-1][0].startswith("/hits/work/")
    assert ParticipantIdentity.objects.filter(external_id=external_id).count() == 1


def test_two_ids_in_one_address_are_nobodys(panel: Way) -> None:
    before = stored()
    page = look(panel, "PROLIFIC_PID=first&PROLIFIC_PID=second")
    assert (page.status_code, words_of(page).endswith(ODD)) == (400, True)
    assert "/begin/" not in page.content.decode()
    assert stored() == before
    # The same twice is one.
    assert "/begin/" in look(panel, "PROLIFIC_PID=second&PROLIFIC_PID=second").content.decode()


def test_without_its_id_a_link_says_where_to_open_it_again(panel: Way) -> None:
    before = stored()
    for page in (look(panel, ""), look(panel, "PROLIFIC_PID=%20"), press(panel, "")):
        assert page.status_code == 400
        assert words_of(page).endswith(
            "This link is not complete Your participant ID is missing. Open the study again from your panel."
        )
    assert stored() == before


def test_an_id_that_comes_twice_is_the_same_person_at_the_same_task(panel: Way) -> None:
    before = stored()
    other_device = press(panel, "first")
    assert other_device.redirect_chain[-1][0] == f"/hits/work/{Assignment.objects.get().assignment_id}/"
    assert stored() == before


@pytest.mark.parametrize("cut", [1, 9, 43])
def test_a_link_that_was_cut_short_says_so(panel: Way, cut: int) -> None:
    before = stored()
    short = panel.address.rstrip("/")[:-cut].rstrip("/")
    for address in (short, f"{short}/", f"{short}/?PROLIFIC_PID=5f3a"):
        page = Client(SERVER_NAME=SITE).get(address, follow=True)
        assert page.status_code == 404
        assert (
            "This link does not lead anywhere Please check that it was copied completely, or ask the person who sent "
            "it." in words_of(page)
        )
    assert stored() == before


CLOSED = (
    "The study is over Thank you for your interest. The study accepts no new participants, so you do not need to do "
    "anything. If you came from a panel, please return the study there, so that you are not waiting for pay."
)
FULL = (
    "All places are taken Thank you for your interest. The study is full. A place may open later: you can try this "
    "link again. If you came from a panel, please return the study there, so that you are not waiting for pay."
)


@pytest.mark.parametrize(
    ("happens", "undone", "status", "sentence"),
    [
        ({"closed_at": timezone.now()}, {"closed_at": None}, 410, CLOSED),
        ({"closes_at": timezone.now()}, {"closes_at": None}, 410, CLOSED),
        ({"most_people": 1}, {"most_people": None}, 409, FULL),
    ],
)
def test_a_channel_that_closes_or_fills_while_somebody_reads(
    panel: Way, happens: dict[str, Any], undone: dict[str, Any], status: int, sentence: str
) -> None:
    assert "/begin/" in look(panel, "PROLIFIC_PID=5f3a").content.decode()
    before = stored()
    Channel.objects.update(**happens)
    for page in (press(panel, "5f3a"), look(panel, "PROLIFIC_PID=5f3a")):
        assert (page.status_code, TERMS in words_of(page)) == (status, False)
        assert words_of(page).endswith(sentence)
    # Who is inside keeps the place.
    assert press(panel, "first").redirect_chain[-1][0].startswith("/hits/work/")
    assert stored() == before
    Channel.objects.update(**undone)
    assert press(panel, "5f3a").redirect_chain[-1][0].startswith("/hits/work/")


def test_a_text_that_changes_while_somebody_reads_it_is_shown_again(panel: Way) -> None:
    page = look(panel, "PROLIFIC_PID=5f3a&SESSION_ID=s1")
    (old,) = html.fromstring(page.content).xpath("//input[@name='version']/@value")
    before = stored()
    assert panel.channel
    open_channel.change_channel(panel.channel, Plan(consent="Other terms"), now=clock.now())
    again = press(panel, "5f3a", version=old)
    words = words_of(again)
    assert "Please read this again The text below has changed since you opened the page." in words
    assert ("Other terms" in words, TERMS in words) == (True, False)
    assert stored() == before
    form = next(form for form in html.fromstring(again.content).forms if form.action.endswith("/begin/"))
    agreed = Client(SERVER_NAME=SITE).post(form.action, dict(form.form_values()), follow=True)
    assert agreed.redirect_chain[-1][0].startswith("/hits/work/")
    assert ParticipantIdentity.objects.filter(external_id="5f3a").count() == 1


def test_a_link_of_one_person_takes_no_other_id(panel: Way) -> None:
    """The id that a mail program or a panel adds to a personal link makes nobody else of its person."""
    assert panel.channel
    person = Participant.objects.create(channel=panel.channel, created_at=clock.now())
    panel.address = open_channel.link_for(person, LinkPlan(), now=clock.now()).removeprefix(f"http://{SITE}")
    press(panel, "{{%PROLIFIC_PID%}}")
    person.refresh_from_db()
    assert person.began_at is not None
    assert Link.objects.filter(participant=person).count() == 1
    assert not ParticipantIdentity.objects.filter(participant=person).exists()
