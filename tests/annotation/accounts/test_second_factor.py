"""The second factor: after the password, after a link, at the administration, and for owners who must have one."""

from __future__ import annotations

import io
import re
import time
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts import factor_codes, links
from annotation.accounts.models import AccountEvent, SecondFactor, User

pytestmark = pytest.mark.django_db
LONG = "quite a long pass phrase"
STEP = "/console/second-factor/"


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=LONG)


@pytest.fixture
def codes(ada: User) -> list[str]:
    """The recovery codes of Ada's second factor; the app's code of this moment is used."""
    codes = factor_codes.confirm(ada, code_now(ada), now=timezone.now())
    assert codes
    return codes


def code_now(user: User, steps: int = 0) -> str:
    return pyotp.TOTP(factor_codes.begin(user)).at(time.time(), counter_offset=steps)


def sign_in(client: Client) -> Any:
    return client.post("/console/sign-in/", {"username": "ada", "password": LONG, "next": "/console/new/"})


def test_the_password_alone_opens_no_page_and_the_code_leads_to_where_one_wanted(
    client: Client, ada: User, codes: list[str]
) -> None:
    sign_in(client)
    for page in ("/console/", "/console/settings/", "/console/settings/sessions/", "/admin/"):
        assert client.get(page).status_code == 302
    asked = client.get("/console/new/", follow=True)
    assert asked.redirect_chain[-1][0] == f"{STEP}?next=%2Fconsole%2Fnew%2F"
    key = client.session.session_key
    wrong = client.post(STEP, {"code": "000000" if code_now(ada, 1) != "000000" else "111111"})
    assert (wrong.status_code, "not right" in wrong.content.decode()) == (422, True)
    right = client.post(STEP, {"code": code_now(ada, 1), "next": "/console/new/"})
    assert right["Location"] == "/console/new/"
    assert client.get("/console/new/").status_code == 200
    assert client.session.session_key != key
    verbs = set(AccountEvent.objects.values_list("verb", flat=True))
    assert verbs == {"second factor added", "wrong second factor"}


def test_a_code_works_once_and_so_does_each_recovery_code(ada: User, codes: list[str]) -> None:
    """RFC 6238, 5.2: the verifier must not accept the second attempt of the OTP."""
    now = timezone.now()
    assert not factor_codes.is_right(ada, code_now(ada), now=now)  # it added the factor
    fresh = code_now(ada, 1)
    assert [factor_codes.is_right(ada, fresh, now=now) for _ in range(2)] == [True, False]
    assert [factor_codes.is_right(ada, codes[3].upper(), now=now) for _ in range(2)] == [True, False]
    assert len(SecondFactor.objects.get().recovery_hashes) == 9
    assert not factor_codes.is_right(ada, code_now(ada, 3), now=now)


def test_after_ten_wrong_codes_the_right_one_waits_too(client: Client, ada: User, codes: list[str]) -> None:
    sign_in(client)
    for _ in range(10):
        client.post(STEP, {"code": codes[0][:-1] + "0"})
    locked = client.post(STEP, {"code": codes[0]})
    assert (locked.status_code, "Try again in 15 minutes" in locked.content.decode()) == (422, True)
    later = timezone.now() + factor_codes.WAIT + timedelta(seconds=1)
    assert factor_codes.is_right(ada, codes[0], now=later)


def test_a_link_and_the_administration_ask_for_it_too(client: Client, ada: User, codes: list[str]) -> None:
    User.objects.update(is_superuser=True, is_staff=True)
    link = links.new_link(ada, now=timezone.now()).removeprefix("http://127.0.0.1:8000")
    client.post(link, {"password": "another long pass phrase"})
    assert client.get("/console/").status_code == 302
    admin = Client()
    assert admin.post("/admin/login/", {"username": "ada", "password": "another long pass phrase"}).status_code == 302
    assert admin.get("/admin/").status_code == 302
    assert client.post(STEP, {"code": codes[0]}).status_code == 302
    assert client.get("/admin/").status_code == 200


def test_owners_must_add_one_where_the_installation_says_so(client: Client, ada: User, settings: Any) -> None:
    User.objects.create_user("bo", password=LONG)
    ada.is_superuser = True
    ada.save()
    earlier = Client()
    earlier.force_login(ada)
    settings.SECOND_FACTOR_FOR_OWNERS = True
    assert earlier.get("/console/").status_code == 302  # a session of before the setting
    sign_in(client)
    page = client.get("/console/", follow=True).content.decode()
    assert "Owners of this installation must have a second factor" in page
    added = client.post(STEP, {"code": code_now(ada), "next": "/console/"}).content.decode()
    assert len(re.findall(r"<li class=\"id\">(?:\w{4}-){3}\w{4}</li>", added)) == 10
    assert client.get("/console/").status_code == 200
    refused = client.post("/console/settings/second-factor/remove/", {"code": code_now(ada, 1)})
    assert refused.status_code == 422
    assert factor_codes.factor_of(ada)
    other = Client()
    other.post("/console/sign-in/", {"username": "bo", "password": LONG})
    assert other.get("/console/").status_code == 200


def test_it_is_added_renewed_and_removed_on_the_settings_page(client: Client, ada: User) -> None:
    client.force_login(ada)
    other = Client()
    other.force_login(ada)
    assert "data:image/svg+xml" in client.get("/console/settings/second-factor/").content.decode()
    address = "/console/settings/second-factor/"
    assert client.post(f"{address}add/", {"code": "12345"}).status_code == 422
    assert client.post(f"{address}add/", {"code": code_now(ada)}).status_code == 200
    assert client.get("/console/").status_code == 200
    assert other.get("/console/").status_code == 302
    before = SecondFactor.objects.get().recovery_hashes
    assert client.post(f"{address}codes/", {"code": code_now(ada, 1)}).status_code == 200
    assert not set(before) & set(SecondFactor.objects.get().recovery_hashes)
    SecondFactor.objects.update(last_step=0)
    assert client.post(f"{address}remove/", {"code": code_now(ada)}).status_code == 302
    assert not SecondFactor.objects.exists()


def test_nothing_of_it_can_be_read_in_the_database(ada: User, codes: list[str]) -> None:
    row = SecondFactor.objects.get()
    assert factor_codes.begin(ada) not in row.sealed_secret
    assert not {code.replace("-", "") for code in codes} & set(row.recovery_hashes)


def test_an_operator_resets_it_and_the_sessions_end(client: Client, ada: User, codes: list[str]) -> None:
    client.force_login(ada)
    client.post(STEP, {"code": codes[0]})
    out = io.StringIO()
    call_command("second_factor", "ada", stdout=out)
    call_command("second_factor", "ada", "--reset", stdout=out)
    call_command("second_factor", "ada", stdout=out)
    assert "9 recovery codes" in out.getvalue()
    assert "removed, and 1 session has ended" in out.getvalue()
    assert out.getvalue().endswith("ada has no second factor.\n")
    assert client.get("/console/").status_code == 302
    assert AccountEvent.objects.filter(verb="second factor removed", actor="manage.py").exists()
    sign_in(client)
    assert client.get("/console/").status_code == 200
