"""The dominated region and the lines of equal HUSE."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.huse.quality_diversity import dominance_region

POINTS = st.dictionaries(
    st.text(min_size=1, max_size=3), st.tuples(st.floats(0.05, 1.5), st.floats(0.05, 1.5)), min_size=2, max_size=6
)


def test_the_polygon_is_the_origin_and_the_models_by_angle():
    region = dominance_region({"t=0.7": (0.9, 0.3), "t=1.0": (0.6, 0.8), "t=0.9": (0.8, 0.6)})
    assert region.models == ("t=0.7", "t=0.9", "t=1.0")
    assert region.polygon == ((0.0, 0.0), (0.9, 0.3), (0.8, 0.6), (0.6, 0.8))


def test_a_point_below_the_line_is_dominated_and_one_above_is_not():
    region = dominance_region({"a": (1.0, 0.5), "b": (0.5, 1.0)})
    assert region.holds(0.7, 0.7)
    assert not region.holds(0.8, 0.8)
    assert not region.holds(0.5, 0.1)  # a proportion no model has
    assert not region.holds(0.75, 0.75)  # on the line itself


@given(POINTS, st.floats(0.01, 0.99))
def test_every_model_shrunk_is_dominated(models, share):
    region = dominance_region(models)
    assert all(region.holds(share * q, share * d) for q, d in models.values())


def test_one_model_dominates_a_segment():
    region = dominance_region({"only": (0.6, 0.6)})
    assert (region.polygon, region.flags) == (((0.0, 0.0), (0.6, 0.6)), ("one_model",))
    assert region.holds(0.3, 0.3)
    assert not region.holds(0.3, 0.31)


def test_models_outside_the_quadrant_are_left_out_and_named():
    region = dominance_region({"a": (0.6, 0.6), "b": (0.4, -0.1), "c": (0.5, 0.7)})
    assert (region.left_out, region.flags, region.n) == (("b",), ("outside_quadrant",), 2)


def test_models_on_one_ray_dominate_up_to_the_farthest():
    region = dominance_region({"near": (0.2, 0.2), "far": (0.8, 0.8)})
    assert region.holds(0.5, 0.5)


def test_no_model_and_no_number_are_refused():
    with pytest.raises(InsufficientData):
        dominance_region({"b": (0.4, -0.1)})
    with pytest.raises(BadInput, match="model a"):
        dominance_region({"a": (math.nan, 0.4)})
