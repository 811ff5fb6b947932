"""Is what people call typical what is frequent? HJ against log corpus frequency (Hashimoto et al. 2019, Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metrics.data.human_judgment import HumanJudgments, human_judgments, sum_ratings
from metrics.errors import MetricsError
from metrics.figures import hj_frequency as hj_frequency_figure
from metrics.inference.correlation import Correlation, hj_frequency
from metrics.report.records import ReportInput, TextRow
from metrics.report.section import Section
from metrics.tables.record import Column, Table
from metrics.types import Rating

KEY, TITLE = "frequency", "HJ and corpus frequency"
CRITERION = "typicality"
LEVEL = 0.90  # as the paper's error bars


def section(report_input: ReportInput) -> Section | None:
    """None where no judged text has a count in a corpus."""
    counted = [text for text in report_input.texts if text.corpus_count is not None]
    counted_ids = {text.id for text in counted}
    included = [
        rating
        for rating in report_input.ratings
        if rating.kept and rating.criterion == CRITERION and rating.text in counted_ids
    ]
    if not included:
        return None
    judged = human_judgments(sum_ratings(Rating(o.text, o.rater, Fraction(o.value), o.hit or "") for o in included))
    rated = [text for text in counted if text.id in judged.items]
    hj = [float(judged.items[text.id].value) for text in rated]
    try:
        correlations = hj_frequency(hj, [text.corpus_count or 0 for text in rated], level=LEVEL)
    except MetricsError as error:
        return Section(KEY, TITLE, missing=(("Correlation of HJ and frequency", str(error)),))
    rows = tuple(
        (name, correlation.estimate, correlation.p, correlation.p_method, correlation.estimate.n)
        for name, correlation in (("Pearson, log frequency", correlations.pearson), ("Spearman", correlations.spearman))
    )
    columns = (
        Column("correlation", "Correlation"),
        Column("r", "r", "estimate", n="n"),
        Column("p", "p", "p"),
        Column("p_method", "p by"),
        Column("n", "Texts", "count"),
    )
    notes = [f"Counted in {corpus}." for corpus in dict.fromkeys(text.corpus_name for text in rated) if corpus]
    if correlations.zero:
        notes.append(f"{correlations.zero} texts of frequency 0 have no logarithm and are excluded.")
    title = f"HJ against the frequency of a text in its corpus, {100 * LEVEL:g}% intervals (Fisher)."
    table = Table("hj-frequency", title, columns, rows, tuple(notes))
    picture = _picture(rated, judged, correlations.pearson, correlations.spearman, correlations.zero)
    return Section(KEY, TITLE, (), (table,), (hj_frequency_figure.chart(picture),))


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
