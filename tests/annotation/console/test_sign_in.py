"""Coming into the console."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts import links
from annotation.accounts.models import EntryLink, User

pytestmark = pytest.mark.django_db
LONG = "quite a long pass phrase"
CHOSEN = {"password": LONG}


def path(link: str) -> str:
    return link.removeprefix("http://127.0.0.1:8000")


def test_a_stranger_is_sent_to_sign_in_and_from_there_to_where_they_wanted(client: Client) -> None:
    User.objects.create_user("ada", password=LONG)
    sent = client.get("/console/?page=2")
    assert sent["Location"] == "/console/sign-in/?next=/console/%3Fpage%3D2"
    entered = client.post(sent["Location"], {"username": "ada", "password": LONG, "next": "/console/?page=2"})
    assert entered["Location"] == "/console/?page=2"


def test_a_form_sent_after_the_session_ended_leads_back_to_its_page_and_says_that_nothing_was_stored(
    client: Client,
) -> None:
    User.objects.create_user("ada", password=LONG)
    page = "http://testserver/console/new/?preset=huse-2019"
    sent = client.post("/console/new/", {"name": "mine"}, headers={"referer": page})
    assert sent["Location"] == "/console/sign-in/?unsent=1&next=/console/new/%3Fpreset%3Dhuse-2019"
    assert "nothing was saved" in client.get(sent["Location"]).content.decode()
    assert "nothing was stored" not in client.get("/console/sign-in/").content.decode()
    for elsewhere in ("https://evil.example/console/new/", "//evil.example/", "javascript:x", ""):
        assert client.post("/console/new/", headers={"referer": elsewhere})["Location"].endswith("next=/console/")


def test_what_leads_nowhere_is_a_page_with_a_way_on(client: Client) -> None:
    user = User.objects.create_user("ada", password=LONG)
    client.force_login(user)
    nowhere, form = client.get("/console/nowhere/"), client.get("/console/settings/tokens/")
    assert (nowhere.status_code, form.status_code, form["Allow"]) == (404, 405, "POST")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    forged = strict.post("/console/settings/tokens/", {"name": "x"})
    assert forged.status_code == 403
    for page in (nowhere, form, forged):
        assert 'href="/console/"' in page.content.decode()
    assert not user.api_tokens.exists()


def test_nobody_is_sent_to_another_site(client: Client) -> None:
    User.objects.create_user("ada", password=LONG)
    entered = client.post("/console/sign-in/?next=//evil.example/", {"username": "ada", "password": LONG})
    assert entered["Location"] == "/console/"


def test_after_ten_wrong_passwords_the_right_one_waits_too(client: Client, settings: Any) -> None:
    settings.AXES_ENABLED = True
    User.objects.create_user("ada", password=LONG)
    answers = [client.post("/console/sign-in/", {"username": "ada", "password": "wrong"}) for _ in range(10)]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429
    last = client.post("/console/sign-in/", {"username": "ada", "password": LONG})
    assert last.status_code == 429
    assert "Too many attempts" in last.content.decode()


def test_the_owner_of_a_new_installation_chooses_a_password_by_a_link_that_works_once(client: Client) -> None:
    address = path(links.first_owner_link(now=timezone.now()) or "")
    assert "owner" in client.get(address).content.decode()
    assert client.post(address, CHOSEN)["Location"] == "/console/"
    assert client.get("/console/").status_code == 200
    assert User.objects.get().check_password(LONG)
    assert Client().get(address).status_code == 403


def test_once_the_owner_has_come_in_no_more_links_are_made_by_themselves(client: Client) -> None:
    client.post(path(links.first_owner_link(now=timezone.now()) or ""), CHOSEN)
    assert links.first_owner_link(now=timezone.now()) is None


def test_a_new_link_ends_the_one_before_and_none_lives_longer_than_three_days(client: Client) -> None:
    user = User.objects.create_user("ada")
    before, after = (path(links.new_link(user, now=timezone.now())) for _ in range(2))
    old = path(links.new_link(User.objects.create_user("bo"), now=timezone.now() - timedelta(days=3, seconds=1)))
    assert [client.get(address).status_code for address in (before, after, old)] == [403, 200, 403]


def test_a_weak_password_spends_no_link(client: Client) -> None:
    address = path(links.new_link(User.objects.create_user("ada"), now=timezone.now()))
    assert "too short" in client.post(address, {"password": "abc"}).content.decode()
    assert client.post(address, CHOSEN).status_code == 302


def test_the_token_is_not_stored(client: Client) -> None:
    token = path(links.new_link(User.objects.create_user("ada"), now=timezone.now())).split("/")[-2]
    assert len(token) >= 43
    assert token not in EntryLink.objects.get().token_hash


def test_signing_out_ends_the_session_and_needs_a_post(client: Client) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert client.get("/console/sign-out/").status_code == 405
    client.post("/console/sign-out/")
    assert client.get("/console/").status_code == 302


def test_forms_need_their_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/console/sign-in/", {"username": "ada", "password": LONG}).status_code == 403


def test_a_workers_session_is_worth_nothing_here(client: Client) -> None:
    client.cookies["assay_worker"] = "anything"
    assert client.get("/console/").status_code == 302
    assert "assay_console" not in client.get("/hits/sign-in/").cookies


def test_the_first_owner_is_made_though_somebody_is_called_so_already(client: Client) -> None:
    """`sign_in_link owner --create` made a user who owns nothing; whoever uses that account keeps it as it is."""
    call_command("sign_in_link", "owner", "--create", stdout=io.StringIO(), stderr=io.StringIO())
    assert links.first_owner_link(now=timezone.now())
    assert User.objects.get(username="owner").is_superuser
    User.objects.update(is_superuser=False, last_login=timezone.now())
    assert links.first_owner_link(now=timezone.now())
    assert dict(User.objects.values_list("username", "is_superuser")) == {"owner": False, "owner-2": True}


def test_a_link_for_a_default_address_says_which_and_how_to_change_it(db: None, settings: Any) -> None:
    for defaults, is_named in ((["CONSOLE_ORIGIN"], True), ([], False)):
        settings.DEFAULT_ORIGINS, errors = defaults, io.StringIO()
        call_command("sign_in_link", "ada", "--create", stdout=io.StringIO(), stderr=errors)
        assert ("set CONSOLE_ORIGIN" in errors.getvalue()) is is_named


def test_a_command_makes_the_first_owner_under_any_server(client: Client) -> None:
    out = io.StringIO()
    call_command("sign_in_link", "ada", "--create", "--owner", stdout=out, stderr=io.StringIO())
    assert client.post(path(out.getvalue().strip()), CHOSEN)["Location"] == "/console/"
    assert client.get("/console/").status_code == 200
    assert User.objects.get().is_superuser
    assert links.first_owner_link(now=timezone.now()) is None
