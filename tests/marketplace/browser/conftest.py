"""Workers at a real Chromium, on the served site. CHROMIUM says where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page

from annotation.marketplace.core import clock
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from tests.browsing import WIDTHS, fresh
from tests.marketplace.framed.desk import enter


@pytest.fixture(params=WIDTHS.values(), ids=list(WIDTHS))
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The window: narrow and wide."""
    return {"viewport": request.param}


@pytest.fixture
def stranger(browser: Browser, site: str) -> Iterator[Callable[..., Page]]:
    """Opens a page of a browser that nobody is signed in with: stranger(**settings of the browser)."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(fresh(browser, base_url=site, **settings)).new_page()


@pytest.fixture
def visitor(stranger: Callable[..., Page]) -> Callable[..., Page]:
    """Signs a worker in: visitor(name, look, approved=..., locale=...) gives a page at the list of tasks."""

    def signed_in(name: str = "ann", look: dict[str, Any] | None = None, **record: Any) -> Page:
        worker = open_worker(name, worker_id=None, record=Record(**record), now=clock.now())
        page = stranger(**(look or {}))
        enter(page, new_link(worker, now=timezone.now()))
        return page

    return signed_in
