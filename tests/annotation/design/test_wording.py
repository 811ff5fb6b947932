"""A study's words: read back as written, refused by field and rule."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from annotation.design.kinds import BUILT_IN, default_wording
from annotation.design.kinds.typicality.kind import typicality_of
from annotation.design.presets import CLARK, HUSE, PRESETS, clark_cells
from annotation.design.wording import SETTINGS, as_json, from_json, rename_texts
from annotation.exceptions import DesignError
from annotation.hits.render import ShownLine, ShownText, hit_page

LABELS_OF_HUSE = ["Very Typical", "Typical", "Average", "Specific", "Rare", "Invalid"]


@pytest.mark.parametrize("kind", [kind.name for kind in BUILT_IN])
def test_every_default_is_read_back_as_it_was_written(kind: str) -> None:
    wording = default_wording(kind, noun="ending")
    assert from_json(as_json(wording)) == wording
    assert "{noun" not in wording.fill_nouns(wording.title + wording.heading + "".join(wording.intro))


@pytest.mark.parametrize("setting", SETTINGS)
def test_typicality_always_has_the_six_labels(setting: str) -> None:
    criterion = typicality_of(setting).criteria[0]
    assert [label for label, _, _ in criterion.labels] == LABELS_OF_HUSE
    assert [code for _, code, _ in criterion.labels] == ["5", "4", "3", "2", "1", "0"]


def test_an_edited_word_is_another_version() -> None:
    told = as_json(default_wording("typicality"))
    assert from_json({**told, "heading": "How usual?"}).digest() != default_wording("typicality").digest()


def test_a_wording_that_does_not_ask_about_sharing_keeps_the_digest_of_before() -> None:
    """The digest is that of commit 686c1406, which had no such question."""
    wording = default_wording("typicality")
    assert wording.digest() == "325776473f5cd4082651fb62d0c3451b12fda5471eb080acd7af165fcc2adbe3"
    asking = replace(wording, sharing="I agree that my ratings of {nouns} are published.")
    assert asking.digest() != wording.digest()
    assert from_json(as_json(asking)) == asking


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": 5}, "title: input should be a valid string"),
        ({"title": "x" * 129}, "title has 1 to 128 characters; this one has 129"),
        ({"tilte": "x"}, "tilte: unexpected keyword"),
        ({"criteria": []}, "criteria is empty"),
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


def test_clark_asks_the_papers_follow_ups_after_the_papers_labels() -> None:
    """Section 2.1: "If they chose option 1 ... Otherwise"."""
    sure, *others = (label for label, _, _ in CLARK.wording.criteria[0].labels)
    assert [(one.text, one.when, one.required) for one in CLARK.wording.follow_ups] == [
        ("Why did you select this rating?", (sure,), True),
        ("What would you change to make it seem more human-like?", tuple(others), True),
    ]


def test_clark_has_fifteen_cells_of_which_nine_are_trained() -> None:
    cells = clark_cells(("stories", "news", "recipes"), ("GPT2", "GPT3"))
    assert len(set(cells)) == 15
    assert sum(cell.training != "none" for cell in cells) == 9
    assert {cell.generator for cell in cells if cell.training != "none"} == {"GPT3"}


def every_word(told: object) -> list[str]:
    """Every text in a wording's JSON but its keywords."""
    if isinstance(told, dict):
        return [word for name, value in told.items() if name != "keywords" for word in every_word(value)]
    if isinstance(told, list):
        return [word for value in told for word in every_word(value)]
    return [told] if isinstance(told, str) else []


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_for_stories_speaks_of_stories_only(name: str) -> None:
    wording = rename_texts(PRESETS[name].wording, "story")
    said = wording.fill_nouns(wording.heading + wording.intro[0] + wording.criteria[0].question)
    assert "story" in said
    assert wording.nouns == "stories"
    words = [
        wording.fill_nouns(word, context=beside) for word in every_word(as_json(wording)) for beside in (True, False)
    ]
    assert not re.search(r"(?i)headline|sentence\b|\btexts?\b", " ".join(words))
    assert not re.search(r"\bstorys\b|[{}]", wording.fill_nouns(" ".join(wording.intro)))


@pytest.mark.parametrize("kind", [kind.name for kind in BUILT_IN])
def test_every_task_speaks_of_its_own_noun(kind: str) -> None:
    wording = default_wording(kind, noun="reply")
    shown = " ".join([wording.title, wording.description, wording.heading, *wording.intro, wording.unknown_clause,
                      wording.measured, *(one.question for one in wording.criteria),
                      *(one.text for one in wording.follow_ups), *wording.training.instructions])  # fmt: skip
    said = wording.fill_nouns(shown, context=True)
    assert "repl" in said
    assert not re.search(r"(?i)\btexts?\b|\bstory\b|\breplys\b", said)


@pytest.mark.parametrize(
    ("noun", "several"),
    [("story", "stories"), ("reply", "replies"), ("essay", "essays"), ("summary", "summaries"), ("pitch", "pitches"),
     ("news story", "news stories"), ("headline", "headlines"), ("synopsis box", "synopsis boxes")],
)  # fmt: skip
def test_the_plural_of_a_noun_is_english(noun: str, several: str) -> None:
    assert rename_texts(default_wording("typicality"), noun).nouns == several


@pytest.mark.parametrize(
    ("noun", "told"),
    [("ending", "mark an ending down"), ("story", "mark a story down"), ("user review", "mark a user review down"),
     ("one-liner", "mark a one-liner down"), ("hourly report", "mark an hourly report down")],
)  # fmt: skip
def test_the_article_fits_the_noun(noun: str, told: str) -> None:
    wording = default_wording("typicality", noun=noun)
    assert told in wording.fill_nouns(wording.unknown_clause)


def test_an_article_above_is_spoken_of_only_where_a_context_is_shown() -> None:
    lines = [ShownLine(0, ShownText("One.", "An article.")), ShownLine(1, ShownText("Two."))]
    page = hit_page(typicality_of("headline"), lines, shuffle=False)
    questions = re.findall(r'<p class="question[^>]*>([^<]*)</p>', page)
    assert questions == ["How typical is this headline for the article above?", "How typical is this headline?"]
    alone = hit_page(typicality_of("headline"), lines[1:], shuffle=False)
    assert "article" not in alone
    assert "grammatical." in alone


@pytest.mark.parametrize("noun", ["story", "text", "product review", "ending"])
def test_a_preset_for_headlines_speaks_of_no_article_under_another_name(noun: str) -> None:
    wording = rename_texts(HUSE.wording, noun)
    question, intro = wording.criteria[0].question, wording.intro[0]
    above = "for the story above" if noun == "ending" else "for what is shown above"
    fits = (
        "grammatical and follows from the story." if noun == "ending" else "fits what is shown above, and makes sense."
    )
    assert wording.fill_nouns(question, context=True) == f"How typical is this {noun} {above}?"
    assert wording.fill_nouns(question) == f"How typical is this {noun}?"
    assert fits in wording.fill_nouns(intro, context=True)
    assert not any("article" in word for word in every_word(as_json(wording)) if "{" in word)


def test_words_that_a_person_wrote_stay_when_the_name_changes() -> None:
    words = "How typical is this {noun} for the article above, please?"
    edited = replace(HUSE.wording, criteria=(replace(HUSE.wording.criteria[0], question=words),))
    assert rename_texts(edited, "story").criteria[0].question == words


@pytest.mark.parametrize(
    ("language", "with_article", "shown"),
    [("de", "", "Schlagzeile"), ("de", "eine Schlagzeile", "eine Schlagzeile"), ("en-GB", "", "a Schlagzeile")],
)
def test_an_english_article_is_put_before_no_other_language(language: str, with_article: str, shown: str) -> None:
    wording = rename_texts(default_wording("typicality"), "Schlagzeile", "Schlagzeilen")
    wording = replace(wording, language=language, noun_with_article=with_article)
    assert wording.fill_nouns("{a noun}, {nouns}") == f"{shown}, Schlagzeilen"


def test_a_meaning_names_the_texts_of_the_study() -> None:
    wording = default_wording("typicality", noun="reply")
    labels = (("Typical", "1", "Most {nouns} are like it."), ("Rare", "0", "Hardly any {noun} is."))
    wording = replace(wording, criteria=(replace(wording.criteria[0], labels=labels),))
    page = hit_page(wording, [ShownLine(0, ShownText("One."))])
    assert "Most replies are like it." in page
    assert "Hardly any reply is." in page
