"""Is what people call typical what is frequent? HJ against log corpus frequency (Hashimoto et al. 2019, Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metrics.data.human_judgment import HumanJudgments, human_judgments, sum_ratings
from metrics.errors import MetricsError
from metrics.figures import hj_frequency as figure
from metrics.inference.correlation import Correlation, hj_frequency
from metrics.report.records import ReportInput, TextRow
from metrics.report.section import Section
from metrics.tables.record import Column, Table
from metrics.types import Rating

KEY, TITLE = "frequency", "HJ and corpus frequency"
CRITERION = "typicality"
LEVEL = 0.90  # as the paper's error bars


def section(given: ReportInput) -> Section | None:
    """None where no judged text has a count in a corpus."""
    counted = [text for text in given.texts if text.corpus_count is not None]
    wanted = {text.id for text in counted}
    kept = [one for one in given.ratings if one.kept and one.criterion == CRITERION and one.text in wanted]
    if not kept:
        return None
    judged = human_judgments(sum_ratings(Rating(o.text, o.rater, Fraction(o.value), o.hit or "") for o in kept))
    rated = [text for text in counted if text.id in judged.items]
    hj = [float(judged.items[text.id].value) for text in rated]
    try:
        found = hj_frequency(hj, [text.corpus_count or 0 for text in rated], level=LEVEL)
    except MetricsError as error:
        return Section(KEY, TITLE, missing=(("Correlation of HJ and frequency", str(error)),))
    rows = tuple(
        (name, one.estimate, one.p, one.p_method, one.estimate.n)
        for name, one in (("Pearson, log frequency", found.pearson), ("Spearman", found.spearman))
    )
    columns = (
        Column("correlation", "Correlation"),
        Column("r", "r", "estimate", n="n"),
        Column("p", "p", "p"),
        Column("p_method", "p by"),
        Column("n", "Texts", "count"),
    )
    notes = [f"Counted in {corpus}." for corpus in dict.fromkeys(text.corpus_name for text in rated) if corpus]
    if found.zero:
        notes.append(f"{found.zero} texts of frequency 0 have no logarithm and are left out.")
    title = f"HJ against the frequency of a text in its corpus, {100 * LEVEL:g}% intervals (Fisher)."
    table = Table("hj-frequency", title, columns, rows, tuple(notes))
    picture = _picture(rated, judged, found.pearson, found.spearman, found.zero)
    return Section(KEY, TITLE, (), (table,), (figure.chart(picture),))


def _picture(
    rated: Sequence[TextRow], judged: HumanJudgments, pearson: Correlation, spearman: Correlation, zero: int
) -> figure.Typicality:
    phrases = []
    for text in rated:
        own = judged.items[text.id]
        if text.corpus_count:
            phrases.append(figure.Phrase(text.body, text.corpus_count, float(own.value), own.interval, own.n))
    return figure.Typicality(tuple(phrases), pearson.estimate, spearman.estimate, zero)
