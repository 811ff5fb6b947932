"""The methods paragraph: what a paper would say of this study, from what is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from metrics.data.arm_assignment import draw_sentence
from metrics.report import pay
from metrics.report.prose.findings import state_unrated
from metrics.report.records import ReportInput, StudyFacts
from metrics.report.result import GeneratorReport
from metrics.report.wording import plural
from metrics.types import REFERENCE

HUMAN_OR_MACHINE = "human_or_machine"

NONE_LEFT_OUT = "No imported rating was excluded from this analysis. Exclusions before the import are not recorded."
NONE_EXCLUDED = "Beyond the recruitment criteria, no rater, assignment or item was excluded."


def paragraph(
    report_input: ReportInput,
    generators: tuple[GeneratorReport, ...],
    *,
    k: int,
    level: float,
    held: tuple[str, ...] = (),
) -> tuple[str, ...]:
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
            held,
            _analysis(report_input, generators, k, level),
        )
        for sentence in part
    )


def _texts(report_input: ReportInput) -> Iterator[str]:
    references = sum(text.source == REFERENCE for text in report_input.texts)
    models = Counter(text.generator for text in report_input.texts if text.generator)
    counts = [f"{plural(count, 'text')} by {name}" for name, count in models.items()] or ["no model text"]
    texts = f"{', '.join([plural(references, 'reference text'), *counts[:-1]])} and {counts[-1]}"
    judged = {text for rating in report_input.ratings for text in (rating.text, rating.partner)}
    number, total = sum(text.id in judged for text in report_input.texts), len(report_input.texts)
    if state_unrated(report_input):
        yield f"The study has {texts} to be judged."
    elif judged and number < total:
        yield f"The study has {texts}. Raters judged {number} of these {total} texts."
    else:
        yield f"Raters judged {texts}."
    study = report_input.study
    if study.question not in ("", "not recorded"):
        yield f"Raters were asked: \u201c{' '.join(study.question.split())}\u201d"
    if study.scale:
        labels = ", ".join(label.name for label in study.scale)
        yield f"They answered on a scale of {len(study.scale)} labels ({labels}), coded {study.coding}."
    if study.hits and study.texts_per_hit:
        yield f"Texts were shown in {plural(study.hits, 'task')} of up to {study.texts_per_hit}."
    if study.interleaving:
        yield study.interleaving
    if extras_text := describe_extras(study):
        yield f"Each task also held {extras_text}."
    if report_input.assignment:
        yield report_input.assignment
    if report_input.draw:
        yield draw_sentence(report_input.draw.draws, report_input.draw.seed)


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


def _raters(report_input: ReportInput) -> Iterator[str]:
    crowd = report_input.crowd
    where = f" through {crowd.provider}" if crowd.provider else ""
    if crowd.workers is not None:
        # The sentences on quality begin with the criteria, where there are any.
        criteria = f" ({'; '.join(crowd.criteria)})" if crowd.criteria and report_input.quality is None else ""
        people = (
            ("simulated rater", "simulated raters") if report_input.study.mode == "rehearsal" else ("person", "people")
        )
        yield f"{plural(crowd.workers, *people)} took part{where}{criteria}."
    first, last = report_input.study.collected_from, report_input.study.collected_to
    if first and last:
        days = (_day(first), _day(last))
        yield f"Ratings were collected {f'on {days[0]}' if days[0] == days[1] else f'from {days[0]} to {days[1]}'}."
    counts = Counter(rating.text for rating in report_input.ratings if rating.kept)
    if counts:
        low, high = min(counts.values()), max(counts.values())
        yield f"Each text received {low if low == high else f'{low} to {high}'} ratings."
    if crowd.consent:
        yield f"Consent: {crowd.consent.rstrip('.')}."
    if crowd.ethics:
        yield f"Ethics: {crowd.ethics.rstrip('.')}."


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B %Y}"


def _exclusions(report_input: ReportInput) -> Iterator[str]:
    if report_input.quality is not None:
        yield from report_input.quality
    elif report_input.crowd.submitted is not None and report_input.crowd.excluded is not None:
        excluded, of = report_input.crowd.excluded, report_input.crowd.submitted
        if excluded and of:
            share = f"{excluded} ({100 * excluded / of:.1f}%)"
            yield f"Of {plural(of, 'submission')}, {share} were excluded from the analysis."
        else:
            yield NONE_LEFT_OUT if report_input.study.mode == "imported" else NONE_EXCLUDED


def _analysis(
    report_input: ReportInput, generators: tuple[GeneratorReport, ...], k: int, level: float
) -> Iterator[str]:
    if generators:
        yield (
            f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019) were computed by leave-one-out {k}-nearest-neighbour "
            "classification with ties by exact arithmetic and equal votes to the reference; log-probabilities were "
            f"divided by the length. Intervals are at {100 * level:g}%, by {_intervals(generators)}."
        )
    if asks_who_wrote(report_input):
        yield (
            "The unit of accuracy is the evaluator: each has a share of right answers, reading the two upper labels as "
            f"machine. Means have {100 * level:g}% intervals over evaluators and two-sided t-tests against 50%, "
            "adjusted within their family; conditions are compared by Welch's t-tests (Clark et al., 2021)."
        )
        if report_input.plan and report_input.plan.margin_points:
            margin = f"a margin of {report_input.plan.margin_points} percentage points around chance"
            yield f"Equivalence was tested by two one-sided t-tests with {margin}, declared before (Lakens, 2017)."


def _intervals(generators: tuple[GeneratorReport, ...]) -> str:
    """How the intervals of HUSE-Q were made, as they say themselves."""
    spans = [generator.modes["exact"].huse_q.interval for generator in generators]
    named = dict.fromkeys(span.method for span in spans if span is not None)
    methods = ["half-samples of contexts" if name == "half-samples" else name for name in named]
    return " or ".join(methods) or "half-samples of contexts, of which there are too few here"


def asks_who_wrote(report_input: ReportInput) -> bool:
    """Whether raters said who wrote a text."""
    return any(rating.kept and rating.criterion == HUMAN_OR_MACHINE for rating in report_input.ratings)
