from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from annotation.rehearsal.world.grammar import Grammar, GrammarError
from annotation.rehearsal.world.vocabulary import MAX_WORDS, token_counts

# "cats sleep" has two parses (1/4 * 1/2 by the first rule, 3/4 * 2/3 by the second): 1/8 + 1/2 = 5/8 by hand.
SMALL = """
start: 1 <noun> sleep | 3 <pet> <act>   # a comment
noun: 1 cats | 1 dogs
pet: 2 cats | 1 birds
act: 1 sleep
"""
BY_HAND = {"Cats sleep": 5 / 8, "Dogs sleep": 1 / 8, "Birds sleep": 1 / 4}


def log_prob(grammar: Grammar, *texts: str) -> list[float]:
    return grammar.log_prob(grammar.vocabulary.encode(texts)).tolist()


def test_an_ambiguous_headline_gets_the_sum_over_its_parses():
    found = log_prob(Grammar.parse(SMALL), *BY_HAND)
    assert np.exp(found) == pytest.approx(list(BY_HAND.values()), rel=1e-12)


def test_the_probabilities_of_every_string_of_a_small_grammar_sum_to_one():
    grammar = Grammar.parse(SMALL)
    strings = [" ".join(words) for n in (1, 2, 3) for words in itertools.product(grammar.vocabulary.words, repeat=n)]
    found = np.exp(log_prob(grammar, *strings))
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert (found > 0).sum() == grammar.support_size() == len(BY_HAND)


def test_the_shipped_probabilities_sum_to_one_over_millions_of_headlines():
    grammar = Grammar.shipped()
    assert grammar.total_probability() == pytest.approx(1, abs=1e-12)
    assert grammar.support_size() > 1_000_000


@pytest.mark.parametrize("text", ["cats", "cats sleep sleep", "sleep cats", "horses sleep", "", "cats " * 30])
def test_what_the_grammar_cannot_say_has_probability_zero(text):
    assert log_prob(Grammar.parse(SMALL), text) == [-math.inf]


def test_case_and_spacing_do_not_change_a_probability():
    first, second = log_prob(Grammar.parse(SMALL), "Cats sleep", "  cATS   sleep ")
    assert first == second


def test_a_small_grammar_is_sampled_as_often_as_it_should():
    grammar = Grammar.parse(SMALL)
    drawn = grammar.vocabulary.decode(grammar.sample(20_000, np.random.default_rng(3)))
    counts = [drawn.count(text) for text in BY_HAND]
    assert sum(counts) == len(drawn)
    assert chisquare(counts, [20_000 * p for p in BY_HAND.values()]).pvalue > 1e-4


def test_shipped_openings_are_sampled_as_often_as_their_rules_say():
    # Of 100 parts of the start symbol, 13 are science; "study" opens them in 12 of 31 parts ("<study> links"), of
    # which "large" in 4 of 15.
    grammar = Grammar.shipped()
    drawn = grammar.vocabulary.decode(grammar.sample(40_000, np.random.default_rng(8)))
    found = sum(text.startswith("Large study links") for text in drawn)
    expected = 40_000 * 13 / 100 * 12 / sum((10, 5, 8, 4, 6, 3, 3)) * 4 / 15
    assert abs(found - expected) < 5 * math.sqrt(expected)


def test_samples_have_five_to_twelve_words_and_finite_probability():
    grammar = Grammar.shipped()
    ids = grammar.sample(20_000, np.random.default_rng(1))
    words = token_counts(ids) - 1
    assert (words.min(), words.max()) == (5, 12)
    assert np.isfinite(grammar.log_prob(ids)).all()


def test_printed_headlines_read_back_as_they_were():
    grammar = Grammar.shipped()
    ids = grammar.sample(500, np.random.default_rng(2))
    texts = grammar.vocabulary.decode(ids)
    assert (grammar.vocabulary.encode(texts) == ids).all()
    assert all(text[0].isupper() for text in texts)


def test_the_same_dice_draw_the_same_headlines():
    grammar = Grammar.shipped()
    first, second = (grammar.sample(50, np.random.default_rng(9)) for _ in range(2))
    assert (first == second).all()
    assert first.shape == (50, MAX_WORDS + 1)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("a: 1 <a> b", "leads back"),
        ("a: 1 <b>", "<b> has no rule"),
        ("a: x b", "whole weight"),
        ("a: 0 b", "whole weight"),
        ("a: 1", "whole weight"),
        ("a 1 b", "line 1"),
        ("a: 1 b\na: 1 c", "line 2"),
    ],
)
def test_rules_that_make_no_sense_are_refused_with_the_reason(rules, told):
    with pytest.raises(GrammarError, match=told):
        Grammar.parse(rules)
