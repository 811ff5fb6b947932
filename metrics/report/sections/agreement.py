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
from metrics.tables.record import Column, Row, Table
from metrics.types import MODEL, Rating

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
HUMAN_OR_MACHINE = "human_or_machine"
ELSEWHERE = "Krippendorff's α of who wrote what, by condition, stands in the table under Human or machine."
ALPHA = (
    Column("criterion", "Criterion"),
    Column("texts", "Texts"),
    *(Column(f"alpha_{level}", f"α, {level}", "estimate", n="n") for level in LEVELS),
    Column("n", "Texts", "count"),
    Column("raters", "Raters", "count"),
    Column("ratings", "Ratings", "count"),
)


def section(given: ReportInput, *, level: float, seed: int) -> Section:
    """Agreement on every criterion; what has no answer is told in a sentence."""
    missing: list[tuple[str, str]] = []
    rows: list[Row] = []
    tables: list[Table] = []
    for criterion in dict.fromkeys(one.criterion for one in given.ratings):
        if criterion == HUMAN_OR_MACHINE:
            continue
        kept = [one for one in given.ratings if one.kept and one.criterion == criterion and one.partner is None]
        for name, own in _groups(given, kept):
            try:
                rows.append(_row(criterion, name, own, level, seed))
            except MetricsError as error:
                missing.append((f"α of {name}, {criterion}", str(error)))
        tables += _further(given, criterion, kept, level, seed, missing)
    if rows:
        title = f"Krippendorff's alpha, with {100 * level:g}% intervals over new texts and these very raters."
        note = "1: the same label throughout; 0: no more agreement than chance gives. Ordinal fits labels in an order."
        tables.insert(0, Table("agreement", title, ALPHA, tuple(rows), (note,)))
    asked = any(one.criterion == HUMAN_OR_MACHINE and one.kept for one in given.ratings)
    return Section("agreement", "Agreement of raters", (ELSEWHERE,) if asked else (), tuple(tables), (), tuple(missing))


def _groups(given: ReportInput, kept: Sequence[RatingRow]) -> Iterable[tuple[str, list[RatingRow]]]:
    side = {text.id: text.generator or "references" for text in given.texts}
    yield "all", list(kept)
    for name in dict.fromkeys(side.values()):
        own = [one for one in kept if side[one.text] == name]
        if own and len(own) < len(kept):
            yield name, own


def _row(criterion: str, name: str, own: Sequence[RatingRow], level: float, seed: int) -> Row:
    ratings = of_records(_rating(one) for one in own)
    found = [alpha_of(ratings, at, confidence=level, seed=seed) for at in LEVELS]
    texts, raters = len({one.text for one in own}), len({one.rater for one in own})
    return (criterion, name, *found, texts, raters, len(own))


def _rating(one: RatingRow) -> Rating:
    from fractions import Fraction

    return Rating(one.text, one.rater, Fraction(one.value), one.hit or "")


def _further(
    given: ReportInput,
    criterion: str,
    kept: Sequence[RatingRow],
    level: float,
    seed: int,
    missing: list[tuple[str, str]],
) -> list[Table]:
    tables = []
    try:
        tables.append(_icc_table(criterion, intraclass_correlations(_matrix(kept), confidence=level)))
    except MetricsError as error:
        missing.append((f"Intraclass correlations, {criterion}", str(error)))
    try:
        tables.append(_mixed_table(criterion, _mixed(given, kept, level, seed), len(kept)))
    except MetricsError as error:
        missing.append((f"Mixed model, {criterion}", str(error)))
    return tables


def _matrix(kept: Sequence[RatingRow]) -> list[list[float]]:
    """(texts, ratings), in the order of the ratings; InsufficientData where texts have different numbers."""
    from metrics.errors import InsufficientData

    by_text: dict[str, list[float]] = {}
    for one in kept:
        by_text.setdefault(one.text, []).append(float(one.value))
    if len({len(values) for values in by_text.values()}) > 1:
        raise InsufficientData("Texts have different numbers of ratings; the mixed model takes them as they are.")
    return list(by_text.values())


def _icc_table(criterion: str, found: IntraclassCorrelations) -> Table:
    rows = (
        ("one rating", found.icc_1_1, found.icc_1_1.n),
        ("the mean of all ratings of a text", found.icc_1_k, found.icc_1_1.n),
    )
    columns = (Column("of", "Of"), Column("icc", "ICC(1, ·)", "estimate", n="n"), Column("n", "Texts", "count"))
    title = f"Intraclass correlation, raters as a sample that differs from text to text ({criterion})."
    return Table(f"icc-{criterion}", title, columns, rows)


def _mixed(given: ReportInput, kept: Sequence[RatingRow], level: float, seed: int) -> MixedModel:
    """Rating ~ generator + (1 | text) + (1 | rater); the intercept is the references'."""
    side = {text.id: text.generator if text.source == MODEL else None for text in given.texts}
    names = [name for name in dict.fromkeys(side.values()) if name is not None]
    own = np.array([side[one.text] or "" for one in kept])
    fixed = {name: (own == name).astype(np.float64) for name in names}
    values, texts, raters = [float(one.value) for one in kept], [one.text for one in kept], [one.rater for one in kept]
    return mixed_model(values, texts, raters, fixed, level=level, seed=seed)


def _mixed_table(criterion: str, found: MixedModel, ratings: int) -> Table:
    def named(name: str) -> str:
        return "references (intercept)" if name == "intercept" else f"{name}, less the references"

    rows: list[Row] = [(named(name), estimate, estimate.n) for name, estimate in found.effects.items()]
    columns = (
        Column("effect", "Effect"),
        Column("value", "Points of the scale", "estimate", n="n"),
        Column("n", "n", "count"),
    )
    notes = [found.note] if found.note else []
    if found.variances:
        notes.append("Variances: " + ", ".join(f"{name} {value:.3f}" for name, value in found.variances.items()) + ".")
    title = f"Mixed model of {ratings} ratings, texts and raters crossed ({criterion})."
    return Table(f"mixed-{criterion}", title, columns, tuple(rows), tuple(notes))
