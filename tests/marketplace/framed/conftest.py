"""Workers at a real Chromium in front of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from django.utils import timezone
from playwright.sync_api import Browser

from annotation.marketplace.core import clock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from tests.browsing import fresh
from tests.marketplace.framed.desk import Desk
from tests.marketplace.people import enter


@pytest.fixture
def sit_down(browser: Browser, site: str) -> Iterator[Callable[..., Desk]]:
    """Signs a worker in with a browser of their own: sit_down(name, **settings of the browser)."""
    with ExitStack() as stack:

        def seated(name: str = "ann", **settings: Any) -> Desk:
            worker = open_worker(name, worker_id=None, record=Record(), now=clock.now())
            context = stack.enter_context(fresh(browser, base_url=site, **settings))
            # Without the two pages of the way in, which other tests walk.
            with httpx.Client(trust_env=False, follow_redirects=True) as way_in:
                enter(way_in, new_link(worker, now=timezone.now()))
                cookies = [
                    {"name": cookie.name, "value": cookie.value, "domain": "127.0.0.1", "path": cookie.path}
                    for cookie in way_in.cookies.jar
                ]
            context.add_cookies(cookies)  # type: ignore[arg-type]
            return Desk(worker.worker_id, context, context.new_page())

        yield seated


@pytest.fixture
def ann(sit_down: Callable[..., Desk]) -> Desk:
    """A worker at a desk."""
    return sit_down("ann")
