"""The plan before the data: asked for, sealed by the first answer, amended, written for registries, reported."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import docx
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.collecting.collect import collect
from annotation.exceptions import StateError
from annotation.models import AuditEvent, PaperAnswers, Role, SealedPlan, Study
from annotation.mturk.client import Market
from annotation.reports.gather import score
from annotation.reports.papers.plan_items import FORMS, items_of, open_questions
from annotation.reports.papers.plan_paper import plan_file
from annotation.reports.take_snapshot import take
from annotation.studies.freeze_plan import amend_plan, save_answers, seal_plan
from annotation.studies.plan_document import KEYS, document_of, questions
from metrics.report.build import report_of
from metrics.report.sections import planned
from tests.annotation.api.conftest import Caller
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.test_channels import publish_now
from tests.annotation.review.factories import make

ANSWERS = {key: f"What we say of {key}." for key in KEYS}


def ask(study: Study, *words: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("preregister", study.name, *words, stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


@pytest.mark.django_db
@pytest.mark.parametrize("form", FORMS)
def test_each_item_of_a_form_is_filled_or_asked_for(form: str) -> None:
    study = make(workers=2)
    empty = items_of(document_of(study, {}), form)
    assert [item.title for item in empty if not item.text and not item.missing] == []
    asked = {key for item in empty for key in item.missing}
    assert asked == set(open_questions(document_of(study, {}))) - {*NOT_IN[form]}
    filled = items_of(document_of(study, ANSWERS), form)
    assert [item.title for item in filled if item.missing] == []
    # Each answer is in the form, once or more.
    text = "\n".join(item.text for item in filled)
    assert [key for key in KEYS if ANSWERS[key] not in text and key not in NOT_IN[form]] == []


# AsPredicted has no item for these.
NOT_IN = {"osf": (), "aspredicted": ("description", "blinding")}


@pytest.mark.django_db
def test_what_the_design_knows_is_not_asked() -> None:
    study = make(workers=2)
    study.compare_first, study.compare_second, study.compare_margin = "gpt2", "references", 0.3
    study.save()
    document = document_of(study, {})
    assert "primary" not in open_questions(document)
    text = {item.title: item.text for item in items_of(document, "osf")}
    assert "Main comparison: gpt2 against references." in text["Statistical models"]
    assert "Margin of equivalence of the main comparison: 0.3." in text["Inference criteria"]
    assert [question.key for question in questions(document)] == list(KEYS)
    assert text["Stopping rule"] == "Collection ends when each text has the planned number of raters."
    study.evaluators_per_cell = 5
    by_people = {item.title: item.text for item in items_of(document_of(study, {}), "osf")}
    assert by_people["Stopping rule"] == "Collection ends when each condition has the planned number of people."


@pytest.mark.django_db
def test_the_files_open_and_carry_the_digest_and_the_time(tmp_path: Path) -> None:
    study = make(workers=2)
    save_answers(study, ANSWERS, actor="ada", now=NOW)
    row = seal_plan(study, actor="ada", now=NOW)
    assert hashlib.sha256(row.document.encode()).hexdigest() == row.sha256
    told = ask(study, "--form", "osf", "--out", str(tmp_path / "plan.docx"))
    assert (told["version"], told["sha256"], told["to_answer"]) == (1, row.sha256, [])
    paragraphs = [line.text for line in docx.Document(str(tmp_path / "plan.docx")).paragraphs]
    assert any(row.sha256 in line for line in paragraphs)
    assert {item.title for item in items_of(json.loads(row.document), "osf")} <= set(paragraphs)
    text = plan_file(study, "aspredicted", "md", now=NOW).decode()
    assert f"{NOW:%Y-%m-%d %H:%M} UTC" in text
    assert ANSWERS["hypotheses"] in text
    content = json.loads(plan_file(study, "osf", "json", now=NOW))
    assert hashlib.sha256(content["document"].encode()).hexdigest() == content["sha256"] == row.sha256
    # Another day, the same bytes.
    later = NOW + timedelta(days=9)
    assert plan_file(study, "osf", "docx", now=NOW) == plan_file(study, "osf", "docx", now=later)
    with pytest.raises(CommandError, match="no format pdf"):
        ask(study, "--out", str(tmp_path / "plan.pdf"))


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_first_answer_seals_the_plan_as_it_is_then(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    save_answers(study, {"hypotheses": "People cannot tell."}, actor="ada", now=NOW)
    publish_now(study, market)
    collect(study, market=market, now=NOW)
    assert not SealedPlan.objects.exists()
    everybody_rates("ann")
    collect(study, market=market, now=NOW)
    row = SealedPlan.objects.get()
    assert (row.number, row.submissions, row.reason, row.actor) == (1, 0, "first answer", "collect")
    assert json.loads(row.document)["answers"] == {"hypotheses": "People cannot tell."}
    everybody_rates("bob")
    collect(study, market=market, now=NOW)
    assert SealedPlan.objects.count() == 1
    with pytest.raises(StateError, match="The plan is sealed"):
        save_answers(study, {"hypotheses": "People can tell."}, actor="ada", now=NOW)
    # Behind the verbs, the database refuses it too.
    for change in (
        lambda: PaperAnswers.objects.update(answers={"hypotheses": "People can tell."}),
        lambda: SealedPlan.objects.update(document="{}"),
        lambda: PaperAnswers.objects.create(study=study, paper="plan", language="de"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
    amended = amend_plan(study, {"hypotheses": "People can tell."}, reason="A pilot.", actor="ada", now=NOW)
    assert (amended.number, amended.submissions) == (2, 4)
    assert json.loads(SealedPlan.objects.get(number=1).document)["answers"] == {"hypotheses": "People cannot tell."}
    assert [event.verb for event in study.audit.filter(verb__endswith="_plan").order_by("number")] == [
        "seal_plan",
        "amend_plan",
    ]
    assert AuditEvent.objects.first_broken(study) is None


@pytest.mark.django_db
def test_an_amendment_needs_a_reason_and_a_difference() -> None:
    study = make(workers=2)
    with pytest.raises(StateError, match="not sealed yet"):
        amend_plan(study, {"other": "x"}, reason="why", actor="ada", now=NOW)
    seal_plan(study, actor="ada", now=NOW)
    with pytest.raises(StateError, match="sealed already"):
        seal_plan(study, actor="ada", now=NOW)
    with pytest.raises(StateError, match="Enter why the plan changes"):
        amend_plan(study, {"other": "x"}, reason=" ", actor="ada", now=NOW)
    with pytest.raises(StateError, match="Nothing differs"):
        amend_plan(study, {}, reason="why", actor="ada", now=NOW)
    with pytest.raises(StateError, match="no item called hypothesis"):
        amend_plan(study, {"hypothesis": "x"}, reason="why", actor="ada", now=NOW)


@pytest.mark.django_db
def test_the_report_shows_planned_and_done() -> None:
    study = make(workers=3, texts=4)
    texts = str(study.texts.count())
    save_answers(study, {"hypotheses": "People cannot tell."}, actor="ada", now=NOW)
    assert score(study).plan is None or score(study).plan.sealed is None
    seal_plan(study, actor="ada", now=NOW)
    amend_plan(study, {"other": "A fifth text."}, reason="One text was lost.", actor="ada", now=NOW)
    report = report_of(take(study, actor="ada", reason="report", now=NOW))
    section = next(section for section in report.sections if section.key == planned.SECTIONS[0].key)
    rows = {row[0]: row[1:] for row in section.tables[0].rows}
    assert rows["Texts"] == (texts, texts, "yes")
    assert rows["Raters per text"] == (str(study.raters_per_text), "3", "no")
    assert section.tables[1].rows[-1] == ("Hypotheses", "People cannot tell.")
    assert section.tables[2].rows[0][2] == "One text was lost."
    assert any("raters per text" in sentence for sentence in section.lead)


@pytest.mark.django_db
def test_an_editor_plans_on_the_page_and_by_the_web_api() -> None:
    study = make(workers=2)
    editor, viewer = Caller("eva", study, Role.EDITOR), Caller("vic", study, Role.VIEWER)
    client = Client()
    client.force_login(editor.user)
    page = reverse("console:plan", args=[study.uuid])
    client.post(reverse("console:plan-save", args=[study.uuid]), {"hypotheses": "A is better."})
    assert "A is better." in client.get(page).content.decode()
    assert (
        editor("patch", f"/studies/{study.uuid}/registration", {"answers": {"analyses": "A t-test."}}).status_code
        == 200
    )
    assert editor("post", f"/studies/{study.uuid}/registration/seal").status_code == 200
    wish = {"answers": {"analyses": "A sign test."}}
    assert editor("patch", f"/studies/{study.uuid}/registration", wish).status_code == 409
    refused = client.post(reverse("console:plan-save", args=[study.uuid]), {"analyses": "A sign test."})
    assert refused.status_code == 422
    client.post(reverse("console:plan-save", args=[study.uuid]), {"analyses": "A sign test.", "reason": "Ties."})
    told = viewer("get", f"/studies/{study.uuid}/registration").json()
    assert [version["reason"] for version in told["versions"]] == ["", "Ties."]
    assert told["document"]["answers"]["analyses"] == "A sign test."
    assert viewer("get", f"/studies/{study.uuid}/registration/osf.md").status_code == 200
    assert viewer("post", f"/studies/{study.uuid}/registration/seal").status_code == 403
