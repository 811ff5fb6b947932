"""Access keys are issued on a page, shown once, sign, and are revoked."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.accounts.models import AccessKey, User

pytestmark = [pytest.mark.django_db, pytest.mark.database]
KEYS = "/admin/accounts/accesskey/"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="x" * 20))
    return client


def test_a_key_is_issued_and_its_secret_is_shown_once(operator: Client) -> None:
    lab = User.objects.create(username="lab")
    shown = operator.post(f"{KEYS}add/", {"user": lab.pk})
    key = AccessKey.objects.get(user=lab)
    secret = re.findall(r"<code>([^<]+)</code>", shown.content.decode())[1]
    assert key.secret() == secret
    assert "no-store" in shown.headers["Cache-Control"]
    for path in (KEYS, f"{KEYS}{key.pk}/change/"):
        page = operator.get(path).content.decode()
        assert key.key_id in page
        assert secret not in page
        assert key.sealed_secret not in page


def test_a_revoked_key_is_no_longer_active(operator: Client) -> None:
    key, _ = AccessKey.objects.issue(User.objects.create(username="lab"))
    operator.post(KEYS, {"action": "revoke", "_selected_action": [key.pk]})
    assert AccessKey.objects.active().count() == 0


def test_keys_are_neither_changed_nor_deleted_and_strangers_issue_none(operator: Client, client: Client) -> None:
    key, _ = AccessKey.objects.issue(User.objects.create(username="lab"))
    assert operator.post(f"{KEYS}{key.pk}/delete/", {"post": "yes"}).status_code == 403
    staff = User.objects.create_user("staff", password="x" * 20, is_staff=True)
    client.force_login(staff)
    assert client.post(f"{KEYS}add/", {"user": staff.pk}).status_code == 403
    assert AccessKey.objects.count() == 1
