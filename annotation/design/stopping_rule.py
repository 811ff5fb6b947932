"""When a page has enough raters: the study's stopping rule as arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

from annotation.models import Study

Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class PageState:
    """A page of texts: raters planned, submissions that count, and of each text (ratings, standard deviation)."""

    planned: int
    valid: int
    spreads: tuple[tuple[int, float], ...] = ()


def required_raters(page: PageState, study: Study) -> int:
    """How many raters the page shall have by the study's rule.

    Width: as many as make the 95% interval of every text's mean (normal, 2 * 1.96 * sd / sqrt(n)) no wider than
    `stop_width` at the spread seen so far; at least those planned, at most `most_raters`.
    """
    if study.stop_rule != Study.Stop.WIDTH or not study.stop_width:
        return page.planned
    needed = [raters_for(sd, study.stop_width) for n, sd in page.spreads if n > 1]
    max_raters = study.most_raters or page.planned
    return max(page.planned, min(max_raters, max(needed, default=0)))


def raters_for(sd: float, width: float) -> int:
    """Ratings that bring the 95% interval of a mean to `width` at this standard deviation.

    >>> raters_for(1.0, 1.0)
    16
    """
    return math.ceil((2 * Z * sd / width) ** 2)
