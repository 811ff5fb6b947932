"""Scales of the study's own, labels of errors and preferences in pairs, each as a section of the results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import TYPICAL
from metrics.data.sentence import Sentence, template
from metrics.errors import MetricsError
from metrics.inference.bradley_terry import NO_MLE, Strengths, bradley_terry_votes
from metrics.inference.cluster_variances import (
    FEW_CLUSTERS,
    ITEMS_UNKNOWN,
    NO_VARIATION,
    RATERS_UNKNOWN,
    SINGLE_CLUSTER,
    SINGLE_WAY_USED,
    ClusterTarget,
)
from metrics.inference.clustered_means import contexts_repeat, mean_half_width, number_contexts
from metrics.inference.rating_differences import UNPAIRED
from metrics.inference.rating_means import RatedBy, share_of_answers
from metrics.report.records import RatingRow, ReportInput, describe_coding
from metrics.report.section import Section
from metrics.report.section_kind import Options, written
from metrics.report.sections.estimate_figures import draw_tables
from metrics.report.sections.source_comparisons import RatingColumns
from metrics.report.wording import name_criterion, plural
from metrics.report.wording import share as format_share
from metrics.tables.record import CRITERION, Column, Row, Table
from metrics.text_scores.roc import auc_estimate
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

REFERENCES = "references"
SCALES, LABELS, PAIRS = "Scales", "Labels", "Preferences"
MAX_LABELS = 12
Judgment = tuple[str, str | None, str | None]  # text, rater, task
OVER = {
    "items and raters": "over new {units} and new raters",
    "items": "over new {units}, with these raters",
    "raters": "over new raters, on these {units}",
}
# What is drawn where no context is known: the texts, or pairs, themselves.
CONTEXTS, TEXTS, TEXT_PAIRS = "contexts", "texts", "pairs of texts"
# What a reader must know of strengths, by flag.
OF_STRENGTHS = {
    NO_MLE: "Wins do not link every source with every other in both directions: a ridge keeps strengths finite, and "
    "there are no intervals.",
    ITEMS_UNKNOWN: "There are no intervals: judgments of one context belong together, and the context that both texts "
    "were written for is not known of every pair.",
    SINGLE_CLUSTER: "There are no intervals: they need at least 2 contexts and 2 raters.",
    FEW_CLUSTERS: "The intervals rest on fewer than 10 contexts or raters: read them with care.",
    NO_VARIATION: "Where a number has no interval, the judgments do not vary over contexts and raters.",
    RATERS_UNKNOWN: "A judgment whose rater is not known counts as one of a rater of its own.",
    SINGLE_WAY_USED: "Where the variance over contexts and raters came out at 0 or below, the larger of the variance "
    "over contexts and that over raters is used (flag one_way_used).",
}


SCALES_CAPTION = template(
    "captions.scales",
    "Ratings by source{coding}{intervals}.",
    "study.scale",
    "options.level",
    "options.these_raters",
)
LABELS_CAPTION = template(
    "captions.labels",
    "How often each label was given, by source{intervals}.",
    "options.level",
    "options.these_raters",
)
LABELS_CONCLUSION = template(
    "summary.labels",
    "The most frequent label ({criterion}) was {labels}.",
    "ratings.criterion",
    "ratings.label",
    "ratings.kept",
    "ratings.rater",
    "texts.generator",
    "options.level",
)
PREFERENCES_CAPTION = template(
    "captions.preferences",
    "Preferences ({criterion}){intervals}.",
    "ratings.criterion",
    "options.level",
    "options.these_raters",
)
STRENGTHS_CAPTION = template(
    "captions.strengths",
    "Bradley-Terry strengths ({criterion}), centred at 0: higher is preferred{over}.",
    "ratings.criterion",
)
STRENGTH_DIFFERENCES_CAPTION = template(
    "captions.strength-differences",
    "Differences of Bradley-Terry strength ({criterion}): above 0, the first is preferred{over}.",
    "ratings.criterion",
)
PAIRED = (
    "Differences are those of the comparison of sources: paired by context where contexts are recorded, over the "
    "contexts rated for both."
)
UNCUT = "Intervals are not cut at the ends of the scale: a limit can lie beyond them, where no mean can."
OTHER_INTERVALS = (
    "The shares preferred are of the votes between two sources, with Wilson's intervals; these differences rest on all "
    "votes, with intervals that are symmetric in log odds. So one can hold no preference where the other does not."
)
SINGLE_UNIT = "A share has no interval where its judgments are all of one context (or pair of texts){raters}."
HALF = "50% says that neither was preferred."
# True of the pages that Assay makes; of imported judgments it is not known.
DRAWN = "Sides were drawn at random for each rater."


@dataclass(frozen=True, slots=True)
class SingleFacts:
    """Ratings of single texts on criteria of the study's own, and the side and the context of each text.

    without_mean: criteria whose labels have no order. codings: of the others the codes of their labels, in words.
    """

    ratings: tuple[RatingRow, ...]
    sides: Mapping[str, str]
    contexts: Mapping[str, str | None]
    without_mean: frozenset[str] = frozenset()
    codings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairFacts:
    """Preferences between two texts. contexts: of each text. notes: what a reader must know of the sides."""

    ratings: tuple[RatingRow, ...]
    sides: Mapping[str, str]
    contexts: Mapping[str, str | None]
    notes: tuple[str, ...]


def gather_labels(report_input: ReportInput) -> SingleFacts | None:
    """None where no single text was rated on a criterion of the study's own by labels.

    Numbers have too many of them, and where one of k texts is chosen, the shares follow from how often it was.
    """
    return gather_single(report_input, lambda answer: answer not in (AnswerType.NUMBER, AnswerType.CHOSEN_TEXT))


def gather_scales(report_input: ReportInput) -> SingleFacts | None:
    """None where no answers have a mean."""
    return gather_single(report_input, lambda answer: answer.has_mean)


def gather_single(report_input: ReportInput, is_chosen: Callable[[AnswerType], bool]) -> SingleFacts | None:
    """Ratings of single texts on the study's own criteria whose answers are chosen by their type; None without one."""
    criteria = {rating.criterion for rating in report_input.ratings}
    chosen = {criterion for criterion in criteria if is_chosen(report_input.answer_of(criterion))}
    rows = _of_the_study(report_input)
    single = tuple(rating for rating in rows if rating.partner is None and rating.criterion in chosen)
    if not single:
        return None
    without_mean = frozenset(criterion for criterion in chosen if not report_input.answer_of(criterion).has_mean)
    codings = {criterion: describe_coding(report_input.labels_of(criterion)) for criterion in chosen - without_mean}
    return SingleFacts(single, _sides(report_input), _contexts(report_input), without_mean, codings)


def gather_pairs(report_input: ReportInput) -> PairFacts | None:
    """None where no two texts were compared."""
    pairs = tuple(rating for rating in _of_the_study(report_input) if rating.partner is not None)
    if not pairs:
        return None
    notes = (HALF,) if report_input.study.mode == "imported" else (f"{HALF} {DRAWN}",)
    return PairFacts(pairs, _sides(report_input), _contexts(report_input), notes)


def _of_the_study(report_input: ReportInput) -> Iterator[RatingRow]:
    other = {TYPICAL} | report_input.criteria_of(AnswerType.TWO_SIDED)
    return (rating for rating in report_input.ratings if rating.kept and rating.criterion not in other)


def _sides(report_input: ReportInput) -> dict[str, str]:
    return {text.id: text.generator or REFERENCES for text in report_input.texts}


def _contexts(report_input: ReportInput) -> dict[str, str | None]:
    return {text.id: text.context_id for text in report_input.texts}


def _by_criterion(ratings: Sequence[RatingRow]) -> dict[str, list[RatingRow]]:
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in ratings:
        by_criterion[rating.criterion].append(rating)
    return dict(by_criterion)


# --- means ---


def write_scales(facts: SingleFacts, options: Options) -> Section:
    """Means of texts, as their labels are coded; criteria of which a text may have several labels have none."""
    options.announce("scales")
    ratings, side, level = facts.ratings, facts.sides, options.level
    rows: list[Row] = []
    missing: list[tuple[str, str]] = []
    differences: list[Estimate] = []
    target: ClusterTarget | None = "items" if options.these_raters else None
    means: list[Estimate] = []
    for criterion, group in _by_criterion(ratings).items():
        if _several(group):
            missing.append(
                (f"Mean of {name_criterion(criterion)}", "several labels may be given to one text; see the shares")
            )
            continue
        columns_of = RatingColumns.of(group, [Fraction(rating.value) for rating in group], side, facts.contexts)
        names = sorted(set(columns_of.source), key=lambda name: (name != REFERENCES, name))
        for name in names:
            difference: Estimate | None = None
            if name != REFERENCES and REFERENCES in names:
                try:
                    difference = columns_of.compare((name, REFERENCES), level, target).difference
                    differences.append(difference)
                except MetricsError as error:
                    missing.append((f"{name_criterion(criterion)} of {name} less the references", str(error)))
            means.append(_mean(criterion, name, columns_of, facts, options))
            rows.append((criterion, name, means[-1], difference, means[-1].n))
    columns = (
        CRITERION,
        Column("source", "Source"),
        Column("mean", "Mean of the texts' means", "estimate", n="n"),
        Column("difference", "less the references", "estimate"),
        Column("n", "Texts", "count"),
    )
    coded = _name_codings([facts.codings.get(str(row[0]), "") for row in rows], [str(row[0]) for row in rows])
    title = SCALES_CAPTION.fill(coding=coded, intervals=_of_means_and_differences(means, differences, level))
    notes = ("Texts of one context are taken together.", *([PAIRED] if differences else ()))
    notes += (UNCUT,) if any(mean.interval for mean in means) else ()
    tables = (Table("scales", title, columns, tuple(rows), notes),) if rows else ()
    return Section("scales", SCALES, (), tables, draw_tables(tables), tuple(missing))


def _name_codings(codings: Sequence[str], criteria: Sequence[str]) -> str:
    """The codes that means are of; nothing where those of some criterion are not known."""
    if not all(codings):
        return ""
    if len(set(codings)) == 1:
        return f", coded {codings[0]}"
    by_criterion = dict(zip(criteria, codings, strict=True))
    return f", coded {'; '.join(f'{coding} ({name_criterion(name)})' for name, coding in by_criterion.items())}"


def _mean(criterion: str, name: str, columns: RatingColumns, facts: SingleFacts, options: Options) -> Estimate:
    """Mean of a source's texts; ratings of one context, and of one rater, belong together."""
    estimate = columns.mean(name, options.level, these_raters=options.these_raters, by_text=True)
    texts = {text for text, source in zip(columns.text, columns.source, strict=True) if source == name}
    settings: dict[str, Setting] = {"criterion": criterion, "source": name, **estimate.settings}
    settings["units"] = _units((facts.contexts[text] for text in texts), TEXTS)
    over = str(settings["target"]).replace(" ", "_")
    signature = f"mean|{criterion}|{name}|n:{len(texts)}|over:{over}|v:{__version__}"
    return replace(estimate, n=len(texts), settings=settings, signature=signature)


def _units(contexts: Iterable[str | None], alone: str) -> str:
    """What a new study would draw: contexts where one is known."""
    return CONTEXTS if any(context is not None for context in contexts) else alone


def _of_means_and_differences(means: Sequence[Estimate], differences: Sequence[Estimate], level: float) -> str:
    """What the intervals of means and those of differences are for; nothing where there is none."""
    of_means, of_differences = (intervals_over(estimates) for estimates in (means, differences))
    if of_means == of_differences and of_means:
        return f"; {100 * level:g}% intervals of means and differences {of_means}"
    parts = [f"of {name} {over}" for name, over in (("means", of_means), ("differences", of_differences)) if over]
    return f"; {100 * level:g}% intervals {', '.join(parts)}" if parts else ""


def _several(ratings: Sequence[RatingRow]) -> bool:
    return max(Counter((rating.text, rating.rater, rating.hit) for rating in ratings).values()) > 1


def mean_of(
    criterion: str, name: str, values: Mapping[str, float], contexts: Mapping[str, str | None], level: float
) -> Estimate:
    """Mean of a source's texts, by the text, with a t interval over their contexts where they vary."""
    n, numbers = len(values), np.array(list(values.values()), dtype=np.float64)
    mean, interval = float(numbers.mean()), None
    context = number_contexts([contexts.get(text) for text in values])
    if half := mean_half_width(numbers, context, level):
        over = "contexts" if contexts_repeat(context) else "texts"
        interval = Interval(mean - half, mean + half, level, f"t over {over}")
    settings = {"criterion": criterion, "source": name}
    return Estimate(mean, n, interval, settings, (), f"mean|{criterion}|{name}|n:{n}|v:{__version__}")


def separation_of(
    references: Collection[str],
    generated: Collection[str],
    values: Mapping[str, float],
    contexts: Mapping[str, str | None],
    *,
    level: float,
    named: str,
    settings: dict[str, Setting],
) -> Estimate | None:
    """Area under the curve of a source's texts against the references, by name; None where a side has no score."""
    low, high = ([text for text in side if text in values] for side in (references, generated))
    if not low or not high:
        return None
    return auc_estimate(
        [float(values[text]) for text in low],
        [float(values[text]) for text in high],
        contexts=([contexts[text] for text in low], [contexts[text] for text in high]),
        level=level,
        named=named,
        settings=settings,
    )


# --- labels ---


def write_labels(facts: SingleFacts, options: Options) -> Section:
    """Share of the judgments that gave each label, by source."""
    options.announce("labels")
    ratings, side, level = facts.ratings, facts.sides, options.level
    rows: list[Row] = []
    shares: list[Estimate] = []
    unordered: list[str] = []
    for criterion, group in _by_criterion(ratings).items():
        codes = {rating.label: Fraction(rating.value) for rating in group}
        if len(codes) > MAX_LABELS:
            continue
        if criterion in facts.without_mean or _several(group):
            unordered.append(criterion)
        # The labels of each judgment: several where several may be chosen.
        judged: defaultdict[str, defaultdict[Judgment, set[str]]] = defaultdict(lambda: defaultdict(set))
        for rating in group:
            judged[side[rating.text]][rating.text, rating.rater or None, rating.hit].add(rating.label)
        for name in sorted(judged, key=lambda name: (name != REFERENCES, name)):
            by = _judged_by(list(judged[name]), facts.contexts)
            for label in sorted(codes, key=lambda label: codes[label]):
                texts = [text for (text, _, _), labels in judged[name].items() if label in labels]
                held = [float(label in labels) for labels in judged[name].values()]
                share = share_of_answers(by, held, these_raters=options.these_raters, level=level)
                units = _units((facts.contexts[text] for text, _, _ in judged[name]), TEXTS)
                shares.append(_named_share(share, criterion, name, label, units))
                rows.append((criterion, name, label, shares[-1], len(texts), len(set(texts)), len(held)))
    columns = (
        CRITERION,
        Column("source", "Source"),
        Column("label", "Label"),
        Column("share", "Share of judgments", "share_estimate", n="n", digits=1),
        Column("given", "Given", "count"),
        Column("texts", "Texts with it", "count"),
        Column("n", "Judgments", "count"),
    )
    title = LABELS_CAPTION.fill(intervals=_over(shares, level))
    tables = (Table("labels", title, columns, tuple(rows)),) if rows else ()
    lead = tuple(state_labels(criterion, rows) for criterion in unordered)
    return Section("labels", LABELS, lead, tables, draw_tables(tables))


def state_labels(criterion: str, rows: Sequence[Row]) -> Sentence:
    """Which label of a criterion each source has most often. rows: of the table of labels, references first."""
    by_source: defaultdict[str, list[tuple[str, Estimate]]] = defaultdict(list)
    for name, source, label, share, *_ in rows:
        if name == criterion and isinstance(share, Estimate):
            by_source[str(source)].append((str(label), share))
    parts = []
    for source, shares in by_source.items():
        highest = max(share.value or 0.0 for _, share in shares)
        labels = [(label, share) for label, share in shares if share.value == highest]
        *others, last = [f"“{label}”" for label, _ in labels]
        named = f"{', '.join(others)} and {last}" if others else last
        span = labels[0][1].interval if len(labels) == 1 else None
        each = " each" if len(labels) > 1 else ""
        whose = "the references" if source == REFERENCES else source
        parts.append(
            f"{named} for {whose}, {format_share(highest, span)}{each} of {plural(shares[0][1].n, 'judgment')}"
        )
    return LABELS_CONCLUSION.fill(criterion=name_criterion(criterion), labels="; ".join(parts))


def _judged_by(judgments: Sequence[Judgment], contexts: Mapping[str, str | None]) -> RatedBy:
    text, rater, task = (list(column) for column in zip(*judgments, strict=True))
    return RatedBy([contexts[str(name)] or ("text", name) for name in text], rater, task)


def _named_share(share: Estimate, criterion: str, name: str, label: str, units: str) -> Estimate:
    about: dict[str, Setting] = {"criterion": criterion, "source": name, "label": label, "units": units}
    signature = f"label_share|{criterion}|{name}|{label}|{share.signature.partition('|')[2]}"
    return replace(share, settings={**about, **share.settings}, signature=signature)


# --- pairs ---


def write_preferences(facts: PairFacts, options: Options) -> Section:
    """Who was preferred to whom, and Bradley-Terry strengths; a tie counts half for each."""
    options.announce("preferences")
    tables: list[Table] = []
    missing: list[tuple[str, str]] = []
    for criterion, group in _by_criterion(facts.ratings).items():
        tables.append(_met(criterion, group, facts, options))
        try:
            tables += _strengths(criterion, group, facts, options)
        except MetricsError as error:
            missing.append((f"Strengths, {name_criterion(criterion)}", str(error)))
    return Section("preferences", PAIRS, (), tuple(tables), draw_tables(tables), tuple(missing))


def _met(criterion: str, ratings: Sequence[RatingRow], facts: PairFacts, options: Options) -> Table:
    """Each two sources that met: preferences; those of one context, and of one rater, belong together."""
    side = facts.sides
    votes: defaultdict[tuple[str, str], list[tuple[RatingRow, int]]] = defaultdict(list)
    for rating in ratings:
        first, second, better = _result(rating, side)
        if (second != REFERENCES and second < first) or first == REFERENCES:
            first, second, better = second, first, -better
        votes[first, second].append((rating, better))
    rows: list[Row] = []
    shares: list[Estimate] = []
    for (first, second), results in votes.items():
        pairs = [tuple(sorted((rating.text, str(rating.partner)))) for rating, _ in results]
        contexts = [_shared(rating, facts.contexts) for rating, _ in results]
        items = [context or ("pair", pair) for context, pair in zip(contexts, pairs, strict=True)]
        by = RatedBy(items, [rating.rater or None for rating, _ in results], [rating.hit for rating, _ in results])
        counts = Counter(better for _, better in results)
        held = [(1 + better) / 2 for _, better in results]
        share = share_of_answers(by, held, these_raters=options.these_raters, level=options.level)
        settings: dict[str, Setting] = {"criterion": criterion, "first": first, "second": second, "ties": "half"}
        settings |= {"units": _units(contexts, TEXT_PAIRS), **share.settings}
        signature = f"preferred|{criterion}|{first}|{second}|{share.signature.partition('|')[2]}"
        shares.append(replace(share, settings=settings, signature=signature))
        rows.append((first, second, shares[-1], counts[1], counts[0], counts[-1], len(set(pairs)), len(results)))
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("preferred", "First preferred, ties half", "share_estimate", n="n", digits=1),
        Column("wins", "First better", "count"),
        Column("ties", "No difference", "count"),
        Column("losses", "Second better", "count"),
        Column("pairs", "Pairs of texts", "count"),
        Column("n", "Judgments", "count"),
    )
    title = PREFERENCES_CAPTION.fill(criterion=name_criterion(criterion), intervals=_over(shares, options.level))
    without = SINGLE_UNIT.format(raters="" if options.these_raters else ", or of one rater")
    notes = [*facts.notes, *([without] if any(share.interval is None for share in shares) else [])]
    return Table(f"preferences-{criterion}", title, columns, tuple(rows), tuple(notes))


def _result(rating: RatingRow, side: Mapping[str, str]) -> tuple[str, str, int]:
    """The sources of both texts, and 1 where the first was better, -1 the second, 0 neither."""
    value = Fraction(rating.value)
    return side[rating.text], side[str(rating.partner)], (value > 0) - (value < 0)


def _strengths(
    criterion: str,
    ratings: Sequence[RatingRow],
    facts: PairFacts,
    options: Options,
) -> Iterator[Table]:
    """Strengths, and the difference of each two; judgments of one context, and of one rater, belong together."""
    side, contexts, level = facts.sides, facts.contexts, options.level
    target: ClusterTarget | None = "items" if options.these_raters else None
    names = sorted(set(side.values()), key=lambda name: (name != REFERENCES, name))
    votes = []
    for rating in ratings:
        first, second, better = _result(rating, side)
        if first != second:
            votes.append((_shared(rating, contexts), rating.rater or None, first, second, (1 + better) / 2))
    item, rater, left, right, outcome = zip(*votes, strict=True) if votes else ((),) * 5
    strengths = bradley_terry_votes(item, rater, left, right, outcome, names=names, target=target, level=level)
    yield _strength_table(criterion, strengths, names, level)
    yield _difference_table(criterion, strengths, level)


def _shared(rating: RatingRow, contexts: Mapping[str, str | None]) -> str | None:
    """The context that both texts of a pair were written for; None where it is not known."""
    return _context_of((rating.text, str(rating.partner)), contexts)


def _context_of(pair: tuple[str, str], contexts: Mapping[str, str | None]) -> str | None:
    context = contexts[pair[0]]
    return context if context == contexts[pair[1]] else None


def _strength_table(criterion: str, strengths: Strengths, names: Sequence[str], level: float) -> Table:
    ordered = sorted(names, key=lambda name: -(strengths.log_strength[name].value or 0.0))
    rows = tuple(
        (name, strengths.log_strength[name], strengths.strengths[name], strengths.log_strength[name].n)
        for name in ordered
    )
    columns = (
        Column("source", "Source"),
        Column("log_strength", "Log strength", "estimate", n="n"),
        Column("share", "Strength, shares of 1", "share", digits=1),
        Column("n", "Judgments", "count"),
    )
    estimates = list(strengths.log_strength.values())
    title = STRENGTHS_CAPTION.fill(criterion=name_criterion(criterion), over=_over(estimates, level))
    return Table(f"strengths-{criterion}", title, columns, rows, _notes(strengths.flags, estimates))


def _difference_table(criterion: str, strengths: Strengths, level: float) -> Table:
    rows = tuple(
        (difference.first, difference.second, difference.difference, difference.difference.n)
        for difference in strengths.differences
    )
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("difference", "Log strength, first less second", "estimate", n="n"),
        Column("n", "Judgments", "count"),
    )
    estimates = [difference.difference for difference in strengths.differences]
    title = STRENGTH_DIFFERENCES_CAPTION.fill(criterion=name_criterion(criterion), over=_over(estimates, level))
    note = "Each interval belongs to its difference, and none is adjusted for the number of differences."
    notes = (note, OTHER_INTERVALS) if any(estimate.interval for estimate in estimates) else ()
    return Table(
        f"strength-differences-{criterion}", title, columns, rows, (*notes, *_notes(strengths.flags, estimates))
    )


def _over(estimates: Sequence[Estimate], level: float) -> str:
    """What the intervals are for; nothing where there is none."""
    over = intervals_over(estimates)
    return f"; {100 * level:g}% intervals {over}" if over else ""


def intervals_over(estimates: Iterable[Estimate]) -> str:
    """What the intervals of estimates are over, by their settings `target` and `units`; "" where there is none."""
    targets = set()
    for estimate in estimates:
        if estimate.interval:
            units = estimate.settings.get("units", TEXTS if UNPAIRED in estimate.flags else CONTEXTS)
            targets.add(OVER[str(estimate.settings["target"])].format(units=units))
    return " or ".join(sorted(targets))


def _notes(flags: Sequence[str], estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """What the flags say, where they matter: those of intervals where there are intervals."""
    raised = {*flags, *(flag for estimate in estimates for flag in estimate.flags)}
    if NO_MLE in raised:  # without strengths there are no intervals, for whichever further reasons
        raised &= {NO_MLE, ITEMS_UNKNOWN, SINGLE_CLUSTER}
    if ITEMS_UNKNOWN in raised:  # how many contexts there are is not known either
        raised -= {SINGLE_CLUSTER}
    return tuple(words for flag, words in OF_STRENGTHS.items() if flag in raised)


SECTIONS = (
    written("scales", SCALES, 80, gather_scales, write_scales),
    written("labels", LABELS, 90, gather_labels, write_labels),
    written("preferences", PAIRS, 100, gather_pairs, write_preferences),
)
