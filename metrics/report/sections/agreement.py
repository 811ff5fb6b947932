"""How far raters agree, as a section: Krippendorff's alpha by source, intraclass correlations, HJ by a mixed model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from metrics.agreement.disagreement import Level
from metrics.agreement.intraclass import IntraclassCorrelations, intraclass_correlations
from metrics.agreement.krippendorff import alpha_of
from metrics.data.ratings import of_records
from metrics.errors import MetricsError
from metrics.inference.mixed_model import MixedModel, mixed_model
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section import Section
from metrics.report.sentence import template
from metrics.tables.record import Column, Row, Table
from metrics.types import MODEL, Rating

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
HUMAN_OR_MACHINE = "human_or_machine"
ELSEWHERE = "The table under Human or machine shows Krippendorff's α of who wrote what, by condition."
ALPHA_CAPTION = template(
    "captions.agreement",
    "Krippendorff's alpha, with {level:g}% intervals over new texts and these very raters.",
    "options.level",
)
ICC_CAPTION = template(
    "captions.intraclass",
    "Intraclass correlation, raters as a sample that differs from text to text ({criterion}).",
    "ratings.criterion",
)
MIXED_CAPTION = template(
    "captions.mixed-model",
    "Mixed model of {ratings} ratings, texts and raters crossed ({criterion}).",
    "ratings.kept",
    "ratings.criterion",
)
ALPHA = (
    Column("criterion", "Criterion"),
    Column("texts", "Texts"),
    *(Column(f"alpha_{level}", f"α, {level}", "estimate", n="n") for level in LEVELS),
    Column("n", "Texts", "count"),
    Column("raters", "Raters", "count"),
    Column("ratings", "Ratings", "count"),
)


def section(report_input: ReportInput, *, level: float, seed: int) -> Section:
    """Return the agreement on every criterion; what cannot be computed is in `missing` with its reason."""
    missing: list[tuple[str, str]] = []
    rows: list[Row] = []
    tables: list[Table] = []
    for criterion in dict.fromkeys(rating.criterion for rating in report_input.ratings):
        if criterion == HUMAN_OR_MACHINE or report_input.in_pairs:
            continue  # who wrote what has a table of its own; a preference is of two texts
        included = [
            rating
            for rating in report_input.ratings
            if rating.kept and rating.criterion == criterion and rating.partner is None
        ]
        for name, group in _groups(report_input, included):
            try:
                rows.append(_row(criterion, name, group, level, seed))
            except MetricsError as error:
                missing.append((f"α of {name}, {criterion}", str(error)))
        if not report_input.is_nominal:  # labels without an order have no mean
            tables += _further(report_input, criterion, included, level, seed, missing)
    if rows:
        title = ALPHA_CAPTION.fill(level=100 * level)
        note = "1: the same label throughout; 0: no more agreement than chance gives. Ordinal fits labels in an order."
        tables.insert(0, Table("agreement", title, ALPHA, tuple(rows), (note,)))
    has_human_or_machine = any(rating.criterion == HUMAN_OR_MACHINE and rating.kept for rating in report_input.ratings)
    return Section(
        "agreement",
        "Agreement of raters",
        (ELSEWHERE,) if has_human_or_machine else (),
        tuple(tables),
        (),
        tuple(missing),
    )


def _groups(report_input: ReportInput, ratings: Sequence[RatingRow]) -> Iterable[tuple[str, list[RatingRow]]]:
    side = {text.id: text.generator or "references" for text in report_input.texts}
    yield "all", list(ratings)
    for name in dict.fromkeys(side.values()):
        group = [rating for rating in ratings if side[rating.text] == name]
        if group and len(group) < len(ratings):
            yield name, group


def _row(criterion: str, name: str, group: Sequence[RatingRow], level: float, seed: int) -> Row:
    ratings = of_records(_rating(rating) for rating in group)
    alphas = [alpha_of(ratings, at, confidence=level, seed=seed) for at in LEVELS]
    texts, raters = len({rating.text for rating in group}), len({rating.rater for rating in group})
    return (criterion, name, *alphas, texts, raters, len(group))


def _rating(rating: RatingRow) -> Rating:
    from fractions import Fraction

    return Rating(rating.text, rating.rater, Fraction(rating.value), rating.hit or "")


def _further(
    report_input: ReportInput,
    criterion: str,
    ratings: Sequence[RatingRow],
    level: float,
    seed: int,
    missing: list[tuple[str, str]],
) -> list[Table]:
    tables = []
    try:
        tables.append(_icc_table(criterion, intraclass_correlations(_matrix(ratings), confidence=level)))
    except MetricsError as error:
        missing.append((f"Intraclass correlations, {criterion}", str(error)))
    try:
        tables.append(_mixed_table(criterion, _mixed(report_input, ratings, level, seed), len(ratings)))
    except MetricsError as error:
        missing.append((f"Mixed model, {criterion}", str(error)))
    return tables


def _matrix(ratings: Sequence[RatingRow]) -> list[list[float]]:
    """(texts, ratings), in the order of the ratings; InsufficientData where texts have different numbers."""
    from metrics.errors import InsufficientData

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
    title = ICC_CAPTION.fill(criterion=criterion)
    return Table(f"icc-{criterion}", title, columns, rows)


def _mixed(report_input: ReportInput, ratings: Sequence[RatingRow], level: float, seed: int) -> MixedModel:
    """Rating ~ generator + (1 | text) + (1 | rater); the intercept is the references'."""
    side = {text.id: text.generator if text.source == MODEL else None for text in report_input.texts}
    names = [name for name in dict.fromkeys(side.values()) if name is not None]
    sources = np.array([side[rating.text] or "" for rating in ratings])
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
    notes = [model.note] if model.note else []
    if model.variances:
        notes.append("Variances: " + ", ".join(f"{name} {value:.3f}" for name, value in model.variances.items()) + ".")
    title = MIXED_CAPTION.fill(ratings=ratings, criterion=criterion)
    return Table(f"mixed-{criterion}", title, columns, tuple(rows), tuple(notes))
