"""What leaving out work by rules does to the headline measure: HUSE by generator, accuracy by condition (2.5, 4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from metrics.errors import MetricsError
from metrics.evaluators.exclusion_sensitivity import evaluator_exclusions
from metrics.figures import exclusion_curve
from metrics.figures.chart import Chart
from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.huse.exclusion_sensitivity import exclusion_sensitivity
from metrics.inference.specification_curve import NAMES, Conclusion, Exclusions, concluded, count_selections
from metrics.report.records import GeneratorFacts, ReportInput, unit_of
from metrics.report.section import Section
from metrics.report.sections import human_or_machine as telling_apart
from metrics.report.sections.huse_extras import CRITERION
from metrics.report.wording import plural
from metrics.tables.exclusions import exclusions_table
from metrics.tables.record import Column, Row, Table
from metrics.types import Rating

KEY, TITLE = "exclusions", "Sensitivity to exclusions"
DRAWS, MIN_DRAWS = 200, 20
AFFORDED = 50_000  # texts times selections up to which every draw is made
MAX_NAMED = 3
CONCLUSIONS: dict[Conclusion | None, str] = {
    "below": "told apart from the references",
    "open": "not shown to be told apart from the references",
    "above": "erring more often than guessing",
    None: "without a conclusion",
}
JUDGE_CONCLUSIONS: dict[Conclusion | None, str] = {
    "below": "worse than chance",
    "open": "not shown to differ from chance",
    "above": "better than chance",
    None: "without a conclusion",
}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class UnderRules:
    """What the rules do, by generator and by condition of the evaluators; and why there is nothing, by either."""

    huse: Mapping[str, Exclusions]
    accuracy: Mapping[str, Exclusions]
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def parts(self) -> Mapping[str, Exclusions]:
        """All of them, generators first; a study has one kind or the other."""
        return {**self.huse, **self.accuracy}


def everything(
    given: ReportInput,
    *,
    k: int = 16,
    draws: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> UnderRules:
    """Every generator's HUSE and every condition's accuracy under every selection of the input's rules.

    draws: as of `under_rules` and `judges_under_rules`. A generator or a study of which nothing can be computed is
    named in `missing` with the reason. progress: told of whom, and how far. Nothing where no rule is known.
    """
    if not given.rules:
        return UnderRules({}, {})
    huse: dict[str, Exclusions] = {}
    missing: list[tuple[str, str]] = []
    accuracy: Mapping[str, Exclusions] = {}
    for facts in given.generators:
        told = partial(progress, facts.name) if progress else None
        try:
            huse[facts.name] = under_rules(facts, given, k=k, draws=draws, seed=seed, level=level, progress=told)
        except MetricsError as error:
            missing.append((f"{TITLE}, {facts.name}", str(error)))
    try:
        told = partial(progress, "Evaluators") if progress else None
        accuracy = judges_under_rules(given, draws=draws or DRAWS, seed=seed, level=level, progress=told)
    except MetricsError as error:
        missing.append((f"{TITLE}, evaluators", str(error)))
    return UnderRules(huse, accuracy, tuple(missing))


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

    Every rating counts before the rules, whether the report keeps it or not; texts that nobody rated are left aside.
    draws: random removals beside each selection; None: 200, fewer (at least 20) where texts times selections exceed
    50,000. Raises as `exclusion_sensitivity`.
    """
    rules, alone = _effective(given)
    ratings = _ratings(facts, given)
    rated = {one.item for one in ratings}
    every = [item for item in (*facts.items, *facts.dropped) if item.id in rated]
    if draws is None:
        work = len(every) * count_selections(len(rules) - len(alone), len(alone))
        draws = max(MIN_DRAWS, min(DRAWS, DRAWS * AFFORDED // max(1, work)))
    whole = all(item.log_prob is not None for item in every)
    # HJ of the input is of what is kept; here every selection has its own.
    items = [replace(item, hj=None, ratings=0) for item in every]
    return exclusion_sensitivity(
        items,
        ratings,
        rules,
        measure="huse" if whole else "huse_q",
        k=k,
        draws=draws,
        seed=seed,
        level=level,
        missing="quality_only",
        alone=alone,
        reported=_reported(given),
        progress=progress,
    )


def judges_under_rules(
    given: ReportInput,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Exclusions]:
    """Evaluators' accuracy by condition and over all judgments under every selection; empty where nobody was asked.

    Every judgment counts before the rules, whether the report keeps it or not. Raises as `evaluator_exclusions`.
    """
    found = telling_apart.judgments(given, every=True)
    if not found:
        return {}
    rules, alone = _effective(given)
    return evaluator_exclusions(
        found,
        rules,
        telling_apart.conditions_by(found),
        draws=draws,
        seed=seed,
        level=level,
        alone=alone,
        reported=_reported(given),
        progress=progress,
    )


def idle(given: ReportInput) -> tuple[str, ...]:
    """The rules that leave nobody out."""
    return tuple(one.name for one in given.rules or () if not one.assignments)


def section(given: ReportInput, found: UnderRules) -> Section:
    """What holds in sentences; one figure and one table a generator or condition, and the shares of selections on each
    side; empty where no rule is known."""
    if not found.parts and not found.missing:
        return Section(KEY, TITLE)
    groups = (("exclusions", "generator", found.huse), ("exclusions-evaluators", "condition", found.accuracy))
    tables = [
        exclusions_table(one, name=f"{name}-{at}", of=of)
        for name, _, own in groups
        for at, (of, one) in enumerate(own.items(), 1)
    ]
    charts = [one for name, _, own in groups for one in _charts(own, name)]
    sides = [one for name, key, own in groups for one in _sides(own, name, key)]
    lead = (*conclusions(found.parts), *_lead(given))
    return Section(KEY, TITLE, lead, (*sides, *tables), tuple(charts), found.missing)


def conclusions(found: Mapping[str, Exclusions]) -> tuple[str, ...]:
    """Whether what is concluded holds without exclusions, and under every selection; else what changes, and when."""
    few = [name for name, one in found.items() if FEW_OF_A_SOURCE in one.headline.flags]
    sure = {name: one for name, one in found.items() if name not in few}
    told = [f"One source has too few texts to conclude anything of {', '.join(few)}."] if few else []
    return (*_without(sure), *_under_all(sure), *told)


def _without(found: Mapping[str, Exclusions]) -> Iterator[str]:
    """The reported conclusions against those without any rule; nothing where nobody is left out."""
    held = {name: one.reported for name, one in found.items() if one.reported is not None and one.reported.units}
    if not held:
        return
    other = []
    for name, one in held.items():
        reported = concluded(one.interval, found[name].measure)
        if reported != found[name].conclusion:
            words = _words(found[name])
            other.append(f"{name} ({words[reported]}; without exclusions {words[found[name].conclusion]})")
    yield (
        f"Conclusions change without exclusions: {'; '.join(other)}."
        if other
        else ("All conclusions hold without exclusions.")
    )


def _under_all(found: Mapping[str, Exclusions]) -> Iterator[str]:
    drawn = {name: one for name, one in found.items() if one.conclusion is not None or one.changing}
    changing = {name: one for name, one in drawn.items() if one.changing}
    if drawn and not changing:
        most = max(len(one.specifications) for one in drawn.values())
        every = "every selection that has a value" if any(one.without for one in drawn.values()) else ""
        every = every or f"every one of {most} selections of rules"
        held = f"Conclusions are the same under {every}" if most > 1 else "No rule leaves anybody out"
        yield f"{held}. {_all_conclusions(drawn)}"
    for name, one in changing.items():
        named = [f"“{spec.named}”" for spec in one.changing[:MAX_NAMED]]
        more = len(one.changing) - len(named)
        listed = ", ".join(named) + (f" and {more} more" if more else "")
        yield (
            f"{name} is {_words(one)[one.conclusion]} without any rule; that changes under "
            f"{len(one.changing)} of {plural(len(one.specifications), 'selection')}: {listed}."
        )
    if changing and len(changing) < len(drawn):
        every = "every selection that has a value" if any(one.without for one in drawn.values()) else "every selection"
        yield f"Every other conclusion is the same under {every}."
    yield from (f"{name}: {one.sentence_without}" for name, one in drawn.items() if one.without)
    if nothing := [name for name in found if name not in drawn]:
        yield f"No interval is defined with or without rules, so that nothing is concluded of {', '.join(nothing)}."


def _all_conclusions(found: Mapping[str, Exclusions]) -> str:
    names: dict[str, list[str]] = {}
    for name, one in found.items():
        names.setdefault(_words(one)[one.conclusion], []).append(name)
    said = "; ".join(f"{words}: {', '.join(own)}" for words, own in names.items())
    return f"{said[:1].upper()}{said[1:]}."


def _words(one: Exclusions) -> dict[Conclusion | None, str]:
    return JUDGE_CONCLUSIONS if one.measure == "accuracy" else CONCLUSIONS


def _effective(given: ReportInput) -> tuple[dict[str, set[str]], list[str]]:
    """By rule that leaves anybody out, its units; and which of these rules are joined with no other."""
    rules = [one for one in given.rules or () if one.assignments]
    of = _units(given)
    units = {rule.name: {of[one] for one in rule.assignments if one in of} for rule in rules}
    return units, [one.name for one in rules if one.alone]


def _units(given: ReportInput) -> dict[str, str]:
    return {one.id: unit_of(one.hit, one.rater) for one in given.assignments}


def _reported(given: ReportInput) -> Collection[str]:
    """The assignments none of whose ratings are kept."""
    return {one.unit for one in given.ratings} - {one.unit for one in given.ratings if one.kept}


def _ratings(facts: GeneratorFacts, given: ReportInput) -> list[Rating]:
    own = {item.id for item in (*facts.items, *facts.dropped)}
    return [
        Rating(one.text, one.rater, Fraction(one.value), one.unit)
        for one in given.ratings
        if one.criterion == CRITERION and one.text in own
    ]


def _lead(given: ReportInput) -> Iterator[str]:
    if nobody := idle(given):
        yield f"Leaves nobody out: {', '.join(nobody)}."
    if apart := [one.name for one in given.rules or () if one.alone and one.assignments]:
        yield f"Not among the study's rules and joined with no other: {', '.join(apart)}."


def _sides(found: Mapping[str, Exclusions], name: str, key: str) -> Iterator[Table]:
    """On which side of the headline's interval the selections lie."""
    rows: list[Row] = [
        (
            of,
            NAMES[one.measure],
            one.headline,
            one.below,
            one.inside,
            one.above,
            len(one.changing),
            len(one.specifications),
            one.without,
        )
        for of, one in found.items()
    ]
    columns = (
        Column(key, key.capitalize()),
        Column("measure", "Measure"),
        Column("headline", "Without any rule", "estimate", n="n"),
        Column("below", "Below its interval", "share"),
        Column("inside", "Inside", "share"),
        Column("above", "Above", "share"),
        Column("changing", "Other conclusion", "count"),
        Column("n", "Selections", "count"),
        Column("without", "Without a value", "count"),
    )
    ties = "" if key == "condition" else ", exact ties"
    title = f"Share of the selections with a value that lie on each side of the interval without any rule{ties}."
    if rows:
        yield Table(f"{name}-sides", title, columns, tuple(rows))


def _charts(found: Mapping[str, Exclusions], name: str) -> Iterator[Chart]:
    for at, (of, one) in enumerate(found.items(), 1):
        chart = exclusion_curve.chart(one, name=f"{name}-{at}")
        yield replace(chart, title=f"{of}: {chart.title}")
