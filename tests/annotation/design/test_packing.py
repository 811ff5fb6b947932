"""Texts are dealt into HITs with sources interleaved and contexts apart."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.design.packing import Packable, pack
from annotation.exceptions import DesignError

SOURCES = ("", "t=1.0", "t=0.9", "t=0.7")


def texts(per_source: int, *, paired: bool = False) -> list[Packable]:
    return [
        Packable(key=group * per_source + i, group=name, context=i if paired else None)
        for group, name in enumerate(SOURCES)
        for i in range(per_source)
    ]


def test_four_hundred_texts_make_sixteen_hits_of_twenty_five() -> None:
    assert [len(hit) for hit in pack(texts(100), per_hit=25, seed=1)] == [25] * 16


def test_every_hit_holds_every_source_about_equally() -> None:
    group = {text.key: text.group for text in texts(100)}
    for hit in pack(texts(100), per_hit=25, seed=1):
        shares = Counter(group[key] for key in hit)
        assert set(shares) == set(SOURCES)
        assert max(shares.values()) - min(shares.values()) <= 2


def test_texts_of_one_context_never_share_a_hit() -> None:
    context = {text.key: text.context for text in texts(100, paired=True)}
    for hit in pack(texts(100, paired=True), per_hit=25, seed=1):
        assert len({context[key] for key in hit}) == len(hit)


def test_three_sources_of_a_hundred_contexts_are_dealt_by_every_seed() -> None:
    paired = {text.key: text for text in texts(100, paired=True) if text.group != SOURCES[-1]}
    for seed in range(40):
        hits = pack(list(paired.values()), per_hit=25, seed=seed)
        assert sorted(key for hit in hits for key in hit) == sorted(paired)
        for hit in hits:
            assert len({paired[key].context for key in hit}) == len(hit) == 25
            shares = Counter(paired[key].group for key in hit).values()
            assert max(shares) - min(shares) <= 1


def test_a_context_with_more_texts_than_hits_is_refused() -> None:
    with pytest.raises(DesignError, match="Too many texts share a context"):
        pack(texts(2, paired=True), per_hit=8, seed=1)


def test_no_texts_are_refused() -> None:
    with pytest.raises(DesignError, match="no texts"):
        pack([], per_hit=25, seed=1)


@given(st.integers(1, 40), st.integers(1, 30), st.integers(0, 99))
def test_every_text_is_dealt_once_and_sizes_differ_by_one_at_most(count: int, per_hit: int, seed: int) -> None:
    hits = pack([Packable(key=i, group="") for i in range(count)], per_hit=per_hit, seed=seed)
    assert sorted(key for hit in hits for key in hit) == list(range(count))
    assert max(map(len, hits)) <= per_hit


def test_the_seed_decides_the_packing() -> None:
    assert pack(texts(30), per_hit=25, seed=5) == pack(texts(30), per_hit=25, seed=5)
    assert pack(texts(30), per_hit=25, seed=5) != pack(texts(30), per_hit=25, seed=6)


def test_a_fixed_mix_has_its_references_in_every_hit() -> None:
    mixed = [Packable(key=i, group="" if i < 8 else "m") for i in range(20)]
    found = pack(mixed, per_hit=5, seed=1, mix="fixed", references=2)
    assert [sum(key < 8 for key in hit) for hit in found] == [2, 2, 2, 2]


def test_a_fixed_mix_that_does_not_come_out_even_is_refused() -> None:
    mixed = [Packable(key=i, group="" if i < 9 else "m") for i in range(20)]
    with pytest.raises(DesignError, match="2 references in each"):
        pack(mixed, per_hit=5, seed=1, mix="fixed", references=2)


def test_a_mix_left_to_chance_has_hits_of_every_make() -> None:
    """Of 200 HITs of 5, drawn from half references: none in about 3 %, as a coin would have it."""
    mixed = [Packable(key=i, group="" if i < 500 else "m") for i in range(1000)]
    shares = Counter(sum(key < 500 for key in hit) for hit in pack(mixed, per_hit=5, seed=1, mix="bernoulli"))
    assert set(shares) == {0, 1, 2, 3, 4, 5}
    balanced = Counter(sum(key < 500 for key in hit) for hit in pack(mixed, per_hit=5, seed=1))
    assert set(balanced) <= {2, 3}
