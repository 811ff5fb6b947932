"""The training page: items by forms and by a file, without script; what is shown of them, and to whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as conf
from django.test import Client
from django.urls import reverse
from lxml import html

from annotation.design.arrange_cells import arrange
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import from_json
from annotation.importing.add_texts import add_texts
from annotation.models import Role, Study
from annotation.readers.records import TextRecord
from tests.annotation.conftest import NOW
from tests.annotation.console.factories import csv

pytestmark = pytest.mark.django_db
ITEMS = """training,text,source,human,machine,context,explanation
instructions,Read to the end.,,,,,
examples,"A text, of mine",machine,,,,It stops short.
comparison,,,By me,By it,,{machine} says little.
"""


@pytest.fixture
def editor(person: Callable[..., Client], study: Study) -> Client:
    arrange(study, [ArmPlan("comparison", 50)], [CellPlan("comparison")], actor="ada", now=NOW)
    return person(Role.EDITOR)


def at(study: Study, name: str = "", *more: Any) -> str:
    return reverse(f"console:design-training{name and '-' + name}", args=[study.uuid, *more])


def seen(client: Client, address: str) -> html.HtmlElement:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.fromstring(answer.content)


def pressed(client: Client, page: html.HtmlElement, text: str, **fields: Any) -> html.HtmlElement:
    """Press the first button that begins with `text`, in its form, and go where it leads."""
    button = next(one for one in page.iter("button") if one.text_content().strip().startswith(text))
    form = next(one for one in button.iterancestors() if one.tag == "form")
    values = {name: value for name, value in form.form_values() if name != "csrfmiddlewaretoken"}
    if button.get("name"):
        values[button.get("name")] = button.get("value")
    answer = client.post(form.get("action") or "", {**values, **fields}, follow=True)
    assert answer.status_code == 200, answer.content.decode()[-3000:]
    return html.fromstring(answer.content)


def cards(page: html.HtmlElement, arm: str) -> list[str]:
    return [" ".join(one.text_content().split()) for one in page.xpath(f"//section[@id='{arm}']//li")]


def texts(study: Study, arm: str) -> list[str]:
    training = from_json(study.wordings.latest("version").body).training
    return [getattr(item, "human", getattr(item, "text", item)) for item in getattr(training, arm)]


def test_a_file_of_all_trainings_is_two_actions_and_can_be_undone(study: Study, editor: Client) -> None:
    page = seen(editor, at(study))
    assert "Training “comparison” has no items. Add them." in page.text_content()
    answer = editor.post(at(study, "import"), {"file": csv(ITEMS), "how": "replace"})
    assert answer["location"].startswith(at(study))
    page = seen(editor, answer["location"])
    assert "The items of the file are saved." in page.text_content()
    assert "“First” says little." in cards(page, "comparison")[0]
    assert "“Second” says little." in cards(page, "comparison")[0]
    assert [texts(study, arm) for arm in ("instructions", "examples", "comparison")] == [
        ["Read to the end."],
        ["A text, of mine"],
        ["By me"],
    ]
    exported = editor.get(at(study, "export", "csv"))
    assert exported.content.decode("utf-8-sig").replace("\r\n", "\n") == ITEMS
    pressed(editor, page, "Undo")
    assert texts(study, "examples") == []


def test_a_file_is_checked_against_the_texts_of_the_study_before_it_is_saved(study: Study, editor: Client) -> None:
    add_texts(study, [TextRecord("t1", "by  ME", "reference")], actor="ada", now=NOW)
    answer = editor.post(at(study, "import"), {"file": csv(ITEMS), "how": "replace"})
    assert "Pair 1 of the training “comparison” is also a text of the study (t1)" in answer.content.decode()
    assert study.wordings.count() == 1


def test_each_problem_of_a_file_is_a_sentence_of_its_own(study: Study, editor: Client) -> None:
    answer = editor.post(at(study, "import"), {"file": csv("training;text\nexamples;x\nfoo;y\n"), "how": "replace"})
    assert [one.text for one in html.fromstring(answer.content).xpath("//ul[@class='errorlist']/li")] == [
        "texts.csv, row 2, column 'source': must be human or machine; it is empty.",
        "texts.csv, row 2, column 'explanation': must not be empty.",
        "texts.csv, row 3, column 'training': must be one of instructions, examples, comparison, not 'foo'.",
    ]
    assert study.wordings.count() == 1


def test_items_are_moved_deleted_and_brought_back_without_script(study: Study, editor: Client) -> None:
    for text in ("first", "second", "third"):
        editor.post(at(study, "add", "instructions"), {"text": text})
    page = pressed(editor, seen(editor, at(study)), "Move down")
    assert texts(study, "instructions") == ["second", "first", "third"]
    page = pressed(editor, page, "Delete instructions 1")
    assert texts(study, "instructions") == ["first", "third"]
    pressed(editor, page, "Undo")
    assert texts(study, "instructions") == ["second", "first", "third"]


def test_two_who_change_items_do_not_undo_each_other(study: Study, editor: Client) -> None:
    for text in ("first", "second"):
        editor.post(at(study, "add", "instructions"), {"text": text})
    page = seen(editor, at(study, "edit", "instructions", 1))
    editor.post(at(study, "move", "instructions", 1), {"down": "1"})
    answer = editor.post(
        at(study, "edit", "instructions", 1), {"text": "mine", "version": page.forms[-1].fields["version"]}
    )
    assert answer.status_code == 422
    assert "was changed meanwhile" in answer.content.decode()
    assert "mine" in answer.content.decode()
    assert texts(study, "instructions") == ["second", "first"]


def test_the_preview_shows_both_sides_from_the_host_of_tasks(study: Study, editor: Client, client: Client) -> None:
    editor.post(
        at(study, "add", "comparison"), {"human": "By me", "machine": "By it", "explanation": "{human} thinks."}
    )
    shown = []
    for query in ("", "?side=machine&width=desk"):
        frame = seen(editor, at(study, "preview", "comparison") + query).find(".//iframe")
        assert "allow-same-origin" not in frame.get("sandbox")
        address = urlsplit(frame.get("src"))
        page = html.fromstring(client.get(address.path, headers={"host": urlsplit(conf.HIT_ORIGIN).netloc}).content)
        shown.append([one.text_content() for one in page.find_class("pair")[0].find_class("text")])
        assert page.find_class("answer")[0].text_content().strip() == f"“{'Second' if query else 'First'}” thinks."
    assert shown == [["By me", "By it"], ["By it", "By me"]]
    assert (
        client.get("/pages/training/1-comparison-0.x/", headers={"host": urlsplit(conf.HIT_ORIGIN).netloc}).status_code
        == 404
    )


def test_a_published_study_shows_its_items_and_offers_no_change(study: Study, editor: Client) -> None:
    editor.post(at(study, "add", "instructions"), {"text": "Read."})
    Study.objects.update(status="published")
    page = seen(editor, at(study))
    assert cards(page, "instructions") == ["Read."]
    assert [one.text for one in page.findall(".//main//button")] == []
    answer = editor.post(at(study, "remove", "instructions", 1))
    assert answer.status_code == 409
    assert "can no longer change" in answer.content.decode()


def test_a_viewer_reads_items_and_changes_none(study: Study, editor: Client, person: Callable[..., Client]) -> None:
    editor.post(at(study, "add", "instructions"), {"text": "Read."})
    viewer = person(Role.VIEWER)
    page = seen(viewer, at(study))
    assert cards(page, "instructions") == ["Read."]
    assert page.findall(".//main//button") == []
    for name, arm in (("add", "instructions"), ("import", None)):
        assert viewer.get(at(study, name, *([arm] if arm else []))).status_code == 403
    assert viewer.post(at(study, "remove", "instructions", 1)).status_code == 403
    for arm, number in (("none", 1), ("instructions", 2)):
        assert editor.get(at(study, "edit", arm, number)).status_code == 404
