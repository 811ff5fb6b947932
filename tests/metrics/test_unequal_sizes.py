"""HUSE with more texts of one source: each neighbour's vote weighs 1 / size of its source (exact mode)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from metrics import MODEL, REFERENCE, Item, classify, evaluate
from tests.metrics.make import items

# Sums of ratings, by hand: references, model texts, and HUSE-Q with k = 3 by the weighed vote and by the raw one.
SEPARABLE = ((30, 31), (10, 12, 14, 16, 18, 20), Fraction(0), Fraction(1))
OVERLAPPING = ((30, 34), (10, 20, 28, 32, 36, 12), Fraction(2, 3), Fraction(3, 2))
VOTES = ((1, 2), (1, 2), (0, 3), (1, 3), (2, 1), (2, 2), (2, 1), (0, 3))  # references, model texts; of OVERLAPPING


def judged(reference: tuple[int, ...], model: tuple[int, ...]) -> list[Item]:
    """Texts with these sums of ratings and one log p, which tells nothing."""
    return items([(hj, -1.0) for hj in reference], [(hj, -1.0) for hj in model])


@pytest.mark.parametrize(("reference", "model", "weighed", "raw"), [SEPARABLE, OVERLAPPING])
def test_the_hand_examples_hold_in_both_modes(reference, model, weighed, raw):
    found = evaluate(judged(reference, model), k=3, draws=0)
    assert found["exact"].huse_q.value == pytest.approx(float(weighed), abs=1e-12)
    assert found["paper"].huse_q.value == pytest.approx(float(raw), abs=1e-12)


def test_each_text_gets_the_vote_worked_out_by_hand():
    reference, model, *_ = OVERLAPPING
    found = classify(judged(reference, model), k=3)
    assert [one.predicted for one in found] == [
        REFERENCE,
        REFERENCE,
        MODEL,
        REFERENCE,
        REFERENCE,
        REFERENCE,
        REFERENCE,
        MODEL,
    ]
    shares = [r * 6 / (r * 6 + m * 2) for r, m in VOTES]
    assert [one.share for one in found] == pytest.approx(shares, abs=1e-12)
