"""The methods paragraph: what a paper would say of this study, from what is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from metrics.report import pay
from metrics.report.records import ReportInput, StudyFacts
from metrics.report.result import GeneratorReport
from metrics.report.wording import plural
from metrics.types import REFERENCE

HUMAN_OR_MACHINE = "human_or_machine"

NONE_LEFT_OUT = "No imported rating was left out of this analysis; what was left out before is not recorded."
NONE_EXCLUDED = "Beyond the recruitment criteria, no rater, assignment or item was excluded."


def paragraph(
    given: ReportInput, generators: tuple[GeneratorReport, ...], *, k: int, level: float, held: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Its sentences, in order; what is not recorded is left to the list of what is missing.

    held: whether the conclusions hold under other exclusions.
    """
    return tuple(
        sentence
        for part in (
            _texts(given),
            _raters(given),
            pay.sentences(given),
            _exclusions(given),
            held,
            _analysis(given, generators, k, level),
        )
        for sentence in part
    )


def _texts(given: ReportInput) -> Iterator[str]:
    references = sum(text.source == REFERENCE for text in given.texts)
    models = Counter(text.generator for text in given.texts if text.generator)
    told = ", ".join(f"{count} of {name}" for name, count in models.items())
    yield f"We had {plural(references, 'reference text')} and {told or 'no model text'} judged."
    study = given.study
    if study.question not in ("", "not recorded"):
        yield f"Raters were asked: \u201c{' '.join(study.question.split())}\u201d"
    if study.scale:
        labels = ", ".join(label.name for label in study.scale)
        yield f"They answered on a scale of {len(study.scale)} labels ({labels}), coded {study.coding}."
    if study.hits and study.texts_per_hit:
        yield f"Texts were shown in {plural(study.hits, 'task')} of up to {study.texts_per_hit}."
    if study.interleaving:
        yield study.interleaving
    if told := extras(study):
        yield f"Each task also held {told}."
    if given.assignment:
        yield given.assignment


EXTRAS = (
    ("attention_checks", "attention check", "attention checks"),
    ("repeats", "repeated text", "repeated texts"),
    ("gold", "text with a known answer (gold)", "texts with known answers (gold)"),
)


def extras(study: StudyFacts) -> str:
    """What tasks held beside the texts judged (`1 attention check and 0 to 2 repeated texts`); "" for nothing."""
    if study.extras is None:
        return ""
    parts = []
    for name, one, several in EXTRAS:
        least, most = getattr(study.extras, name)
        if most:
            parts.append(plural(most, one, several) if least == most else f"{least} to {most} {several}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _raters(given: ReportInput) -> Iterator[str]:
    crowd = given.crowd
    where = f" through {crowd.provider}" if crowd.provider else ""
    if crowd.workers is not None:
        # The sentences on quality begin with the criteria, where there are any.
        criteria = f" ({'; '.join(crowd.criteria)})" if crowd.criteria and given.quality is None else ""
        people = ("simulated rater", "simulated raters") if given.study.mode == "rehearsal" else ("person", "people")
        yield f"{plural(crowd.workers, *people)} took part{where}{criteria}."
    first, last = given.study.collected_from, given.study.collected_to
    if first and last:
        days = (_day(first), _day(last))
        yield f"Ratings were collected {f'on {days[0]}' if days[0] == days[1] else f'from {days[0]} to {days[1]}'}."
    counts = Counter(one.text for one in given.ratings if one.kept)
    if counts:
        low, high = min(counts.values()), max(counts.values())
        yield f"Each text received {low if low == high else f'{low} to {high}'} ratings."
    if crowd.consent:
        yield f"Consent: {crowd.consent.rstrip('.')}."
    if crowd.ethics:
        yield f"Ethics: {crowd.ethics.rstrip('.')}."


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B %Y}"


def _exclusions(given: ReportInput) -> Iterator[str]:
    if given.quality is not None:
        yield from given.quality
    elif given.crowd.submitted is not None and given.crowd.excluded is not None:
        gone, of = given.crowd.excluded, given.crowd.submitted
        if gone and of:
            yield f"Of {plural(of, 'submission')}, {gone} ({100 * gone / of:.1f}%) were excluded from the analysis."
        else:
            yield NONE_LEFT_OUT if given.study.mode == "imported" else NONE_EXCLUDED


def _analysis(given: ReportInput, generators: tuple[GeneratorReport, ...], k: int, level: float) -> Iterator[str]:
    if generators:
        yield (
            f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019) were computed by leave-one-out {k}-nearest-neighbour "
            "classification with ties by exact arithmetic and equal votes to the reference; log-probabilities were "
            f"divided by the length. Intervals are at {100 * level:g}%, by {_intervals(generators)}."
        )
    if asks_who_wrote(given):
        yield (
            "The unit of accuracy is the evaluator: each has a share of right answers, reading the two upper labels as "
            f"machine. Means have {100 * level:g}% intervals over evaluators and two-sided t-tests against 50%, "
            "adjusted within their family; conditions are compared by Welch's t-tests (Clark et al., 2021)."
        )
        if given.plan and given.plan.margin_points:
            margin = f"a margin of {given.plan.margin_points} percentage points around chance"
            yield f"Equivalence was tested by two one-sided t-tests with {margin}, declared before (Lakens, 2017)."


def _intervals(generators: tuple[GeneratorReport, ...]) -> str:
    """How the intervals of HUSE-Q were made, as they say themselves."""
    spans = [generator.modes["exact"].huse_q.interval for generator in generators]
    named = dict.fromkeys(span.method for span in spans if span is not None)
    told = ["half-samples of contexts" if name == "half-samples" else name for name in named]
    return " or ".join(told) or "half-samples of contexts, of which there are too few here"


def asks_who_wrote(given: ReportInput) -> bool:
    """Whether raters said who wrote a text."""
    return any(one.kept and one.criterion == HUMAN_OR_MACHINE for one in given.ratings)
