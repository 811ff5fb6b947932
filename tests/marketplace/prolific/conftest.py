"""A lab that is connected to a stand-in for Prolific."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from annotation.rehearsal.prolific_stub.controls import Controls
from tests.marketplace.channels.guests import Guest
from tests.marketplace.people import Lab
from tests.marketplace.prolific.crowd import Crowd


@pytest.fixture
def guest(site: str) -> Iterator[Callable[[], Guest]]:
    """A new browser each time."""
    with ExitStack() as stack:
        yield lambda: Guest(stack.enter_context(httpx.Client(trust_env=False, follow_redirects=True, timeout=60)))


@pytest.fixture
def crowd(lab: Lab, guest: Callable[[], Guest], prolific_stub: Controls, settings: Any) -> Crowd:
    """The lab's account at Prolific, connected, in dollars as its tasks pay."""
    settings.PROLIFIC_API_URL = prolific_stub.url
    settings.PROLIFIC_LEASE_SECONDS = settings.PROLIFIC_POLL_SECONDS = 0
    prolific_stub.change_settings(currency="USD")
    crowd = Crowd(lab, guest, prolific_stub)
    crowd.service.connect_prolific(Token=prolific_stub.token)
    return crowd
