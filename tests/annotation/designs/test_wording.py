"""A study's words: read back as written, refused by field and rule."""

from __future__ import annotations

import pytest

from annotation.designs.presets import PRESETS, clark_cells
from annotation.designs.tasks import KINDS
from annotation.designs.wording import SETTINGS, as_json, default_wording, from_json, typicality_of
from annotation.exceptions import DesignError

LABELS_OF_HUSE = ["Very Typical", "Typical", "Average", "Specific", "Rare", "Invalid"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_is_read_back_as_it_was_written(kind: str) -> None:
    wording = default_wording(kind, noun="ending")
    assert from_json(as_json(wording)) == wording
    assert "{noun" not in wording.said(wording.title + wording.heading + "".join(wording.intro))


@pytest.mark.parametrize("setting", SETTINGS)
def test_typicality_always_has_the_six_labels(setting: str) -> None:
    criterion = typicality_of(setting).criteria[0]
    assert [label for label, _, _ in criterion.labels] == LABELS_OF_HUSE
    assert [code for _, code, _ in criterion.labels] == ["5", "4", "3", "2", "1", "0"]


def test_an_edited_word_is_another_version() -> None:
    told = as_json(default_wording("typicality"))
    assert from_json({**told, "heading": "How usual?"}).digest() != default_wording("typicality").digest()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": 5}, "title: input should be a valid string"),
        ({"title": "x" * 129}, "title has 1 to 128 characters; this one has 129"),
        ({"tilte": "x"}, "tilte: unexpected keyword"),
        ({"criteria": []}, "criteria is empty"),
        ({"kind": "essay"}, "not essay"),
        ({"training": {"examples": [{"text": "a", "source": "human"}]}}, "training.examples.0.explanation"),
        ({"training": {"examples": [{"text": "a", "source": "bot", "explanation": "b"}]}}, "human or machine, not bot"),
        ({"follow_ups": [{"name": "why", "text": "?", "when": ["Maybe"]}]}, "waits for the label Maybe"),
        ({"follow_ups": [{"name": "typicality", "text": "?"}]}, "used twice"),
        ({"schema_version": 2}, "schema_version is 1"),
    ],
)
def test_a_wording_that_cannot_be_used_is_refused_by_field_and_rule(change: dict, sentence: str) -> None:
    with pytest.raises(DesignError, match=sentence):
        from_json({**as_json(default_wording("typicality")), **change})


def test_a_label_named_twice_is_refused() -> None:
    told = as_json(default_wording("typicality"))
    told["criteria"][0]["labels"][1][0] = "Very Typical"
    with pytest.raises(DesignError, match="Every label of typicality"):
        from_json(told)


def test_the_presets_have_the_papers_values() -> None:
    huse, clark = PRESETS["huse-2019"], PRESETS["clark-2021"]
    assert (huse.settings["texts_per_hit"], huse.settings["raters_per_text"]) == (25, 20)
    assert (huse.settings["minimum_percent_approved"], huse.settings["minimum_approved_hits"]) == (95, 50)
    assert [arm.reward_cents for arm in clark.arms] == [125, 125, 175, 225]
    assert (clark.settings["evaluators_per_cell"], clark.settings["minimum_approved_hits"]) == (130, 1000)
    assert [label for label, _, _ in clark.wording.criteria[0].labels] == [
        "Definitely human-written",
        "Possibly human-written",
        "Possibly machine-generated",
        "Definitely machine-generated",
    ]


def test_clark_has_fifteen_cells_of_which_nine_are_trained() -> None:
    cells = clark_cells(("stories", "news", "recipes"), ("GPT2", "GPT3"))
    assert len(set(cells)) == 15
    assert sum(cell.training != "none" for cell in cells) == 9
    assert {cell.generator for cell in cells if cell.training != "none"} == {"GPT3"}
