"""Messages that a marketplace posts: believed by their signature alone, stored once, a reason to look."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.collecting.collect import collect
from annotation.jobs import celery_tasks as tasks
from annotation.marketplace.models import Endpoint as Registered
from annotation.marketplace.notifications import delivery
from annotation.marketplace.notifications import https_post as post
from annotation.models import MarketplaceEvent, Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from tests.annotation.conftest import NOW, endpoint, everybody_rates, market, study, told

__all__ = ["endpoint", "everybody_rates", "market", "study"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def posts(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the marketplace posts, as it posts it."""
    sent: list[bytes] = []

    def kept(url: str, body: bytes, headers: Any) -> None:
        sent.append(body)
        post.post(url, body, headers)

    monkeypatch.setattr(delivery.deliver, "__kwdefaults__", {**delivery.deliver.__kwdefaults__, "send": kept})
    return sent


@pytest.fixture
def topic(site: str, market: Market, posts: list[bytes], settings: Any) -> str:
    """A topic of the marketplace at our own door, which has confirmed it by itself."""
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_TOPIC_ARN = told("notification_endpoint", "add", f"{site}/notices/", "--requester", "lab")["arn"]
    delivery.deliver(clock=timezone.now)
    assert Registered.objects.get().confirmed_at is not None
    posts.clear()
    return settings.MTURK_TOPIC_ARN


@pytest.fixture
def out(study: Study, market: Market, topic: str) -> Study:
    """Published, its HITs told to the topic."""
    publish(study, actor="ada", now=NOW)
    work(Q(study=study), market=market, clock=lambda: NOW, queue=topic)
    return study


def test_posted_messages_alone_find_all_work_and_wake_the_study(
    out: Study, market: Market, everybody_rates: Callable[..., None], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[int] = []
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(tasks.poll_off, "delay", woken.append)
    everybody_rates("bea", "cy")
    delivery.deliver(clock=timezone.now)
    heard = set(MarketplaceEvent.objects.filter(looked_at=None).values_list("market_hit", flat=True))
    assert set(woken) == {out.pk}
    assert collect(out, market=market, now=NOW, only=heard).new == 4


def test_a_message_that_comes_twice_is_stored_once(
    out: Study, everybody_rates: Callable[..., None], posts: list[bytes], site: str
) -> None:
    everybody_rates("bea")
    delivery.deliver(clock=timezone.now)
    stored = MarketplaceEvent.objects.count()
    assert stored
    for body in posts:
        assert httpx.post(f"{site}/notices/", content=body, trust_env=False).status_code == 204
    assert MarketplaceEvent.objects.count() == stored


def test_an_altered_message_is_refused_and_nothing_is_stored(
    out: Study, everybody_rates: Callable[..., None], posts: list[bytes], site: str
) -> None:
    everybody_rates("bea")
    delivery.deliver(clock=timezone.now)
    MarketplaceEvent.objects.all().delete()
    message = json.loads(posts[0])
    for name in ("Message", "TopicArn", "SigningCertURL", "Signature"):
        changed = json.dumps({**message, name: message[name][:-1] + "x"})
        answer = httpx.post(f"{site}/notices/", content=changed, trust_env=False)
        assert answer.status_code == 403, name
    assert not MarketplaceEvent.objects.exists()


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"{}", b"\xff"])
def test_what_is_no_message_is_refused_in_a_sentence(topic: str, site: str, body: bytes) -> None:
    answer = httpx.post(f"{site}/notices/", content=body, trust_env=False)
    assert answer.status_code == 403
    assert answer.text.endswith(".")


def test_without_a_topic_nobody_answers_and_pages_are_not_shown(site: str, settings: Any) -> None:
    settings.MTURK_TOPIC_ARN = ""
    assert httpx.post(f"{site}/notices/", content=b"{}", trust_env=False).status_code == 404
    assert httpx.get(f"{site}/notices/", trust_env=False).status_code == 405
