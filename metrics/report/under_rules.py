"""What leaving out work by rules does to HUSE: every selection of rules, generator by generator (method 2.5, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from metrics.errors import MetricsError
from metrics.exclusions import NAMES, Exclusions, count_selections, exclusion_sensitivity
from metrics.figures import exclusion_curve
from metrics.figures.chart import Chart
from metrics.report.around_huse import CRITERION
from metrics.report.particulars import RuleFacts
from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.section import Section
from metrics.tables.exclusions import exclusions_table
from metrics.tables.record import Column, Row, Table
from metrics.types import Rating

KEY, TITLE = "exclusions", "Sensitivity to exclusions"
DRAWS, LEAST_DRAWS = 200, 20
AFFORDED = 50_000  # texts times selections up to which every draw is made


def under_rules(
    facts: GeneratorFacts,
    given: ReportInput,
    *,
    k: int = 16,
    draws: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Exclusions:
    """HUSE of one generator (HUSE-Q where a log p is missing) under every selection of the input's rules.

    Every rating counts before the rules, whether the report keeps it or not. draws: random removals beside each
    selection; None: 200, fewer (at least 20) where texts times selections exceed 50,000. Raises as
    `exclusion_sensitivity`.
    """
    rules = [one for one in given.rules or () if one.assignments]
    alone = [one.name for one in rules if one.alone]
    if draws is None:
        work = len(facts.items) * count_selections(len(rules) - len(alone), len(alone))
        draws = max(LEAST_DRAWS, min(DRAWS, DRAWS * AFFORDED // max(1, work)))
    whole = all(item.log_prob is not None for item in facts.items)
    # HJ of the input is of what is kept; here every selection has its own.
    items = [replace(item, hj=None, ratings=0) for item in facts.items]
    return exclusion_sensitivity(
        items,
        _ratings(facts, given),
        _units(given, rules),
        measure="huse" if whole else "huse_q",
        k=k,
        draws=draws,
        seed=seed,
        level=level,
        missing="quality_only",
        alone=alone,
        progress=progress,
    )


def idle(given: ReportInput) -> tuple[str, ...]:
    """The rules that leave nobody out."""
    return tuple(one.name for one in given.rules or () if not one.assignments)


def section(given: ReportInput, *, k: int, seed: int, level: float) -> Section:
    """One figure and one table a generator, and the shares of selections on each side; empty where no rule is known."""
    if not given.rules or not given.generators:
        return Section(KEY, TITLE)
    found: dict[str, Exclusions] = {}
    missing: list[tuple[str, str]] = []
    for facts in given.generators:
        try:
            found[facts.name] = under_rules(facts, given, k=k, seed=seed, level=level)
        except MetricsError as error:
            missing.append((f"{TITLE}, {facts.name}", str(error)))
    told = enumerate(found.items(), 1)
    tables = [exclusions_table(one, name=f"exclusions-{at}", of=name) for at, (name, one) in told]
    return Section(KEY, TITLE, tuple(_lead(given)), (*_sides(found), *tables), tuple(_charts(found)), tuple(missing))


def _unit(hit: str | None, rater: str) -> str:
    return f"{hit or ''}\n{rater}"


def _units(given: ReportInput, rules: Sequence[RuleFacts]) -> dict[str, set[str]]:
    """By rule, the units of `_ratings`: nobody does a HIT twice, so rater and HIT name an assignment."""
    of = {one.id: _unit(one.hit, one.rater) for one in given.assignments}
    return {rule.name: {of[one] for one in rule.assignments if one in of} for rule in rules}


def _ratings(facts: GeneratorFacts, given: ReportInput) -> list[Rating]:
    own = {item.id for item in facts.items}
    return [
        Rating(one.text, one.rater, Fraction(one.value), _unit(one.hit, one.rater))
        for one in given.ratings
        if one.criterion == CRITERION and one.text in own
    ]


def _lead(given: ReportInput) -> Iterator[str]:
    if nobody := idle(given):
        yield f"Leaves nobody out: {', '.join(nobody)}."
    if apart := [one.name for one in given.rules or () if one.alone and one.assignments]:
        yield f"Not among the study's rules and joined with no other: {', '.join(apart)}."


def _sides(found: Mapping[str, Exclusions]) -> Iterator[Table]:
    """On which side of the headline's interval the selections lie."""
    rows: list[Row] = [
        (name, NAMES[one.measure], one.headline, one.below, one.inside, one.above, len(one.specifications))
        for name, one in found.items()
    ]
    columns = (
        Column("generator", "Generator"),
        Column("measure", "Measure"),
        Column("headline", "Without any rule", "estimate", n="n"),
        Column("below", "Below its interval", "share"),
        Column("inside", "Inside", "share"),
        Column("above", "Above", "share"),
        Column("n", "Selections", "count"),
    )
    title = "Share of the selections of rules that lie on each side of the interval without any rule, exact ties."
    if rows:
        yield Table("exclusions-sides", title, columns, tuple(rows))


def _charts(found: Mapping[str, Exclusions]) -> Iterator[Chart]:
    for at, (name, one) in enumerate(found.items(), 1):
        chart = exclusion_curve.chart(one, name=f"exclusions-{at}")
        yield replace(chart, title=f"{name}: {chart.title}")
