"""Truncation, overlap, repetition, perplexity, retrieval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.generation.bm25 import Bm25
from metrics.text_scores.text_statistics import (
    distinct,
    longest_repeat,
    perplexity,
    priming_overlap,
    sentence_ends,
    truncate,
    unknown_share,
)

KING = "once upon a time there was a king who"
TOKENS = st.lists(st.sampled_from("abc"), max_size=20)


def sentences(words: int, count: int) -> str:
    return " ".join("Word " + "word " * (words - 2) + "end." for _ in range(count))


@pytest.mark.parametrize(("words", "kept"), [(40, 3), (50, 2)])
def test_a_text_is_cut_after_the_sentence_that_reaches_a_hundred_words(words, kept):
    text = sentences(words, 5)
    found = truncate(text)
    assert found.words == kept * words
    assert found.text == sentences(words, kept) == text[: found.offset]
    assert found.long_enough


def test_a_short_text_is_kept_whole_and_named_short():
    found = truncate(sentences(20, 2) + "\n")
    assert (found.words, found.text, found.long_enough) == (40, sentences(20, 2), False)


def test_a_text_without_a_sentence_end_is_kept_whole():
    assert truncate("word " * 150).words == 150


@pytest.mark.parametrize(
    ("text", "sentences_"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith met Dr. J. Doe. He left.", ["Mr. Smith met Dr. J. Doe.", "He left."]),
        ("It cost $3.50 there. Cheap.", ["It cost $3.50 there.", "Cheap."]),
        ('"Stop!" She ran. (Fast.) Gone', ['"Stop!"', "She ran.", "(Fast.)", "Gone"]),
        (
            "He said so ... and left. So did I. Then it rained.",
            ["He said so ... and left.", "So did I.", "Then it rained."],
        ),
        ("A title\n\nA text.", ["A title", "A text."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("  Lead. In.  ", ["Lead.", "In."]),
    ],
)
def test_sentences_end_where_the_simple_rule_says(text, sentences_):
    ends = sentence_ends(text)
    assert [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)] == sentences_


@given(st.text(alphabet="aB .!?\n\"'", max_size=60).filter(str.strip), st.integers(1, 12))
def test_a_cut_text_begins_the_original_and_reaches_the_words_it_can(text, words):
    found = truncate(text, words)
    assert text.startswith(found.text)
    assert found.words == len(found.text.split()) >= min(words, len(text.split()))


def test_nothing_cannot_be_truncated():
    with pytest.raises(InsufficientData, match="no word"):
        truncate(" \n")
    with pytest.raises(BadInput, match="at least 1"):
        truncate("word", 0)


def test_overlap_is_the_share_of_words_in_a_shared_ngram():
    assert priming_overlap(f"{KING} had three sons", f"{KING} ruled wisely") == 0.75


@given(TOKENS.filter(bool), TOKENS, st.integers(1, 4))
def test_overlap_marks_each_word_once(generated, priming, n):
    runs = {tuple(priming[at : at + n]) for at in range(len(priming) - n + 1)}
    marked = set()
    for at in range(len(generated) - n + 1):
        if tuple(generated[at : at + n]) in runs:
            marked |= set(range(at, at + n))
    assert priming_overlap(" ".join(generated), " ".join(priming), n) == len(marked) / len(generated)


def test_distinct_ngrams_are_those_of_the_method():
    tokens = ["a", "b", "a", "b", "c"]
    assert (distinct(tokens, 1), distinct(tokens, 2)) == (0.6, 0.75)
    with pytest.raises(InsufficientData, match="needs 6 tokens, and there are 5"):
        distinct(tokens, 6)


@given(TOKENS)
def test_the_longest_repeat_is_the_longest_of_all_runs_that_occur_twice(tokens):
    lengths = [
        b - a
        for a in range(len(tokens))
        for b in range(a + 1, len(tokens) + 1)
        if any(tokens[c : c + b - a] == tokens[a:b] for c in range(a + 1, len(tokens) - (b - a) + 1))
    ]
    assert longest_repeat(tokens) == max(lengths, default=0)


def test_unknown_words_are_a_share():
    assert unknown_share(["a", "b", "c", "a"], ["a"]) == 0.5
    with pytest.raises(InsufficientData):
        unknown_share([], ["a"])


def test_perplexity_is_that_of_the_method():
    assert perplexity(-6, 3) == pytest.approx(7.389056, abs=1e-6)
    assert perplexity(0, 3) == 1.0
    assert perplexity(-math.inf, 3) == perplexity(-1e9, 3) == math.inf


@pytest.mark.parametrize(("log_prob", "tokens"), [(0.1, 1), (math.nan, 1), (-1, 0)])
def test_perplexity_refuses_what_is_no_log_probability(log_prob, tokens):
    with pytest.raises(BadInput):
        perplexity(log_prob, tokens)


# BM25

DOCUMENTS = ["the cat sat on the mat", "the dog sat", "cats and dogs play"]


def test_bm25_scores_are_those_of_the_method():
    assert Bm25(DOCUMENTS).scores("cat sat").tolist() == pytest.approx([1.253590, 0.537684, 0.0], abs=1e-6)


def test_bm25_gives_the_best_first_and_breaks_ties_by_the_lower_number():
    index = Bm25(["a b", "c", "b a", "a b"])
    assert [found.document for found in index.search("b", k=3)] == [0, 2, 3]
    assert [found.document for found in index.search("none of them", k=2)] == [0, 1]
    assert index.search("b")[0].log_prob == 0.0


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=6), TOKENS.filter(bool))
def test_bm25_agrees_with_a_loop_over_the_formula(documents, query):
    mean = sum(map(len, documents)) / len(documents) or 1.0
    expected = []
    for document in documents:
        score = 0.0
        for word in query:
            df, f = sum(word in other for other in documents), document.count(word)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            score += idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * len(document) / mean)) if f else 0.0
        expected.append(score)
    assert Bm25([" ".join(d) for d in documents]).scores(" ".join(query)).tolist() == pytest.approx(expected, abs=1e-9)


def test_bm25_refuses_nothing_to_search_and_odd_settings():
    with pytest.raises(InsufficientData):
        Bm25([])
    with pytest.raises(BadInput):
        Bm25(DOCUMENTS, b=2)
    with pytest.raises(BadInput):
        Bm25(DOCUMENTS).search("cat", k=0)
