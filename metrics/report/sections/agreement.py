"""How far raters agree, as a section: Krippendorff's alpha by source, intraclass correlations, HJ by a mixed model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.agreement.disagreement import Level
from metrics.agreement.intraclass import IntraclassCorrelations, intraclass_correlations
from metrics.agreement.krippendorff import alpha_of
from metrics.agreement.krippendorff_intervals import Resampled
from metrics.data.answer_types import AnswerType
from metrics.data.ratings import lay_out
from metrics.data.sentence import plain, template
from metrics.errors import InsufficientData, MetricsError
from metrics.inference.mixed_model import MixedModel, mixed_model
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section import Reference
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.source_comparisons import has_several
from metrics.report.wording import name_criterion, number
from metrics.tables.record import CRITERION, Column, Row, Table
from metrics.types import Estimate

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
ELSEWHERE = "Krippendorff's α of who wrote what is under Human or machine, for each condition where it is defined."
KRIPPENDORFF = Reference(
    "krippendorff2011alpha",
    "techreport",
    (
        ("author", "Krippendorff, Klaus"),
        ("title", "Computing Krippendorff's Alpha-Reliability"),
        ("institution", "University of Pennsylvania"),
        ("year", "2011"),
    ),
)
ALPHA_CAPTION = template(
    "captions.agreement",
    "Krippendorff's alpha, with {level:g}% intervals over new texts {raters}.",
    "options.level",
    "options.these_raters",
)
ALPHA_ALONE = plain("Krippendorff's alpha.")
ICC_CAPTION = template(
    "captions.intraclass",
    "Intraclass correlation, raters as a sample that differs from text to text ({criterion}).",
    "ratings.criterion",
)
MIXED_CAPTION = template(
    "captions.mixed-model",
    "{model} of {ratings} ratings, texts and raters crossed ({criterion}).",
    "ratings.kept",
    "ratings.criterion",
)
# Whom the intervals are for cannot be chosen here, as it can for alpha.
ICC_NOTE = (
    "The intervals are for new texts with raters of their own, whichever raters the other intervals are for: this "
    "correlation does not distinguish raters."
)
MIXED_NOTE = (
    "The intervals are for new texts and new raters, whichever raters the other intervals are for: both are taken as "
    "samples."
)
ALPHA_NOTE = (
    "1: the raters of each text give the same label; 0: no more agreement than chance gives. Ordinal fits labels in "
    "an order."
)
CHOICE_NOTE = (
    "Where a text of a set is chosen, the units are the texts, each as chosen or not. Those of one set depend on each "
    "other, which the intervals do not take into account."
)
SEVERAL_LABELS = "a rater may give a text several labels"
ALPHA = (
    CRITERION,
    Column("texts", "Texts of"),
    *(Column(f"alpha_{level}", f"α, {level}", "estimate", n="n") for level in LEVELS),
    Column("n", "Texts", "count"),
    Column("raters", "Raters", "count"),
    Column("ratings", "Ratings", "count"),
)


@dataclass(frozen=True, slots=True)
class AgreementFacts:
    """The ratings that count by criterion, and the side of each text (None: a reference).

    nominal: criteria whose answers are labels without an order. elsewhere: who wrote what is in a section of its own.
    has_choices: whether one of the texts of a set is chosen on some criterion.
    """

    ratings: Mapping[str, tuple[RatingRow, ...]]
    sides: Mapping[str, str | None]
    nominal: frozenset[str]
    elsewhere: bool
    has_choices: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """Rows of alphas; per criterion the intraclass correlations and the mixed model with its number of ratings."""

    level: float
    these_raters: bool
    alphas: tuple[Row, ...]
    further: tuple[tuple[str, IntraclassCorrelations | None, MixedModel | None, int], ...]
    why: tuple[tuple[str, str], ...]
    elsewhere: bool
    has_choices: bool = False


def gather(report_input: ReportInput) -> AgreementFacts | None:
    """None where nothing was rated but preferences between two texts."""
    by_criterion: dict[str, list[RatingRow]] = {}
    answers: dict[str, AnswerType] = {}
    for rating in () if report_input.in_pairs else report_input.ratings:
        if rating.criterion not in answers:
            answers[rating.criterion] = report_input.answer_of(rating.criterion)
        # Who wrote what has a table of its own; a preference is of two texts.
        if answers[rating.criterion] is not AnswerType.TWO_SIDED:
            group = by_criterion.setdefault(rating.criterion, [])
            if rating.kept and rating.partner is None:
                group.append(rating)
    two_sided = {criterion for criterion, answer in answers.items() if answer is AnswerType.TWO_SIDED}
    elsewhere = any(rating.criterion in two_sided and rating.kept for rating in report_input.ratings)
    if not by_criterion and not elsewhere:
        return None
    return AgreementFacts(
        ratings={criterion: tuple(group) for criterion, group in by_criterion.items()},
        sides={text.id: text.generator for text in report_input.texts},
        nominal=frozenset(name for name in by_criterion if answers[name].is_nominal),
        elsewhere=elsewhere,
        has_choices=any(answers[name] is AnswerType.CHOSEN_TEXT for name in by_criterion),
    )


def compute(facts: AgreementFacts, options: Options) -> Agreement:
    """The agreement on every criterion; what cannot be computed is in `why` with its reason."""
    options.announce("agreement")
    rows: list[Row] = []
    why: list[tuple[str, str]] = []
    further: list[tuple[str, IntraclassCorrelations | None, MixedModel | None, int]] = []
    for criterion, included in facts.ratings.items():
        if included and has_several(included):
            why.append((f"Agreement on {name_criterion(criterion)}", SEVERAL_LABELS))
            continue
        for name, group in _groups(facts.sides, included):
            try:
                levels = LEVELS[:1] if criterion in facts.nominal else LEVELS
                rows.append(_row(criterion, name, group, levels, options))
            except MetricsError as error:
                why.append((f"α of {name}, {name_criterion(criterion)}", str(error)))
        if criterion not in facts.nominal:  # labels without an order have no mean
            further.append((criterion, *_further(facts.sides, criterion, included, options, why), len(included)))
    return Agreement(
        options.level, options.these_raters, tuple(rows), tuple(further), tuple(why), facts.elsewhere, facts.has_choices
    )


def tables(result: Agreement) -> Iterator[Table]:
    """Alphas of every criterion, then what else there is of each."""
    if result.alphas:
        whom = "with these raters" if result.these_raters else "and new raters"
        alphas = [cell for row in result.alphas for cell in row if isinstance(cell, Estimate)]
        has_intervals = any(alpha.interval for alpha in alphas)
        notes = (CHOICE_NOTE,) if result.has_choices else ()
        title = ALPHA_CAPTION.fill(level=100 * result.level, raters=whom) if has_intervals else ALPHA_ALONE
        yield Table("agreement", title, ALPHA, result.alphas, (ALPHA_NOTE, *notes))
    for criterion, correlations, model, ratings in result.further:
        if correlations is not None:
            yield _icc_table(criterion, correlations)
        if model is not None:
            yield _mixed_table(criterion, model, ratings)


def sentences(result: Agreement) -> tuple[str, ...]:
    """Where else agreement is shown."""
    return (ELSEWHERE,) if result.elsewhere else ()


def references(result: Agreement) -> tuple[Reference, ...]:
    """Of alpha, where one is shown."""
    return (KRIPPENDORFF,) if result.alphas or result.elsewhere else ()


def _groups(sides: Mapping[str, str | None], ratings: Sequence[RatingRow]) -> Iterator[tuple[str, Sequence[RatingRow]]]:
    yield "all", ratings
    groups: dict[str, list[RatingRow]] = {name or "references": [] for name in sides.values()}
    for rating in ratings:
        groups[sides[rating.text] or "references"].append(rating)
    for name, group in groups.items():
        if group and len(group) < len(ratings):
            yield name, group


def _row(criterion: str, name: str, group: Sequence[RatingRow], levels: Sequence[Level], options: Options) -> Row:
    """levels: those that the labels have; of labels without an order only the first."""
    values = [float(rating.value) for rating in group]
    ratings = lay_out([rating.text for rating in group], [rating.rater for rating in group], values)
    varied: Resampled = "items" if options.these_raters else "both"
    alphas = [alpha_of(ratings, at, confidence=options.level, seed=options.seed, resampled=varied) for at in levels]
    without = [None] * (len(LEVELS) - len(levels))
    texts, raters = len({rating.text for rating in group}), len({rating.rater for rating in group})
    return (criterion, name, *alphas, *without, texts, raters, len(group))


def _further(
    sides: Mapping[str, str | None],
    criterion: str,
    ratings: Sequence[RatingRow],
    options: Options,
    why: list[tuple[str, str]],
) -> tuple[IntraclassCorrelations | None, MixedModel | None]:
    correlations: IntraclassCorrelations | None = None
    model: MixedModel | None = None
    try:
        correlations = intraclass_correlations(_matrix(ratings), confidence=options.level)
    except MetricsError as error:
        why.append((f"Intraclass correlations, {name_criterion(criterion)}", str(error)))
    try:
        model = _mixed(sides, ratings, options.level, options.seed)
    except MetricsError as error:
        why.append((f"Mixed model, {name_criterion(criterion)}", str(error)))
    return correlations, model


def _matrix(ratings: Sequence[RatingRow]) -> list[list[float]]:
    """(texts, ratings), in the order of the ratings; InsufficientData where texts have different numbers."""
    by_text: dict[str, list[float]] = {}
    for rating in ratings:
        by_text.setdefault(rating.text, []).append(float(rating.value))
    if len({len(values) for values in by_text.values()}) > 1:
        raise InsufficientData("Texts have different numbers of ratings; the mixed model takes them as they are.")
    return list(by_text.values())


def _icc_table(criterion: str, correlations: IntraclassCorrelations) -> Table:
    rows = (
        ("one rating", correlations.icc_1_1, correlations.icc_1_1.n),
        ("the mean of all ratings of a text", correlations.icc_1_k, correlations.icc_1_1.n),
    )
    columns = (Column("of", "Of"), Column("icc", "ICC(1, ·)", "estimate", n="n"), Column("n", "Texts", "count"))
    title = ICC_CAPTION.fill(criterion=name_criterion(criterion))
    return Table(f"icc-{criterion}", title, columns, rows, (ICC_NOTE,))


def _mixed(sides: Mapping[str, str | None], ratings: Sequence[RatingRow], level: float, seed: int) -> MixedModel:
    """Rating ~ generator + (1 | text) + (1 | rater); the intercept is the references'."""
    names = [name for name in dict.fromkeys(sides.values()) if name is not None]
    sources = np.array([sides[rating.text] or "" for rating in ratings])
    fixed = {name: (sources == name).astype(np.float64) for name in names}
    values, texts, raters = (
        [float(rating.value) for rating in ratings],
        [rating.text for rating in ratings],
        [rating.rater for rating in ratings],
    )
    return mixed_model(values, texts, raters, fixed, level=level, seed=seed)


def _mixed_table(criterion: str, model: MixedModel, ratings: int) -> Table:
    def named(name: str) -> str:
        return "references (intercept)" if name == "intercept" else f"{name}, less the references"

    rows: list[Row] = [(named(name), estimate, estimate.n) for name, estimate in model.effects.items()]
    columns = (
        Column("effect", "Effect"),
        Column("value", "Points of the scale", "estimate", n="n"),
        Column("n", "n", "count"),
    )
    notes = [MIXED_NOTE, *([model.note] if model.note else [])]
    if model.is_fitted:
        notes.append(
            "Variances: " + ", ".join(f"{name} {number(value, 3)}" for name, value in model.variances.items()) + "."
        )
    fitted = "Mixed model" if model.is_fitted else "Least squares with a cluster bootstrap"
    title = MIXED_CAPTION.fill(model=fitted, ratings=ratings, criterion=name_criterion(criterion))
    return Table(f"mixed-{criterion}", title, columns, tuple(rows), tuple(notes))


SECTIONS = (
    SectionKind(
        key="agreement",
        title="Agreement of raters",
        order=60,
        gather=gather,
        compute=compute,
        tables=lambda result: tuple(tables(result)),
        sentences=sentences,
        missing=lambda result: result.why,
        references=references,
    ),
)
