"""The methods paragraph: what a paper would say of this study, from what is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.data.answer_types import AnswerType
from metrics.data.arm_assignment import draw_sentence
from metrics.data.sentence import Sentence, template
from metrics.report import pay
from metrics.report.prose.findings import state_unrated
from metrics.report.records import ReportInput, ScaleLabel, StudyFacts, describe_coding
from metrics.report.result import GeneratorReport
from metrics.report.wording import (
    describe_days,
    describe_range,
    join_names,
    name_criterion,
    name_method,
    number,
    plural,
)
from metrics.types import REFERENCE

TEXTS = ("texts.source", "texts.generator")
UNRATED = template("methods.texts-unrated", "The study has {texts} to be judged.", *TEXTS, "ratings.text")
IN_PART = template(
    "methods.texts-in-part",
    "The study has {texts}. Raters judged {number} of these {total} texts.",
    *TEXTS,
    "ratings.text",
    "ratings.partner",
)
JUDGED = template("methods.texts", "Raters judged {texts}.", *TEXTS, "ratings.text", "ratings.partner")
QUESTION = template("methods.question", "Raters {were} asked: \u201c{question}\u201d", "study.question", "ratings.text")
SCALE = template(
    "methods.scale",
    "{they} {answered} on a scale of {number} labels ({labels}), coded {coding}.",
    "study.scale",
    "study.coding",
    "study.task",
    "ratings.text",
)
ANSWERS = template(
    "methods.answers", "{they} {chose} among {number} answers ({labels}).", "study.scale", "study.task", "ratings.text"
)
LABELS = template(
    "captions.scale",
    "Labels{criterion} {which}{coding}.",
    "study.scale",
    "study.coding",
    "study.answers",
    "ratings.label",
)
NUMBERS = template(
    "methods.numbers",
    "{they} {answered} with whole numbers ({coding}).",
    "study.scale",
    "study.coding",
    "study.answers",
    "ratings.text",
)
TASKS = template(
    "methods.tasks",
    "{what} {were} shown in {tasks} of up to {size}.",
    "study.hits",
    "study.texts_per_hit",
    "study.task",
    "ratings.text",
)
MIXING = template("methods.mixing", "{interleaving}", "study.interleaving")
EXTRA_PLACES = template("methods.extras", "Each task also {held} {extras}.", "study.extras", "ratings.text")
ARMS = template("methods.arms", "{assignment}", "study.arm_assignment", "conditions.name", "ratings.text")
DRAWN = template("methods.draw", "{draw}", "draw.draws", "draw.seed")
RATERS = template(
    "methods.raters",
    "{people} took part{where}{criteria}.",
    "crowd.workers",
    "crowd.provider",
    "crowd.criteria",
    "study.mode",
)
DATES = template("methods.dates", "Ratings were collected {days}.", "study.collected_from", "study.collected_to")
RATINGS = template(
    "methods.ratings",
    "Each {judged}{unit} received {number} {ratings}{criteria}.",
    "ratings.text",
    "ratings.rater",
    "ratings.hit",
    "ratings.kept",
    "ratings.criterion",
    "ratings.partner",
)
CONSENT = template("methods.consent", "Consent: {consent}.", "crowd.consent")
ETHICS = template("methods.ethics", "Ethics: {ethics}.", "crowd.ethics")
QUALITY = template("methods.quality", "{quality}", "quality")
EXCLUDED = template(
    "methods.excluded",
    "Of {submissions}, {share} {were} excluded from the analysis.",
    "crowd.submitted",
    "crowd.excluded",
)
NONE_LEFT_OUT = template(
    "methods.none-left-out",
    "No imported rating was excluded from this analysis. Exclusions before the import are not known.",
    "crowd.excluded",
    "crowd.submitted",
    "study.mode",
)
NONE_EXCLUDED = template(
    "methods.none-excluded",
    "{beyond}no rater, assignment or item was excluded.",
    "crowd.excluded",
    "crowd.submitted",
    "crowd.criteria",
)
HELD = template("methods.conclusions", "{held}", "rules.assignments", "results.exclusions")
HUSE = template(
    "methods.huse",
    "HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019) were computed by leave-one-out {k}-nearest-neighbour "
    "classification with ties by exact arithmetic and equal votes to the reference; log-probabilities were divided by "
    "the length. Intervals are at {level:g}%, by {intervals}.",
    "options.k",
    "options.level",
    "results.generators",
)
ACCURACY = template(
    "methods.accuracy",
    "The unit of accuracy is the evaluator: each has a share of right answers, reading the two upper labels as "
    "machine. {tests} (Clark et al., 2021).",
    "options.level",
    "ratings.criterion",
    "ratings.condition",
    "ratings.rater",
)
EQUIVALENCE = template(
    "methods.equivalence",
    "Equivalence was tested by two one-sided t-tests with a margin of {points} percentage points around chance, "
    "declared before (Lakens, 2017).",
    "plan.margin_points",
    "ratings.criterion",
)


PAST = {"were": "were", "answered": "answered", "chose": "chose", "held": "held"}
# As long as nothing is rated, what raters are asked and shown is the design, and nothing that has happened.
PRESENT = {"were": "are", "answered": "answer", "chose": "choose", "held": "holds"}


def _tense(report_input: ReportInput) -> dict[str, str]:
    return PAST if report_input.is_rated else PRESENT


def paragraph(
    report_input: ReportInput,
    generators: tuple[GeneratorReport, ...],
    *,
    k: int,
    level: float,
    held: tuple[str, ...] = (),
) -> tuple[Sentence, ...]:
    """Its sentences, in order; what is not recorded is left to the list of what is missing.

    held: whether the conclusions hold under other exclusions.
    """
    return tuple(
        sentence
        for part in (
            _texts(report_input),
            _raters(report_input),
            pay.sentences(report_input),
            _exclusions(report_input),
            (HELD.fill(held=sentence) for sentence in held),
            _analysis(report_input, generators, k, level),
        )
        for sentence in part
    )


def _texts(report_input: ReportInput) -> Iterator[Sentence]:
    texts = _counted_sides(report_input)
    number, total = len(_judged_texts(report_input)), len(report_input.texts)
    if state_unrated(report_input):
        yield UNRATED.fill(texts=texts)
    elif 0 < number < total:
        yield IN_PART.fill(texts=texts, number=number, total=total)
    else:
        yield JUDGED.fill(texts=texts)
    study, tense = report_input.study, _tense(report_input)
    if study.question not in ("", "not recorded"):
        yield QUESTION.fill(were=tense["were"], question=" ".join(study.question.split()))
    yield from _scale(report_input)
    if study.hits and study.texts_per_hit:
        what = "Pairs of texts" if report_input.in_pairs else "Texts"
        yield TASKS.fill(what=what, were=tense["were"], tasks=plural(study.hits, "task"), size=study.texts_per_hit)
    if study.interleaving:
        yield MIXING.fill(interleaving=study.interleaving)
    if extras_text := describe_extras(study):
        yield EXTRA_PLACES.fill(held=tense["held"], extras=extras_text)
    if report_input.assignment:
        yield ARMS.fill(assignment=report_input.assignment)
    if report_input.draw:
        yield DRAWN.fill(draw=draw_sentence(report_input.draw.draws, report_input.draw.seed))


def _judged_texts(report_input: ReportInput) -> set[str]:
    """Texts that have a rating that counts."""
    rated = {text for rating in report_input.ratings if rating.kept for text in (rating.text, rating.partner)}
    return {text.id for text in report_input.texts if text.id in rated}


def _counted_sides(report_input: ReportInput) -> str:
    """Texts by side, in words; a study without references does not name them."""
    references = sum(text.source == REFERENCE for text in report_input.texts)
    models = Counter(text.generator for text in report_input.texts if text.generator)
    counts = [f"{plural(count, 'text')} by {name}" for name, count in models.items()] or ["no model text"]
    counts = [plural(references, "reference text"), *counts] if references else counts
    return " and ".join([", ".join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)


@dataclass(frozen=True, slots=True)
class LabelTable:
    """Labels of criteria that have the same ones. ordered: whether the labels have an order, and so a code.

    numbers: whether raters gave whole numbers. offered: else labels that no rater gave may be missing.
    """

    criteria: tuple[str, ...]
    labels: tuple[ScaleLabel, ...]
    coding: str
    ordered: bool
    numbers: bool
    offered: bool
    caption: Sentence


def describe_scales(report_input: ReportInput) -> tuple[LabelTable, ...]:
    """The tables of labels: of each criterion those that raters could choose, else those that they chose."""
    study = report_input.study
    criteria = [criterion for criterion, _ in study.answers] or [""]
    groups: dict[tuple[tuple[ScaleLabel, ...], str, bool, bool, bool], list[str]] = {}
    for criterion in criteria:
        numbers = bool(criterion) and report_input.answer_of(criterion) is AnswerType.NUMBER
        ordered = not report_input.answer_of(criterion).is_nominal if criterion else report_input.has_coding
        labels, offered = report_input.labels_of(criterion), True
        coding = describe_coding(labels)
        if criterion == criteria[0]:
            labels, coding = study.scale, study.numbers if numbers else study.coding
        elif not labels and not numbers:
            used = {row.label: row.value for row in report_input.ratings if row.criterion == criterion}
            labels = tuple(ScaleLabel(name, used[name]) for name in sorted(used, key=lambda name: used[name]))
            offered = False
        if labels:
            groups.setdefault((labels, coding, ordered, numbers, offered), []).append(criterion)
    return tuple(
        LabelTable(
            tuple(names),
            *group,
            _caption_labels(names, group[1] if group[2] else "", several=len(criteria) > 1, offered=group[-1]),
        )
        for group, names in groups.items()
    )


def _caption_labels(names: Sequence[str], coding: str, *, several: bool, offered: bool) -> Sentence:
    return LABELS.fill(
        criterion=f" of {join_names([name_criterion(name) for name in names])}" if several else "",
        which="in the order shown" if offered else "that raters chose",
        coding=f"; coding: {coding}" if coding else "",
    )


def _scale(report_input: ReportInput) -> Iterator[Sentence]:
    """The answers: a scale with its coding, numbers, or labels without an order; nothing where some are not known."""
    tables = describe_scales(report_input)
    criteria = [criterion for criterion, _ in report_input.study.answers] or [""]
    if not all(table.offered for table in tables) or sum(len(table.criteria) for table in tables) < len(criteria):
        return
    if not all(report_input.labels_of(criterion) for criterion in criteria) or _has_other_labels(report_input):
        return
    tense = _tense(report_input)
    for table in tables:
        named = join_names([name_criterion(name) for name in table.criteria])
        they = "They" if len(tables) == 1 else f"For {named}, they"
        labels = {"number": len(table.labels), "labels": ", ".join(label.name for label in table.labels)}
        if table.numbers:
            yield NUMBERS.fill(they=they, answered=tense["answered"], coding=table.coding)
        elif table.ordered:
            yield SCALE.fill(they=they, answered=tense["answered"], coding=table.coding, **labels)
        else:
            yield ANSWERS.fill(they=they, chose=tense["chose"], **labels)


def _has_other_labels(report_input: ReportInput) -> bool:
    """Whether ratings of a study whose criteria are not recorded have labels that its scale lacks."""
    names = {label.name for label in report_input.study.scale}
    return not report_input.study.answers and any(row.label not in names for row in report_input.ratings)


EXTRAS = (
    ("attention_checks", "attention check", "attention checks"),
    ("repeats", "repeated text", "repeated texts"),
    ("gold", "text with a known answer (gold)", "texts with known answers (gold)"),
)


def describe_extras(study: StudyFacts) -> str:
    """Describe what else tasks held (`1 attention check and 0 to 2 repeated texts`); "" for nothing."""
    if study.extras is None:
        return ""
    parts = []
    for name, singular, several in EXTRAS:
        fewest, highest = getattr(study.extras, name)
        if highest:
            parts.append(
                plural(highest, singular, several) if fewest == highest else f"{fewest} to {highest} {several}"
            )
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _raters(report_input: ReportInput) -> Iterator[Sentence]:
    crowd = report_input.crowd
    simulated = report_input.study.mode == "rehearsal"
    # Simulated raters come through no channel.
    where = f" through {crowd.provider}" if crowd.provider and not simulated else ""
    if crowd.workers:
        # The sentences on quality begin with the criteria, where there are any.
        criteria = f" ({'; '.join(crowd.criteria)})" if crowd.criteria and report_input.quality is None else ""
        people = ("simulated rater", "simulated raters") if simulated else ("person", "people")
        yield RATERS.fill(people=plural(crowd.workers, *people), where=where, criteria=criteria)
    first, last = report_input.study.collected_from, report_input.study.collected_to
    if first and last and report_input.ratings:
        preposition = "on" if first.date() == last.date() else "from"
        yield DATES.fill(days=f"{preposition} {describe_days(first, last)}")
    yield from _ratings(report_input)
    if crowd.consent:
        yield CONSENT.fill(consent=crowd.consent.rstrip("."))
    if crowd.ethics:
        yield ETHICS.fill(ethics=crowd.ethics.rstrip("."))


def _ratings(report_input: ReportInput) -> Iterator[Sentence]:
    """How many ratings each judged text (or pair) has on each criterion."""
    counts = report_input.ratings_on_criteria
    if not counts:
        return
    low, high = min(counts.values()), max(counts.values())
    criteria = len({criterion for _, criterion in counts})
    name = "judgment" if report_input.is_nominal else "rating"
    yield RATINGS.fill(
        judged="judged " if len(_judged_texts(report_input)) < len(report_input.texts) else "",
        unit="pair" if report_input.in_pairs else "text",
        number=describe_range(low, high),
        ratings=name if low == high == 1 else f"{name}s",
        criteria=f" on each of {criteria} criteria" if criteria > 1 else "",
    )


def _exclusions(report_input: ReportInput) -> Iterator[Sentence]:
    crowd = report_input.crowd
    if report_input.quality is not None:
        yield from (QUALITY.fill(quality=sentence) for sentence in report_input.quality)
    elif crowd.submitted and crowd.excluded is not None:
        excluded, of = crowd.excluded, crowd.submitted
        if excluded:
            share = f"{excluded} ({number(100 * excluded / of, 1)}%)"
            were = "was" if excluded == 1 else "were"
            yield EXCLUDED.fill(submissions=plural(of, "submission"), share=share, were=were)
        elif report_input.study.mode == "imported":
            yield NONE_LEFT_OUT.fill()
        else:
            sentence = NONE_EXCLUDED.fill(beyond="Beyond the recruitment criteria, " if crowd.criteria else "")
            yield Sentence(sentence[:1].upper() + sentence[1:], sentence.key, sentence.facts)


def _analysis(
    report_input: ReportInput, generators: tuple[GeneratorReport, ...], k: int, level: float
) -> Iterator[Sentence]:
    if generators:
        yield HUSE.fill(k=k, level=100 * level, intervals=_intervals(generators))
    if asks_who_wrote(report_input):
        yield ACCURACY.fill(tests=_tests_of_accuracy(report_input, level))
        if report_input.plan and report_input.plan.margin_points:
            yield EQUIVALENCE.fill(points=report_input.plan.margin_points)


def _tests_of_accuracy(report_input: ReportInput, level: float) -> str:
    evaluators: dict[str, set[str]] = {}
    for rating in report_input.ratings_of(AnswerType.TWO_SIDED):
        if rating.kept:
            evaluators.setdefault(rating.condition, set()).add(rating.rater)
    if len(set().union(*evaluators.values())) == 1:
        return "With one evaluator there is no interval and no test"
    several = sum(len(names) > 1 for names in evaluators.values()) > 1
    compared = "; conditions are compared by Welch's t-tests" if several else ""
    return (
        f"Means have {100 * level:g}% intervals over evaluators and two-sided t-tests against 50%, adjusted within "
        f"their family{compared}"
    )


def _intervals(generators: tuple[GeneratorReport, ...]) -> str:
    """How the intervals of HUSE and HUSE-Q were made, as they say themselves; one of both may have none.

    Where there is none, why: too few texts, or no feature that varies.
    """
    exact = [generator.modes["exact"] for generator in generators]
    spans = [estimate.interval for result in exact for estimate in (result.huse_q, result.huse)]
    named = dict.fromkeys(span.method for span in spans if span is not None)
    methods = [name_method(name) for name in named]
    if methods:
        return " or ".join(methods)
    if all("no_variance" in result.huse.flags for result in exact):
        return "half-samples of contexts; no feature varies, so that there is no interval here"
    return "half-samples of contexts, of which there are too few here"


def asks_who_wrote(report_input: ReportInput) -> bool:
    """Whether raters said who wrote a text."""
    return bool(report_input.ratings_of(AnswerType.TWO_SIDED))
