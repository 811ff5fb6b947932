"""A researcher opens channels in the console, publishes, and sees who came; participants read the name that was set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape as html_unescape
from typing import Any

import httpx
import pytest
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation import settings as conf
from annotation.accounts.models import User
from annotation.jobs.run import run_due
from annotation.marketplace.core import clock
from annotation.marketplace.models import Participant
from annotation.models import Role, Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.recruiting.queries import channels_of
from tests.annotation.collecting.test_ways_in import by_preset
from tests.annotation.conftest import told
from tests.annotation.console.factories import csv
from tests.marketplace.channels.guests import Guest

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(site: str, settings: Any) -> Study:
    """Live, laid out, by the preset of HUSE; the console has the account that `serve` opens for it."""
    key = told("create_requester", "console-requester", "--balance", "1000.00")
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    return by_preset("huse-2019")


def at(study: Study, place: str, *more: str) -> str:
    return reverse(f"console:{place}", args=[study.uuid, *more])


def checked(client: Client, study: Study) -> str:
    client.post(at(study, "publish-recheck"))
    run_due(clock=timezone.now)
    return client.get(at(study, "publish")).content.decode()


CONSENT = "Ada Lovelace asks you to take part. Questions: ada@example.org"
LINK_FORM = {"pays": "voucher", "pay_words": "a voucher of 5 euros", "consent": CONSENT}


def open_channel(client: Client, study: Study, kind: str, **values: str) -> str:
    """The page of a new channel, of a study whose next step is publishing."""
    answer = client.post(at(study, "recruit-new", kind), {"shown_name": "Ada Lovelace", **LINK_FORM, **values})
    assert answer.status_code == 302, answer.content.decode()
    assert answer["location"] == at(study, "publish")
    study.refresh_from_db()
    return at(study, "recruit-channel", channels_of(study, Market(conf.endpoint()))[-1].channel_id)


@pytest.fixture
def guest(site: str) -> Iterator[Guest]:
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as browser:
        yield Guest(browser)


def test_from_the_first_channel_to_a_person_who_began(
    study: Study, person: Callable[..., Client], guest: Guest
) -> None:
    owner = person()
    assert "every registered worker" in checked(owner, study)
    page = owner.get(open_channel(owner, study, "link", places="3")).content.decode()
    assert "not published yet" in page
    link = re.search(r"http://[^\s<]+/hits/in/[^\s<\"]+/", page)
    assert link
    assert guest.open(link[0]) == "not-yet"
    assert "people who come by its channels" in checked(owner, study)
    # Participants receive a voucher: the site pays nobody, so nothing is to be typed.
    answer = owner.post(at(study, "publish-confirm"))
    assert answer["location"] == at(study, "recruit")
    work(Q(), market=Market(conf.endpoint()), clock=timezone.now)
    seen = guest.browser.get(link[0]).text
    assert ("Ada Lovelace" in seen, "a voucher of 5 euros" in seen, CONSENT in seen) == (True, True, True)
    guest.press(link[0])
    page = owner.get(at(study, "recruit"), follow=True).content.decode()
    began = re.search(r"<dt>Began</dt><dd>(\d+) <span class=\"quiet\">of (\d+)</span>", page)
    assert began
    assert began.groups() == ("1", "3")
    assert at(study, "recruit") in owner.get(at(study, "progress")).content.decode()


def test_the_address_is_shown_as_a_code_to_scan(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    place = open_channel(owner, study, "link")
    image = owner.get(f"{place}code.svg")
    assert image["content-type"] == "image/svg+xml"
    link = re.search(r"http://[^\s<]+/hits/in/[^\s<\"]+/", owner.get(place).content.decode())
    assert link
    assert link[0] in image.content.decode()


def test_a_text_with_gaps_is_not_accepted_and_says_which(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    page = owner.get(at(study, "recruit-new", "link")).content.decode()
    assert "It takes about [N] minutes." in page
    answer = owner.post(
        at(study, "recruit-new", "link"), {**LINK_FORM, "shown_name": "Ada", "consent": "About [N] minutes"}
    )
    assert answer.status_code == 422
    assert "Replace “[N]”" in answer.content.decode()


def test_a_list_is_invited_once_wholly_or_not_at_all(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    place = open_channel(owner, study, "list")
    faulty = owner.post(f"{place}invite/", {"people": csv("email,name\nkim@example.org,Kim\nkim@example.org,Lee\n")})
    assert faulty.status_code == 422
    assert "Row 3, email: the same as in row 2." in faulty.content.decode()
    page = owner.post(f"{place}invite/", {"people": csv("email,name\nkim@example.org,=Kim\n")}).content.decode()
    assert "1 person invited." in page
    link = re.search(r"http://[^\s<]+/hits/in/[^\s<\"]+/", page)
    assert link
    file = re.search(r'<textarea name="csv" hidden>(.*?)</textarea>', page, re.DOTALL)
    assert file
    sent = owner.post(f"{place}links/", {"csv": html_unescape(file[1])})
    assert sent["content-disposition"] == 'attachment; filename="links.csv"'
    assert sent.content.decode().splitlines()[1] == f"kim@example.org,,'=Kim,{link[0]}"
    assert "=Kim" in owner.get(place).content.decode()


def test_people_of_a_list_are_mailed_once_and_reminded_until_they_begin(
    study: Study, person: Callable[..., Client], settings, mailoutbox
) -> None:
    owner = person()
    place = open_channel(owner, study, "list")
    owner.post(f"{place}invite/", {"people": csv("email,id\nkim@example.org,\n,P7\n")})
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    refused = owner.post(f"{place}mail/", follow=True).content.decode()
    assert "This site has no mail server, so no mail was sent. Send each person their link yourself." in refused
    assert "Mail links" in refused
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert "1 mail sent." in owner.post(f"{place}mail/", follow=True).content.decode()
    page = owner.post(f"{place}mail/", follow=True).content.decode()
    assert "0 mails sent." in page
    assert "Mail links" not in page
    owner.post(f"{place}mail/", {"remind": "1"})
    assert [mail.to for mail in mailoutbox] == [["kim@example.org"]]
    Participant.objects.exclude(mailed_at=None).update(mailed_at=clock.now() - timedelta(days=1))
    owner.post(f"{place}mail/", {"remind": "1"})
    assert [mail.to for mail in mailoutbox] == [["kim@example.org"]] * 2
    links = [re.findall(r"http://[^\s<]+/hits/in/[^\s<\"]+/", str(mail.body)) for mail in mailoutbox]
    assert len({link for matches in links for link in matches}) == 2
    assert person(Role.VIEWER).post(f"{place}mail/").status_code == 403


def test_closing_editing_and_reopening_a_channel(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    place = open_channel(owner, study, "link", places="3", completion_code="C1")
    assert owner.post(f"{place}close/")["location"] == place
    assert "Reopen channel" in owner.get(place).content.decode()
    owner.post(f"{place}reopen/")
    assert "Close channel" in owner.get(place).content.decode()
    form = owner.get(f"{place}edit/").content.decode()
    assert ('value="C1"' in form, 'value="3"' in form) == (True, True)
    values = dict(html.fromstring(form).forms[-1].form_values())
    bad = owner.post(f"{place}edit/", {**values, "return_url": "http://example.org/"})
    assert bad.status_code == 422
    assert "A return address starts with https://." in bad.content.decode()
    owner.post(f"{place}edit/", {**values, "consent": "Another text.", "places": ""})
    versions = owner.get(f"{place}texts/").content.decode()
    assert (CONSENT in versions, "Another text." in versions) == (True, True)
    assert 'value="3"' not in owner.get(f"{place}edit/").content.decode()


def test_a_full_name_is_proposed_and_not_set(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    User.objects.filter(username="owner").update(first_name="Ada", last_name="Lovelace")
    page = owner.get(at(study, "publish-name")).content.decode()
    assert 'value="Ada Lovelace"' in page
    assert "No name is set" in page
    assert owner.post(at(study, "publish-name"), {"shown_name": " "}).status_code == 422


def test_an_editor_opens_channels_and_a_viewer_does_not(study: Study, person: Callable[..., Client]) -> None:
    editor, viewer = person(Role.EDITOR), person(Role.VIEWER)
    told("create_requester", "console-requester", "--display-name", "Ada Lovelace")
    assert editor.get(at(study, "recruit-new", "link")).status_code == 200
    assert viewer.get(at(study, "recruit")).status_code == 200
    assert viewer.get(at(study, "recruit-new", "link")).status_code == 403
    assert editor.get(at(study, "recruit-new", "gold")).status_code == 404
    assert person(Role.EDITOR, "second").get(at(study, "publish-name")).status_code == 403


def test_a_rehearsal_says_that_it_recruits_simulated_participants(person: Callable[..., Client], study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(mode="rehearsal")
    page = person().get(at(study, "recruit")).content.decode()
    assert "Simulated participants take part" in page
    assert at(study, "recruit-new", "link") not in page
