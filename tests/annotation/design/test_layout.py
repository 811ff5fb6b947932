"""The pages of a cell: how many people see each, and the lines that watch quality."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.design.layout import Rules, lay_out
from annotation.design.packing import Packable
from annotation.exceptions import DesignError

HUNDRED = [Packable(key=i, group="" if i < 50 else "m") for i in range(100)]


def test_130_evaluators_of_20_pages_are_six_or_seven_on_each() -> None:
    pages = lay_out(HUNDRED, Rules(per_hit=5, raters=1, seed=1, evaluators=130))
    people = [page.people for page in pages]
    assert (len(pages), sum(people), set(people)) == (20, 130, {6, 7})


def test_a_page_of_twenty_raters_is_three_hits_of_nine_nine_and_two() -> None:
    pages = lay_out(HUNDRED, Rules(per_hit=25, raters=20, seed=1, in_nines=True))
    assert {page.places for page in pages} == {(9, 9, 2)}


def test_cells_are_packed_by_dice_of_their_own_and_again_the_same() -> None:
    rules = Rules(per_hit=5, raters=1, seed=1)
    assert lay_out(HUNDRED, rules, cell=1) == lay_out(HUNDRED, rules, cell=1)
    assert lay_out(HUNDRED, rules, cell=1) != lay_out(HUNDRED, rules, cell=2)


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 50))
def test_extra_lines_come_on_top_of_the_texts(gold: int, repeats: int, checks: int, seed: int) -> None:
    rules = Rules(per_hit=10, raters=2, seed=seed, gold=gold, repeats=repeats, checks=checks)
    for page in lay_out(HUNDRED, rules, gold=[900, 901, 902], labels=6):
        roles = [line.role for line in page.lines]
        counts = {role: roles.count(role) for role in ("item", "gold", "repeat", "check")}
        assert counts == {"item": 10, "gold": gold, "repeat": repeats, "check": checks}
        assert all(line.key in (900, 901, 902) for line in page.lines if line.role == "gold")
        items = [line.key for line in page.lines if line.role == "item"]
        again = [line.key for line in page.lines if line.role == "repeat"]
        assert set(again) <= set(items)
        assert len(set(again)) == repeats
        assert roles[0] != "check"


def test_gold_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesignError, match="2 gold texts, and the study has 1"):
        lay_out(HUNDRED, Rules(per_hit=10, raters=2, seed=1, gold=2), gold=[900])


def test_pairs_are_the_two_texts_of_a_context_side_by_side() -> None:
    texts = [Packable(key=10 * c + s, group="m" if s else "", context=c) for c in range(6) for s in range(2)]
    pages = lay_out(texts, Rules(per_hit=3, raters=5, seed=1), shown=2)
    assert [len(page.lines) for page in pages] == [3, 3]
    assert sorted((line.key, line.partner) for page in pages for line in page.lines) == [
        (10 * c, 10 * c + 1) for c in range(6)
    ]


def test_a_context_without_its_pair_is_refused() -> None:
    with pytest.raises(DesignError, match="1 contexts have not"):
        lay_out([Packable(key=1, group="", context=1)], Rules(per_hit=3, raters=5, seed=1), shown=2)
