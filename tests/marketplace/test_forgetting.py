"""What is deleted, when, and that nothing else is."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from annotation.marketplace import retention as forgetting
from annotation.marketplace.core import clock
from annotation.marketplace.models import Document, Event, QueueMessage, RequestToken
from annotation.marketplace.retention import forget
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database
DAY = timedelta(days=1)


def forgotten(after: timedelta) -> int:
    """Rows deleted when both clocks are so far ahead."""
    return forget(now=timezone.now() + after, market=clock.now() + after)


@pytest.fixture
def told(lab, queue) -> dict:
    """A HIT whose creation was told to a queue and received by nobody."""
    first = lab.hit()
    settings = {"Destination": queue.url, "Transport": "SQS", "Version": "2014-08-15", "EventTypes": ["HITExpired"]}
    lab.client.update_notification_settings(HITTypeId=first["HITTypeId"], Notification=settings)
    lab.client.update_expiration_for_hit(HITId=first["HITId"], ExpireAt=0)
    assert queue.receive()
    return first


def test_delivered_notifications_go_with_their_events_after_thirty_days(told):
    assert forgotten(29 * DAY + DAY / 2) == 1  # the message in the queue
    assert (Document.objects.count(), Event.objects.count()) == (1, 1)
    assert forgotten(30 * DAY) == 1
    assert (Document.objects.count(), Event.objects.count()) == (0, 0)


def test_the_setting_says_how_long(told, settings):
    settings.MARKETPLACE_NOTICES_DAYS = 5
    QueueMessage.objects.all().delete()
    assert forgotten(4 * DAY) == 0
    assert forgotten(5 * DAY) == 1


def test_a_notification_under_way_stays(told):
    Document.objects.update(next_attempt_at=timezone.now())
    forgotten(1000 * DAY)
    assert Document.objects.count() == 1


def test_unread_messages_go_after_four_days(told):
    assert (forgotten(3 * DAY), forgotten(4 * DAY)) == (0, 1)
    assert QueueMessage.objects.count() == 0


def test_many_are_deleted_in_batches(told, monkeypatch):
    monkeypatch.setattr(forgetting, "BATCH", 2)
    QueueMessage.objects.all().delete()
    (old,) = Document.objects.all()
    for _ in range(4):
        Document.objects.create(
            requester=old.requester, transport="SQS", destination="d", body="{}", created_at=old.created_at
        )
    Document.objects.create(
        requester=old.requester, transport="SQS", destination="d", body="{}", created_at=timezone.now() + 9 * DAY
    )
    assert forgotten(31 * DAY) == 5
    assert Document.objects.count() == 1


def test_a_request_token_holds_until_it_could_be_used_again(lab):
    lab.client.create_hit(**hit_parameters(UniqueRequestToken="t"))
    assert forgotten(DAY - timedelta(seconds=9)) == 0
    assert lab.refused("create_hit", **hit_parameters(UniqueRequestToken="t"))[0] == "HitAlreadyExists"
    RequestToken.objects.update(used_at=F("used_at") - DAY)
    assert forgotten(timedelta(0)) == 1
    assert lab.client.create_hit(**hit_parameters(UniqueRequestToken="t"))["HIT"]["HITId"]


def test_the_sweep_forgets(told):
    Document.objects.update(created_at=timezone.now() - 31 * DAY)
    out = StringIO()
    call_command("marketplace_sweep", stdout=out)
    assert "1 old notifications, messages and tokens deleted." in out.getvalue()
    assert Document.objects.count() == 0
