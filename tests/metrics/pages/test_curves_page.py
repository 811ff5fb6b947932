"""Pass rates over size are drawn: a picture for all tests and one for each category, a curve for each family."""

import pytest

from metrics.errors import InsufficientData
from metrics.nnd.curves import CurvePoint
from metrics.pages.curves import curves_page, panels


def point(family, x, value, category="all", axis="parameters"):
    low, high = (None, None) if value is None else (max(0.0, value - 0.1), min(1.0, value + 0.1))
    return CurvePoint(family, category, axis, x, f"{family}-{x:g}", value, low, high, 40)


POINTS = [
    point("gpt2", 1.2e8, 0.52),
    point("gpt2", 3.5e8, 0.61),
    point("bart", 1.4e8, 0.60),
    point("bart", 4e8, None),
    point("gpt2", 1.2e8, 0.48, "off topic"),
    point("gpt2", 3.5e8, 0.55, "off topic"),
]


def test_each_category_is_a_picture_and_each_family_a_curve():
    first, second = panels(POINTS)
    assert [(s.name, [(at.x, at.value, at.n) for at in s.places]) for s in first.series] == [
        ("gpt2", [(1.2e8, 0.52, 40), (3.5e8, 0.61, 40)]),
        ("bart", [(1.4e8, 0.60, 40)]),
    ]
    assert (second.title, [s.name for s in second.series]) == ("Tests against off topic, gpt2", ["gpt2"])
    assert first.x_log


def test_steps_of_training_begin_at_0_and_stand_on_an_even_scale():
    (only,) = panels([point("run", 0, 0.5, axis="checkpoint_step"), point("run", 1000, 0.7, axis="checkpoint_step")])
    assert (only.x_title, only.x_log) == ("training steps", False)


def test_the_page_tells_the_finding_in_words_and_needs_no_network():
    page = curves_page(POINTS)
    assert "gpt2 rises from" in page
    assert 'src="http' not in page
    assert page.count("<figure") == 2


def test_curves_without_a_rate_are_a_sentence():
    with pytest.raises(InsufficientData, match="No place of the curves"):
        curves_page([point("bart", 4e8, None)])
