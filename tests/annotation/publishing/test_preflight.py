"""What is found before a study is published, and what a person must type to spend."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.design.presets import ArmPlan, CellPlan
from annotation.exceptions import MarketError
from annotation.hits.mturk_request import page_address
from annotation.importing.add_texts import add_texts
from annotation.models import Intent, Study
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.studies.create import Plan, create, reword
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("mturk_fees")]


def rules(study: Study, market: Market | None = None) -> dict[str, str]:
    return {one.rule: one.level for one in preflight(study, market=market).findings}


@pytest.mark.database
def test_a_sound_study_has_warnings_only_and_a_bill(study: Study, market: Market) -> None:
    """2 HITs x 2 raters x $0.50, 20 % of fee each."""
    found = preflight(study, market=market)
    assert (found.hits, found.assignments, found.total_cents) == (2, 4, 240)
    assert found.errors == ()


def test_an_empty_account_and_a_small_budget_stop_it(study: Study, market: Market) -> None:
    call_command("create_requester", "lab", "--balance", "1.00", stdout=io.StringIO())
    Study.objects.update(budget_cents=200)
    study.refresh_from_db()
    found = {one.rule: one.sentence for one in preflight(study, market=market).errors}
    assert "$1.40 are missing" in found["balance"]
    assert "$0.40 are missing" in found["budget"]


@pytest.fixture
def long_study(db: None) -> Study:
    made = create("long", mode="rehearsal", plan=Plan(texts_per_hit=5, raters_per_text=1), actor="ada", now=NOW)
    add_texts(made, [TextRecord(f"t{i}", "word " * 4000, "reference") for i in range(5)], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    return made


def test_a_page_too_large_for_a_question_is_said_aloud(long_study: Study) -> None:
    found = {one.rule: one.sentence for one in preflight(long_study).findings}
    assert "1 HITs are over 65,535 bytes: they go out as ExternalQuestions" in found["external"]


def test_a_page_too_large_for_a_question_is_served_by_us_and_worked_on(
    long_study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    publish(long_study, actor="ada", now=NOW)
    assert work(Q(), market=market, clock=lambda: NOW).failed == 0
    everybody_rates("ann")
    collect(long_study, market=market, now=NOW)
    assert read(long_study, now=NOW).judgments == 5


def test_a_page_of_ours_is_confined_and_answers_on_its_own_host_only(
    long_study: Study, client: Client, settings: Any
) -> None:
    settings.HIT_ORIGIN = "http://hits.example"
    settings.ALLOWED_HOSTS = ["*"]
    path = page_address(long_study.hits.get()).removeprefix("http://hits.example")
    shown = client.get(path, headers={"host": "hits.example"})
    assert shown.status_code == 200
    assert shown.headers["Content-Security-Policy"].startswith("sandbox allow-scripts allow-forms;")
    assert not shown.cookies
    assert client.get(path, headers={"host": "console.example"}).status_code == 404
    assert client.get(path.replace(".", ".x"), headers={"host": "hits.example"}).status_code == 404


def test_an_arm_without_its_training_is_an_error(db: None) -> None:
    made = create(
        "people", mode="rehearsal", plan=Plan(texts_per_hit=2), wording=default_wording("human_or_machine"),
        actor="ada", now=NOW,
    )  # fmt: skip
    add_texts(made, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(4)], actor="ada", now=NOW)
    arrange(made, [ArmPlan("examples", 175)], [CellPlan("examples")], actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    assert rules(made)["no_training"] == "error"


def test_a_context_without_its_other_text_is_an_error(study: Study) -> None:
    paired = [
        TextRecord("r9", "Reference", "reference", context="c1"),
        TextRecord("m9", "Model", "model", generator="tiny", context="c1"),
        TextRecord("r10", "Alone", "reference", context="c2"),
    ]
    Study.objects.update(status="draft")
    study.hits.all().delete()
    add_texts(study, paired, actor="ada", now=NOW)
    assert rules(study)["unpaired"] == "error"


def test_words_changed_after_the_design_are_a_warning(study: Study) -> None:
    reword(study, replace(default_wording("typicality"), heading="How usual?"), now=NOW)
    assert rules(study)["wording_changed"] == "warning"


def test_amazons_endpoint_is_an_error_among_the_others(study: Study) -> None:
    Study.objects.update(budget_cents=200)
    study.refresh_from_db()
    amazon = Endpoint("https://mturk-requester.us-east-1.amazonaws.com", "key", "secret")
    found = {one.rule: one.sentence for one in preflight(study, endpoint=amazon).errors}
    assert "closed on 30 September 2026" in found["endpoint"]
    assert "$0.40 are missing" in found["budget"]


def test_pages_that_we_serve_must_be_reached(long_study: Study, endpoint: Endpoint, site: str, settings: Any) -> None:

    assert "link" not in {one.rule for one in preflight(long_study, endpoint=endpoint).findings}
    settings.HIT_ORIGIN = "http://127.0.0.1:9"
    found = {one.rule: one.sentence for one in preflight(long_study, endpoint=endpoint).errors}
    assert found["link"].startswith("Nothing answers at http://127.0.0.1:9")
    settings.HIT_ORIGIN = "http://hits.example.org"
    found = {one.rule: one.sentence for one in preflight(long_study, endpoint=endpoint).errors}
    assert found["link"] == "Pages that we serve must be at an https address, not http://hits.example.org."


def test_times_that_do_people_harm_are_warnings(study: Study) -> None:
    Study.objects.update(assignment_seconds=60, lifetime_seconds=30, auto_approval_seconds=0)
    study.refresh_from_db()
    found = {one.rule: one.sentence for one in preflight(study).findings}
    assert {"time", "short_offer", "paid_at_once"} <= found.keys()
    assert "would lose their work" in found["time"]


def test_sixteen_hits_take_as_many_queries_as_two(study: Study) -> None:
    large = create("large", mode="rehearsal", plan=Plan(texts_per_hit=4, raters_per_text=2), actor="ada", now=NOW)
    add_texts(large, [TextRecord(f"t{i}", f"Text {i}", "reference") for i in range(64)], actor="ada", now=NOW)
    assert design(large, actor="ada", now=NOW).hits == 16
    counts = []
    for one in (study, large):
        with CaptureQueriesContext(connection) as queries:
            preflight(one)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_how_far_it_is_can_be_told(study: Study) -> None:
    told: list[tuple[int, int]] = []
    preflight(study, progress=lambda done, of: told.append((done, of)))
    assert told == [(2, 2)]


def test_publishing_asks_for_the_studys_name(
    study: Study, endpoint: Endpoint, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key
    monkeypatch.setattr("builtins.input", lambda _: "something else")
    with pytest.raises(CommandError, match="nothing was published"):
        call_command("publish", "headlines", stdout=io.StringIO())
    assert Intent.objects.count() == 0
    monkeypatch.setattr("builtins.input", lambda asked: "headlines" if "$2.40" in asked else "")
    out = io.StringIO()
    call_command("publish", "headlines", stdout=out)
    assert "2 HITs with 4 assignments: $2.00 in rewards and $0.40 in fees" in out.getvalue()
    assert Intent.objects.count() == 2


def test_a_marketplace_that_cannot_be_reached_is_one_error(study: Study, market: Market, monkeypatch: Any) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise MarketError("The marketplace could not be reached.", permanent=False)

    Study.objects.filter(pk=study.pk).update(mode=Study.Mode.LIVE)
    study.refresh_from_db()
    # As on a marketplace of our own, which is asked for its requester's name and its accounts, too.
    monkeypatch.setattr(market, "ours", True)
    for question in ("balance_cents", "requester", "count_workers"):
        monkeypatch.setattr(Market, question, unreachable)
    sentences = [error.sentence for error in preflight(study, market=market).errors]
    assert sentences.count("The marketplace could not be reached.") == 1
