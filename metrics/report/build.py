"""Compute a report: every estimate, every text's judgment, what belongs around them, the pictures, the sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from metrics.data.human_judgment import human_judgments, sum_ratings
from metrics.errors import BadInput, InsufficientData, SingleSource
from metrics.huse.estimate import evaluate
from metrics.huse.variance_components import evaluate_rated
from metrics.report import pictures
from metrics.report.checklists.completeness import check_completeness
from metrics.report.checklists.consistency import check_consistency
from metrics.report.checklists.heds import fill_datasheet
from metrics.report.prose import findings, methods
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.result import GeneratorReport, JudgedText, Report
from metrics.report.section import Section
from metrics.report.sections import (
    agreement,
    condition_assignment,
    exclusions,
    explanations,
    external_scores,
    frequency,
    human_or_machine,
    huse,
    items_checks,
    machine_scores,
    rating_scales,
)
from metrics.report.sections.huse_extras import CRITERION, HuseExtras, compare_generators, compute_extras
from metrics.types import HumanJudgment, HuseResult, Item, Missing, Mode, Rating

Progress = Callable[[str, int, int], None]  # what is being done, how many generators are done, of how many
WRITTEN = Fraction(1, 10**9)  # an HJ that came as a rounded decimal may lie this far from the mean of its ratings


def build_report(
    report_input: ReportInput, *, level: float = 0.95, seed: int = 0, k: int = 16, progress: Progress | None = None
) -> Report:
    """Build the report of a study: every number with its interval, every table and every sentence.

    Args:
        report_input: the study's facts, texts, ratings and other records (`metrics.report.records`).
        level: of every interval, in (0, 1).
        seed: of every draw, at least 0.
        k: neighbours of HUSE, at least 1.
        progress: called with the step, how many steps are done, and of how many; None: no calls.

    Returns:
        A `Report` for `write_report`. A generator without log-probabilities has HUSE-Q alone; one with too few texts,
        or whose judged texts are of one source, has a sentence in place of results.

    Raises:
        BadInput: records that contradict each other (an item without its text, an HJ that is not the mean of its
            ratings).
        MetricsError: any other error of `metrics.huse.estimate.evaluate`.

    Source:
        All four papers: Hashimoto et al. (2019), Clark et al. (2021), Laban et al. (2022), Çano and Bojar (2020).

    Example:
        >>> from metrics import build_report
        >>> from metrics.report.records import RatingRow, ReportInput, ScaleLabel, StudyFacts, TextRow
        >>> scale = (ScaleLabel("Poor", 0, ""), ScaleLabel("Good", 1, ""))
        >>> study = StudyFacts("demo", "ratings", "How good is it?", "text", scale, "0 to 1", "imported")
        >>> texts = tuple(TextRow(f"t{i}", "reference", None, f"Text number {i}.") for i in range(2))
        >>> report_input = ReportInput(study, (), texts)
        >>> report = build_report(report_input)
        >>> report.input.study.name, report.level, len(report.generators)
        ('demo', 0.95, 0)
    """
    _check(report_input)
    steps = _Steps(progress or _silent, 2 * len(report_input.generators) + 4)
    judgments = _judgments(report_input.ratings, level)
    every = {facts.name: _judged(facts, judgments) for facts in report_input.generators}
    modes: dict[str, Mapping[Mode, HuseResult]] = {}
    too_little: list[tuple[str, str]] = []
    for facts in report_input.generators:
        steps.announce(f"HUSE of {facts.name}")
        try:
            modes[facts.name] = _huse(facts, report_input.ratings, k=k, seed=seed, level=level)
        except (InsufficientData, SingleSource) as error:
            too_little.append((facts.name, str(error)))
    known = replace(report_input, generators=tuple(facts for facts in report_input.generators if facts.name in modes))
    judged = {name: every[name] for name in modes}
    all_extras = []
    for facts in known.generators:
        steps.announce(f"curves and sensitivity of {facts.name}")
        all_extras.append(compute_extras(facts, known, k=k, seed=seed, level=level))
    steps.announce("figures")
    generators = tuple(
        GeneratorReport(facts, modes[facts.name], judged[facts.name], panel)
        for facts, panel in zip(known.generators, pictures.build_panels(known, judged, modes, k), strict=True)
    )
    warned = findings.warnings(report_input, generators)
    steps.announce("selections of exclusion rules")
    rule_effects = exclusions.compute_rule_effects(known, k=k, seed=seed, level=level)
    sections = _sections(known, generators, all_extras, too_little, rule_effects, steps, k=k, seed=seed, level=level)
    return Report(
        input=report_input,
        level=level,
        seed=seed,
        k=k,
        generators=generators,
        sources=pictures.source_rows(known, judged, level),
        ratings_per_text=_distribution(report_input, judged.values()),
        warnings=warned,
        verdicts=(
            *findings.verdicts(generators),
            *findings.explain_missing_huse(too_little),
            *_verdicts(sections),
            *findings.state_unrated(report_input),
        ),
        limits=(
            *findings.limits(generators, warned),
            *([findings.CHANCE_LIMIT.fill()] if methods.asks_who_wrote(report_input) else []),
        ),
        sections=sections,
        p_null=huse.p_values(all_extras),
        checklist=check_completeness(report_input),
        sheet=fill_datasheet(report_input, huse=bool(generators)),
        methods=methods.paragraph(
            report_input, generators, k=k, level=level, held=exclusions.state_conclusions(rule_effects.parts)
        ),
        items=items_checks.section(report_input),
    )


class _Steps:
    """Counts what is done."""

    def __init__(self, progress: Progress, of: int) -> None:
        self._progress, self._of, self._done = progress, of, 0

    def announce(self, step: str) -> None:
        self._progress(step, self._done, self._of)
        self._done += 1


# Told as not recorded where they are absent.
ALWAYS_SHOWN = ("huse", "exclusions", "human-or-machine", "explanations", "agreement", "frequency", "nnd", "automatic")
TITLES = {
    "huse": "HUSE",
    condition_assignment.KEY: condition_assignment.TITLE,
    exclusions.KEY: exclusions.TITLE,
    "human-or-machine": "Human or machine",
    "explanations": explanations.TITLE,
    "agreement": "Agreement of raters",
    "frequency": frequency.TITLE,
    "scales": rating_scales.SCALES,
    "labels": rating_scales.LABELS,
    "preferences": rating_scales.PAIRS,
    "nnd": external_scores.NND,
    "automatic": machine_scores.TITLE,
}


def _sections(
    report_input: ReportInput,
    generators: tuple[GeneratorReport, ...],
    all_extras: Sequence[HuseExtras],
    too_little: Sequence[tuple[str, str]],
    rule_effects: exclusions.RuleEffects,
    steps: _Steps,
    *,
    k: int,
    seed: int,
    level: float,
) -> tuple[Section, ...]:
    """Return every part of the results in its order; a part without results is empty."""
    sections: list[Section] = []
    if generators:
        steps.announce("differences between generators")
        compared, why_not = compare_generators(report_input, k=k, seed=seed, level=level)
        sections.append(huse.section(all_extras, generators, compared, why_not, too_little))
    elif too_little:
        sections.append(huse.empty_section(too_little))
    sections.append(exclusions.section(report_input, rule_effects))
    steps.announce("agreement and evaluators")
    sections.append(agreement.section(report_input, level=level, seed=seed))
    human_or_machine_section = human_or_machine.section(report_input, level=level, seed=seed)
    sections += [human_or_machine_section] if human_or_machine_section is not None else []
    more = [
        external_scores.section(report_input.attached),
        machine_scores.section(report_input, level=level, seed=seed),
    ]
    more += [
        explanations.section(report_input, level=level),
        frequency.section(report_input),
        condition_assignment.section(report_input, level=level, seed=seed),
        *rating_scales.sections(report_input, level=level),
    ]
    by_key = {section.key: section for section in (*sections, *(section for section in more if section is not None))}
    return tuple(
        by_key.get(key, Section(key, title)) for key, title in TITLES.items() if key in by_key or key in ALWAYS_SHOWN
    )


def _verdicts(sections: Iterable[Section]) -> tuple[str, ...]:
    return tuple(line for section in sections if section.key == "human-or-machine" for line in section.lead)


def _huse(
    facts: GeneratorFacts, ratings: Sequence[RatingRow], *, k: int, seed: int, level: float
) -> Mapping[Mode, HuseResult]:
    """HUSE in both modes; where every text has its ratings, with intervals that know who rated what."""
    texts = {item.id for item in facts.items}
    rows = [row for row in ratings if row.kept and row.criterion == CRITERION and row.text in texts]
    included = [Rating(row.text, row.rater, Fraction(row.value), row.hit or "") for row in rows]
    missing: Missing = "quality_only" if all(item.log_prob is None for item in facts.items) else "error"
    if {rating.item for rating in included} == texts:
        return evaluate_rated(facts.items, included, k=k, seed=seed, level=level, missing=missing)
    return evaluate(facts.items, k=k, seed=seed, level=level, missing=missing)


def _silent(step: str, done: int, total: int) -> None:
    """Report no progress."""


def _check(report_input: ReportInput) -> None:
    """The records agree: names once, every item and every rating has its text, no two facts contradict each other."""
    check_consistency(report_input)
    names = [facts.name for facts in report_input.generators]
    if len(set(names)) < len(names):
        raise BadInput("every generator needs a name of its own", column="generators")
    texts = {text.id for text in report_input.texts}
    if len(texts) < len(report_input.texts):
        raise BadInput("every text needs an id of its own", column="texts")
    for facts in report_input.generators:
        for item in facts.items:
            if item.id not in texts:
                raise BadInput("the item has no text of its id", where=f"generator {facts.name}, item {item.id}")
    for rating in report_input.ratings:
        if rating.text not in texts:
            raise BadInput("the rating has no text of its id", where=f"rating of {rating.text} by {rating.rater}")


def _judgments(ratings: Sequence[RatingRow], level: float) -> Mapping[str, HumanJudgment]:
    """HJ by text, from the ratings that were kept."""
    rows = [row for row in ratings if row.kept and row.criterion == CRITERION]
    included = [Rating(row.text, row.rater, Fraction(row.value), row.hit or "") for row in rows]
    return human_judgments(sum_ratings(included), level=level).items if included else {}


def _judged(facts: GeneratorFacts, judgments: Mapping[str, HumanJudgment]) -> tuple[JudgedText, ...]:
    return tuple(_judge(item, judgments.get(item.id)) for item in facts.items)


def _judge(item: Item, judgment: HumanJudgment | None) -> JudgedText:
    """The item with its judgment, checked against the mean of its ratings where these are known."""
    if judgment is None:
        return JudgedText(item, item.hj, None, item.ratings)
    if item.hj is None or abs(judgment.value - item.hj) > WRITTEN:
        rule = f"HJ is {item.hj}, but the mean of its {judgment.n} ratings is {judgment.value}"
        raise BadInput(rule, where=f"item {item.id}", column="hj")
    return JudgedText(item, item.hj, judgment.interval, judgment.n)


def _distribution(report_input: ReportInput, judged: Iterable[Sequence[JudgedText]]) -> tuple[tuple[int, int], ...]:
    """How many texts have how many ratings."""
    counts = {text.item.id: text.ratings for texts in judged for text in texts}
    if not counts:
        answered = {(rating.text, rating.unit): rating.kept for rating in report_input.ratings}
        rated: Counter[str] = Counter()
        for (text, _), is_included in answered.items():
            rated[text] += is_included
        counts = dict(rated)
    return tuple(sorted(Counter(counts.values()).items()))
