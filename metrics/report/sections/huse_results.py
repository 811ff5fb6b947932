"""HUSE of every generator of a study, with its judged texts, its picture and what belongs around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from metrics.data.human_judgment import human_judgments, sum_ratings
from metrics.errors import BadInput, InsufficientData, SingleSource
from metrics.figures.hj_by_source import SourceRow
from metrics.huse.estimate import evaluate
from metrics.huse.model_differences import Comparison
from metrics.huse.variance_components import evaluate_rated
from metrics.report import pictures
from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.result import GeneratorReport, JudgedText
from metrics.report.section_kind import Options
from metrics.report.sections.huse_extras import HuseExtras, compare_generators, compute_extras, typicality_ratings
from metrics.types import HumanJudgment, HuseResult, Item, Missing, Mode, Rating

WRITTEN = Fraction(1, 10**9)  # an HJ that came as a rounded decimal may lie this far from the mean of its ratings


@dataclass(frozen=True, slots=True)
class HuseResults:
    """Results of the generators that have HUSE. sources: HJ by source, references first.

    compared: differences of the generators; None with the reason in `why_not`. too_little: generators without HUSE,
    each with the reason.
    """

    generators: tuple[GeneratorReport, ...]
    sources: tuple[SourceRow, ...]
    all_extras: tuple[HuseExtras, ...]
    compared: Comparison | None
    why_not: str
    too_little: tuple[tuple[str, str], ...]

    @property
    def p_null(self) -> dict[str, float]:
        """The p of equal sources of each generator that has one."""
        return {generator.facts.name: generator.null.p for generator in self.generators if generator.null is not None}


def gather(report_input: ReportInput) -> ReportInput | None:
    """None without a generator."""
    return report_input if report_input.generators else None


def count_steps(report_input: ReportInput) -> int:
    """Two a generator, the figures and the differences."""
    return 2 * len(report_input.generators) + 2


def compute(report_input: ReportInput, options: Options) -> HuseResults:
    """HUSE of each generator, and all around it. Raises BadInput for an HJ that is not the mean of its ratings."""
    k, seed, level = options.k, options.seed, options.level
    ratings = typicality_ratings(report_input.ratings)
    judgments = human_judgments(sum_ratings(ratings), level=level).items if ratings else {}
    every = {facts.name: _judged(facts, judgments) for facts in report_input.generators}
    modes: dict[str, Mapping[Mode, HuseResult]] = {}
    too_little: list[tuple[str, str]] = []
    for facts in report_input.generators:
        options.announce(f"HUSE of {facts.name}")
        try:
            modes[facts.name] = _huse(facts, ratings, options)
        except (InsufficientData, SingleSource) as error:
            too_little.append((facts.name, str(error)))
    known = replace(report_input, generators=tuple(facts for facts in report_input.generators if facts.name in modes))
    judged = {name: every[name] for name in modes}
    all_extras = []
    for facts in known.generators:
        options.announce(f"curves and sensitivity of {facts.name}")
        all_extras.append(compute_extras(facts, known, ratings, options))
    options.announce("figures")
    generators = tuple(
        GeneratorReport(facts, modes[facts.name], judged[facts.name], panel, extras.null)
        for facts, panel, extras in zip(
            known.generators, pictures.build_panels(known, judged, modes, k), all_extras, strict=True
        )
    )
    options.announce("differences between generators")
    compared, why_not = compare_generators(known, ratings, k=k, seed=seed, level=level) if generators else (None, "")
    sources = pictures.source_rows(known, judged, level)
    return HuseResults(generators, sources, tuple(all_extras), compared, why_not, tuple(too_little))


def _huse(facts: GeneratorFacts, ratings: Sequence[Rating], options: Options) -> Mapping[Mode, HuseResult]:
    """HUSE in both modes; where every text has its ratings, with intervals that know who rated what."""
    k, seed, level = options.k, options.seed, options.level
    texts = {item.id for item in facts.items}
    included = [rating for rating in ratings if rating.item in texts]
    missing: Missing = "quality_only" if all(item.log_prob is None for item in facts.items) else "error"
    if {rating.item for rating in included} == texts:
        return evaluate_rated(
            facts.items,
            included,
            k=k,
            seed=seed,
            level=level,
            missing=missing,
            these_raters=options.these_raters,
        )
    return evaluate(facts.items, k=k, seed=seed, level=level, missing=missing)


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
