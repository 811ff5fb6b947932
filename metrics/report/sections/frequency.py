"""Is what people call typical what is frequent? HJ against log corpus frequency (Hashimoto et al. 2019, Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from metrics.data.criterion_names import TYPICAL
from metrics.data.human_judgment import HumanJudgments, human_judgments, sum_ratings
from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.figures import hj_frequency as hj_frequency_figure
from metrics.figures.chart import Chart
from metrics.inference.correlation import Correlation, FrequencyCorrelation, hj_frequency
from metrics.report.records import RatingRow, ReportInput, TextRow
from metrics.report.section_kind import Options, SectionKind
from metrics.tables.record import Column, Table
from metrics.types import Rating

LEVEL = 0.90  # as the paper's error bars
INTERVALS = (
    f"Intervals: {100 * LEVEL:g}%, by Fisher's z; for Spearman with the standard error of Bonett and Wright (2000)."
)


@dataclass(frozen=True, slots=True)
class FrequencyFacts:
    """Texts with a count in a corpus, and the ratings of typicality about them that count."""

    texts: tuple[TextRow, ...]
    ratings: tuple[RatingRow, ...]


@dataclass(frozen=True, slots=True)
class HjByFrequency:
    """HJ of the rated texts against their counts. why: in place of correlations where there are none."""

    texts: tuple[TextRow, ...]
    judged: HumanJudgments
    correlations: FrequencyCorrelation | None
    why: str = ""


def gather(report_input: ReportInput) -> FrequencyFacts | None:
    """None where no judged text has a count in a corpus."""
    counted = tuple(text for text in report_input.texts if text.corpus_count is not None)
    counted_ids = {text.id for text in counted}
    included = tuple(
        rating
        for rating in report_input.ratings
        if rating.kept and rating.criterion == TYPICAL and rating.text in counted_ids
    )
    return FrequencyFacts(counted, included) if included else None


def compute(facts: FrequencyFacts, options: Options) -> HjByFrequency:
    """HJ of each text, and its correlations with frequency at the paper's own level."""
    options.announce("corpus frequency")
    judged = human_judgments(
        sum_ratings(Rating(o.text, o.rater, Fraction(o.value), o.hit or "") for o in facts.ratings)
    )
    rated = tuple(text for text in facts.texts if text.id in judged.items)
    hj = [float(judged.items[text.id].value) for text in rated]
    try:
        return HjByFrequency(rated, judged, hj_frequency(hj, [text.corpus_count or 0 for text in rated], level=LEVEL))
    except MetricsError as error:
        return HjByFrequency(rated, judged, None, str(error))


def tables(result: HjByFrequency) -> tuple[Table, ...]:
    """Both correlations."""
    if result.correlations is None:
        return ()
    pearson, spearman = result.correlations.pearson, result.correlations.spearman
    rows = tuple(
        (name, correlation.estimate, correlation.p, correlation.p_method, correlation.estimate.n)
        for name, correlation in (("Pearson, log frequency", pearson), ("Spearman", spearman))
    )
    columns = (
        Column("correlation", "Correlation"),
        Column("r", "r", "estimate", n="n"),
        Column("p", "p", "p"),
        Column("p_method", "p by"),
        Column("n", "Texts", "count"),
    )
    known = [each.estimate.interval for each in (pearson, spearman)]
    notes = [INTERVALS] if any(known) else []
    notes += [f"Counted in {corpus}." for corpus in dict.fromkeys(text.corpus_name for text in result.texts) if corpus]
    if result.correlations.zero:
        notes.append(f"Texts of frequency 0 have no logarithm and are excluded: {result.correlations.zero}.")
    title = plain("HJ against the frequency of a text in its corpus.")
    return (Table("hj-frequency", title, columns, rows, tuple(notes)),)


def figures(result: HjByFrequency) -> tuple[Chart, ...]:
    """HJ against log frequency."""
    correlations = result.correlations
    if correlations is None:
        return ()
    return (
        hj_frequency_figure.chart(
            _picture(result.texts, result.judged, correlations.pearson, correlations.spearman, correlations.zero)
        ),
    )


def missing(result: HjByFrequency) -> tuple[tuple[str, str], ...]:
    """Why there is no correlation."""
    return (("Correlation of HJ and frequency", result.why),) if result.why else ()


def _picture(
    rated: Sequence[TextRow], judged: HumanJudgments, pearson: Correlation, spearman: Correlation, zero: int
) -> hj_frequency_figure.Typicality:
    phrases = []
    for text in rated:
        judgment = judged.items[text.id]
        if text.corpus_count:
            phrases.append(
                hj_frequency_figure.Phrase(
                    text.body, text.corpus_count, float(judgment.value), judgment.interval, judgment.n
                )
            )
    return hj_frequency_figure.Typicality(tuple(phrases), pearson.estimate, spearman.estimate, zero)


SECTIONS = (
    SectionKind(
        key="frequency",
        title="HJ and corpus frequency",
        order=70,
        gather=gather,
        compute=compute,
        tables=tables,
        figures=figures,
        missing=missing,
    ),
)
