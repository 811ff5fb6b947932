"""The form of the task text: every word by a field, follow-ups as in the paper, a file for whoever prefers one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from annotation.design.criteria import FollowUp
from annotation.design.kinds import default_wording
from annotation.design.presets import CLARK
from annotation.design.wording import Wording, as_json, from_json
from annotation.models import Role, Study
from annotation.studies.create import Plan, create, reword
from tests.annotation.conftest import NOW
from tests.annotation.console.factories import csv

pytestmark = pytest.mark.django_db
SURE = "Definitely human-written"


@pytest.fixture
def editor(person: Callable[..., Client], study: Study) -> Client:
    return person(Role.EDITOR)


def of(study: Study, wording: Wording) -> Study:
    Study.objects.filter(pk=study.pk).update(task=wording.kind)
    study.refresh_from_db()
    reword(study, wording, now=NOW)
    return study


def words(study: Study) -> Wording:
    return from_json(study.wordings.latest("version").body)


def sent(client: Client, study: Study, **changes: Any) -> str:
    """Send the form as its page shows it, with changes (None: not sent); what the page that follows says."""
    address = reverse("console:design-wording", args=[study.uuid])
    page = html.fromstring(client.get(address).content)
    form = next(one for one in page.forms if "title" in one.fields)
    values: dict[str, Any] = {}
    for name, value in form.form_values():
        values.setdefault(name, []).append(value)
    values = {name: value for name, value in (values | changes).items() if value is not None}
    answer = client.post(address, values, follow=True)
    return " ".join(html.fromstring(answer.content).text_content().split())


@pytest.mark.parametrize("kind", ["typicality", "human_or_machine", "likert", "pairwise"])
def test_a_form_that_is_sent_as_it_came_changes_nothing(study: Study, editor: Client, kind: str) -> None:
    wording = default_wording(kind, noun="headline")
    of(study, wording)
    before = study.wordings.count()
    assert "Task text saved" in sent(editor, study)
    assert as_json(words(study)) == as_json(wording)
    assert study.wordings.count() == before


def test_follow_ups_are_chosen_as_in_the_paper(study: Study, editor: Client) -> None:
    of(study, CLARK.wording)
    sent(
        editor,
        study,
        follow_1_kind="reason",
        follow_1_min="20",
        follow_2_kind="change",
        follow_2_required=None,
        follow_3_kind="study",
        follow_3_text="Where did you stop?",
        follow_3_when=["2", "3"],
    )
    rest = tuple(label for label, _, _ in CLARK.wording.criteria[0].labels[1:])
    assert words(study).follow_ups == (
        FollowUp("why", "Why did you select this rating?", (SURE,), 20, True),
        FollowUp("change", "What would you change to make it seem more human-like?", rest, 10, False),
        FollowUp("follow_up_1", "Where did you stop?", rest[1:], 0, True),
    )
    sent(editor, study, follow_1_kind="", follow_3_kind="")
    assert [follow_up.name for follow_up in words(study).follow_ups] == ["change"]


def test_a_follow_up_keeps_its_answers_where_a_label_is_renamed(study: Study, editor: Client) -> None:
    of(study, CLARK.wording)
    lines = "\n".join(" | ".join(row) for row in CLARK.wording.criteria[0].labels)
    sent(editor, study, labels=lines.replace(SURE, "Surely a person"))
    assert words(study).follow_ups[0].when == ("Surely a person",)


def test_questions_of_a_likert_task_are_added_and_removed(study: Study, editor: Client) -> None:
    of(study, default_wording("likert"))
    sent(editor, study, question_3="It is kind.", question_2="")
    wording = words(study)
    assert [criterion.question for criterion in wording.criteria] == ["It reads well.", "It is kind."]
    assert wording.criteria[1].labels == wording.criteria[0].labels
    assert len({criterion.name for criterion in wording.criteria}) == 2


def test_small_words_and_the_name_of_texts_are_fields(study: Study, editor: Client) -> None:
    sent(editor, study, button_next="Weiter", language="de", noun="Satz", nouns="Sätze", noun_with_article="einen Satz")
    wording = words(study)
    assert (wording.buttons.next, wording.buttons.back, wording.language) == ("Weiter", "Back", "de")
    assert "mark einen Satz down" in wording.fill_nouns(wording.unknown_clause)


def test_a_file_of_all_words_goes_out_and_comes_in(editor: Client) -> None:
    studies = [
        create(name, mode="rehearsal", plan=Plan(), wording=wording, actor="ada", now=NOW)
        for name, wording in (("from", CLARK.wording), ("to", default_wording("human_or_machine", noun="tale")))
    ]
    for study in studies:
        study.memberships.create(user_id=editor.session["_auth_user_id"], role=Role.EDITOR)
    body = editor.get(reverse("console:design-wording-file", args=[studies[0].uuid])).content.decode()
    editor.post(reverse("console:design-wording-upload", args=[studies[1].uuid]), {"file": csv(body, "words.json")})
    assert words(studies[1]) == CLARK.wording
