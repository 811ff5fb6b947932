"""The project served on a real socket, with requesters and workers who use it from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.validate import ParamValidator
from django.utils import timezone

from annotation.accounts.models import AccessKey, User
from annotation.marketplace.aws_protocol import views
from annotation.marketplace.aws_protocol.encode_response import plain
from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from annotation.marketplace.core import clock
from annotation.marketplace.fault_injection import plan
from annotation.marketplace.models import Requester
from annotation.marketplace.notifications.endpoints import queue_url, register_queue
from annotation.marketplace.workers.open_accounts import Record, fund, open_worker
from annotation.marketplace.workers.sessions import new_link
from tests.marketplace.people import Lab, Person, enter
from tests.marketplace.receiver import Queue, Receiver


@pytest.fixture(autouse=True)
def no_faults_left() -> Iterator[None]:
    """A fault that a test planted strikes no other."""
    yield
    plan.forget_plan()


@pytest.fixture(autouse=True)
def price_list(mturk_fees: None) -> None:
    """The cases of the specification are those of MTurk's price list; test_no_fees switches it off again."""


@pytest.fixture
def site(site: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The worker site's origin. Every result of an operation is compared with its documented shape."""
    complaints: list[str] = []
    carried_out = views._carried_out

    def checked(name: str, call: Any, given: dict) -> dict:
        result = carried_out(name, call, given)
        report = ParamValidator().validate(plain(result), OPERATIONS[name].output_shape)
        complaints.extend([f"{name}: {report.generate_report()}"] if report.has_errors() else [])
        return result

    monkeypatch.setattr(views, "_carried_out", checked)
    yield site
    assert complaints == []


@pytest.fixture
def open_lab(site: str) -> Iterator[Callable[..., Lab]]:
    """Opens requester accounts: open_lab(name, balance in cents)."""
    with ExitStack() as stack:

        def opened(name: str, balance: int = 1_000_000) -> Lab:
            user = User.objects.create(username=name)
            requester = Requester.objects.create(user=user, created_at=clock.now())
            fund(requester, balance=balance, now=clock.now())
            key, secret = AccessKey.objects.issue(user)
            client = mturk(f"{site}/mturk/", key.key_id, secret)
            stack.callback(client.close)
            return Lab(client, f"{site}/mturk/", key.key_id, secret)

        yield opened


def mturk(url: str | None, key: str, secret: str) -> Any:
    return boto3.client(
        "mturk",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(retries={"mode": "standard", "max_attempts": 1}, proxies={}),
    )


def sqs(origin: str, lab: Lab) -> Any:
    return boto3.client(
        "sqs",
        endpoint_url=f"{origin}/sqs/",
        region_name="us-east-1",
        aws_access_key_id=lab.key,
        aws_secret_access_key=lab.secret,
        config=Config(retries={"mode": "standard", "max_attempts": 1}, proxies={}),
    )


@pytest.fixture
def lab(open_lab: Callable[..., Lab]) -> Lab:
    """A requester with 10,000 dollars."""
    return open_lab("lab")


@pytest.fixture
def sign_in(site: str) -> Iterator[Callable[..., Person]]:
    """Signs workers in by their links: sign_in(name, approved=..., percent=..., locale=...)."""
    with ExitStack() as stack:

        def signed_in(name: str = "ann", **record: Any) -> Person:
            worker = open_worker(name, worker_id=None, record=Record(**record), now=clock.now())
            browser = stack.enter_context(httpx.Client(trust_env=False, follow_redirects=True))
            assert enter(browser, new_link(worker, now=timezone.now())).status_code == 200
            return Person(worker.worker_id, browser, site)

        yield signed_in


@pytest.fixture
def ann(sign_in: Callable[..., Person]) -> Person:
    """A signed-in worker without a past."""
    return sign_in("ann")


@pytest.fixture
def people(sign_in: Callable[..., Person]) -> Callable[[int], list[Person]]:
    return lambda number: [sign_in(f"worker {index}") for index in range(number)]


@pytest.fixture
def pass_time(site: str) -> Callable[[int], object]:
    """Moves the marketplace's clock forward by seconds."""
    return clock.move


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A requester's server, which keeps what is posted to it."""
    with Receiver() as running:
        yield running


@pytest.fixture
def queue(lab: Lab, site: str) -> Iterator[Queue]:
    """A queue of the lab, read with boto3's client for SQS."""
    made = register_queue(Requester.objects.get(), "events", now=timezone.now())
    client = sqs(site, lab)
    yield Queue(client, queue_url(made), made)
    client.close()
