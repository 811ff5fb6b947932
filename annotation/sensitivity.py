"""Reads: what leaving out work by rules does to the headline measure, for every generator of a study (method 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation import reviewing
from annotation.models import Study
from annotation.quality.exclusion import Rule
from annotation.quality.filters import NEVER_ALONE, SENSITIVITY, title_of
from metrics.exclusions import Exclusions, exclusion_sensitivity
from metrics.report.records import GeneratorFacts

Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """Rules by name with the assignments (the marketplace's ids) that each leaves out.

    alone: what raises flags by default, is not among the study's rules and is joined with no other. idle: rules without
    effect.
    """

    units: dict[str, set[str]]
    alone: tuple[str, ...]
    idle: tuple[str, ...]


def asked(study: Study, only: Sequence[str] = ()) -> Asked:
    """The study's rules (or the defaults, where no version holds) and each default; `only`: these filters instead."""
    stored = reviewing.rule_set(study)
    chosen = tuple(Rule(kind) for kind in only) or (reviewing.rules_of(stored) if stored else ())
    joined = chosen or tuple(Rule(kind) for kind in SENSITIVITY)
    beside = () if only else tuple(Rule(kind) for kind in SENSITIVITY if Rule(kind) not in joined)
    found = _left_out(study, joined) | _left_out(study, beside)
    alone = tuple(name for name in map(_named, beside) if found[name])
    units = {name: reviewing.assignments(gone) for name, gone in found.items() if gone}
    return Asked(units, alone, tuple(name for name, gone in found.items() if not gone))


def _left_out(study: Study, rules: Sequence[Rule]) -> dict[str, set[int]]:
    # A selection of rules may come down to one: what may not leave work out alone stays idle.
    found = reviewing.left_out_by(study, tuple(rules)) | {kind: set() for kind in NEVER_ALONE}
    return {_named(rule): found[rule.kind] for rule in rules}


def _named(rule: Rule) -> str:
    title = title_of(rule.kind)
    return title if rule.threshold is None else f"{title} ({rule.threshold:g})"


def under_rules(
    study: Study,
    generators: Sequence[GeneratorFacts],
    given: Asked,
    *,
    draws: int = 200,
    seed: int = 0,
    tell: Told | None = None,
) -> Iterator[tuple[str, Exclusions]]:
    """Each generator's name with HUSE (HUSE-Q where a log p is missing) under every selection. Raises MetricsError."""
    ratings = reviewing.rated_units(study)
    for one in generators:

        def told(done: int, of: int, name: str = one.name) -> None:
            if tell:
                tell(name, done, of)

        yield one.name, exclusion_sensitivity(
            one.items, ratings, given.units, draws=draws, seed=seed,
            measure="huse" if all(item.log_prob is not None for item in one.items) else "huse_q",
            missing="quality_only", alone=given.alone, progress=told,
        )  # fmt: skip
