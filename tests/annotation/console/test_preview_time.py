"""From a preview that a researcher answered to minutes, pay and price in the design, to the cent."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.design.preview_time import preview_time_of, record_preview_time
from annotation.design.wording import from_json
from annotation.exceptions import DesignError, StateError
from annotation.hits import wording_preview
from annotation.hits.wording_preview import edited_address
from annotation.importing.add_texts import add_texts
from annotation.models import Study
from annotation.readers.records import TextRecord
from annotation.studies.create import Plan, create, reword
from tests.annotation.console.conftest import NOW
from tests.annotation.console.test_drafts import at, filled

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(person: Any) -> Client:
    return person("owner")


@pytest.fixture
def with_texts(study: Study, owner: Client) -> Study:
    records = [TextRecord(f"t{at}", f"A council heard resident {at}", "reference") for at in range(20)]
    add_texts(study, records, actor="owner", now=NOW)
    return study


def answered(study: Study, milliseconds: tuple[str, ...]) -> html.HtmlElement:
    """The page that shows what two texts of the study took, which anybody with the address of the preview gets."""
    stored = study.wordings.last()
    address = urlsplit(edited_address(stored, from_json(stored.body)))
    sent = {f"active-ms-{at}": each for at, each in enumerate(milliseconds)}
    where = f"{address.path}mturk/externalSubmit"
    return html.fromstring(Client(HTTP_HOST=address.hostname).post(where, sent).content)


def press(page: html.HtmlElement, study: Study, client: Client) -> Any:
    """What the button beside the preview gets, with what the page of answers sent to the console."""
    message = re.search(r'previewTime: "([^"]+)"', page.xpath("//script/text()")[-1])
    assert message is not None
    return client.post(at(study, "design-preview-time"), {"receipt": message[1]})


def test_minutes_and_price_follow_from_the_time_of_the_preview(with_texts: Study, owner: Client) -> None:
    page = answered(with_texts, ("20000", "28000"))
    assert preview_time_of(with_texts) is None
    pressed = press(page, with_texts, owner)
    assert "Time stored: 2 answered, median 24 s each." in " ".join(pressed.content.decode().split())
    stored = preview_time_of(with_texts)
    assert stored is not None
    assert (stored.actor, stored.answered, stored.median_seconds) == ("owner", 2, 24.0)
    bill = html.fromstring(owner.get(at(with_texts, "design")).content).get_element_by_id("bill")
    # 20 texts x 24 s and a minute of instructions are 9 minutes; at $15.00 an hour they are $2.25.
    said = " ".join(bill.text_content().split())
    assert "owner answered the preview on" in said
    assert "(2 answered, median 24 s each). At this pace a task takes 9 minutes" in said
    assert "A person who knows the task may be faster or slower than a participant." in said
    assert "Pay $2.25 per task" in said
    owner.post(at(with_texts, "design-save"), filled(with_texts, raters_per_text="5", pay_minimum="1"))
    with_texts.refresh_from_db()
    assert with_texts.reward_cents == 225
    said = " ".join(html.fromstring(owner.get(at(with_texts, "design")).content).text_content().split())
    assert "$11.25" in said  # five places in one task, no fee
    assert "$15.00" in said
    assert "Pay $2.25 per task" not in said


def test_a_time_is_of_the_questions_that_were_answered(with_texts: Study, owner: Client) -> None:
    press(answered(with_texts, ("20000", "28000")), with_texts, owner)
    body = dict(with_texts.wordings.last().body)
    body["criteria"] = [{**body["criteria"][0], "name": "clarity"}]
    reword(with_texts, from_json(body), actor="owner", now=NOW)
    assert preview_time_of(with_texts) is None


def test_only_an_editor_who_is_signed_in_stores_a_time_within_a_day(
    with_texts: Study, owner: Client, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = answered(with_texts, ("20000", "28000"))
    assert not page.xpath("//form")
    other_study = create("others", mode="rehearsal", plan=Plan(), owner=User.objects.get(), actor="owner", now=NOW)
    assert press(page, with_texts, Client()).status_code == 302
    assert press(page, with_texts, person("reviewer")).status_code == 403
    assert press(page, other_study, owner).status_code == 404
    with monkeypatch.context() as later:
        later.setattr(wording_preview, "MAX_RECEIPT_SECONDS", -1)
        assert press(page, with_texts, owner).status_code == 404
    assert preview_time_of(with_texts) is None
    assert press(page, with_texts, person("editor")).status_code == 200
    assert preview_time_of(with_texts).actor == "editor"
    assert wording_preview.read_receipt("forged") is None
    once: dict[str, Any] = {
        "answered": 2,
        "median_seconds": 3.0,
        "questions": ["typicality"],
        "actor": "owner",
        "now": timezone.now(),
    }
    with pytest.raises(DesignError):
        record_preview_time(with_texts, **{**once, "median_seconds": 0.0})
    with_texts.status = "published"
    with_texts.save()
    assert "The time was not stored" in press(page, with_texts, owner).content.decode()
    with pytest.raises(StateError):
        record_preview_time(with_texts, **once)


def test_a_page_that_measured_no_time_offers_nothing_to_store(with_texts: Study) -> None:
    page = answered(with_texts, ())
    assert not page.xpath("//script[contains(., 'previewTime')]")
    assert "Nothing was stored." in page.text_content()
