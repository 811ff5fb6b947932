"""A list of completion codes that runs out: what the person reads who finishes then, and what the requester reads."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from lxml import html

from annotation.models import Role, Study
from annotation.mturk.channels import ChannelRecord
from annotation.mturk.client import Market
from annotation.recruiting.queries import channels_of
from tests.annotation.api.conftest import Caller
from tests.annotation.console.factories import csv
from tests.annotation.recruiting.test_channels import publish_now
from tests.annotation.recruiting.test_three_ways import at, by_settings, console
from tests.marketplace.channels.guests import Comer
from tests.marketplace.channels.guests import Guest as Visitor

pytestmark = pytest.mark.django_db(transaction=True)
Opened = Callable[..., ChannelRecord]
__all__ = ["by_settings"]


def finish(visitor: Visitor, link: str) -> str:
    """Take part to the end; the last page."""
    person = visitor.enter(link)
    assert isinstance(person, Comer)
    while offers := person.offers():
        person.do({"HITId": offers[0]})
    return re.sub(r"\s+", " ", html.fromstring(person.get("/hits/end/").text).text_content())


def page_text(answer: Any) -> str:
    return re.sub(r"\s+", " ", html.fromstring(answer.content).text_content())


@pytest.mark.database
def test_who_finishes_without_a_code_keeps_place_and_proof_and_the_requester_is_asked(
    live: Study, ours: Market, opened: Opened, visitor: Callable[[], Visitor]
) -> None:
    channel = opened(
        "link", codes=("FIRST-1",), contact="ada@example.org", places=2, pays="voucher", pay_words="5 euros"
    )
    publish_now(live, ours)
    editor = console(live, Role.EDITOR)
    page = at(live, "recruit-channel", channel.channel_id)
    assert "1 completion code is left. Add codes before they run out." in page_text(editor.get(page))
    needs = at(live, "recruit-needs")
    assert f'hx-get="{needs}"' in editor.get(at(live, "progress")).content.decode()
    assert "Needs you" not in page_text(editor.get(needs))
    pages = [finish(visitor(), channel.link) for _ in range(2)]
    assert ["FIRST-1" in text for text in pages] == [True, False]
    assert "All your answers are recorded. There is nothing more to do." in pages[1]
    assert (
        "The codes of this study have run out. This code of your own proves that you took part: please send it to "
        "ada@example.org." in pages[1]
    )
    (stored,) = channels_of(live, ours)
    assert (stored.funnel.began, stored.funnel.finished, stored.codes_left, stored.codes_missing) == (2, 2, 0, 1)
    asks = "Needs you: 1 person finished when no completion code was left. The answers are recorded."
    assert asks in page_text(editor.get(page))
    assert asks in page_text(editor.get(needs))
    assert needs not in console(live, Role.VIEWER).get(at(live, "progress")).content.decode()
    out = io.StringIO()
    call_command("recruit", "headlines", "status", stdout=out)
    assert "codes left 0, finished without a code 1" in out.getvalue()


def test_codes_are_pasted_or_come_in_a_file_and_repeats_are_named_by_row(
    live: Study, ours: Market, opened: Opened
) -> None:
    channel = opened("link", pays="credit")
    editor = console(live, Role.EDITOR)
    page = at(live, "recruit-codes", channel.channel_id)
    faulty = [
        ({"codes": "A-1\n\nB-2\nA-1\n"}, "codes", "Row 4: the same code as in row 1."),
        (
            {"file": csv("A-1\nB 2\n")},
            "file",
            "Row 2: a completion code has 1 to 100 characters,",
        ),
        ({"codes": "", "file": ""}, "codes", "Paste at least one code, or choose a file."),
        ({"codes": "A-1", "file": csv("B-2\n")}, "file", "Paste the codes or choose a file, not both."),
    ]
    for sent, field, sentence in faulty:
        answer = editor.post(page, sent)
        assert answer.status_code == 422
        assert sentence in html.fromstring(answer.content).xpath(f"//ul[@id='id_{field}_error']")[0].text_content()
        assert channels_of(live, ours)[0].codes_left is None
    assert "Saved. 2 codes are left." in page_text(editor.post(page, {"codes": "A-1\r\nB-2\r\n"}, follow=True))
    # One that the list has already stays one.
    assert "Saved. 3 codes are left." in page_text(editor.post(page, {"file": csv("B-2\nC-3\n")}, follow=True))
    fixed = editor.post(
        at(live, "recruit-edit", channel.channel_id), {"pays": "credit", "version": "1", "completion_code": "ONE"}
    )
    assert "A channel has one fixed completion code or a list of codes" in fixed.content.decode()


def test_a_channel_opens_with_a_list_of_codes_or_not_at_all(live: Study, ours: Market, tmp_path: Any) -> None:
    owner, program = console(live), Caller("pam", live, Role.OWNER)
    page, path = at(live, "recruit-new", "link"), f"/studies/{live.uuid}/channels"
    values = {"pays": "credit", "shown_name": "Ada", "codes": "A-1\nA-1"}
    assert "Row 2: the same code as in row 1." in page_text(owner.post(page, values))
    refused = program("post", path, {"kind": "link", "codes": ["A-1", "A-1"]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "codes")
    codes = tmp_path / "codes.txt"
    codes.write_text("A-1\nA-1\n", encoding="utf-8")
    with pytest.raises(CommandError, match="Row 2: the same code as in row 1"):
        call_command("recruit", "headlines", "link", "--codes", str(codes), stdout=io.StringIO())
    assert channels_of(live, ours) == []
    assert owner.post(page, {**values, "codes": "A-1\nB-2"}).status_code == 302
    live.refresh_from_db()
    assert channels_of(live, ours)[0].codes_left == 2
