"""The log of the draw comes to the requester, without anybody's id, and the report says how people were assigned."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.collecting.collect_draws import collect_draws
from annotation.collecting.parse_submissions import read
from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.design.presets import ArmPlan, CellPlan
from annotation.importing.add_texts import add_texts
from annotation.marketplace.assignments.accept_submit import return_assignment
from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, DrawEvent, StudyDraw, WorkerAccount
from annotation.models import DrawRecord, Study, WorkerIdentity
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.readers.records import TextRecord
from annotation.rehearsal.crowd.browser import Browser
from annotation.reports.draw_facts import draw_facts
from annotation.reports.gather import score
from annotation.reports.report_rows import assignments
from annotation.studies.create import Plan, create
from metrics import build_report
from metrics.report.record_codec import decode, encode
from metrics.report.records import ReportInput
from tests.annotation.conftest import NOW, told

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def two_cells(db: None) -> Study:
    """Two trainings, one HIT each, two places in each HIT."""
    plan = Plan(texts_per_hit=8, raters_per_text=2, reward_cents=50, once=True)
    words = default_wording("typicality")
    study = create("arms", mode="rehearsal", plan=plan, wording=words, actor="ada", now=NOW)
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(4)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(4)]
    add_texts(study, texts, actor="ada", now=NOW)
    cells = [CellPlan("none"), CellPlan("instructions")]
    arrange(study, [ArmPlan("none", 50), ArmPlan("instructions", 50)], cells, actor="ada", now=NOW)
    design(study, actor="ada", now=NOW)
    return study


@pytest.fixture
def drawn(two_cells: Study, endpoint: Endpoint, everybody_rates: Callable[..., None]) -> tuple[Study, Market]:
    """Two people have finished, one has left and one is inside."""
    market = Market(replace(endpoint, provider="assay"))
    publish(two_cells, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    everybody_rates("ann", "bob")
    for name in ("eve", "dan"):
        with Browser(told("create_worker", name)["sign_in_url"]) as browser:
            browser.accept(next(iter(browser.offers())))
        if name == "eve":
            return_assignment(Assignment.objects.get(state="Accepted"), now=clock.now())
    collect(two_cells, market=market, now=NOW)
    read(two_cells, now=NOW)
    two_cells.refresh_from_db()
    return two_cells, market


def test_every_line_is_stored_once_and_names_nobody(drawn: tuple[Study, Market]) -> None:
    study, market = drawn
    assert study.draw_seed == StudyDraw.objects.get().seed
    lines = list(DrawRecord.objects.order_by("number").values_list("number", "kind"))
    assert lines == list(DrawEvent.objects.order_by("number").values_list("number", "kind"))
    assert [kind for _, kind in lines] == ["drawn", "drawn", "drawn", "left", "drawn"]
    assert collect_draws(study, market=market) == 0
    people = set(DrawRecord.objects.values_list("person", flat=True))
    assert len(people) == 4
    assert not people & set(WorkerAccount.objects.values_list("worker_id", flat=True))
    # Who left without a submission has no row that leads to them.
    assert WorkerIdentity.objects.count() == 2


def test_people_are_counted_by_condition_and_stage(drawn: tuple[Study, Market]) -> None:
    study, _ = drawn
    facts = draw_facts(study, assignments(study))
    assert facts is not None
    assert facts.draws == 4
    assert [row.drawn for row in facts.conditions] == [row.left + row.inside + row.finished for row in facts.conditions]
    assert [sum(getattr(row, name) for row in facts.conditions) for name in ("left", "inside", "finished")] == [1, 1, 2]


def test_the_report_states_the_draw_and_keeps_it_when_it_is_read_back(drawn: tuple[Study, Market]) -> None:
    study, _ = drawn
    report_input = score(study)
    assert report_input.assignment == ""
    assert decode(ReportInput, json.loads(json.dumps(encode(report_input)))).draw == report_input.draw
    report = build_report(report_input)
    sentence = f"(4 draws, seed {study.draw_seed})"
    assert sentence in " ".join(report.methods)
    (section,) = [section for section in report.sections if section.key == "assignment"]
    assert sentence in section.lead[0]
    assert [table.name for table in section.tables] == ["assignment-stages", "drop-out"]
