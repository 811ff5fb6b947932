"""Prolific's hooks: believed when signed, and only as a reason to look."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from annotation.marketplace.models import ProlificEvent, ProlificStudy
from annotation.marketplace.prolific import hooks
from tests.marketplace.prolific.crowd import Crowd

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
STAMP = str(NOW.timestamp())
RAW = b'{"event_type":"submission.status.change",  "status":"RETURNED"}'


def signed(raw: bytes = RAW, *, stamp: str = STAMP, secret: str = "secret") -> dict[str, str]:
    digest = hmac.new(secret.encode(), stamp.encode() + raw, hashlib.sha256).digest()
    return {hooks.TIMESTAMP: stamp, hooks.SIGNATURE: base64.b64encode(digest).decode()}


def test_a_hook_is_signed_over_its_bytes_as_they_came() -> None:
    hooks.check_signature("secret", RAW, signed(), now=NOW)
    milliseconds = str(int(NOW.timestamp() * 1000))
    hooks.check_signature("secret", RAW, signed(stamp=milliseconds), now=NOW)
    hooks.check_signature("secret", RAW, signed(stamp=NOW.isoformat()), now=NOW)


@pytest.mark.parametrize(
    ("headers", "moment"),
    [
        (signed(secret="another"), NOW),
        (signed(RAW.replace(b",  ", b", ")), NOW),
        ({}, NOW),
        (signed(stamp="yesterday"), NOW),
        (signed(), NOW + timedelta(minutes=6)),
        (signed(), NOW - timedelta(minutes=6)),
    ],
)
def test_a_hook_of_somebody_else_or_an_old_one_is_not_believed(headers: dict[str, str], moment: datetime) -> None:
    with pytest.raises(hooks.HookRefusedError):
        hooks.check_signature("secret", RAW, headers, now=moment)


@pytest.fixture
def hooked(crowd: Crowd, settings: Any) -> Crowd:
    """The lab's account, to which Prolific sends hooks; nothing is read without one."""
    settings.PROLIFIC_HOOKS, settings.PROLIFIC_POLL_SECONDS = True, 3600
    return crowd


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_repeated_disordered_and_forged_hooks_do_no_harm(hooked: Crowd) -> None:
    channel = hooked.publish()
    assert hooked.read(channel)["HooksWork"]
    assert len(hooked.stub.read_facts()["subscriptions"]) == 2
    hooked.run()
    person = hooked.arrive(1)
    hooked.stub.wait_for_hooks()
    hooked.run()
    assert [row["Status"] for row in hooked.submissions(channel)] == ["ACTIVE"]

    seen = ProlificEvent.objects.count()
    hooked.stub.change_settings(hooks="held", hook_copies=2)
    hooked.finish(1, person=person)
    hooked.stub.return_place(1)
    hooked.run()
    assert [row["Status"] for row in hooked.submissions(channel)] == ["ACTIVE"]
    assert hooked.stub.release_hooks("reversed") >= 2
    hooked.run()
    assert [row["Status"] for row in hooked.submissions(channel)] == ["RETURNED"]
    assert ProlificEvent.objects.count() == seen + 2

    hooked.stub.change_settings(hooks="sent", hook_copies=1, has_wrong_signatures=True)
    due = ProlificStudy.objects.get().sync_due_at
    hooked.stub.arrive(2, hooked.study)
    hooked.stub.wait_for_hooks()
    assert ProlificStudy.objects.get().sync_due_at == due
