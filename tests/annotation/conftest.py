"""A study of eight texts, the marketplace it is published to, and people who work there."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.core.management import call_command

from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.models import Study
from annotation.mturk import client
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.rehearsal.crowd.browser import Answer, Browser
from annotation.studies.create import Plan, create

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def told(command: str, *words: str) -> dict[str, str]:
    out = io.StringIO()
    call_command(command, *words, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    """Wrong links are counted in the cache of the process: those of another test are no attempts in this one."""
    cache.clear()


@pytest.fixture
def called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A marketplace that is not there is called once, not ten times with growing pauses."""
    config = client.Config
    monkeypatch.setattr(client, "Config", lambda **options: config(**{**options, "retries": {"total_max_attempts": 1}}))


@pytest.fixture
def study(db: None) -> Study:
    made = create(
        "headlines",
        mode="rehearsal",
        plan=Plan(noun="headline", raters_per_text=2, texts_per_hit=4, reward_cents=50),
        actor="ada",
        now=NOW,
    )
    references = [TextRecord(f"r{i}", f"Reference {i} <&>", "reference") for i in range(4)]
    score = LikelihoodRecord("tiny", -4.5, 3, "whitespace")
    models = [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny", likelihoods=(score,)) for i in range(4)]
    add_texts(made, [*references, *models], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    return made


@pytest.fixture
def endpoint(site: str) -> Endpoint:
    key = told("create_requester", "lab", "--balance", "100.00")
    return Endpoint(f"{site}/mturk/", key["access_key"], key["secret_key"], provider="test")


@pytest.fixture
def market(endpoint: Endpoint) -> Market:
    return Market(endpoint)


@pytest.fixture
def everybody_rates(site: str) -> Callable[..., None]:
    """Lets the named people do every HIT on offer, all with the same label."""

    def rate(*names: str, label: str = "Typical") -> None:
        for name in names:
            with Browser(told("create_worker", name)["sign_in_url"]) as browser:
                for offer in list(browser.offers()):
                    sheet = browser.accept(offer)
                    browser.hand_in(sheet, [Answer(label, 1500)] * len(sheet.fields))

    return rate
