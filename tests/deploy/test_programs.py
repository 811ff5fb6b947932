"""Calls of programs pass by what pages need, and by nothing that keeps them safe."""

from __future__ import annotations

import json

import pytest
from django.conf import settings as configured
from django.test import Client
from django.utils.module_loading import import_string

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_requester_api_starts_no_session_and_sets_no_policy():
    answer = Client().post("/mturk/", data=b"{}", content_type="application/x-amz-json-1.1")
    assert (answer.status_code, json.loads(answer.content)["__type"]) == (400, "MissingAuthenticationTokenException")
    assert not answer.cookies
    assert not {"Content-Security-Policy", "Content-Language", "Vary"} & set(answer.headers)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_host_that_is_not_ours_is_refused():
    assert Client().post("/mturk/", data=b"{}", content_type="text/plain", HTTP_HOST="evil.example").status_code == 400
    assert b"__type" not in Client().post("/mturk/", data=b"{}", content_type="text/plain", HTTP_HOST="a.b").content


def test_plain_http_is_sent_to_https_where_that_is_asked_for(settings):
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().post("/mturk/", data=b"{}", content_type="text/plain")
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://testserver/mturk/")


def test_pages_have_their_sessions_and_policies_as_ever():
    answer = Client().get("/hits/")
    assert "Content-Security-Policy" in answer.headers


def test_every_middleware_of_the_settings_can_be_loaded():
    assert all(callable(import_string(name)) for name in configured.MIDDLEWARE)
