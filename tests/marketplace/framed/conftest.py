"""Workers at a real Chromium in front of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser

from annotation.marketplace.core import clock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from tests.browsing import fresh
from tests.marketplace.framed.desk import Desk, enter


@pytest.fixture
def sit_down(browser: Browser, site: str) -> Iterator[Callable[..., Desk]]:
    """Signs a worker in with a browser of their own: sit_down(name, **settings of the browser)."""
    with ExitStack() as stack:

        def seated(name: str = "ann", **settings: Any) -> Desk:
            worker = open_worker(name, worker_id=None, record=Record(), now=clock.now())
            context = stack.enter_context(fresh(browser, base_url=site, **settings))
            page = context.new_page()
            enter(page, new_link(worker, now=timezone.now()))
            return Desk(worker.worker_id, context, page)

        yield seated


@pytest.fixture
def ann(sit_down: Callable[..., Desk]) -> Desk:
    """A worker at a desk."""
    return sit_down("ann")
