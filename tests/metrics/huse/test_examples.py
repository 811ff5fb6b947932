"""The example finder: margins by hand, what each list holds, and what has no place in it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from metrics import Item
from metrics.errors import BadInput, InsufficientData
from metrics.huse.examples import find_examples
from tests.metrics.factories import batch_items, rated_study


def pair(context: str, reference: tuple[int, float], model: tuple[int, float]) -> list[Item]:
    return [
        Item(f"{context}-r", "reference", Fraction(reference[0]), reference[1], 1, context),
        Item(f"{context}-m", "model", Fraction(model[0]), model[1], 1, context),
    ]


# Two clusters: references high, models low; in `odd` the sides are exchanged, in `alike` log p alone tells them apart.
STUDY = [
    *pair("plain", (6, -1.0), (1, -9.0)),
    *pair("again", (6, -1.1), (1, -9.1)),
    *pair("third", (6, -1.2), (1, -9.2)),
    *pair("odd", (1, -9.3), (6, -1.3)),
]


def test_margins_are_those_of_the_neighbours_by_hand():
    found = find_examples(STUDY, k=3)
    by_context = {example.context: example for example in found.correct}
    # Each cluster holds three of one source and one of the other; every neighbour set is the rest of the cluster.
    assert by_context["plain"].reference.margin == pytest.approx(1 / 3)
    assert by_context["odd"].reference.margin == pytest.approx(-1)
    assert by_context["odd"].margin == pytest.approx(-2)


def test_each_pair_has_one_verdict_and_the_verdicts_add_up_to_all_pairs():
    """Three pairs are in the clusters of their sources; in `odd` both texts are in the other's."""
    found = find_examples(STUDY, k=3)
    assert found.verdicts == {"distinguished": 3, "mistaken": 1, "split": 0, "undecided": 0}
    assert sum(found.verdicts.values()) == found.n == 4


def test_a_pair_of_one_text_on_each_side_is_not_distinguished():
    """Both texts of `same` are among four model texts: its reference is wrong by 3 votes, the other right by 2 of 3."""
    same = [*STUDY[:6], *pair("same", (1, -9.3), (1, -9.4))]
    by_context = {example.context: example for example in find_examples(same, k=3).correct}
    margins = by_context["same"].reference.margin, by_context["same"].model.margin
    assert margins == pytest.approx((-1, 1 / 3))
    assert by_context["same"].verdict == "split"


def test_the_lists_begin_with_the_clearest():
    found = find_examples(STUDY, k=3)
    assert found.incorrect[0].context == "odd"
    assert [example.context for example in found.correct] == ["plain", "again", "third", "odd"]
    assert found.indistinguishable[-1].context == "odd"


def test_rated_alike_is_a_failure_of_diversity_and_rated_lower_one_of_quality():
    alike = [item for c in range(4) for item in pair(f"alike{c}", (4, -9.0 - c / 10), (4, -1.0 - c / 10))]
    found = find_examples([*alike, *pair("low", (6, -9.5), (2, -1.5))], k=3)
    assert {example.context for example in found.diversity_failures} == {f"alike{c}" for c in range(4)}
    assert [example.context for example in found.quality_failures] == ["low"]
    assert found.quality_failures[0].gap == 4


def test_lists_are_no_longer_than_asked():
    found = find_examples(rated_study(30)[0], longest=4)
    assert (len(found.correct), len(found.incorrect), len(found.indistinguishable)) == (4, 4, 4)
    assert find_examples(rated_study(30)[0], longest=0).correct == ()


def test_texts_without_a_partner_are_counted():
    study, _ = rated_study(20)
    study[0] = replace(study[0], context="elsewhere")
    found = find_examples(study, k=5)
    assert (found.n, found.flags, found.settings["texts_left_out"]) == (19, ("without_partner",), 2)


def test_no_pair_and_odd_lengths_are_refused():
    study = [replace(item, context=None) for item in rated_study(20)[0]]
    with pytest.raises(InsufficientData, match="pairs of one context"):
        find_examples(study)
    with pytest.raises(BadInput):
        find_examples(study, longest=-1)


@pytest.mark.needs_data
def test_margins_of_the_released_study_have_the_sign_of_its_errors(data_dir):
    found = find_examples(batch_items(data_dir, 20), longest=100)
    sides = [side for example in found.correct for side in ((example.reference, 1), (example.model, -1))]
    # 53 of 200 are wrong; the 13 equal votes go to the reference, and 6 of them are model texts.
    assert (len(sides), sum(side.margin < 0 for side, _ in sides)) == (200, 53 - 6)
    assert sum(side.margin == 0 for side, _ in sides) == 13
    assert len(found.diversity_failures) + len(found.quality_failures) <= 100
