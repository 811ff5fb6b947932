"""The browser of near-negative tests, and tokens as a reader sees them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.likelihood import Scored
from metrics.nnd.administer import administer_tests
from metrics.nnd.build import build_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.rates import pass_rates
from metrics.pages.browser import Selection, browser_page, select_outcomes
from metrics.text_scores.vocabulary import readable_tokens
from tests.metrics.nnd.make import candidate, small_tests


def taken(contexts=3):
    tests = small_tests(contexts)
    return administer_tests(tests, lambda pairs: [Scored(-float(at % 5 + 1), 1) for at in range(len(pairs))], model="m")


def test_the_page_shows_every_test_with_both_likelihoods():
    one = taken()
    page = browser_page(one, pass_rates(one))
    assert page.count('<div class="test">') == 6
    assert page.count("LL −") == 12
    assert page.startswith("<!doctype html>")
    assert page.count("<script") == page.count("http") == 0
    assert "<p>6 tests. LL is" in page


def test_the_worst_failure_comes_first_and_a_cut_is_named():
    one = taken()
    gaps = [outcome.gap for outcome in select_outcomes(one, Selection())]
    assert gaps == sorted(gaps)
    page = browser_page(one, pass_rates(one), Selection(max_tests=2))
    assert "The first 2 of 6 follow" in page


@pytest.mark.parametrize("which", ["failed", "passed", "tied"])
def test_a_selection_holds_nothing_else(which):
    one = taken(5)
    found = select_outcomes(one, Selection(which, category="x"))
    assert all("x" in outcome.test.categories for outcome in found)
    states = {"failed": lambda o: not o.passed, "passed": lambda o: o.passed, "tied": lambda o: o.tied}
    expected = [o for o in one.outcomes if states[which](o) and "x" in o.test.categories]
    assert len(found) == len(expected)


def test_a_category_that_no_test_has_is_refused():
    with pytest.raises(BadInput, match="no test has the category 'z'"):
        select_outcomes(taken(), Selection(category="z"))


@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_texts_stand_on_the_page_escaped(text):
    tests = build_tests(
        [candidate("g", "good", text=f"<i>{text}"), candidate("b", "<b>", text=f"<u>{text}")],
        best_above_others("good", ["<b>"]),
        "s",
    )
    one = administer_tests(tests, lambda pairs: [Scored(-1.0, 1)] * 2, model="<m>")
    page = browser_page(one, pass_rates(one))
    assert not re.search("<i>|<u>|<m>|<b>(?!c)", page)


def test_byte_level_tokens_are_read_together_as_their_text():
    # A dash of three bytes over two tokens, then a blank and a word.
    assert readable_tokens(["ĠâĢ", "Ķb", "Ċ", "Ã©"]) == [" ", "—b", "\n", "é"]


def test_sentencepiece_tokens_lose_their_mark():
    assert readable_tokens(["▁Once", "▁upon", "é"]) == [" Once", " upon", "é"]
