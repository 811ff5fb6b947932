"""A requester at the console with a marketplace behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.utils import timezone

from annotation.accounts.models import User
from annotation.hits.batches.create_batch import BatchPlan, create_batch
from annotation.marketplace.core import clock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from annotation.models import Batch
from annotation.mturk.client import Market
from tests.annotation.conftest import told
from tests.marketplace.people import Person, enter

PLAN = BatchPlan(
    name="words",
    title="Rate words",
    description="Read and rate.",
    keywords="words, rating",
    reward_cents=100,
    max_assignments=2,
    assignment_seconds=3600,
    lifetime_seconds=86_400,
    auto_approval_seconds=259_200,
)


@pytest.fixture
def olga(site: str, settings: Any, tmp_path: Path) -> User:
    """A requester at the console; its account holds 1,000 dollars."""
    settings.VAR, settings.CONSOLE_ORIGIN = tmp_path / "var", site
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    key = told("create_requester", "console-requester", "--balance", "1000.00")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    return User.objects.create_user("olga")


@pytest.fixture
def market(olga: User, settings: Any) -> Market:
    from annotation import settings as conf

    return Market(conf.endpoint())


@pytest.fixture
def draft(tmp_path: Path) -> Callable[..., Batch]:
    """Makes a batch of a template and the text of a table: draft(owner, template, table, plan)."""

    def drafted(owner: User, template: str, table: str, plan: BatchPlan = PLAN, **more: Any) -> Batch:
        path = tmp_path / "table.csv"
        path.write_text(table, encoding="utf-8", newline="")
        return create_batch(template, path, plan, owner=owner, now=timezone.now(), **more)

    return drafted


@pytest.fixture
def worker(site: str) -> Iterator[Callable[[str], Person]]:
    """Signs workers in."""
    with ExitStack() as stack:

        def signed_in(name: str) -> Person:
            account = open_worker(name, worker_id=None, record=Record(), now=clock.now())
            browser = stack.enter_context(httpx.Client(trust_env=False, follow_redirects=True))
            enter(browser, new_link(account, now=timezone.now()))
            return Person(account.worker_id, browser, site)

        yield signed_in
