"""A lab whose studies are open by channels, and guests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.marketplace.channels.guests import Guest


@pytest.fixture
def guest(site: str) -> Iterator[Callable[[], Guest]]:
    """A new browser each time."""
    with ExitStack() as stack:
        yield lambda: Guest(stack.enter_context(httpx.Client(trust_env=False, follow_redirects=True, timeout=60)))
