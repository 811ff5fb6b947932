"""The ethics pack: each sentence states a stored fact, what is not known is asked for, and the files open."""

from __future__ import annotations

import io
import json
import re
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from string import Formatter
from typing import Any

import docx
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation import settings as conf
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Role, Study, WayIn
from annotation.reports.papers.ethics_pack import ethics_pack, gaps_of, pack_file, sentences_of
from annotation.reports.papers.pack_facts import PackFacts, facts_of, save_pack_answers
from annotation.reports.papers.pack_texts import ANSWER_KEYS, LANGUAGES, OPTIONAL, PLACES, QUESTIONS, TEXTS
from annotation.reports.papers.reading_level import reading_level
from annotation.studies.statements import state
from tests.annotation.api.conftest import Caller
from tests.annotation.conftest import NOW
from tests.annotation.review.factories import make

# Every fact known, each with a value that no other has.
FULL = PackFacts(
    texts_per_task=25,
    minutes=13,
    allowed_minutes=61,
    checks=2,
    reward_cents=425,
    hourly_cents=1961,
    currency="EUR",
    volunteers=False,
    approval_days=4,
    has_comments=True,
    retain_until=date(2027, 6, 30),
    device_days=91,
    on_prolific=True,
    has_withdrawal_code=True,
    sharing_question="I agree that my ratings are published.",
    contact="ada@example.org",
    ethics="Board of Example, 12/26.",
    sheet_version="1",
    answers={key: f"Words of {key}." for key in ANSWER_KEYS},
)
FURTHER = (
    FULL,
    replace(FULL, measured=True),
    replace(FULL, volunteers=True),
    replace(FULL, reward_cents=None, reward_range=(300, 475)),
    replace(FULL, texts_per_task=1, minutes=1, allowed_minutes=1, approval_days=1, device_days=1),
    replace(FULL, measured=True, minutes=1),
    replace(FULL, texts_per_task=None, pairs_per_task=1),
    replace(FULL, texts_per_task=None, pairs_per_task=12),
)
# Another value of each fact, as its type allows.
OTHER: dict[str, Any] = {
    "retain_until": date(2028, 1, 2),
    "currency": "JPY",
    "contact": "bob@example.org",
    "ethics": "None was needed.",
    "sheet_version": "7",
    "sharing_question": "I share.",
    "reward_range": (100, 200),
}


def planted(facts: PackFacts, path: str) -> list[PackFacts]:
    """The same facts, but for one: another value, or none."""
    head, _, key = path.partition(".")
    if head == "answers":
        rest = {name: text for name, text in facts.answers.items() if name != key}
        return [replace(facts, answers={**rest, key: "Other words."}), replace(facts, answers=rest)]
    value = getattr(facts, head)
    other = OTHER[head] if head in OTHER else not value if isinstance(value, bool) else (value or 0) + 1
    return [replace(facts, **{head: other}), replace(facts, **{head: None})]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.key)
def test_each_sentence_names_its_facts_and_changes_or_goes_with_each_of_them(text: Any) -> None:
    known = {field.name for field in fields(PackFacts)} | {f"answers.{key}" for key in ANSWER_KEYS}
    assert text.facts
    assert {*text.facts, *(path.removeprefix("!").partition("=")[0] for path in text.only_if)} <= known
    assert text.place in PLACES
    places = {
        language: {name for _, name, _, _ in Formatter().parse(text.words[language]) if name} for language in LANGUAGES
    }
    assert len({frozenset(names) for names in places.values()}) == 1
    for language in LANGUAGES:
        said = [(facts, words) for facts in FURTHER if (words := sentence(facts, text.key, language))]
        assert said, f"nothing calls for {text.key}"
        for path in text.facts:
            assert any(
                sentence(other, text.key, language) != words for facts, words in said for other in planted(facts, path)
            ), f"{text.key} does not state {path}"


def sentence(facts: PackFacts, key: str, language: str) -> str | None:
    return next((line.text for line in sentences_of(facts, language) if line.key == key), None)


def test_what_is_not_known_is_not_said_and_asked_for() -> None:
    said = sentences_of(PackFacts(), "en")
    # What is left holds for every study: it is what the software does.
    assert {fact for line in said for fact in line.facts} <= {"can_return", "pseudonyms", "can_show_person"}
    gaps = gaps_of(PackFacts())
    assert len(gaps) == len(QUESTIONS) - len(OPTIONAL) + 4
    assert gaps_of(FULL) == ()


def test_whether_answers_may_be_published_is_described_and_asked_or_neither() -> None:
    """What the sheet says of sharing and what the task page asks belong together."""
    silent = {key: text for key, text in FULL.answers.items() if key != "sharing"}
    assert [gap for gap in gaps_of(replace(FULL, answers=silent)) if "in which form" in gap]
    assert [gap for gap in gaps_of(replace(FULL, sharing_question=None)) if "does not ask it yet" in gap]
    assert gaps_of(replace(FULL, sharing_question=None, answers=silent)) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_single_one_is_written_as_the_language_does(language: str) -> None:
    """A text, a minute, a day: no figure 1 before a word in the plural."""
    single = replace(FULL, texts_per_task=1, minutes=1, allowed_minutes=1, approval_days=1, device_days=1)
    for facts in (single, replace(single, measured=True)):
        lines = [line for line in sentences_of(facts, language) if line.place != "who"]
        assert [line.text for line in lines if re.search(r"(?<![\d.,])1 \w", line.text)] == []
        stated = {fact for line in lines for fact in line.facts}
        assert {"texts_per_task", "minutes", "allowed_minutes", "approval_days", "device_days"} <= stated


@pytest.mark.parametrize(
    ("language", "pay", "day"),
    [
        ("en", "€4.25", "June 30, 2027"),
        ("de", "4,25\N{NO-BREAK SPACE}€", "30. Juni 2027"),
        ("es", "4,25\N{NO-BREAK SPACE}€", "30 de junio de 2027"),
    ],
)
def test_pay_and_dates_are_written_as_the_language_does(language: str, pay: str, day: str) -> None:
    text = " ".join(line.text for line in sentences_of(FULL, language))
    assert pay in text
    assert day in text
    assert not re.search(r"\{\w+\}|None", text)


def test_the_reading_level_is_that_of_its_definition() -> None:
    # Two sentences of three words; "elephant" and "watched" are long: 6/2 + 100 * 2/6.
    assert reading_level("The cat sat. The elephant watched.").lix == pytest.approx(3 + 100 / 3)
    assert reading_level(" … ") is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_own_sentences_are_easy_to_read(language: str) -> None:
    """LIX below 50: at most medium, where people's own answers are left out."""
    own = [line.text for line in sentences_of(replace(FULL, answers={}), language)]
    assert reading_level("\n".join(own)).lix < 50


@pytest.mark.django_db
def test_the_pack_of_a_study_is_of_its_facts_and_its_files_open(tmp_path: Path) -> None:
    study = make(workers=2)
    Study.objects.filter(pk=study.pk).update(currency="CHF", auto_approval_seconds=5 * 24 * 3600, retain_until=NOW)
    study.refresh_from_db()
    WayIn.objects.create(study=study, kind="prolific", pays="elsewhere", consent=True)
    state(study, "contact", "ada@example.org", actor="ada", now=NOW)
    facts = facts_of(study, "de")
    assert (facts.approval_days, facts.on_prolific, facts.contact) == (5, True, "ada@example.org")
    save_pack_answers(study, "de", {"risks": "Wir erwarten keine Risiken."}, actor="ada", now=NOW)
    path = tmp_path / "pack.docx"
    out = io.StringIO()
    call_command("ethics_pack", study.name, "--language", "de", "--out", str(path), stdout=out)
    told = json.loads(out.getvalue())
    text = "\n".join(line.text for line in docx.Document(str(path)).paragraphs)
    pack = ethics_pack(study, "de", now=NOW)
    assert [line.text for line in pack.sentences if line.text not in text] == []
    assert [gap for gap in told["to_answer"] if gap not in text] == []
    assert "Wir erwarten keine Risiken." in text
    assert pack.sha256 in text
    assert not any(gap.startswith("Risks") for gap in told["to_answer"])
    document = json.loads(pack_file(study, "de", "json", now=NOW))
    assert all(line["facts"] for line in document["sentences"])
    assert AuditEvent.objects.filter(study=study, verb="ethics_answers").get().facts["keys"] == ["risks"]
    with pytest.raises(StateError, match="no texts in 'fr'"):
        ethics_pack(study, "fr", now=NOW)
    with pytest.raises(CommandError, match="no format odt"):
        call_command("ethics_pack", study.name, "--out", str(tmp_path / "pack.odt"))


@pytest.mark.django_db
@pytest.mark.skipif(conf.chromium() is None, reason="CHROMIUM is not set")
def test_the_pack_prints_as_pdf() -> None:
    content = pack_file(make(workers=2), "es", "pdf", now=NOW)
    assert content.startswith(b"%PDF-")
    assert content == pack_file(Study.objects.get(), "es", "pdf", now=NOW)


def test_what_to_tell_a_board_fits_on_two_pages() -> None:
    page = Path(__file__).parents[4] / "docs" / "ethics.md"
    assert len(page.read_text(encoding="utf-8").split()) <= 900


@pytest.mark.django_db
def test_an_editor_answers_on_the_page_and_by_the_web_api() -> None:
    study = make(workers=2)
    editor, viewer = Caller("eva", study, Role.EDITOR), Caller("vic", study, Role.VIEWER)
    client = Client()
    client.force_login(editor.user)
    client.post(reverse("console:ethics-save", args=[study.uuid, "es"]), {"risks": "Ninguno."})
    page = client.get(reverse("console:ethics-language", args=[study.uuid, "es"])).content.decode()
    assert "<code>answers.risks</code>" in page
    assert client.get(reverse("console:ethics-language", args=[study.uuid, "fr"])).status_code == 404
    wish = {"answers": {"benefits": "Ninguno para usted."}}
    assert editor("patch", f"/studies/{study.uuid}/ethics/es", wish).status_code == 200
    told = viewer("get", f"/studies/{study.uuid}/ethics/es").json()
    assert {"Ninguno.", "Ninguno para usted."} <= {line["text"] for line in told["sentences"]}
    assert viewer("patch", f"/studies/{study.uuid}/ethics/es", wish).status_code == 403
    assert viewer("get", f"/studies/{study.uuid}/ethics/es/files/docx").status_code == 200
