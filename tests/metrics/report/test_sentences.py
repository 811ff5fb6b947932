"""Every sentence names the facts that it states, and says something else, or nothing, when one of them is another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from metrics.data.answer_types import AnswerType
from metrics.data.sentence import TEMPLATES, Sentence, Template, template
from metrics.evaluators.evaluate import evaluate_judgments
from metrics.figures.chart import Chart
from metrics.figures.hj_by_source import SourceRow
from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.likelihood import TINY
from metrics.report.build import build_report
from metrics.report.checklists.completeness import check_completeness
from metrics.report.checklists.computed import Computed
from metrics.report.checklists.heds import fill_datasheet
from metrics.report.comparison.compare import compare_studies
from metrics.report.formats.figures import headline
from metrics.report.paper.table import paper_table
from metrics.report.pay import BY_APPROVAL
from metrics.report.pictures import source_rows
from metrics.report.prose import findings, methods, shortened, statistics
from metrics.report.prose.page_sentences import list_sentences
from metrics.report.prose.warnings import FLAGGED, name_missing_sections, warnings
from metrics.report.records import CrowdFacts, ExtrasFacts, ReportInput
from metrics.report.result import GeneratorReport
from metrics.report.row_records import (
    Attached,
    ComparisonPlan,
    DrawFacts,
    PlanAmendment,
    PlanFacts,
    RuleFacts,
    SealedPlanFacts,
    TaskPlan,
)
from metrics.report.section import Section
from metrics.report.section_kind import Options
from metrics.report.sections import (
    agreement,
    answer,
    chosen_texts,
    equivalence,
    exclusions,
    external_scores,
    frequency,
    human_or_machine,
    huse,
    machine_scores,
    planned,
    rating_scales,
)
from metrics.report.sections.huse_extras import HuseExtras
from metrics.report.sections.judgments import judgments as judgments_of
from metrics.report.sections.judgments import varying_factors
from metrics.report.snapshot import Header
from metrics.tables.huse import HuseRow, huse_table
from metrics.types import HuseResult, Interval
from tests.annotation.reports.round_trips import ESTIMATE, KINDS
from tests.metrics.report.kinds_of_study import KINDS as KINDS_OF_STUDY
from tests.metrics.report.samples import CROWD, rated
from tests.metrics.report.samples import study as small_study

SEED = 3
LOGGED = PlanFacts(
    registered_at=datetime(2026, 11, 1, tzinfo=UTC),
    registered_where="osf.io/1",
    sha256="0123456789abcdef",
    deviations=("One day more.",),
)
PLACE = {"family": "m", "category": "all", "axis": "parameters", "value": 0.5, "low": 0.4, "high": 0.6, "n": 8}
RATE = {**ESTIMATE, "interval": {"low": 0.4, "high": 0.6, "level": 0.95, "method": "wilson"}}
NEAR_NEGATIVE = Attached(
    "nnd",
    "n.json",
    "0" * 64,
    {
        "model": "m",
        "overall": RATE,
        "by_category": {"grammar": RATE, "repetition": RATE},
        "curve": [{**PLACE, "x": 10.0**at, "model": f"m{at}"} for at in (6, 7)],
    },
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report is made from: the input, the results of HUSE, the options. against, others: what it is compared
    with."""

    report_input: ReportInput
    generators: tuple[GeneratorReport, ...] = ()
    k: int = 5
    level: float = 0.95
    these_raters: bool = False
    too_little: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    ratings: str = "20"
    sections: tuple[str, ...] = ()
    against: ReportInput | None = None
    others: tuple[ReportInput, ...] = ()


def of_methods(asked: Asked) -> Iterator[Sentence]:
    given = asked.report_input
    yield from methods.paragraph(given, asked.generators, k=asked.k, level=asked.level, held=asked.held)
    yield from (table.caption for table in methods.describe_scales(given))


def of_statistics(asked: Asked) -> Iterator[Sentence]:
    yield from statistics.sentences(asked.report_input, asked.generators, sections_of(asked), level=asked.level)


def sections_of(asked: Asked) -> tuple[Section, ...]:
    """Agreement, choices, scales, what evaluators said, and attached files."""
    modules = (agreement, chosen_texts, rating_scales, human_or_machine, external_scores, machine_scores)
    kinds = [kind for module in modules for kind in module.SECTIONS]
    sections = [
        kind.section(asked.report_input, Options(level=asked.level, these_raters=asked.these_raters)) for kind in kinds
    ]
    return tuple(section for section in sections if section is not None)


def of_paper(asked: Asked) -> Iterator[Sentence]:
    """The caption of the table on the paper page."""
    table = paper_table(asked.generators, sections_of(asked))
    if table is not None and isinstance(table.title, Sentence):
        yield table.title


def of_summary(asked: Asked) -> Iterator[Sentence]:
    """Verdicts and limits."""
    given = asked.report_input
    yield from findings.verdicts(asked.generators)
    yield from findings.explain_missing_huse(asked.too_little)
    yield from findings.state_unrated(given)
    if findings.state_unrated(given):
        yield from findings.state_files(given)
    section = chosen_texts.SECTIONS[0].section(given, Options(level=asked.level, these_raters=asked.these_raters))
    yield from section.lead if section else ()  # type: ignore[misc]
    labels = next(kind for kind in rating_scales.SECTIONS if kind.key == "labels")
    section = labels.section(given, Options(level=asked.level, these_raters=asked.these_raters))
    yield from section.lead if section else ()  # type: ignore[misc]
    yield from findings.limits(asked.generators, warnings(given, asked.generators))
    if methods.asks_who_wrote(given):
        yield findings.CHANCE_LIMIT.fill()
    yield from findings.wide_margins(given)
    judgments = judgments_of(given)
    if judgments:
        evaluation = evaluate_judgments(judgments, varying_factors(judgments), level=asked.level)
        margin = equivalence.margin_of(given.plan)
        alike = equivalence.of_all(judgments, margin) if margin else None
        yield from human_or_machine.conclude(evaluation, alike, human_or_machine.empty_arms(given))


def of_answer(asked: Asked) -> Iterator[Sentence]:
    for kind in answer.SECTIONS:
        section = kind.section(asked.report_input, Options(level=asked.level, these_raters=asked.these_raters))
        yield from section.lead if section else ()  # type: ignore[misc]


def of_planned(asked: Asked) -> Iterator[Sentence]:
    for kind in planned.SECTIONS:
        section = kind.section(asked.report_input, Options())
        yield from section.lead if section else ()  # type: ignore[misc]


def of_captions(asked: Asked) -> Iterator[Sentence]:
    given, level = asked.report_input, asked.level
    kinds = (*agreement.SECTIONS, *rating_scales.SECTIONS, *chosen_texts.SECTIONS)
    for section in filter(
        None, (kind.section(given, Options(level=level, these_raters=asked.these_raters)) for kind in kinds)
    ):
        yield from (table.title for table in section.tables if isinstance(table.title, Sentence))


def of_figures(asked: Asked) -> Iterator[Sentence]:
    """Captions of the figures of HUSE, of its curves, of the exclusions, and of every section."""
    given, level = asked.report_input, asked.level
    judged = {one.facts.name: one.judged for one in asked.generators}
    shown = AsShown(given, level, asked.generators, source_rows(given, judged, level))
    charts = [*headline(shown)]  # type: ignore[arg-type]
    charts += huse.draw_curves([extras for extras in curves() if extras.name in judged])
    charts += [chart for section in sections_of(asked) for chart in section.charts]
    charts += [*frequency_charts(given), *exclusions.figures(effects_of(asked))]
    yield from (chart.caption for chart in charts if isinstance(chart.caption, Sentence))


@dataclass(frozen=True, slots=True)
class AsShown:
    """What the figures of HUSE take of a report."""

    input: ReportInput
    level: float
    generators: tuple[GeneratorReport, ...]
    sources: tuple[SourceRow, ...]


@cache
def curves() -> tuple[HuseExtras, ...]:
    extras: tuple[HuseExtras, ...] = build_report(kind("typicality"), k=5).results["huse"].all_extras
    return extras


def frequency_charts(given: ReportInput) -> tuple[Chart, ...]:
    facts = frequency.gather(given)
    return () if facts is None else frequency.figures(frequency.compute(facts, Options()))


def effects_of(asked: Asked) -> exclusions.RuleEffects:
    return exclusions.compute_rule_effects(asked.report_input, k=asked.k, draws=2, level=asked.level)


def of_tables(asked: Asked) -> Iterator[Sentence]:
    """Titles and notes of the tables of HUSE, of evaluators and of exclusions."""
    results = [(one.facts.name, mode, result) for one in asked.generators for mode, result in one.modes.items()]
    tables = [huse_table([HuseRow(*result) for result in results])] if results else []
    tables += [table for section in sections_of(asked) for table in section.tables]
    tables += exclusions.tables(effects_of(asked))
    yield from (
        words for table in tables for words in (table.title, *table.notes) if getattr(words, "key", "")[:7] == "tables."
    )


def of_shortened(asked: Asked) -> Iterator[Sentence]:
    """Of tables of one row, texts of two and days of one."""
    given = asked.report_input
    days = {row.submitted_at.date() for row in given.assignments if row.submitted_at}
    notes: list[str] = [
        shortened.count_texts_shown(2, len(given.texts), "items.csv"),
        shortened.count_further_days(len(days) - 1),
    ]
    judged = [table for kind in rating_scales.SECTIONS if (section := kind.section(given)) for table in section.tables]
    notes += [note for table in judged for note in shortened.shorten_table(table, 1, "report.json").notes]
    notes += [note for table in judged for note in shortened.count_further_rows(len(table.rows) - 1)]
    yield from (note for note in notes if getattr(note, "key", "").startswith("shortened."))


def of_comparison(asked: Asked) -> Iterator[Sentence]:
    """Every sentence of the page on which the study and another one are compared."""
    if asked.against is None:
        return
    compared = compare_studies([asked.report_input, asked.against, *asked.others], k=asked.k, level=asked.level)
    notes = [note for section in compared.sections for table in section.tables for note in table.notes]
    warned = [warn.sentence for warn in compared.warnings]
    for sentence in (*compared.verdicts, *compared.limits, *compared.methods, *warned, *notes):
        if getattr(sentence, "key", "").startswith("comparison."):
            yield sentence  # type: ignore[misc]


def of_warnings(asked: Asked) -> Iterator[Sentence]:
    for warn in (*warnings(asked.report_input, asked.generators), *name_missing_sections(asked.sections, ())):
        if isinstance(warn.sentence, Sentence):
            yield warn.sentence


def of_page(asked: Asked) -> Iterator[Sentence]:
    warned = warnings(asked.report_input, asked.generators)
    given = asked.report_input
    checklist = check_completeness(given, Computed())
    return list_sentences(given, asked.generators, warned, checklist, fill_datasheet(given, Computed()))


PARTS = {
    "page": of_page,
    "warnings": of_warnings,
    "answer": of_answer,
    "planned": of_planned,
    "methods": of_methods,
    "summary": of_summary,
    "limits": of_summary,
    "captions": of_captions,
    "figures": of_figures,
    "tables": of_tables,
    "paper": of_paper,
    "statistics": of_statistics,
    "shortened": of_shortened,
    "comparison": of_comparison,
}
CAPTIONED = ("scales", "one scale", "pairs", "choices")
DRAWN = (
    "typicality",
    "evaluators",
    "scales",
    "pairs",
    "likely",
    "near-negative",
    "counted",
    "scored",
    "changing",
    "emptied",
    "arms",
)
ON_PAPER = (
    "typicality",
    "evaluators",
    "scales",
    "pairs",
    "labels",
    "choices",
    "likely",
    "near-negative",
    "planned",
    "plan stated",
)


@cache
def kind(name: str) -> ReportInput:
    return KINDS[name](SEED)


@cache
def results() -> tuple[GeneratorReport, ...]:
    return build_report(kind("typicality"), k=5).generators


def with_huse(**changes: Any) -> tuple[GeneratorReport, ...]:
    """The results with the exact HUSE of the first generator changed."""
    first, *others = results()
    return (_changed(first, "huse", **changes), *others)


def _changed(generator: GeneratorReport, measure: str, **changes: Any) -> GeneratorReport:
    exact: HuseResult = generator.modes["exact"]
    other = replace(exact, **{measure: replace(getattr(exact, measure), **changes)})
    return replace(generator, modes={**generator.modes, "exact": other})


def right(share: float) -> ReportInput:
    """Evaluators who all give that share of right answers, but for their first one."""
    given = kind("one condition")
    source = {text.id: text.source for text in given.texts}
    ratings = []
    for at, rating in enumerate(given.ratings, 1):
        truth = 4 if source[rating.text] == "model" else 1
        answer = truth if (at % 10) / 10 < share else 5 - truth
        ratings.append(replace(rating, value=answer, label=given.study.scale[answer - 1].name))
    return replace(given, ratings=tuple(ratings))


def examples() -> dict[str, Asked]:
    """Inputs that between them call for every sentence."""
    typical, who = kind("typicality"), kind("evaluators")
    planned = replace(who, plan=PlanFacts(margin_points=20))
    arms = replace(who, study=replace(who.study, arm_assignment="chosen", extras=ExtrasFacts((1, 1), (0, 2), (0, 0))))
    crowd = replace(typical.crowd, excluded=0)
    none = replace(typical, quality=None, crowd=crowd, assignments=())
    imported = replace(none, study=replace(none.study, mode="imported"))
    homogeneous = replace(
        typical, ratings=tuple(replace(one, hit="a" if one.text.startswith("ref") else "b") for one in typical.ratings)
    )
    everybody = replace(right(0.5), plan=PlanFacts(margin_points=20))
    low, span = kind("one condition"), Interval(0.1, 0.4, 0.95, "half-samples")
    return {
        "numbers": Asked(replace(typical, study=replace(typical.study, answers=(("typicality", "number"),)))),
        "typicality": Asked(typical, results(), held=("All conclusions on HUSE hold without exclusions.",)),
        "differs": Asked(typical, with_huse(value=0.2, interval=span)),
        "alike": Asked(typical, with_huse(value=0.9, interval=Interval(0.7, 1.2, 0.95, "half-samples"))),
        "few": Asked(typical, with_huse(flags=(FEW_OF_A_SOURCE,))),
        "no interval": Asked(typical, with_huse(interval=None, flags=())),
        "quality only": Asked(typical, with_huse(value=None)),
        "too little": Asked(typical, too_little=(("zulu", "There is one text."),)),
        "homogeneous": Asked(homogeneous, results()),
        "evaluators": Asked(planned),
        "arms": Asked(arms),
        "drawn": Asked(
            replace(arms, draw=DrawFacts("seed", 32, ()), study=replace(arms.study, arm_assignment="drawn"))
        ),
        "good": Asked(right(0.9)),
        "bad": Asked(right(0.1)),
        "alone": Asked(replace(low, ratings=tuple(one for one in low.ratings if one.rater == "w00"))),
        "empty arm": Asked(
            replace(arms, ratings=tuple(one for one in arms.ratings if one.condition != arms.conditions[0].name))
        ),
        "equal": Asked(replace(everybody, ratings=_same(everybody))),
        "scales": Asked(kind("scales")),
        "one scale": Asked(KINDS_OF_STUDY["likert"]()),
        "pairs": Asked(kind("pairs")),
        "choices": Asked(KINDS_OF_STUDY["which machine"]()),
        "nominal": Asked(_named(kind("one condition"), "error labels")),
        "unrated": Asked(
            replace(typical, ratings=(), attached=(), generators=tuple(_unrated(one) for one in typical.generators))
        ),
        "in part": Asked(replace(typical, texts=(*typical.texts, replace(typical.texts[0], id="new")))),
        "stated": Asked(
            replace(typical, quality=None, crowd=replace(CROWD, workers=6, submitted=7, excluded=2), assignments=())
        ),
        "none excluded": Asked(none),
        "imported": Asked(imported),
        "missing section": Asked(typical, sections=("letters",)),
        "not calibrated": Asked(replace(typical, attached=(AUTOMATIC,))),
        "tried out": Asked(replace(typical, attached=(replace(AUTOMATIC, model=TINY),), generators=_by_tiny(typical))),
        "one day": Asked(_live(typical, collected_from=DAY, collected_to=DAY + timedelta(hours=1))),
        "one place": Asked(replace(_live(typical), crowd=replace(typical.crowd, criteria=("located in US",)))),
        "simulated": Asked(replace(typical, study=replace(typical.study, mode="rehearsal"))),
        "some homogeneous": Asked(
            replace(typical, ratings=(replace(typical.ratings[0], hit="alone"), *typical.ratings[1:])), results()
        ),
        "unknown ratings": Asked(typical, _judged_by(0, 3)),
        "no ratings left": Asked(typical, _without_judgments()),
        "unequal ratings": Asked(typical, _judged_by(3, 12)),
        "decoded otherwise": Asked(typical, _with_facts(decoding="greedy", log_prob_decoding="sampling")),
        "context twice": Asked(typical, _with_items(lambda item: replace(item, context="c"))),
        "impossible": Asked(typical, _with_items(lambda item: replace(item, log_prob=float("-inf")))),
        "flagged": Asked(typical, with_huse(flags=tuple(FLAGGED))),
        "above one": Asked(typical, with_huse(value=1.2)),
        "out of range": Asked(typical, tuple(_changed(one, "huse_d", value=1.2) for one in results())),
        "few of a source": Asked(
            typical, tuple(_changed(one, "huse_q", flags=(FEW_OF_A_SOURCE,)) for one in results())
        ),
        "modes differ": Asked(typical, with_huse(value=0.77)),
        "outvoted": Asked(typical, tuple(_outvoted(one) for one in with_huse(value=0.77))),
        "planned": Asked(replace(typical, plan=LOGGED)),
        "sealed": Asked(_seals(who, SEALED)),
        "sealed and amended": Asked(_seals(typical, replace(SEALED, amendments=(AMENDMENT,)))),
        "done as planned": Asked(_seals(who, _as_done(who))),
        "plan stated": Asked(replace(typical, plan=PlanFacts(sentences=("We compare means.",)))),
        "labels": Asked(_named(kind("scales"), "error labels")),
        "likely": Asked(replace(kind("bare"), attached=typical.attached, generators=(), ratings=())),
        "scored alone": Asked(replace(typical, attached=(SCORED,), generators=(), ratings=())),
        "near-negative": Asked(replace(typical, attached=(NEAR_NEGATIVE,), generators=(), ratings=())),
        "declared": Asked(_declares(typical, ComparisonPlan("typicality", "alpha", "zulu"))),
        "worse within the margin": Asked(_declares(typical, ComparisonPlan(margin=4.0))),
        "better within the margin": Asked(_declares(typical, ComparisonPlan("typicality", "alpha", "zulu", 4.0))),
        "equivalent": Asked(rated({"a": 0.1, "b": 0.0}, plan=PlanFacts(comparison=ComparisonPlan(margin=2.0)))),
        "wide margin": Asked(_declares(typical, ComparisonPlan(margin=2.0))),
        "nothing shared": Asked(_apart(typical)),
        "counted": Asked(_counted(typical)),
        "scored": Asked(replace(typical, attached=(SCORED,))),
        "changing": Asked(_divided()),
        "emptied": Asked(replace(typical, rules=(RuleFacts("All", tuple(row.id for row in typical.assignments)),))),
        "nothing to warn of": Asked(
            replace(_live(kind("scales")), crowd=replace(kind("scales").crowd, criteria=()), attached=(), warnings=())
        ),
        "several days": Asked(
            replace(
                typical,
                assignments=tuple(
                    replace(row, submitted_at=DAY + timedelta(2 * at)) for at, row in enumerate(typical.assignments)
                ),
            )
        ),
        "offered": Asked(replace(typical, crowd=CrowdFacts(submitted=0), assignments=(), ratings=())),
        "paid": Asked(replace(typical, crowd=replace(typical.crowd, pays=("In cash.",)))),
    }


def comparisons() -> dict[str, Asked]:
    """Pairs of small studies that between them call for every sentence of a comparison."""
    one = _live(_called("one", small_study({"alpha": (3.5, 3.0)}, texts=12, raters=5, seed=2)))
    two = _called("two", small_study({"beta": (0.1, 0.1)}, texts=13, raters=5, seed=3))
    simulated = replace(two, study=replace(two.study, mode="rehearsal", question="Is it good?"))
    paid = replace(simulated, money=replace(simulated.money, currency="JPY"))
    units = replace(paid, generators=tuple(replace(one, length_unit="char") for one in paid.generators))
    labels = tuple(replace(label, name=f"{label.name}!") for label in two.study.scale)
    strangers = replace(two, ratings=tuple(replace(row, rater=f"x{row.rater}") for row in two.ratings))
    other_scale = replace(two, study=replace(two.study, scale=labels))
    codes = tuple(replace(label, code=2 * label.code) for label in two.study.scale)
    recoded = replace(two, study=replace(two.study, scale=codes))
    elsewhere = replace(two, texts=tuple(replace(row, context=f"Other {row.context}") for row in two.texts))
    many = small_study({f"g{at}": (0.1 * at, 0.1) for at in range(5)}, texts=6, raters=5)
    few = [_called(name, small_study({name: (0.1, 0.1)}, texts=2, raters=3)) for name in ("three", "four")]
    more = [_called(name, small_study({name: (0.1, 0.1)}, texts=8, raters=3)) for name in ("three", "four")]
    accuracy = [_called(name, _of_few(right(share))) for name, share in (("five", 0.9), ("six", 0.5))]
    third = _called("eight", _of_few(right(0.7)))
    alone = [replace(each, ratings=_of_the_first(each)) for each in accuracy]
    bare = replace(one, generators=(), ratings=())
    alike = replace(one, texts=tuple(replace(row, context=f"Other {row.context}") for row in one.texts))
    return {
        "two": Asked(units, k=3, against=one),
        "more ratings": Asked(small_study({"beta": (0.1, 0.1)}, texts=8, raters=6, seed=3), k=3, against=one),
        "strangers": Asked(one, k=3, against=strangers),
        "other scale": Asked(other_scale, k=3, against=one),
        "other codes": Asked(recoded, k=3, against=one),
        "other contexts": Asked(elsewhere, k=3, against=one),
        "many": Asked(_called("many", many), k=3, against=one),
        "few": Asked(few[0], k=2, against=few[1]),
        "few raters": Asked(_by_the_same(more[0]), k=2, against=more[1]),
        "evaluators": Asked(accuracy[0], against=accuracy[1]),
        "evaluators of three": Asked(accuracy[0], against=accuracy[1], others=(third,)),
        "an evaluator each": Asked(alone[0], against=alone[1]),
        "evaluators all right": Asked(
            replace(accuracy[0], ratings=_same(accuracy[0])), against=replace(accuracy[1], ratings=_same(accuracy[1]))
        ),
        "nothing shared": Asked(_called("seven", kind("scales")), against=accuracy[0]),
        "repeated": Asked(_called("again", one), k=3, against=one),
        "repeated elsewhere": Asked(_called("again", alike), k=3, against=one),
        "without ratings": Asked(replace(bare, generators=one.generators), k=3, against=_called("again", one)),
    }


def _of_few(given: ReportInput) -> ReportInput:
    """The first evaluators alone: a comparison of all takes seconds."""
    few = list(dict.fromkeys(row.rater for row in given.ratings))[:8]
    return replace(given, ratings=tuple(row for row in given.ratings if row.rater in few), assignments=())


def _of_the_first(given: ReportInput) -> tuple[Any, ...]:
    """The ratings of one evaluator."""
    return tuple(row for row in given.ratings if row.rater == given.ratings[0].rater)


def _by_the_same(given: ReportInput) -> ReportInput:
    """The ratings of every text are by the same people."""
    places: Counter[str] = Counter()
    ratings = []
    for row in given.ratings:
        ratings.append(replace(row, rater=f"r{places[row.text]}"))
        places[row.text] += 1
    return replace(given, ratings=tuple(ratings))


def _called(name: str, given: ReportInput) -> ReportInput:
    return replace(given, study=replace(given.study, name=name))


TOKENS = {
    "fp": 0.3,
    "buckets": [5, 2, 1, 1],
    "fractions": [1, 2],
    "mean_rank": 3.0,
    "mean_entropy": 1.0,
    "distinct_2": 0.5,
    "longest_repeat": 2,
    "verdict": "h",
    "n": 9,
}
SCORED = Attached(
    "automatic",
    "s.json",
    "0" * 64,
    {
        "thresholds": {"low": 0.4, "high": 0.4, "calibrated": False},
        **dict.fromkeys(("h", "u", "m", "mean_fp"), ESTIMATE),
        "texts": dict.fromkeys((text.id for text in KINDS["typicality"](SEED).texts), TOKENS),
    },
)


def _counted(given: ReportInput) -> ReportInput:
    """Each text has a frequency in a corpus, the first 0."""
    return replace(
        given, texts=tuple(replace(one, corpus_count=at**2, corpus_name="Books") for at, one in enumerate(given.texts))
    )


def _divided() -> ReportInput:
    """Half of the evaluators are always right, half never; a rule excludes the latter."""
    given = kind("one condition")
    source = {text.id: text.source for text in given.texts}
    wrong = {row.rater for row in given.assignments[::2]}
    ratings = tuple(
        replace(one, value=4 if (source[one.text] == "model") is not (one.rater in wrong) else 1, kept=True)
        for one in given.ratings
    )
    rule = RuleFacts("Wrong", tuple(row.id for row in given.assignments if row.rater in wrong))
    return replace(given, ratings=ratings, rules=(rule,))


DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)
SEALED = SealedPlanFacts(
    sealed_at=datetime(2026, 11, 2, 8, tzinfo=UTC),
    sha256="fedcba9876543210",
    submissions=0,
    rules=("Attention checks",),
    texts=7,
    conditions=3,
    raters_per_text=20,
    people=9,
)
AMENDMENT = PlanAmendment(datetime(2026, 11, 5, 8, tzinfo=UTC), "The texts ran out.", 40, "0" * 64)


def _seals(given: ReportInput, plan: SealedPlanFacts) -> ReportInput:
    return replace(given, plan=PlanFacts(sealed=plan, comparison=plan.comparison))


def _as_done(given: ReportInput) -> SealedPlanFacts:
    """A plan of as many texts as there are; of ratings and people nothing was planned."""
    return replace(
        SEALED, rules=None, texts=len(given.texts), conditions=len(given.conditions), raters_per_text=None, people=None
    )


def _of_plan(**changes: Any) -> Callable[[Asked], Asked]:
    """Another fact of the sealed plan."""

    def plant(asked: Asked) -> Asked:
        plan = asked.report_input.plan
        if plan is None or plan.sealed is None:
            return asked
        other = replace(plan, sealed=replace(plan.sealed, **changes))
        return replace(asked, report_input=replace(asked.report_input, plan=other))

    return plant


AUTOMATIC = Attached("automatic", "h.json", "0" * 64, {"thresholds": {"calibrated": False}})


def _live(given: ReportInput, **changes: Any) -> ReportInput:
    return replace(given, study=replace(given.study, mode="live", **changes))


def _by_tiny(given: ReportInput) -> tuple[Any, ...]:
    return tuple(replace(one, log_prob_model=f"{TINY}, float64") for one in given.generators)


def _with_facts(**changes: Any) -> tuple[GeneratorReport, ...]:
    return tuple(replace(one, facts=replace(one.facts, **changes)) for one in results())


def _with_items(change: Callable[[Any], Any]) -> tuple[GeneratorReport, ...]:
    return tuple(replace(one, facts=replace(one.facts, items=tuple(map(change, one.facts.items)))) for one in results())


def _without_judgments() -> tuple[GeneratorReport, ...]:
    """All ratings of the texts are excluded."""
    return tuple(
        replace(one, judged=tuple(replace(text, hj=None, ratings=0) for text in one.judged)) for one in results()
    )


def _judged_by(first: int, others: int) -> tuple[GeneratorReport, ...]:
    """Every text with `others` ratings, but the first."""
    return tuple(
        replace(
            one,
            judged=tuple(replace(text, ratings=others if at else first) for at, text in enumerate(one.judged)),
        )
        for one in results()
    )


def _outvoted(generator: GeneratorReport) -> GeneratorReport:
    paper = generator.modes["paper"]
    flagged = replace(paper, huse_q=replace(paper.huse_q, flags=("vote_unbalanced",)))
    return replace(generator, modes={**generator.modes, "paper": flagged})


def _declares(given: ReportInput, comparison: ComparisonPlan) -> ReportInput:
    return replace(given, plan=PlanFacts(comparison=comparison))


def _apart(given: ReportInput) -> ReportInput:
    """Each generator answered contexts of its own."""
    return replace(
        given, texts=tuple(replace(one, context_id=f"{one.generator} {one.context_id}") for one in given.texts)
    )


def _same(given: ReportInput) -> tuple[Any, ...]:
    """Every answer right."""
    source = {text.id: text.source for text in given.texts}
    return tuple(replace(one, value=4 if source[one.text] == "model" else 1) for one in given.ratings)


def _named(given: ReportInput, task: str) -> ReportInput:
    return replace(given, study=replace(given.study, task=task))


def _unrated(facts: Any) -> Any:
    return replace(facts, items=tuple(replace(item, hj=None, ratings=0) for item in facts.items))


def test_the_labels_of_the_first_criterion_are_not_said_to_be_those_of_another() -> None:
    """Errors have labels without an order, their severity a scale; before there are answers, both are only planned."""
    given = KINDS["scales"](SEED)
    answers = (("error", AnswerType.SINGLE_LABEL), ("severity", AnswerType.ORDINAL))
    given = replace(given, study=replace(given.study, answers=answers))
    (first,) = methods.describe_scales(given)
    assert first.caption == "Labels of error in the order shown."
    assert not first.ordered
    said = [sentence.key for sentence in methods.paragraph(replace(given, ratings=()), (), k=5, level=0.95, held=())]
    assert "methods.scale" not in said
    assert "methods.answers" not in said
    # Where the task text is stored, it has the labels of both.
    labels = {"name": "severity", "labels": [["Minor", "1", ""], ["Major", "2", "Hard to read"]]}
    stored = replace(given, ratings=(), task_plan=TaskPlan(json.dumps({"criteria": [labels]}), (), (), ()))
    captions = [table.caption for table in methods.describe_scales(stored)]
    assert captions[1:] == ["Labels of severity in the order shown; coding: 1 to 2, 1 = Minor, 2 = Major."]
    answered = [str(one) for one in methods.paragraph(stored, (), k=5, level=0.95, held=()) if "they" in one]
    assert answered == [
        "For error, they choose among 3 answers (bad, fair, good).",
        "For severity, they answer on a scale of 2 labels (Minor, Major), coded 1 to 2, 1 = Minor, 2 = Major.",
    ]


# --- planted facts ---


def _of(name: str, field: str, value: Any) -> Callable[[Asked], Asked]:
    """Another value of a field of a record of the input."""

    def plant(asked: Asked) -> Asked:
        record = getattr(asked.report_input, name)
        if record is None:
            return asked
        other = value(getattr(record, field)) if callable(value) else value
        return replace(asked, report_input=replace(asked.report_input, **{name: replace(record, **{field: other})}))

    return plant


def _rows(name: str, change: Callable[[int, Any], Any]) -> Callable[[Asked], Asked]:
    """Other rows; None removes one."""

    def plant(asked: Asked) -> Asked:
        rows = [change(at, row) for at, row in enumerate(getattr(asked.report_input, name))]
        planted: dict[str, Any] = {name: tuple(row for row in rows if row)}
        return replace(asked, report_input=replace(asked.report_input, **planted))

    return plant


def _in_pairs(asked: Asked) -> Asked:
    """Each rating is of two texts."""
    return _rows("ratings", lambda at, row: replace(row, partner=asked.report_input.texts[-1].id))(asked)


def _huse(measure: str) -> Callable[[Asked], Asked]:
    return lambda asked: replace(
        asked,
        too_little=tuple((name, f"{why} Another reason.") for name, why in asked.too_little),
        generators=tuple(_changed(one, measure, value=0.123) for one in asked.generators),
    )


def _at_ninety(generator: GeneratorReport) -> GeneratorReport:
    """Intervals of the exact results at 90%."""
    for measure in ("huse", "huse_q", "huse_d"):
        interval = getattr(generator.modes["exact"], measure).interval
        if interval is not None:
            generator = _changed(generator, measure, interval=replace(interval, level=0.9))
    return generator


def _unflagged(measure: str) -> Callable[[Asked], Asked]:
    return lambda asked: replace(asked, generators=tuple(_changed(one, measure, flags=()) for one in asked.generators))


def _of_generators(**changes: Any) -> Callable[[Asked], Asked]:
    """Other facts of every generator, in the input and in the results; items by a function of the item."""

    def other(facts: Any) -> Any:
        items = tuple(changes["items"](at, item) for at, item in enumerate(facts.items)) if "items" in changes else None
        return replace(facts, **{**changes, **({"items": items} if items else {})})

    return lambda asked: replace(
        asked,
        report_input=replace(asked.report_input, generators=tuple(map(other, asked.report_input.generators))),
        generators=tuple(replace(one, facts=other(one.facts)) for one in asked.generators),
    )


def _without_generators(asked: Asked) -> Asked:
    return replace(asked, report_input=replace(asked.report_input, generators=()))


def _more(value: Any) -> Any:
    return None if value is None else value + 7


def _worded(value: str | None) -> str:
    return f"{value} (another)"


PLANTS: dict[str, tuple[Callable[[Asked], Asked], ...]] = {
    "texts.source": (
        _rows(
            "texts",
            lambda at, row: replace(row, source="reference", generator=None) if at == 1 or row.generator else row,
        ),
        _rows(
            "texts",
            lambda at, row: replace(row, source="model" if at % 2 else "reference", generator="g" if at % 2 else None),
        ),
        _rows("texts", lambda at, row: replace(row, source="model" if row.source == "reference" else "reference")),
    ),
    "texts.id": (
        lambda asked: replace(
            asked,
            report_input=replace(asked.report_input, texts=(*asked.report_input.texts, asked.report_input.texts[0])),
        ),
        _rows("texts", lambda at, row: replace(row, id=f"another {row.id}")),
    ),
    "texts.context_id": (
        _rows("texts", lambda at, row: replace(row, context_id=None)),
        _rows("texts", lambda at, row: replace(row, context_id=f"c{at % 2}")),
    ),
    "plan.comparison": (
        lambda asked: replace(asked, report_input=_declares(asked.report_input, ComparisonPlan(margin=0.5))),
    ),
    "plan.sealed.sealed_at": (_of_plan(sealed_at=datetime(2026, 10, 9, tzinfo=UTC)),),
    "plan.sealed.sha256": (_of_plan(sha256="a" * 64),),
    "plan.sealed.submissions": (_of_plan(submissions=5),),
    "plan.sealed.amendments": (
        _of_plan(amendments=()),
        _of_plan(amendments=(AMENDMENT, AMENDMENT)),
    ),
    "plan.sealed.texts": (_of_plan(texts=None), _of_plan(texts=99)),
    "plan.sealed.conditions": (_of_plan(conditions=None), _of_plan(conditions=99)),
    "plan.sealed.raters_per_text": (_of_plan(raters_per_text=None), _of_plan(raters_per_text=99)),
    "plan.sealed.people": (_of_plan(people=None), _of_plan(people=99)),
    "plan.sealed.rules": (_of_plan(rules=None), _of_plan(rules=("Gold texts",))),
    "plan.sealed.applied_rules": (_of_plan(applied_rules=("Attention checks",)), _of_plan(applied_rules=("Other",))),
    "plan.sealed.comparison": (_of_plan(comparison=ComparisonPlan("typicality", "alpha", "zulu")),),
    "texts.generator": (_rows("texts", lambda at, row: replace(row, generator="other") if row.generator else row),),
    "ratings.text": (
        _rows("ratings", lambda at, row: None),
        _rows("ratings", lambda at, row: None if row.text == "t0" or at < 9 else row),
        lambda asked: replace(asked, report_input=kind("typicality")),
    ),
    "ratings.partner": (_rows("ratings", lambda at, row: replace(row, partner=None)), _in_pairs),
    "ratings.rater": (
        _rows("ratings", lambda at, row: replace(row, rater=f"{row.rater}-{row.text}")),
        _rows("ratings", lambda at, row: replace(row, rater="w")),
    ),
    "ratings.hit": (
        _rows("ratings", lambda at, row: replace(row, hit=None, rater="w")),
        _rows("ratings", lambda at, row: replace(row, hit="all")),
    ),
    "ratings.kept": (
        _rows("ratings", lambda at, row: replace(row, kept=at % 2 == 0)),
        _rows("ratings", lambda at, row: replace(row, kept=True)),
        _rows("ratings", lambda at, row: replace(row, kept=at > 60)),
    ),
    "ratings.criterion": (
        lambda asked: replace(asked, report_input=_called("same", asked.against)) if asked.against else asked,
        _rows("ratings", lambda at, row: replace(row, criterion="another")),
        _rows("ratings", lambda at, row: replace(row, criterion=f"c{at % 2}")),
    ),
    "ratings.label": (_rows("ratings", lambda at, row: replace(row, label=f"label {at % 3}")),),
    "ratings.turned": (_rows("ratings", lambda at, row: replace(row, turned=at % 2 == 0)),),
    "ratings.condition": (_rows("ratings", lambda at, row: replace(row, condition="")),),
    "ratings.value": (
        _rows("ratings", lambda at, row: replace(row, value=1 + at % 4)),
        _rows("ratings", lambda at, row: replace(row, value=4)),
    ),
    "study.question": (_of("study", "question", "Another?"),),
    "texts.context": (_rows("texts", lambda at, row: replace(row, context=row.context.removeprefix("Other "))),),
    "study.scale": (
        lambda asked: _of("study", "scale", asked.against.study.scale)(asked) if asked.against else asked,
        _of("study", "scale", lambda scale: scale[:1]),
        _of("study", "scale", ()),
    ),
    "study.coding": (_of("study", "coding", "7 to 9"),),
    "study.task": (
        _of("study", "task", "error labels"),
        _of("study", "task", "pairwise preference"),
        _of("study", "task", "other"),
    ),
    "study.answers": (_of("study", "answers", ()),),
    "study.hits": (_of("study", "hits", _more),),
    "study.texts_per_hit": (_of("study", "texts_per_hit", _more),),
    "study.interleaving": (_of("study", "interleaving", "Otherwise."),),
    "study.extras": (_of("study", "extras", ExtrasFacts((3, 3), (0, 0), (0, 0))),),
    "study.arm_assignment": (_of("study", "arm_assignment", "waves"),),
    "study.mode": (
        _of("study", "mode", "live"),
        _of("study", "mode", "imported"),
        _of("study", "mode", "rehearsal"),
    ),
    "study.collected_from": (
        _of("study", "collected_from", lambda at: at - timedelta(days=30)),
        _of("study", "collected_from", lambda at: at - timedelta(days=3)),
    ),
    "study.collected_to": (_of("study", "collected_to", lambda at: at + timedelta(days=3)),),
    "conditions.name": (
        _rows("conditions", lambda at, row: replace(row, name="one") if at == 0 else None),
        lambda asked: replace(
            asked, report_input=replace(asked.report_input, conditions=kind("evaluators").conditions[:1])
        ),
        _rows("conditions", lambda at, row: replace(row, name=f"other {at}")),
    ),
    "conditions.reward_cents": (_rows("conditions", lambda at, row: replace(row, reward_cents=3)),),
    "assignments.submitted_at": (
        _rows("assignments", lambda at, row: replace(row, submitted_at=DAY + timedelta(at // 3))),
    ),
    "assignments": (_rows("assignments", lambda at, row: None),),
    "draw.draws": (_of("draw", "draws", _more),),
    "draw.seed": (_of("draw", "seed", "other"),),
    "crowd.workers": (_of("crowd", "workers", _more),),
    "crowd.provider": (_of("crowd", "provider", "elsewhere"),),
    "crowd.criteria": (_of("crowd", "criteria", ("tall",)), _of("crowd", "criteria", ())),
    "crowd.consent": (_of("crowd", "consent", "other"),),
    "crowd.ethics": (_of("crowd", "ethics", "other"),),
    "crowd.submitted": (_of("crowd", "submitted", _more), _of("crowd", "submitted", 0)),
    "crowd.excluded": (_of("crowd", "excluded", 1), _of("crowd", "excluded", 0)),
    "crowd.pays": (_of("crowd", "pays", ("In shells.",)), _of("crowd", "pays", (BY_APPROVAL[0], "In shells."))),
    "money.reward_cents": (_of("money", "reward_cents", 7),),
    "money.currency": (_of("money", "currency", "EUR"),),
    "money.median_seconds": (_of("money", "median_seconds", 11.0),),
    "money.wage_cents": (_of("money", "wage_cents", 11),),
    "quality": (lambda asked: replace(asked, report_input=replace(asked.report_input, quality=("Other.",))),),
    "rules.assignments": (
        lambda asked: replace(asked, held=("Conclusions change without exclusions: zulu.",)),
        lambda asked: replace(asked, report_input=replace(asked.report_input, rules=())),
    ),
    "texts.corpus_count": (_rows("texts", lambda at, row: replace(row, corpus_count=None)),),
    "plan.registered_at": (_of("plan", "registered_at", lambda at: at and at - timedelta(days=2)),),
    "plan.registered_where": (_of("plan", "registered_where", "elsewhere"),),
    "plan.sha256": (_of("plan", "sha256", "fedcba9876543210"),),
    "plan.deviations": (_of("plan", "deviations", ("Another.",)),),
    "plan.sentences": (_of("plan", "sentences", ("Another.",)),),
    "plan.margin_points": (
        lambda asked: replace(asked, report_input=replace(asked.report_input, plan=PlanFacts(margin_points=7))),
    ),
    "options.k": (
        lambda asked: replace(
            asked,
            k=9,
            generators=tuple(
                _changed(one, "huse", settings={**one.modes["exact"].huse.settings, "k": 9}) for one in asked.generators
            ),
        ),
    ),
    "options.level": (
        lambda asked: replace(asked, level=0.9),
        lambda asked: replace(asked, generators=tuple(map(_at_ninety, asked.generators))),
    ),
    "options.these_raters": (lambda asked: replace(asked, these_raters=True),),
    "snapshot.sections": (lambda asked: replace(asked, sections=()),),
    "attached.document": (
        lambda asked: replace(asked, report_input=replace(asked.report_input, attached=())),
        _rows("attached", lambda at, row: replace(row, document={"thresholds": {"calibrated": True}})),
    ),
    "attached.name": (_rows("attached", lambda at, row: replace(row, name="other.json")),),
    "attached.model": (_rows("attached", lambda at, row: replace(row, model="large")),),
    "generators.name": (_without_generators,),
    "generators.items": (_without_generators,),
    "generators.length_unit": (_of_generators(length_unit="model_token"),),
    "study.name": (_of("study", "name", _worded), _of("study", "name", "a")),
    "generators.log_prob_model": (_of_generators(log_prob_model="large, float64"),),
    "generators.decoding": (_of_generators(decoding="beam"),),
    "generators.log_prob_decoding": (_of_generators(log_prob_decoding="beam"),),
    "generators.items.context": (_of_generators(items=lambda at, item: replace(item, context=f"c{at}")),),
    "generators.items.log_prob": (_of_generators(items=lambda at, item: replace(item, log_prob=-1.0)),),
    "results.null": (
        lambda asked: replace(asked, generators=tuple(replace(one, null=None) for one in asked.generators)),
    ),
    "results.huse": (_huse("huse"), _unflagged("huse")),
    "results.huse_q": (_huse("huse_q"), _unflagged("huse_q")),
    "results.huse_d": (_huse("huse_d"),),
    "results.exclusions": (lambda asked: replace(asked, held=("Conclusions change without exclusions: zulu.",)),),
    "results.tables": (_rows("ratings", lambda at, row: None),),
    "results.ratings": (
        lambda asked: replace(
            asked,
            generators=tuple(
                replace(one, judged=tuple(replace(text, ratings=text.ratings + 1) for text in one.judged))
                for one in asked.generators
            ),
        ),
    ),
    "results.generators": (
        lambda asked: replace(asked, generators=asked.generators[:1]),
        lambda asked: replace(asked, generators=()),
    ),
}


@cache
def said() -> dict[str, list[tuple[str, Asked]]]:
    """By template, the sentences of the examples."""
    by_key: dict[str, list[tuple[str, Asked]]] = {}
    for name, asked in examples().items():
        more = (
            *((of_captions,) if name in CAPTIONED else ()),
            *((of_figures, of_tables) if name in DRAWN else ()),
            *((of_paper, of_statistics) if name in ON_PAPER else ()),
            *((of_shortened,) if name in ("scales", "several days") else ()),
        )
        for part in (of_page, of_answer, of_planned, of_methods, of_summary, of_warnings, *more):
            for sentence in part(asked):
                by_key.setdefault(sentence.key, []).append((str(sentence), asked))
    for asked in comparisons().values():
        for sentence in of_comparison(asked):
            by_key.setdefault(sentence.key, []).append((str(sentence), asked))
    return by_key


@pytest.mark.parametrize("key", sorted(TEMPLATES))
def test_a_planted_fact_changes_each_sentence_that_states_it(key: str) -> None:
    written = said().get(key, [])
    assert written, f"No example calls for the sentence {key}"
    unmoved = [fact for fact in TEMPLATES[key].facts if not _moves(key, fact, written)]
    assert not unmoved, f"{key} names facts that do not change it"


def _moves(key: str, fact: str, written: Iterable[tuple[str, Asked]]) -> bool:
    for sentence, asked in written:
        for plant in PLANTS[fact]:
            if sentence not in [str(other) for other in PARTS[key.partition(".")[0]](plant(asked)) if other.key == key]:
                return True
    return False


def test_every_fact_is_a_field_of_the_report_or_of_its_options() -> None:
    named = {fact for known in TEMPLATES.values() for fact in known.facts}
    assert named == PLANTS.keys()
    assert [fact for fact in sorted(named) if not _is_field(fact)] == []


def _is_field(fact: str) -> bool:
    head, *rest = fact.split(".")
    if head in ("options", "results"):
        return True
    hint: Any = Header if head == "snapshot" else get_type_hints(ReportInput)[head]
    for name in rest:
        records = [part for part in _parts(hint) if is_dataclass(part)]
        assert records, fact
        hint = get_type_hints(records[0]).get(name)
        if name not in {field.name for field in fields(records[0])}:
            return False
    return True


def _parts(hint: Any) -> list[Any]:
    return [hint, *(part for inner in get_args(hint) for part in _parts(inner))]


def test_a_template_without_facts_or_with_a_key_that_is_taken_is_an_error() -> None:
    with pytest.raises(ValueError, match="names no fact"):
        template("test.nothing", "The moon is full.")
    with pytest.raises(ValueError, match="two templates"):
        template("methods.raters", "Many took part.", "crowd.workers")


def test_a_sentence_remembers_what_it_states() -> None:
    sentence = Template("k", "{n} people.", ("crowd.workers",)).fill(n=3)
    assert (sentence, sentence.key, sentence.facts) == ("3 people.", "k", ("crowd.workers",))
