"""How closely later studies repeat the first: scores, sets of scores, findings of the sources they share (QRA++)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median

from metrics.data.sentence import Sentence, plain, template
from metrics.errors import MetricsError
from metrics.inference.reproducibility import findings_upheld, reproduction_variation, set_correlations
from metrics.inference.verdicts import Outcome
from metrics.report.comparison.rating_scales import Relations
from metrics.report.records import ReportInput
from metrics.report.section import Reference, Section
from metrics.report.section_kind import Options
from metrics.report.sections import registry
from metrics.report.sections.source_comparisons import REFERENCES, Judged, compare_sources
from metrics.report.wording import name_criterion, number, plural, quote
from metrics.tables.record import CRITERION, Column, Row, Table
from metrics.types import Estimate

KEY, TITLE = "reproduction", "Reproduction"
# What a study says of two sources; the other outcomes say that nothing was found.
FINDINGS: tuple[Outcome, ...] = ("better", "worse", "equivalent")
SAME = "Upheld: the repetition found the same."
DASHED = "A dash: the repetition was too small to decide, or did not compare these sources."
NONE_TESTED = "The repetition was too small to decide on any of these, or did not compare these sources."
ADJUSTED = (
    "Each study adjusts p over all pairs that it tests (Holm), so what the other pairs show can undo a finding whose "
    "difference is repeated."
)
NOT_TESTED: tuple[Outcome, ...] = ("too small", "not comparable")  # nothing was decided, either way
OPPOSITE: dict[Outcome, Outcome] = {"better": "worse", "worse": "better"}
WHAT = {
    "rating": "mean {criterion}, from the lowest label",
    "human": "share taken for human",
    "accuracy": "accuracy with the training",
}
ANY_SCALE = ("human", "accuracy")  # shares, whatever the labels are called
TITLE_OF_QRA = (
    "{QRA}++: Quantified Reproducibility Assessment for Common Types of Results in Natural Language Processing"
)
BELZ = Reference(
    "belz2025qra",
    "misc",
    (
        ("author", "Belz, Anya"),
        ("title", TITLE_OF_QRA),
        ("year", "2025"),
        ("eprint", "2505.17043"),
        ("archiveprefix", "arXiv"),
    ),
)
AT_COMMON = template(
    "comparison.common-ratings",
    "HUSE is at the number of ratings per text that all studies have.",
    "generators.name",
)
VARIATION = template(
    "comparison.variation",
    "Coefficient of variation for small samples (CV*) of {scores} that the studies share: {spread}.",
    "ratings.value",
)
UPHELD = template(
    "comparison.upheld",
    "Of {findings} of {first} that {second} tested again, {upheld} {verb} upheld ({share:.0f}%).",
    "study.name",
    "ratings.value",
)
NO_ZERO = "Preferences are log odds, which have no true zero, so they have no CV*."

Values = dict[str, float]  # by study
Compared = Mapping[str, Mapping[str, Judged]]  # by criterion and kind, then by study
Key = tuple[str, str, str]  # criterion and kind, and two sources in the order of their names


def section(
    studies: Sequence[ReportInput],
    scales: Relations,
    huse: Mapping[str, Mapping[tuple[str, str], Estimate]],
    *,
    level: float,
) -> Section | None:
    """None where no generator or training was judged on one criterion in two of the studies.

    scales: how the scales of each two studies relate. huse: values of each measure by study and generator.
    """
    judged = _judged_in_several(studies, level)
    scores = [*_means(judged, studies, scales), *_huse(huse), *_measures(studies, level)]
    names = [report_input.study.name for report_input in studies]
    findings = list(_findings(judged, names))
    has_findings = _has_preferences(judged) and any(again for *_, again in findings)  # log odds are no scores
    if all(source == REFERENCES for _, source, _ in scores) and not has_findings:
        return None
    rows, missing = _score_rows(scores, names)
    sets = list(_sets(studies, judged))
    lead = [*_lead_scores(rows), *_lead_findings(findings, names)]
    notes = [*([AT_COMMON.fill()] if huse else []), *([NO_ZERO] if _has_preferences(judged) else [])]
    tables = [
        _score_table(rows, names, notes),
        _set_table(sets),
        _finding_table(findings, names[0], adjusted=_is_adjusted(judged, names[1:])),
    ]
    return Section(
        key=KEY,
        title=TITLE,
        lead=tuple(lead),
        tables=tuple(table for table in tables if table.rows),
        missing=missing,
        references=(BELZ,),
    )


def _judged_in_several(studies: Sequence[ReportInput], level: float) -> Compared:
    """Every criterion with what two or more studies found of it."""
    judged: defaultdict[str, dict[str, Judged]] = defaultdict(dict)
    for report_input in studies:
        for each in compare_sources(report_input, level=level):
            judged[f"{each.kind} {each.criterion}"][report_input.study.name] = each
    return {name: of for name, of in judged.items() if len(of) > 1}


# --- single scores ---


def _means(judged: Compared, studies: Sequence[ReportInput], scales: Relations) -> Iterator[tuple[str, str, Values]]:
    """(what it is, of which source, its value in each study) of every mean that two studies have."""
    lowest = {report_input.study.name: _lowest(report_input) for report_input in studies}
    for of in judged.values():
        first = next(iter(of.values()))
        if first.kind not in WHAT or (first.kind not in ANY_SCALE and not _same_scale(list(of), scales)):
            continue
        values: defaultdict[str, Values] = defaultdict(dict)
        start = min(lowest[study][first.criterion] for study in of) if first.kind == "rating" else 0.0
        for study, each in of.items():
            for source, mean in each.means:
                if mean.value is not None:
                    values[source][study] = mean.value - start
        what = WHAT[first.kind].format(criterion=name_criterion(first.criterion))
        yield from ((what, source, of_source) for source, of_source in values.items() if len(of_source) > 1)


def _lowest(report_input: ReportInput) -> dict[str, float]:
    """The lowest code of each criterion: of the study's scale where the labels are its labels, else as answered."""
    labels = {label.name: Fraction(label.code) for label in report_input.study.scale}
    answered: defaultdict[str, set[Fraction]] = defaultdict(set)
    other: set[str] = set()
    for rating in report_input.ratings:
        answered[rating.criterion].add(Fraction(rating.value))
        if labels.get(rating.label) != Fraction(rating.value):
            other.add(rating.criterion)
    return {
        criterion: float(min(codes if criterion in other else labels.values())) for criterion, codes in answered.items()
    }


def _same_scale(names: Sequence[str], scales: Relations) -> bool:
    """Whether all of these studies have the same labels with the same codes."""
    return all(scales[frozenset((names[0], name))] == "same" for name in names[1:])


def _huse(
    huse: Mapping[str, Mapping[tuple[str, str], Estimate]],
) -> Iterator[tuple[str, str, Values]]:
    for title, estimates in huse.items():
        values: defaultdict[str, Values] = defaultdict(dict)
        for (study, generator), each in estimates.items():
            if each.value is not None:
                values[generator][study] = each.value
        yield from ((title, generator, of) for generator, of in values.items() if len(of) > 1)


def _measures(studies: Sequence[ReportInput], level: float) -> Iterator[tuple[str, str, Values]]:
    """Headline numbers of the sections whose numbers are compared as they are."""
    values: defaultdict[tuple[str, str], Values] = defaultdict(dict)
    for kind in (kind for kind in registry.built_in() if kind.is_compared):
        for report_input in studies:
            section_of_study = kind.section(report_input, Options(level=level))
            for measured in section_of_study.measures if section_of_study else ():
                if measured.estimate.value is not None:
                    values[measured.title, measured.subject][report_input.study.name] = measured.estimate.value
    yield from ((title, subject, of) for (title, subject), of in values.items() if len(of) > 1)


def _score_rows(
    scores: Sequence[tuple[str, str, Values]], names: Sequence[str]
) -> tuple[list[Row], tuple[tuple[str, str], ...]]:
    rows: list[Row] = []
    missing: list[tuple[str, str]] = []
    for what, source, values in scores:
        try:
            variation = reproduction_variation(list(values.values())).value
        except MetricsError as error:
            variation = None
            missing.append((f"CV* of {what} of {source}", str(error)))
        rows.append((what, source, *(values.get(name) for name in names), variation))
    return rows, tuple(missing)


def _score_table(rows: Sequence[Row], names: Sequence[str], notes: Sequence[str]) -> Table:
    columns = (
        Column("what", "Score"),
        Column("source", "Source or training"),
        *(Column(f"study_{at}", name, "number") for at, name in enumerate(names, 1)),
        Column("cv", "CV*, %", "number"),
    )
    title = plain("Single scores in each study, with the coefficient of variation for small samples (CV*).")
    return Table("reproduction-scores", title, columns, tuple(rows), tuple(notes))


def _has_preferences(judged: Compared) -> bool:
    return any(each.kind == "preference" for of in judged.values() for each in of.values())


def _lead_scores(rows: Sequence[Row]) -> Iterator[Sentence]:
    known = [float(row[-1]) for row in rows if isinstance(row[-1], int | float)]
    if known:
        middle, low, high = (f"{number(end, 0)}%" for end in (median(known), min(known), max(known)))
        spread = middle if len(known) == 1 else f"median {middle}, {low} to {high}"
        scores = (
            plural(len(rows), "score") if len(known) == len(rows) else f"{len(known)} of {plural(len(rows), 'score')}"
        )
        yield VARIATION.fill(scores=scores, spread=spread)


# --- sets of scores ---


def _sets(studies: Sequence[ReportInput], judged: Compared) -> Iterator[Row]:
    """Correlations of the means of shared texts, of each later study with the first that has the criterion."""
    by_name = {report_input.study.name: report_input for report_input in studies}
    for of in judged.values():
        first, *later = of
        if of[first].kind not in ("rating", "human"):
            continue
        original = _text_means(by_name[first], of[first].criterion)
        for name in later:
            repeated = _text_means(by_name[name], of[first].criterion)
            shared = [text for text in original if text in repeated]
            try:
                product, ranks = set_correlations(
                    [original[text] for text in shared], [repeated[text] for text in shared]
                )
            except MetricsError:
                continue
            yield of[first].criterion, first, name, product.n, product, ranks


def _text_means(report_input: ReportInput, criterion: str) -> dict[tuple[str, str], float]:
    """The mean rating of each text, by its source and its words."""
    texts = {text.id: (text.generator or "", text.body) for text in report_input.texts}
    values: defaultdict[tuple[str, str], list[Fraction]] = defaultdict(list)
    for rating in report_input.ratings:
        if rating.kept and rating.criterion == criterion:
            values[texts[rating.text]].append(Fraction(rating.value))
    return {text: float(sum(of) / len(of)) for text, of in values.items()}


def _set_table(rows: Sequence[Row]) -> Table:
    columns = (
        CRITERION,
        Column("first", "Study"),
        Column("second", "Repetition"),
        Column("n", "Texts in both", "count"),
        Column("pearson", "Pearson", "estimate", n="n"),
        Column("spearman", "Spearman", "estimate", n="n"),
    )
    title = plain("Correlations of the mean ratings of shared texts (same source, same words).")
    return Table("reproduction-sets", title, columns, tuple(rows))


# --- findings ---


def _findings(judged: Compared, names: Sequence[str]) -> Iterator[tuple[str, Key, Outcome, Outcome | None]]:
    """(repetition, what was found of, in the first study, in the repetition: None where it was not tested)."""
    original, *repetitions = names
    for label, of in judged.items():
        if original not in of:
            continue
        outcomes = _outcomes(label, of[original])
        for name in repetitions:
            again = _outcomes(label, of[name]) if name in of else {}
            yield from (
                (name, key, outcome, again.get(key)) for key, outcome in outcomes.items() if outcome in FINDINGS
            )


def _outcomes(label: str, judged: Judged) -> dict[Key, Outcome]:
    """The outcome of each pair, of the source whose name comes first."""
    outcomes: dict[Key, Outcome] = {}
    for each in judged.verdicts:
        turned = each.first > each.second
        pair = (each.second, each.first) if turned else (each.first, each.second)
        outcomes[label.partition(" ")[2], *pair] = OPPOSITE.get(each.outcome, each.outcome) if turned else each.outcome
    return outcomes


def _lead_findings(
    findings: Sequence[tuple[str, Key, Outcome, Outcome | None]], names: Sequence[str]
) -> Iterator[Sentence]:
    for name in names[1:]:
        mine = [(key, first, again) for repetition, key, first, again in findings if repetition == name]
        tested = {key: again for key, _, again in mine if again is not None and again not in NOT_TESTED}
        if not tested:
            continue
        share = findings_upheld({key: first for key, first, _ in mine}, tested)
        upheld = round((share.value or 0) * share.n)
        verb = "was" if upheld == 1 else "were"
        yield UPHELD.fill(
            findings=plural(share.n, "finding"),
            first=quote(names[0]),
            second=quote(name),
            upheld=upheld,
            verb=verb,
            share=100 * (share.value or 0),
        )


def _upheld(outcome: Outcome, again: Outcome | None) -> str | None:
    if again is None or again in NOT_TESTED:
        return None
    return "yes" if again == outcome else "no"


def _is_adjusted(judged: Compared, repetitions: Sequence[str]) -> bool:
    """Whether a repetition tests several pairs together."""
    verdicts = (each for of in judged.values() for name in repetitions if name in of for each in of[name].verdicts)
    return any(each.tests > 1 for each in verdicts)


def _finding_table(
    findings: Sequence[tuple[str, Key, Outcome, Outcome | None]], original: str, *, adjusted: bool
) -> Table:
    columns = (
        CRITERION,
        Column("first", "Source"),
        Column("second", "Compared with"),
        Column("original", f"In {original}"),
        Column("study", "Repetition"),
        Column("repetition", "In the repetition"),
        Column("upheld", "Upheld"),
    )
    rows = [
        (*key, outcome, name, again or "not tested", _upheld(outcome, again)) for name, key, outcome, again in findings
    ]
    title = plain("Findings of the first study (better, worse, equivalent within the margin) and of the repetition.")
    upheld = [row[-1] for row in rows]
    notes = (
        NONE_TESTED if not any(upheld) else f"{SAME} {DASHED}" if None in upheld else SAME,
        "Pairs that were undecided, too small to say or not comparable are no findings.",
        *([ADJUSTED] if adjusted and any(upheld) else []),
    )
    return Table("reproduction-findings", title, columns, tuple(rows), notes)
