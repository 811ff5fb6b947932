"""The region that a task's models dominate in the plane of quality and diversity (Figure 3)."""

from __future__ import annotations

from metrics.figures import tradeoff
from metrics.report.pictures import dominated_regions
from metrics.types import Estimate


def system(name: str, q: float | None, d: float | None, *, task: str = "news", generates: bool = True):
    huse, huse_q, huse_d = (Estimate(value, 200, None, {}, (), "s") for value in (0.5, q, d))
    return tradeoff.System(name, task, huse, huse_q, huse_d, generates)


def test_a_task_with_two_models_has_the_triangle_to_the_origin():
    """Method H28: the points {s p, 0 <= s <= 1} of the line through the models, sorted by angle."""
    systems = [system("t=1", 0.5, 0.9), system("t=.7", 0.8, 0.4), system("retrieval", 0.9, 0.1, generates=False)]
    (region,) = dominated_regions(systems)
    assert (region.task, region.corners) == ("news", ((0.0, 0.0), (0.8, 0.4), (0.5, 0.9)))
    areas = tradeoff.chart(systems, (region,)).areas
    assert [(area.name, area.corners) for area in areas] == [("dominated, news", region.corners)]


def test_a_lone_model_or_one_without_diversity_dominates_no_area():
    assert dominated_regions([system("a", 0.5, 0.9), system("b", 0.5, None), system("c", 0.8, 0.2, task="chat")]) == ()
