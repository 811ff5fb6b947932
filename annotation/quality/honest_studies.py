"""What each rule would do to the headline measures in studies of one design in which everybody is honest.

The check before publishing simulates the studies and stores the numbers: of HUSE as in `honest_huse`, of other answers
as in `honest_answers`, people as in `honest_groups`. Their size is limited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.design.kinds import is_for_huse
from annotation.design.wording import from_json
from annotation.models import Job, Study
from annotation.quality.filters import BY_KIND
from annotation.quality.honest_answers import answers_design, draw_answered_study
from annotation.quality.honest_design import HonestDesign, HonestStudy, MeasureName
from annotation.quality.honest_huse import NEIGHBORS, draw_huse_study, huse_design
from annotation.quality.key_measures import middle_90
from annotation.quality.rules import Rule
from annotation.quality.work_table import Bools, Floats, Work

STUDIES, HUSE_STUDIES = 200, 60
SEED = 26
OUTCOME = "honest_studies"  # key in what the check stores
VERSION = 2  # of what is stored
DIGITS = 6

Exclude = Callable[[Work], Bools]  # (people,) whom a rule excludes
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """By how much a rule moved a measure: median, 5th and 95th percentile over the simulated studies. before: median of
    the measure without the rule. computed: studies in which it has a value with the rule; the others are empty below 2.
    """

    key: str
    name: str
    percent: bool
    middle: float | None
    before: float | None
    median: float | None
    low: float | None
    high: float | None
    computed: int


@dataclass(frozen=True, slots=True)
class HonestChange:
    """What a rule did in studies of honest people only. excluded: people excluded per study, on average."""

    kind: str
    threshold: float | None
    excluded: float
    changes: tuple[MeasureChange, ...]


@dataclass(frozen=True, slots=True)
class HonestStudies:
    """What a check has stored: design, number and seed of the studies, when, and what each rule did."""

    design: HonestDesign
    studies: int
    seed: int
    computed_at: datetime | None
    changes: Mapping[tuple[str, float | None], HonestChange]

    def find_change(self, rule: Rule) -> HonestChange | None:
        """None where the rule was not tried, or at another threshold."""
        return self.changes.get((rule.kind, rule.threshold))


def design_of(study: Study) -> HonestDesign | None:
    """The design as far as it is simulated; None where it is not."""
    if _unsupported(study):
        return None
    if is_for_huse(study.task):
        return huse_design(study)
    stored = study.wordings.last()
    return answers_design(study, from_json(stored.body)) if stored else None


def state_limit(study: Study) -> str:
    """Say why no studies of honest people are simulated for a study; only where `design_of` gives None."""
    if unsupported := _unsupported(study):
        return unsupported
    if is_for_huse(study.task):
        few = _(
            "Simulating studies of honest people needs more than %(n)s texts, as many of each source; this study has "
            "fewer."
        )
        return few % {"n": NEIGHBORS}
    return _(
        "No studies of honest people are simulated: the study has no texts yet, or answers that Assay cannot simulate."
    )


def _unsupported(study: Study) -> str:
    """The property of a study for which no studies are simulated, in a sentence; "" where there is none."""
    if study.mode == Study.Mode.IMPORTED:
        return _(
            "No studies of honest people are simulated for an imported study: it is not checked before publishing."
        )
    if is_for_huse(study.task) and study.evaluators_per_cell:
        return _("No studies of honest people are simulated where each condition has evaluators of its own.")
    return ""


def has_log_probs(study: Study) -> bool:
    """Whether each text has a log p, so that the headline measure is HUSE and not HUSE-Q."""
    return not study.texts.judged().filter(likelihoods__isnull=True).exists()


def draw_study(design: HonestDesign, words: Sequence[int], rng: np.random.Generator) -> HonestStudy:
    """Simulate one study in which everybody is honest.

    Args:
        words: lengths of the study's texts, from which lengths are drawn; at least one.
    """
    draw = draw_answered_study if design.questions else draw_huse_study
    return draw(design, words, rng)


def rehearse_rules(
    design: HonestDesign,
    rules: Sequence[Rule],
    *,
    words: Sequence[int],
    studies: int = 0,
    seed: int = SEED,
    progress: Progress | None = None,
) -> list[HonestChange]:
    """Simulate studies of honest people and try each rule alone on each of them.

    Args:
        words: as in `draw_study`.
        studies: at least 2; 0 for as many as the check simulates.
        progress: called with how many studies of how many are done.
    """
    known = [rule for rule in rules if rule.kind in BY_KIND]
    tried = try_exclusions(
        design,
        [_exclude_by(rule) for rule in known],
        words=words,
        studies=studies or number_of_studies(design),
        seed=seed,
        progress=progress,
    )
    return [HonestChange(rule.kind, rule.threshold, *result) for rule, result in zip(known, tried, strict=True)]


def number_of_studies(design: HonestDesign) -> int:
    """How many studies the check simulates: HUSE takes longer."""
    return STUDIES if design.questions else HUSE_STUDIES


def _exclude_by(rule: Rule) -> Exclude:
    check = BY_KIND[rule.kind]
    return lambda work: check.raised(check.measure(work), rule.cut)


def try_exclusions(
    design: HonestDesign,
    exclusions: Sequence[Exclude],
    *,
    words: Sequence[int],
    studies: int,
    seed: int = SEED,
    progress: Progress | None = None,
) -> list[tuple[float, tuple[MeasureChange, ...]]]:
    """Simulate studies of honest people. Of each way to exclude: people excluded per study, each measure's change."""
    rng = np.random.default_rng(seed)
    names: Sequence[MeasureName] = ()
    excluded = np.zeros((studies, len(exclusions)))
    before: list[Sequence[float]] = []
    after: list[list[Sequence[float]]] = []
    for at in range(studies):
        honest = draw_study(design, words, rng)
        names = honest.names
        before.append(honest.measures(np.ones(len(honest.work), dtype=np.bool_)))
        after.append([])
        for column, exclude in enumerate(exclusions):
            out = exclude(honest.work)
            excluded[at, column] = out.sum()
            after[-1].append(honest.measures(~out) if out.any() else before[-1])
        if progress:
            progress(at + 1, studies)
    values, changed = np.array(before), np.array(after).reshape(studies, len(exclusions), -1)
    return [
        (float(excluded[:, column].mean()), tuple(_summarize(names, values, changed[:, column])))
        for column in range(len(exclusions))
    ]


def _summarize(names: Sequence[MeasureName], before: Floats, after: Floats) -> list[MeasureChange]:
    """before, after: (studies, measures), NaN where a measure has no value."""
    rows = []
    for at, name in enumerate(names):
        change = after[:, at] - before[:, at]
        known = change[~np.isnan(change)]
        low, high = middle_90(known)
        value = before[:, at][~np.isnan(before[:, at])]
        some = len(known) > 1
        rows.append(
            MeasureChange(
                key=name.key,
                name=name.name,
                percent=name.percent,
                middle=name.middle,
                before=_rounded(np.median(value)) if len(value) else None,
                median=_rounded(np.median(known)) if some else None,
                low=_rounded(low) if some else None,
                high=_rounded(high) if some else None,
                computed=len(known),
            )
        )
    return rows


def _rounded(value: float | np.floating[Any]) -> float:
    return round(float(value), DIGITS)


def honest_outcome(
    study: Study, rules: Sequence[Rule], *, words: Sequence[int], progress: Progress | None = None
) -> dict[str, Any]:
    """What the check before publishing stores: the design and each rule's numbers; empty where none is simulated."""
    design = design_of(study)
    if design is None:
        return {}
    rows = rehearse_rules(design, rules, words=words, progress=progress)
    numbers = {"version": VERSION, "studies": number_of_studies(design), "seed": SEED}
    return {OUTCOME: {**numbers, "design": asdict(design), "rules": [asdict(row) for row in rows]}}


def stored_studies(study: Study, design: HonestDesign) -> HonestStudies | None:
    """Read what the latest check has stored; None where there was none, or the design has changed since."""
    done = study.jobs.filter(kind=Job.Kind.PREFLIGHT, state=Job.State.DONE).order_by("-created_at", "-pk").first()
    stored = (done.outcome or {}).get(OUTCOME) if done else None
    if done is None or stored is None or stored.get("version") != VERSION or stored["design"] != _as_stored(design):
        return None
    rows = [_change(row) for row in stored["rules"]]
    by_rule = {(row.kind, row.threshold): row for row in rows}
    return HonestStudies(design, stored["studies"], stored["seed"], done.finished_at, by_rule)


def _as_stored(design: HonestDesign) -> Any:
    """As JSON gives it back: lists for tuples."""
    return json.loads(json.dumps(asdict(design)))


def _change(row: Mapping[str, Any]) -> HonestChange:
    changes = tuple(MeasureChange(**change) for change in row["changes"])
    return HonestChange(row["kind"], row["threshold"], row["excluded"], changes)
