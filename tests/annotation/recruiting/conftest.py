"""A live study, and the marketplace that is our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import httpx
import pytest

from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.models import Study
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.readers.records import TextRecord
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.prolific_recruitment import Recruitment
from tests.marketplace.channels.guests import Guest as Visitor


@pytest.fixture
def live(db: None) -> Study:
    made = create(
        "headlines", mode="live", plan=Plan(noun="headline", raters_per_text=3, texts_per_hit=4), actor="ada", now=NOW
    )
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(2)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(2)]
    add_texts(made, texts, actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    return made


@pytest.fixture
def ours(endpoint: Endpoint) -> Market:
    """As the settings name Assay's own marketplace."""
    return Market(replace(endpoint, provider="assay"))


@pytest.fixture
def visitor(site: str) -> Iterator[Callable[[], Visitor]]:
    """A new browser each time."""
    with ExitStack() as stack:
        yield lambda: Visitor(stack.enter_context(httpx.Client(trust_env=False, follow_redirects=True, timeout=60)))


@pytest.fixture
def opened(live: Study, ours: Market) -> Callable[..., ChannelRecord]:
    """Opens a channel to the study: opened("link", places=2)."""

    def make(kind: str, name: str = "", **settings: object) -> ChannelRecord:
        plan = ChannelPlan(kind, name, ChannelSettings(**settings))  # type: ignore[arg-type]
        return open_channel(live, plan, market=ours, actor="ada", now=NOW)

    return make


@pytest.fixture
def recruitment(
    live: Study,
    ours: Market,
    endpoint: Endpoint,
    prolific_stub: Controls,
    visitor: Callable[[], Visitor],
    settings: Any,
) -> Recruitment:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key
    settings.PROLIFIC_API_URL = prolific_stub.url
    settings.PROLIFIC_LEASE_SECONDS = settings.PROLIFIC_POLL_SECONDS = 0
    prolific_stub.change_settings(currency="USD")
    return Recruitment(live, ours, prolific_stub, visitor)
