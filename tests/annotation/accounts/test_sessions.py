"""Where an account is signed in, and ending it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.accounts import sessions
from annotation.accounts.models import AccountEvent, ConsoleSession, User

pytestmark = pytest.mark.django_db
LONG = "quite a long pass phrase"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1 Mobile/15E148 Safari/604.1"


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=LONG)


def signed_in(agent: str, name: str = "ada") -> Client:
    client = Client(headers={"user-agent": agent}, REMOTE_ADDR="203.0.113.77")
    client.post("/console/sign-in/", {"username": name, "password": LONG})
    assert client.get("/console/").status_code == 200
    return client


def test_each_browser_is_listed_without_its_whole_address_and_can_be_signed_out(ada: User) -> None:
    here, there = signed_in(FIREFOX), signed_in(SAFARI)
    page = here.get("/console/settings/sessions/").content.decode()
    assert "Firefox, Linux" in page
    assert "Safari, iPhone" in page
    assert "203.0.113.0/24" in page
    assert "203.0.113.77" not in page
    row = ConsoleSession.objects.get(device="Safari, iPhone")
    here.post(f"/console/settings/sessions/{row.pk}/end/")
    assert there.get("/console/").status_code == 302
    assert here.get("/console/").status_code == 200
    own = ConsoleSession.objects.get()
    assert here.post(f"/console/settings/sessions/{own.pk}/end/")["Location"] == "/console/sign-in/"
    assert here.get("/console/").status_code == 302
    assert not ConsoleSession.objects.exists()


def test_no_session_of_another_person_is_ended_but_by_an_owner_of_the_installation(ada: User) -> None:
    User.objects.create_user("bo", password=LONG)
    mine, theirs = signed_in(FIREFOX), signed_in(SAFARI, "bo")
    row = ConsoleSession.objects.get(user__username="bo")
    end = f"/console/settings/accounts/{row.user_id}/end/"
    assert mine.post(f"/console/settings/sessions/{row.pk}/end/").status_code == 404
    assert (mine.post(end).status_code, mine.get("/console/settings/accounts/").status_code) == (403, 403)
    User.objects.filter(username="ada").update(is_superuser=True)
    assert "bo" in mine.get("/console/settings/accounts/").content.decode()
    mine.post(end)
    assert theirs.get("/console/").status_code == 302
    assert AccountEvent.objects.get().actor == "ada"
    mine.post(f"/console/settings/accounts/{ada.pk}/end/")
    assert mine.get("/console/").status_code == 200


def test_a_new_password_ends_the_other_sessions(ada: User) -> None:
    here, there = signed_in(FIREFOX), signed_in(SAFARI)
    new = {"new_password1": "another long phrase", "new_password2": "another long phrase"}
    assert here.post("/console/settings/password/", {"old_password": LONG, **new}).status_code == 302
    assert (here.get("/console/").status_code, there.get("/console/").status_code) == (200, 302)
    assert [row.device for row in sessions.sessions_of(User.objects.get(), now=timezone.now())] == ["Firefox, Linux"]


def test_all_others_end_at_once_and_a_session_of_an_earlier_release_is_listed(ada: User) -> None:
    here, others = signed_in(FIREFOX), [signed_in(SAFARI) for _ in range(2)]
    ConsoleSession.objects.filter(device="Firefox, Linux").delete()
    session = here.session
    del session[sessions.SEEN]
    session.save()
    here.get("/console/")
    assert ConsoleSession.objects.filter(device="Firefox, Linux").count() == 1
    here.post("/console/settings/sessions/others/end/")
    assert [client.get("/console/").status_code for client in (here, *others)] == [200, 302, 302]


def test_when_it_was_last_seen_is_written_every_ten_minutes(ada: User) -> None:
    client = signed_in(FIREFOX)
    hour_ago = timezone.now() - timedelta(hours=1)
    ConsoleSession.objects.update(seen_at=hour_ago)
    client.get("/console/")
    assert ConsoleSession.objects.get().seen_at == hour_ago  # it was written at the sign-in
    session = client.session
    session[sessions.SEEN] -= 11
    session.save()
    client.get("/console/")
    assert ConsoleSession.objects.get().seen_at > hour_ago


@pytest.mark.parametrize(
    ("address", "network"),
    [("198.51.100.9", "198.51.100.0/24"), ("2001:db8:12:34::5", "2001:db8:12::/48"), ("unknown", "")],
)
def test_addresses_are_shortened(address: str, network: str) -> None:
    assert sessions.shortened(address) == network
