"""Studies in which everybody is honest, of designs that give HUSE: texts are drawn from the prior study that planning
assumes. A study has one generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
from django.db.models import Count

from annotation.models import Study, Text
from annotation.quality.honest_design import (
    MAX_PEOPLE,
    MAX_RATERS,
    MAX_TEXTS,
    HonestDesign,
    MeasureName,
    deal_tasks,
    draw_groups,
)
from annotation.quality.honest_groups import simulate_readers
from annotation.quality.work_table import Bools, Floats, Work
from metrics.huse.subsampling import huse_arrays
from metrics.planning import known_pilots, prior_pilot

NEIGHBORS = 16
HUSE, HUSE_Q = MeasureName("huse", "HUSE", percent=False), MeasureName("huse_q", "HUSE-Q", percent=False)


@dataclass(frozen=True, slots=True)
class HuseStudy:
    """A simulated study. q: (texts,) log p per unit; is_reference: (texts,)."""

    work: Work
    q: Floats
    is_reference: Bools

    @property
    def names(self) -> tuple[MeasureName, ...]:
        return HUSE, HUSE_Q

    def measures(self, included: Bools) -> tuple[float, float]:
        """HUSE and HUSE-Q from the work of the people included; NaN where a text keeps no rating."""
        lines, texts = self.work.lines, len(self.q)
        keep = included[lines.assignment]
        counts = np.bincount(lines.text[keep], minlength=texts)
        if not counts.all():
            return float("nan"), float("nan")
        sums = np.bincount(lines.text[keep], lines.label[keep], minlength=texts).astype(np.int64)
        multiple = lcm(*np.unique(counts).tolist())  # whole numbers proportional to the means: ties stay exact
        both, quality, _diversity = huse_arrays(sums * (multiple // counts), self.q, self.is_reference, NEIGHBORS)
        return both, quality


def huse_design(study: Study) -> HonestDesign | None:
    """The design as far as it is simulated; None where it has too few texts for HUSE."""
    judged = study.texts.judged().order_by()
    references = judged.filter(source=Text.Source.REFERENCE).count()
    by_generator = judged.filter(source=Text.Source.MODEL).values("generator").annotate(n=Count("pk"))
    texts = 2 * min(references, max((row["n"] for row in by_generator), default=0))
    per_task, raters = max(1, study.texts_per_hit), min(study.raters_per_text, MAX_RATERS)
    tasks = min(-(-texts // per_task), max(1, MAX_TEXTS // per_task), MAX_PEOPLE // raters)
    per_task = min(per_task, texts // max(tasks, 1))
    if tasks * per_task <= NEIGHBORS:
        return None
    return HonestDesign(tasks * per_task, raters, per_task, max(2, study.scale.labels.count()))


def draw_huse_study(design: HonestDesign, words: Sequence[int], rng: np.random.Generator) -> HuseStudy:
    """Simulate one study in which everybody is honest."""
    pilot = prior_pilot(next(iter(known_pilots())))
    pairs = -(-design.texts // 2)
    mean_label, q = (values[: design.texts] for values in pilot.texts.draw(pairs, rng))
    lowest, highest = pilot.labels.lowest, pilot.labels.highest
    impression = (pilot.impressions(mean_label) - lowest) / (highest - lowest) * (design.labels - 1)
    text, _condition = deal_tasks(design, rng)
    group = draw_groups(len(text), rng)
    length = rng.choice(np.asarray(words, dtype=np.int64), design.texts)
    work = simulate_readers(group, text, length=length, impression=impression, labels=design.labels, rng=rng)
    return HuseStudy(work, q, np.arange(design.texts) < pairs)
