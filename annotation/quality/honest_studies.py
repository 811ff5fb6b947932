"""What each rule would do to HUSE in studies of one design in which everybody is honest.

Texts are drawn from the prior study that planning assumes, people as in `honest_groups`. A study has one generator,
and its size is limited. The check before publishing simulates them and stores the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import lcm
from typing import Any

import numpy as np
from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.design.kinds import is_for_huse
from annotation.models import Job, Study, Text
from annotation.quality.filters import BY_KIND
from annotation.quality.honest_groups import GROUPS, simulate_readers
from annotation.quality.rules import Rule
from annotation.quality.work_table import Bools, Floats, Work
from metrics.huse.subsampling import huse_arrays
from metrics.planning import known_pilots, prior_pilot

STUDIES = 20
GROUP_SHARE = 0.05  # of people in each of the six groups
MAX_TEXTS = 200
MAX_RATERS = 20
MAX_PEOPLE = 400
NEIGHBORS = 16
SEED = 26
MEASURES = ("huse", "huse_q")
OUTCOME = "honest_studies"  # key in what the check stores
DIGITS = 6


@dataclass(frozen=True, slots=True)
class HonestDesign:
    """The size of each study: texts of both sources, ratings of each, texts in a task, labels of the scale."""

    texts: int
    raters: int
    per_task: int
    labels: int

    @property
    def people(self) -> int:
        return self.texts // self.per_task * self.raters


@dataclass(frozen=True, slots=True)
class HonestChange:
    """What a rule did in studies of honest people only.

    excluded: people excluded per study, on average. change: of `huse` and `huse_q`, on average over the studies in
    which each text kept a rating; error: standard error of that average. Both are empty where there are fewer than two
    such studies. computed: how many there are.
    """

    kind: str
    threshold: float | None
    excluded: float
    change: Mapping[str, float]
    error: Mapping[str, float]
    computed: int


@dataclass(frozen=True, slots=True)
class HonestStudies:
    """What a check has stored: design and number of the studies, and what each rule did."""

    design: HonestDesign
    studies: int
    changes: Mapping[tuple[str, float | None], HonestChange]

    def find_change(self, rule: Rule) -> HonestChange | None:
        """None where the rule was not tried, or at another threshold."""
        return self.changes.get((rule.kind, rule.threshold))


@dataclass(frozen=True, slots=True)
class HonestStudy:
    """A simulated study. q: (texts,) log p per unit; is_reference: (texts,)."""

    work: Work
    q: Floats
    is_reference: Bools

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


def design_of(study: Study) -> HonestDesign | None:
    """The design as far as it is simulated; None where it gives no HUSE, or has too few texts for it."""
    if _unsupported(study):
        return None
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


def state_limit(study: Study) -> str:
    """Say why no studies of honest people are simulated for a study; only where `design_of` gives None."""
    few = _(
        "Simulating studies of honest people needs more than %(n)s texts, as many of each source; this study has fewer."
    )
    return _unsupported(study) or few % {"n": NEIGHBORS}


def _unsupported(study: Study) -> str:
    """The property of a study for which no studies are simulated, in a sentence; "" where there is none."""
    if not is_for_huse(study.task):
        return _(
            "How each rule would move results if everybody is honest is simulated only for task types that give HUSE. "
            "Texts and answers are drawn from a prior study, and none is stored for this task type."
        )
    if study.mode == Study.Mode.IMPORTED:
        return _(
            "No studies of honest people are simulated for an imported study: it is not checked before publishing."
        )
    if study.evaluators_per_cell:
        return _("No studies of honest people are simulated where each condition has evaluators of its own.")
    return ""


def has_log_probs(study: Study) -> bool:
    """Whether each text has a log p, so that the headline measure is HUSE and not HUSE-Q."""
    return not study.texts.judged().filter(likelihoods__isnull=True).exists()


def rehearse_rules(
    design: HonestDesign, rules: Sequence[Rule], *, words: Sequence[int], studies: int = STUDIES
) -> list[HonestChange]:
    """Simulate studies of honest people and try each rule alone on each of them.

    Args:
        words: lengths of the study's texts, from which lengths are drawn; at least one.
        studies: at least 2.
    """
    rng = np.random.default_rng(SEED)
    checks = [(rule, BY_KIND[rule.kind]) for rule in rules if rule.kind in BY_KIND]
    excluded, changes = np.zeros((studies, len(checks))), np.zeros((studies, len(checks), len(MEASURES)))
    for at in range(studies):
        honest = draw_study(design, words, rng)
        before = np.array(honest.measures(np.ones(len(honest.work), dtype=np.bool_)))
        for column, (rule, check) in enumerate(checks):
            out = check.raised(check.measure(honest.work), rule.cut)
            excluded[at, column] = out.sum()
            if out.any():
                changes[at, column] = honest.measures(~out) - before
    return [_summarize(rule, excluded[:, at], changes[:, at]) for at, (rule, _check) in enumerate(checks)]


def draw_study(design: HonestDesign, words: Sequence[int], rng: np.random.Generator) -> HonestStudy:
    """Simulate one study in which everybody is honest."""
    pilot = prior_pilot(next(iter(known_pilots())))
    pairs = -(-design.texts // 2)
    mean_label, q = (values[: design.texts] for values in pilot.texts.draw(pairs, rng))
    lowest, highest = pilot.labels.lowest, pilot.labels.highest
    impression = (pilot.impressions(mean_label) - lowest) / (highest - lowest) * (design.labels - 1)
    tasks = rng.permutation(design.texts).reshape(-1, design.per_task)
    text = np.stack([rng.permutation(task) for task in tasks for _ in range(design.raters)])
    others = 1 - GROUP_SHARE * len(GROUPS)
    group = rng.choice(["", *GROUPS], len(text), p=[others, *[GROUP_SHARE] * len(GROUPS)]).tolist()
    length = rng.choice(np.asarray(words, dtype=np.int64), design.texts)
    work = simulate_readers(group, text, length=length, impression=impression, labels=design.labels, rng=rng)
    return HonestStudy(work, q, np.arange(design.texts) < pairs)


def honest_outcome(study: Study, rules: Sequence[Rule], *, words: Sequence[int]) -> dict[str, Any]:
    """What the check before publishing stores: the design and each rule's numbers; empty where there is no HUSE."""
    design = design_of(study)
    if design is None:
        return {}
    rows = rehearse_rules(design, rules, words=words)
    return {OUTCOME: {"design": asdict(design), "studies": STUDIES, "rules": [asdict(row) for row in rows]}}


def stored_studies(study: Study, design: HonestDesign) -> HonestStudies | None:
    """Read what the latest check has stored; None where there was none, or the design has changed since."""
    done = study.jobs.filter(kind=Job.Kind.PREFLIGHT, state=Job.State.DONE).order_by("-created_at", "-pk").first()
    stored = (done.outcome or {}).get(OUTCOME) if done else None
    if stored is None or stored["design"] != asdict(design):
        return None
    rows = [HonestChange(**row) for row in stored["rules"]]
    return HonestStudies(design, stored["studies"], {(row.kind, row.threshold): row for row in rows})


def _summarize(rule: Rule, excluded: Floats, changes: Floats) -> HonestChange:
    """changes: (studies, measures), NaN where a text kept no rating."""
    known = changes[~np.isnan(changes).any(axis=1)]
    change, error = {}, {}
    if len(known) > 1:
        errors = known.std(axis=0, ddof=1) / np.sqrt(len(known))
        change = dict(zip(MEASURES, known.mean(axis=0).round(DIGITS).tolist(), strict=True))
        error = dict(zip(MEASURES, errors.round(DIGITS).tolist(), strict=True))
    return HonestChange(rule.kind, rule.threshold, float(excluded.mean()), change, error, len(known))
