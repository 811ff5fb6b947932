"""Sentences, cuts and overlap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.texts.selection.overlap import grams_of, share_within
from annotation.texts.selection.tokens import bare_words, count_words, cut_after_words, sentence_ends


def sentences(text: str) -> list[str]:
    ends = list(sentence_ends(text))
    return [text[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('"Go," he said. "Now!" She went.', ['"Go," he said.', '"Now!"', "She went."]),
        (
            "Dr. Smith met J. Doe at 3.5 p.m. sharp. They left.",
            ["Dr. Smith met J. Doe at 3.5 p.m. sharp.", "They left."],
        ),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("Wait... what? Yes", ["Wait...", "what?", "Yes"]),
        ("A title\n\nA paragraph.", ["A title", "A paragraph."]),
        ("今日は雨です。試合は延期。", ["今日は雨です。", "試合は延期。"]),
        ("यह वाक्य है। दूसरा भी।", ["यह वाक्य है।", "दूसरा भी।"]),
        ("ما هذا؟ نعم.", ["ما هذا؟", "نعم."]),
        ("no end here", ["no end here"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_a_text_is_cut_at_the_end_of_the_sentence_that_reaches_the_words() -> None:
    text = "One two three. Four five six. Seven eight."
    # Six words end the second sentence: that sentence is the last (K4 of the specification).
    for words in (4, 5, 6):
        cut = cut_after_words(text, words)
        assert cut is not None
        assert (cut.body, cut.at, cut.words) == ("One two three. Four five six.", 29, 6)
    assert cut_after_words(text, 7) is None
    assert cut_after_words(text, 99) is None


@given(st.text(alphabet=st.sampled_from("ab .!?\n\"'。"), max_size=80), st.integers(1, 12))
def test_a_cut_is_a_beginning_of_the_text_that_has_the_words(text: str, words: int) -> None:
    cut = cut_after_words(text, words)
    if cut is None:
        return
    assert text.startswith(cut.body)
    assert (cut.at, cut.words) == (len(cut.body), count_words(cut.body))
    assert cut.words >= words
    assert cut_after_words(cut.body, words) is None


def test_words_are_compared_without_case_and_punctuation() -> None:
    assert bare_words("“Don’t” stop, CAFÉ-owner!") == ["don’t", "stop", "café-owner"]
    assert bare_words("snake_case _ under_-score") == ["snake", "case", "under", "score"]


def test_overlap_is_the_share_of_words_inside_a_run_of_eight() -> None:
    priming = "a b c d e f g h i j"
    grams = grams_of([priming])
    assert share_within(priming, grams) == 1.0
    assert share_within("a b c d e f g", grams) == 0.0
    # Nine of twelve words lie in runs of eight: b to j.
    assert share_within("x b c d e f g h i j y z", grams) == pytest.approx(9 / 12)
    assert share_within("", grams) == 0.0


@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=20))
def test_overlap_is_what_marking_every_run_gives(priming: list[str], words: list[str]) -> None:
    runs = {tuple(priming[at : at + 3]) for at in range(len(priming) - 2)}
    marked = {at + step for at in range(len(words) - 2) if tuple(words[at : at + 3]) in runs for step in range(3)}
    slow = len(marked) / len(words) if words else 0.0
    assert share_within(" ".join(words), grams_of([" ".join(priming)], n=3), n=3) == pytest.approx(slow)
