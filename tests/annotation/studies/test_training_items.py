"""Training items of a draft: changed one by one or by a file, checked before publishing, fixed afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotation.design.arrange_cells import arrange
from annotation.design.kinds import default_wording
from annotation.design.lay_out import design
from annotation.design.presets import CLARK, ArmPlan, CellPlan
from annotation.design.wording import Practice, PracticePair, Training, Wording, from_json
from annotation.exceptions import AssayError, ChangedError, DesignError, StateError
from annotation.importing.add_texts import add_texts
from annotation.models import Study
from annotation.readers.records import TextRecord
from annotation.studies import change_training
from annotation.studies.check_training import check_training
from annotation.studies.create import Plan, create, reword
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db
BY: dict[str, Any] = {"actor": "ada", "now": NOW}
PAIR = PracticePair("The harbor froze.", "The harbor harbor froze.", "{machine} repeats itself.")
EXAMPLE = Practice("A whole thought.", "human", "It ends somewhere.")


@pytest.fixture
def draft(db: None) -> Study:
    study = create("trained", mode="rehearsal", plan=Plan(texts_per_hit=2), wording=CLARK.wording, actor="ada", now=NOW)
    add_texts(study, [TextRecord(f"t{i}", f"Text {i} of all", "reference") for i in range(4)], actor="ada", now=NOW)
    arms = ("instructions", "examples", "comparison")
    arrange(study, [ArmPlan(arm, 175) for arm in arms], [CellPlan(arm) for arm in arms], actor="ada", now=NOW)
    return study


def wording_of(study: Study) -> Wording:
    return from_json(study.wordings.latest("version").body)


def examples(study: Study) -> list[str]:
    return [example.text for example in wording_of(study).training.examples]


def practice(text: str) -> Practice:
    return Practice(text, "machine", "So it is.")


def faults(study: Study) -> list[tuple[str, str, str, int]]:
    return [(one.level, one.rule, one.arm, one.number) for one in check_training(study, wording_of(study))]


def test_items_are_added_moved_edited_and_removed_in_versions(draft: Study) -> None:
    for text in ("one", "two", "three"):
        change_training.add_item(draft, "examples", practice(text), **BY)
    change_training.move_item(draft, "examples", 3, to=1, **BY)
    assert examples(draft) == ["three", "one", "two"]
    change_training.replace_item(draft, "examples", 2, practice("1"), **BY)
    stored = change_training.remove_item(draft, "examples", 3, **BY)
    assert examples(draft) == ["three", "1"]
    assert stored.version == 7
    assert [event.facts["change"] for event in draft.audit.filter(verb="change_training").order_by("number")] == [
        "add examples",
        "add examples",
        "add examples",
        "move examples 3 to 1",
        "edit examples 2",
        "remove examples 3",
    ]


def test_a_removed_item_comes_back_and_later_words_stay(draft: Study) -> None:
    before = change_training.add_item(draft, "examples", EXAMPLE, **BY).version
    change_training.remove_item(draft, "examples", 1, **BY)
    reword(draft, replace(wording_of(draft), heading="Who wrote it?"), **BY)
    change_training.restore_items(draft, before, **BY)
    assert examples(draft) == [EXAMPLE.text]
    assert wording_of(draft).heading == "Who wrote it?"


@pytest.mark.parametrize(
    "change",
    [
        lambda study: change_training.add_item(study, "none", "x", **BY),
        lambda study: change_training.add_item(study, "examples", "x", **BY),
        lambda study: change_training.remove_item(study, "examples", 1, **BY),
        lambda study: change_training.move_item(study, "instructions", 1, to=5, **BY),
        lambda study: change_training.move_item(study, "instructions", 1, to=0, **BY),
        lambda study: change_training.import_items(study, Training(), **BY),
    ],
)
def test_a_change_that_cannot_be_made_leaves_no_version(draft: Study, change: Callable[[Study], object]) -> None:
    with pytest.raises(DesignError):
        change(draft)
    assert draft.wordings.count() == 1


def test_who_edits_what_another_has_changed_is_refused(draft: Study) -> None:
    change_training.add_item(draft, "examples", EXAMPLE, **BY)
    with pytest.raises(ChangedError, match="version 2 is in use"):
        change_training.remove_item(draft, "instructions", 1, version=1, **BY)
    assert len(wording_of(draft).training.instructions) == 4


def test_a_file_replaces_the_trainings_that_it_has_and_no_other(draft: Study) -> None:
    change_training.add_item(draft, "examples", EXAMPLE, **BY)
    change_training.import_items(draft, Training(examples=(practice("new"),), comparison=(PAIR,)), **BY)
    training = wording_of(draft).training
    assert (examples(draft), training.comparison) == (["new"], (PAIR,))
    assert training.instructions == CLARK.wording.training.instructions
    change_training.import_items(draft, Training(examples=(EXAMPLE,)), append=True, **BY)
    assert examples(draft) == ["new", EXAMPLE.text]


def test_tasks_of_a_draft_get_the_new_items_and_published_ones_keep_theirs(draft: Study) -> None:
    change_training.import_items(draft, Training(examples=(EXAMPLE,), comparison=(PAIR,)), **BY)
    design(draft, actor="ada", now=NOW)
    latest = change_training.add_item(draft, "examples", practice("more"), **BY)
    assert set(draft.hits.values_list("wording__version", flat=True)) == {latest.version}
    Study.objects.update(status="published")
    with pytest.raises(StateError, match="can no longer change"):
        change_training.add_item(draft, "examples", practice("too late"), **BY)
    assert draft.wordings.latest("version").version == latest.version


def test_tasks_with_older_words_keep_them(draft: Study) -> None:
    """Only the items move: other words of these tasks would change as well."""
    change_training.import_items(draft, Training(examples=(EXAMPLE,), comparison=(PAIR,)), **BY)
    design(draft, actor="ada", now=NOW)
    reword(draft, replace(wording_of(draft), heading="Who wrote it?"), **BY)
    change_training.add_item(draft, "examples", practice("more"), **BY)
    assert set(draft.hits.values_list("wording__version", flat=True)) == {2}


def test_the_check_finds_what_is_missing_named_or_judged(draft: Study) -> None:
    assert faults(draft) == [("error", "no_training", "examples", 0), ("error", "no_training", "comparison", 0)]
    training = Training(
        instructions=("",),
        examples=(Practice("x", "human", " "), Practice(" text 3\n OF all ", "human", "It is.")),
        comparison=(
            PracticePair("", "b", "{human} is odd."),
            PracticePair("a", "b", "The second one is odd."),
            PracticePair("a", "Text 1 of all", "{human} is odd."),
        ),
    )
    reword(draft, replace(wording_of(draft), training=training), **BY)
    assert faults(draft) == [
        ("error", "item_incomplete", "instructions", 1),
        ("error", "item_incomplete", "examples", 1),
        ("error", "item_is_judged", "examples", 2),
        ("error", "item_incomplete", "comparison", 1),
        ("warning", "side_named", "comparison", 2),
        ("error", "item_is_judged", "comparison", 3),
    ]


def test_items_that_no_condition_uses_are_noted_and_those_of_a_template_are_not(draft: Study) -> None:
    arrange(draft, [ArmPlan("none", 100)], [CellPlan("none")], actor="ada", now=NOW)
    assert faults(draft) == []
    change_training.add_item(draft, "comparison", PAIR, **BY)
    assert faults(draft) == [("warning", "training_unused", "comparison", 0)]


@pytest.mark.parametrize(
    ("language", "explanation", "named"),
    [
        ("en", "The second one repeats itself.", True),
        ("en", "{machine} repeats itself.", False),
        ("de", "Der zweite Text wiederholt sich.", True),
        ("de-AT", "{machine} wiederholt sich.", False),
        ("es", "El de la izquierda se repite.", True),
        ("en", "A la izquierda.", False),
    ],
)
def test_a_side_is_recognized_in_the_language_of_the_task(
    draft: Study, language: str, explanation: str, named: bool
) -> None:
    training = Training(("Read.",), (EXAMPLE,), (replace(PAIR, explanation=explanation),))
    reword(draft, replace(wording_of(draft), language=language, training=training), **BY)
    assert [rule for _, rule, _, _ in faults(draft)] == ["side_named"] * named


def test_a_study_of_another_task_has_no_items_to_begin_with(db: None) -> None:
    study = create("typical", mode="rehearsal", plan=Plan(), actor="ada", now=NOW)
    assert wording_of(study).training == default_wording("typicality").training == Training()
    with pytest.raises(AssayError, match="there is no item 1"):
        change_training.remove_item(study, "comparison", 1, **BY)
