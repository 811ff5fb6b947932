"""Who gets to the task of a study with the papers' requirements, and what the check says of it before publishing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.db.models import Q

import annotation
from annotation import settings as conf
from annotation.design.lay_out import design
from annotation.design.presets import preset_called
from annotation.hits.mturk_request import hit_order
from annotation.importing.add_texts import add_texts
from annotation.models import Study
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.name_requester import name_requester
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.publishing.summary import plan_of
from annotation.readers.records import TextRecord
from annotation.recruiting.queries import channels_of
from annotation.rehearsal.crowd.browser import Browser
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW, told
from tests.marketplace.channels.guests import Guest

pytestmark = pytest.mark.django_db(transaction=True)
HISTORY = {"00000000000000000040", "000000000000000000L0", "00000000000000000071"}


def by_preset(name: str, **changes: object) -> Study:
    """A live draft by a preset, of ten texts, laid out."""
    preset = preset_called(name)
    settings = {**preset.settings, "texts_per_hit": 5, "raters_per_text": 2, **changes}
    settings.pop("evaluators_per_cell", None)
    study = create(name, mode="live", plan=Plan(**settings), wording=preset.wording, actor="ada", now=NOW)  # type: ignore[arg-type]
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(5)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(5)]
    add_texts(study, texts, actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)
    return study


def invitation(study: Study) -> str:
    out = io.StringIO()
    call_command("invite", "create", "class", "--requester", "lab", "--study", study.channel_tag, stdout=out)
    return str(json.loads(out.getvalue())["link"])


@pytest.fixture
def own_market(endpoint: Endpoint) -> Market:
    """As the settings name Assay's own marketplace."""
    return Market(replace(endpoint, provider="assay"))


@pytest.fixture
def stranger(site: str) -> Iterator[Guest]:
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as browser:
        yield Guest(browser)


@pytest.mark.parametrize("preset", ["huse-2019", "clark-2021"])
def test_a_stranger_with_an_invitation_gets_to_the_task_of_a_paper(
    preset: str, own_market: Market, stranger: Guest
) -> None:
    study = by_preset(preset)
    publish(study, actor="ada", now=NOW, by_invitation=True)
    work(Q(), market=own_market, clock=lambda: NOW)
    person = stranger.enter(invitation(study))
    page = person.get("/hits/")
    assert page.url.path.startswith("/hits/work/"), page.text


@pytest.mark.parametrize("preset", ["huse-2019", "clark-2021"])
def test_the_check_stops_a_study_that_no_account_may_enter(preset: str, own_market: Market) -> None:
    study = by_preset(preset)
    told("create_worker", "new")
    told("create_worker", "abroad", "--approved", "5000", "--locale", "DE")
    found = {one.rule: one.sentence for one in preflight(study, market=own_market).errors}
    assert "more than 95% approved" in found["nobody_enters"]
    assert "None of the 2 accounts" in found["nobody_enters"]
    assert "minimum_approved_hits=0, minimum_percent_approved=0, country=''" in found["nobody_enters"]
    assert "invited people" in found["nobody_enters"]
    assert "nobody_enters" not in {one.rule for one in preflight(study, market=own_market, by_invitation=True).findings}


@pytest.mark.database
def test_the_check_warns_of_fewer_accounts_than_raters(own_market: Market) -> None:
    study = by_preset("huse-2019")
    told("create_worker", "known", "--approved", "51", "--locale", "US")
    found = {one.rule: one for one in preflight(study, market=own_market).findings}
    assert found["few_enter"].level == "warning"
    assert "1 of the 1 accounts" in found["few_enter"].sentence
    told("create_worker", "second", "--approved", "51", "--locale", "US")
    assert not {"few_enter", "nobody_enters"} & {one.rule for one in preflight(study, market=own_market).findings}


def test_a_country_alone_warns_for_a_new_account_may_still_state_it(own_market: Market) -> None:
    study = by_preset("huse-2019", minimum_approved_hits=0)
    told("create_worker", "new")
    found = {one.rule: one.level for one in preflight(study, market=own_market).findings}
    assert (found.get("nobody_enters"), found.get("few_enter")) == (None, "warning")


def test_a_fresh_account_enters_a_study_whose_requirements_are_none(own_market: Market) -> None:
    """0 means none: the requirement is neither shown nor sent."""
    study = by_preset("huse-2019", minimum_approved_hits=0, minimum_percent_approved=0, country="")
    hit = study.hits.get(slot=0)
    assert not HISTORY & {one.qualification_type_id for one in hit_order(hit, token="t").requirements}
    assert plan_of(study).requirements == ()
    told("create_worker", "somebody")
    assert "nobody_enters" not in {one.rule for one in preflight(study, market=own_market).findings}
    publish(study, actor="ada", now=NOW)
    work(Q(), market=own_market, clock=lambda: NOW)
    with Browser(told("create_worker", "fresh")["sign_in_url"]) as browser:
        assert browser.accept(next(iter(browser.offers()))).fields


def test_another_marketplace_is_sent_the_requirements_as_they_stand() -> None:
    study = by_preset("huse-2019")
    sent = {one.qualification_type_id for one in hit_order(study.hits.get(slot=0), token="t").requirements}
    assert sent == HISTORY


def test_the_check_stops_a_study_with_people_whose_requester_has_no_name(own_market: Market) -> None:
    study = by_preset("huse-2019")
    found = {one.rule: one.sentence for one in preflight(study, market=own_market, by_invitation=True).errors}
    assert "“lab”" in found["no_name"]
    name_requester(study, "Ada Lovelace, Example University", market=own_market, actor="ada", now=NOW)
    assert "no_name" not in {one.rule for one in preflight(study, market=own_market).findings}
    assert own_market.requester().shown == "Ada Lovelace, Example University"


def test_participants_read_the_name_that_the_owner_set(own_market: Market, stranger: Guest) -> None:
    study = by_preset("huse-2019")
    call_command("create_requester", "lab", "--display-name", "Ada Lovelace", stdout=io.StringIO())
    publish(study, actor="ada", now=NOW, by_invitation=True)
    work(Q(), market=own_market, clock=lambda: NOW)
    door = stranger.browser.get(invitation(study)).text
    assert "<dd>Ada Lovelace</dd>" in door
    assert "<dd>lab</dd>" not in door


def test_publishing_by_invitation_from_the_command_line_prints_the_link(
    own_market: Market, stranger: Guest, site: str, settings: Any
) -> None:
    study = by_preset("clark-2021")
    key = told("create_requester", "lab", "--display-name", "Ada Lovelace", "--new-key")
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    out = io.StringIO()
    call_command("publish", study.name, "--by-invitation", "--yes", stdout=out)
    link = re.search(rf"{site}/hits/in/\S+/", out.getvalue())
    assert link
    assert stranger.open(link[0]) == "not-yet"
    study.refresh_from_db()
    (channel,) = channels_of(study, Market(conf.endpoint()))
    assert (channel.kind, channel.link) == ("link", link[0])
    assert study.audit.filter(verb="open_channel").count() == 1


def test_both_sides_describe_the_operations_of_our_own_alike() -> None:
    """The two sides share no code: each holds the description, and they are the same."""
    root = Path(annotation.__file__).parent
    ours, theirs = (
        (root / side / "assay" / "2026-11-22" / "service-2.json").read_bytes()
        for side in ("mturk/service", "marketplace/model")
    )
    assert ours == theirs
