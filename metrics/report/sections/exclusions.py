"""What leaving out work by rules does to the headline measure: HUSE by generator, accuracy by condition (2.5, 4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from metrics.data.evaluator_judgments import check_judgments
from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.evaluators.exclusion_sensitivity import (
    OVERALL,
    UnitAnswers,
    evaluator_exclusions,
    groups_of,
    lay_out_answers,
)
from metrics.figures import exclusion_curve
from metrics.figures.chart import Chart
from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.huse.exclusion_sensitivity import UnitRatings, exclusion_sensitivity, lay_out_units
from metrics.inference.specification_curve import NAMES, Conclusion, Exclusions, Measure, concluded, count_selections
from metrics.report.records import GeneratorFacts, ReportInput, unit_of
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.huse_extras import CRITERION
from metrics.report.sections.judgments import judgments as judgments_of
from metrics.report.sections.judgments import varying_factors
from metrics.report.wording import plural
from metrics.tables.exclusions import exclusions_table
from metrics.tables.record import Column, Row, Table
from metrics.types import Item, Rating

KEY, TITLE = "exclusions", "Sensitivity to exclusions"
DRAWS, MIN_DRAWS = 200, 20
AFFORDED = 50_000  # texts times selections up to which every draw is made
MAX_NAMED = 3
OF_CONDITIONS = plain("Share of the selections with a value on each side of the interval without exclusions.")
OF_TIES = plain("Share of the selections with a value on each side of the interval without exclusions, exact ties.")
THESE_RATERS = (
    "Every selection has its interval by half-samples of texts, with these raters: without what other raters would "
    "change, which the intervals in the table of HUSE hold where it is known."
)
CONCLUSIONS: dict[Conclusion | None, str] = {
    "below": "different from the references",
    "open": "not shown to differ from the references",
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
ByUnit = UnitRatings | UnitAnswers


@dataclass(frozen=True, slots=True)
class RuleEffects:
    """What the rules do, by generator and by condition of the evaluators; and why there is nothing, by either.

    idle: sentences on rules that exclude nothing, or are joined with no other.
    """

    huse: Mapping[str, Exclusions]
    accuracy: Mapping[str, Exclusions]
    missing: tuple[tuple[str, str], ...] = ()
    idle: tuple[str, ...] = ()

    @property
    def parts(self) -> Mapping[str, Exclusions]:
        """All of them, generators first; a study has one kind or the other."""
        return {**self.huse, **self.accuracy}


def compute_rule_effects(
    report_input: ReportInput,
    *,
    k: int = 16,
    draws: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> RuleEffects:
    """Every generator's HUSE and every condition's accuracy under every selection of the input's rules.

    draws: as in `huse_under_rules` and `accuracy_under_rules`. A generator or a study of which nothing can be computed
    is in `missing` with the reason. progress: called with the name and how far it is. Empty where no rule is known.
    """
    if not report_input.rules:
        return RuleEffects({}, {})
    huse: dict[str, Exclusions] = {}
    missing: list[tuple[str, str]] = []
    accuracy: Mapping[str, Exclusions] = {}
    for facts in report_input.generators:
        report_progress = partial(progress, facts.name) if progress else None
        try:
            huse[facts.name] = huse_under_rules(
                facts, report_input, k=k, draws=draws, seed=seed, level=level, progress=report_progress
            )
        except MetricsError as error:
            missing.append((f"{TITLE}, {facts.name}", str(error)))
    try:
        report_progress = partial(progress, "Evaluators") if progress else None
        accuracy = accuracy_under_rules(
            report_input, draws=draws or DRAWS, seed=seed, level=level, progress=report_progress
        )
    except MetricsError as error:
        missing.append((f"{TITLE}, evaluators", str(error)))
    return RuleEffects(huse, accuracy, tuple(missing), tuple(_idle(report_input)))


def huse_under_rules(
    facts: GeneratorFacts,
    report_input: ReportInput,
    *,
    k: int = 16,
    draws: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Exclusions:
    """HUSE of one generator (HUSE-Q where a log p is missing) under every selection of the input's rules.

    Every rating counts before the rules, whether the report keeps it or not; texts without ratings are not used.
    draws: random removals for each selection; None: 200, fewer (at least 20) where texts times selections exceed
    50,000. Raises as `exclusion_sensitivity`.
    """
    rules, alone = _effective(report_input)
    items, ratings, measure = _before_rules(facts, report_input)
    if draws is None:
        work = len(items) * count_selections(len(rules) - len(alone), len(alone))
        draws = max(MIN_DRAWS, min(DRAWS, DRAWS * AFFORDED // max(1, work)))
    return exclusion_sensitivity(
        items,
        ratings,
        rules,
        measure=measure,
        k=k,
        draws=draws,
        seed=seed,
        level=level,
        missing="quality_only",
        alone=alone,
        reported=_reported(report_input),
        progress=progress,
    )


def _before_rules(facts: GeneratorFacts, report_input: ReportInput) -> tuple[list[Item], list[Rating], Measure]:
    """The rated texts of a generator and their references, without HJ: every selection has its own."""
    ratings = _ratings(facts, report_input)
    rated = {rating.item for rating in ratings}
    every = [item for item in (*facts.items, *facts.dropped) if item.id in rated]
    measure: Measure = "huse" if all(item.log_prob is not None for item in every) else "huse_q"
    return [replace(item, hj=None, ratings=0) for item in every], ratings, measure


def arrays_by_unit(report_input: ReportInput, *, k: int = 16) -> Iterator[tuple[str, ByUnit, list[str]]]:
    """Of each generator (HUSE) and each condition (accuracy): its name, its answers by unit, and the units' names.

    A generator or a study of which nothing can be computed is absent, as from `compute_rule_effects`.
    """
    for facts in report_input.generators:
        items, ratings, measure = _before_rules(facts, report_input)
        with suppress(MetricsError):
            by_unit, names, _ = lay_out_units(items, ratings, measure=measure, k=k, missing="quality_only")
            yield facts.name, by_unit, names
    judgments = judgments_of(report_input, every=True)
    with suppress(MetricsError):
        for condition, group in groups_of(judgments, varying_factors(judgments)).items() if judgments else ():
            yield condition, *lay_out_answers(group, check_judgments(group, repeats="keep"))


def accuracy_under_rules(
    report_input: ReportInput,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Exclusions]:
    """Evaluators' accuracy by condition and over all judgments under every selection; empty without such judgments.

    Every judgment counts before the rules, whether the report keeps it or not. Raises as `evaluator_exclusions`.
    """
    judgments = judgments_of(report_input, every=True)
    if not judgments:
        return {}
    rules, alone = _effective(report_input)
    return evaluator_exclusions(
        judgments,
        rules,
        varying_factors(judgments),
        draws=draws,
        seed=seed,
        level=level,
        alone=alone,
        reported=_reported(report_input),
        progress=progress,
    )


def rules_without_effect(report_input: ReportInput) -> tuple[str, ...]:
    """Return the names of the rules that exclude no submission."""
    return tuple(rule.name for rule in report_input.rules or () if not rule.assignments)


def gather(report_input: ReportInput) -> ReportInput | None:
    """None where no rule is known."""
    return report_input if report_input.rules else None


def compute(report_input: ReportInput, options: Options) -> RuleEffects:
    """What every selection of the rules does."""
    options.announce("selections of exclusion rules")
    return compute_rule_effects(report_input, k=options.k, seed=options.seed, level=options.level)


GROUPS = (("exclusions", "generator"), ("exclusions-evaluators", "condition"))


def tables(effects: RuleEffects) -> Iterator[Table]:
    """The shares of selections on each side; then a table a generator or condition."""
    groups = tuple(zip(GROUPS, (effects.huse, effects.accuracy), strict=True))
    for (name, key), effects_by_name in groups:
        yield from _sides(effects_by_name, name, key)
    for (name, _), effects_by_name in groups:
        for at, (of, effect) in enumerate(effects_by_name.items(), 1):
            yield exclusions_table(effect, name=f"{name}-{at}", of=of)


def figures(effects: RuleEffects) -> Iterator[Chart]:
    """One a generator or condition."""
    for (name, _), effects_by_name in zip(GROUPS, (effects.huse, effects.accuracy), strict=True):
        yield from _charts(effects_by_name, name)


def sentences(effects: RuleEffects) -> tuple[str, ...]:
    """What holds, and which rules have no part in it; nothing where there is no effect."""
    return (*state_conclusions(effects.parts), *effects.idle) if effects.parts or effects.missing else ()


def state_conclusions(effects: Mapping[str, Exclusions]) -> tuple[str, ...]:
    """Whether what is concluded holds without exclusions, and under every selection; else what changes, and when."""
    few = [name for name, effect in effects.items() if FEW_OF_A_SOURCE in effect.headline.flags]
    sure = {name: effect for name, effect in effects.items() if name not in few}
    too_few = [f"One source has too few texts to conclude anything of {', '.join(few)}."] if few else []
    return (*_without(sure), *_under_all(sure), *too_few)


def _without(effects: Mapping[str, Exclusions]) -> Iterator[str]:
    """Compare the reported conclusions with those without exclusions; nothing where no submission is excluded."""
    held = {
        name: effect.reported
        for name, effect in effects.items()
        if effect.reported is not None and effect.reported.units
    }
    if not held:
        return
    other = []
    for name, estimate in held.items():
        reported = concluded(estimate.interval, effects[name].measure)
        if reported != effects[name].conclusion:
            words = _words(effects[name])
            other.append(f"{name} ({words[reported]}; without exclusions {words[effects[name].conclusion]})")
    yield (
        f"Conclusions {_on(effects)} change without exclusions: {'; '.join(other)}."
        if other
        else f"All conclusions {_on(effects)} hold without exclusions."
    )


def _under_all(effects: Mapping[str, Exclusions]) -> Iterator[str]:
    drawn = {name: effect for name, effect in effects.items() if effect.conclusion is not None or effect.changing}
    changing = {name: effect for name, effect in drawn.items() if effect.changing}
    if drawn and not changing:
        max_selections = max(len(effect.specifications) for effect in drawn.values())
        every = "every selection that has a value" if any(effect.without for effect in drawn.values()) else ""
        every = every or f"every one of {max_selections} selections of rules"
        held = (
            f"Conclusions {_on(drawn)} are the same under {every}"
            if max_selections > 1
            else "No rule excludes a submission"
        )
        yield f"{held}. {_all_conclusions(drawn)}"
    for name, effect in changing.items():
        named = [f"“{spec.named}”" for spec in effect.changing[:MAX_NAMED]]
        more = len(effect.changing) - len(named)
        listed = ", ".join(named) + (f" and {more} more" if more else "")
        yield (
            f"Without exclusions, {_subject(name, effect)} is {_words(effect)[effect.conclusion]}; that changes under "
            f"{len(effect.changing)} of {plural(len(effect.specifications), 'selection')}: {listed}."
        )
    if changing and len(changing) < len(drawn):
        every = (
            "every selection that has a value"
            if any(effect.without for effect in drawn.values())
            else "every selection"
        )
        yield f"Every other conclusion is the same under {every}."
    yield from (f"{name}: {effect.sentence_without}" for name, effect in drawn.items() if effect.without)
    if nothing := [name for name in effects if name not in drawn]:
        yield f"No interval is defined with or without rules, so that nothing is concluded of {', '.join(nothing)}."


def _on(effects: Mapping[str, Exclusions]) -> str:
    """What the conclusions are on: rules are measured by no other number."""
    measures = (NAMES[effect.measure].replace("Accuracy", "accuracy") for effect in effects.values())
    return f"on {' and '.join(dict.fromkeys(measures))}"


def _all_conclusions(effects: Mapping[str, Exclusions]) -> str:
    names: dict[str, list[str]] = {}
    for name, effect in effects.items():
        names.setdefault(_words(effect)[effect.conclusion], []).append(name)
    sentence = "; ".join(f"{words}: {', '.join(members)}" for words, members in names.items())
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _subject(name: str, effect: Exclusions) -> str:
    """What is concluded of: a generator, or the accuracy of a condition or of all of them."""
    if effect.measure != "accuracy":
        return name
    return f"accuracy over {name}" if name == OVERALL else f"accuracy in the condition {name}"


def _words(effect: Exclusions) -> dict[Conclusion | None, str]:
    return JUDGE_CONCLUSIONS if effect.measure == "accuracy" else CONCLUSIONS


def _effective(report_input: ReportInput) -> tuple[dict[str, set[str]], list[str]]:
    """Return the units of each rule that excludes a submission; and which of these rules are joined with no other."""
    rules = [rule for rule in report_input.rules or () if rule.assignments]
    of = _units(report_input)
    units = {rule.name: {of[assignment] for assignment in rule.assignments if assignment in of} for rule in rules}
    return units, [rule.name for rule in rules if rule.alone]


def _units(report_input: ReportInput) -> dict[str, str]:
    return {assignment.id: unit_of(assignment.hit, assignment.rater) for assignment in report_input.assignments}


def _reported(report_input: ReportInput) -> Collection[str]:
    """The assignments none of whose ratings are kept."""
    return {rating.unit for rating in report_input.ratings} - {
        rating.unit for rating in report_input.ratings if rating.kept
    }


def _ratings(facts: GeneratorFacts, report_input: ReportInput) -> list[Rating]:
    texts = {item.id for item in (*facts.items, *facts.dropped)}
    return [
        Rating(rating.text, rating.rater, Fraction(rating.value), rating.unit)
        for rating in report_input.ratings
        if rating.criterion == CRITERION and rating.text in texts
    ]


def _idle(report_input: ReportInput) -> Iterator[str]:
    if idle_rules := rules_without_effect(report_input):
        yield f"Excludes no submissions: {', '.join(idle_rules)}."
    if separate_rules := [rule.name for rule in report_input.rules or () if rule.alone and rule.assignments]:
        yield f"Not among the study's rules and joined with no other: {', '.join(separate_rules)}."


def _sides(effects: Mapping[str, Exclusions], name: str, key: str) -> Iterator[Table]:
    """On which side of the headline's interval the selections lie."""
    rows: list[Row] = [
        (
            of,
            NAMES[effect.measure],
            effect.headline,
            effect.below,
            effect.inside,
            effect.above,
            len(effect.changing),
            len(effect.specifications),
            effect.without,
        )
        for of, effect in effects.items()
    ]
    columns = (
        Column(key, key.capitalize()),
        Column("measure", "Measure"),
        Column("headline", "No exclusions", "estimate", n="n"),
        Column("below", "Below its interval", "share"),
        Column("inside", "Inside", "share"),
        Column("above", "Above", "share"),
        Column("changing", "Other conclusion", "count"),
        Column("n", "Selections", "count"),
        Column("without", "Without a value", "count"),
    )
    title = OF_CONDITIONS if key == "condition" else OF_TIES
    if rows:
        yield Table(f"{name}-sides", title, columns, tuple(rows), () if key == "condition" else (THESE_RATERS,))


def _charts(effects: Mapping[str, Exclusions], name: str) -> Iterator[Chart]:
    for at, (of, effect) in enumerate(effects.items(), 1):
        if sum(selection.value is not None for selection in effect.specifications) < 2:
            continue  # a figure of one point
        chart = exclusion_curve.chart(effect, name=f"{name}-{at}")
        yield replace(chart, title=f"{of}: {chart.title}")


SECTIONS = (
    SectionKind(
        key=KEY,
        title=TITLE,
        order=30,
        gather=gather,
        compute=compute,
        tables=lambda effects: tuple(tables(effects)),
        figures=lambda effects: tuple(figures(effects)),
        sentences=sentences,
        missing=lambda effects: effects.missing,
    ),
)
