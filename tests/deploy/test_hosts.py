"""What people sign in to does not answer on the host of the HITs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client


@pytest.fixture(autouse=True)
def origins(settings: Any) -> None:
    settings.HIT_ORIGIN = "http://localhost:8000"
    settings.CONSOLE_ORIGIN = settings.WORKER_ORIGIN = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    "address", ["/console/jobs/%00/", "/console/activity/?page=%00", "/api/v1/studies?name=%00", "/shared/%00/"]
)
def test_an_address_with_a_nul_is_not_found_before_a_database_is_asked(client: Client, address: str) -> None:
    assert client.get(address, headers={"host": "127.0.0.1:8000"}).status_code == 404


@pytest.mark.django_db
def test_the_administration_answers_on_its_own_host(client: Client) -> None:
    answer = client.get("/admin/login/", headers={"host": "127.0.0.1:8000"}, follow=True)
    assert (answer.redirect_chain, answer.status_code) == ([("/console/sign-in/", 302)], 200)


def test_on_the_host_of_the_frames_it_sends_people_to_its_own(client: Client) -> None:
    answer = client.get("/admin/login/?next=/admin/", headers={"host": "localhost:8000"})
    assert (answer.status_code, answer["Location"]) == (302, "http://127.0.0.1:8000/admin/login/?next=/admin/")


def test_a_form_posted_there_is_not_accepted(client: Client) -> None:
    assert client.post("/admin/login/", headers={"host": "localhost:8000"}).status_code == 404


@pytest.mark.django_db
def test_one_host_for_everything_keeps_working(client: Client, settings: Any) -> None:
    settings.HIT_ORIGIN = settings.CONSOLE_ORIGIN
    answer = client.get("/admin/login/", headers={"host": "127.0.0.1:8000"}, follow=True)
    assert (answer.redirect_chain, answer.status_code) == ([("/console/sign-in/", 302)], 200)
