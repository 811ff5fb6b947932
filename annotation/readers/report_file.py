"""A report of Assay (report.json) read back as a finished study."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal, cast

from annotation.exceptions import DesignError
from annotation.readers.records import (
    UNITS,
    CollectedWork,
    ConditionRecord,
    HitRecord,
    JudgmentRecord,
    LabelRecord,
    LikelihoodRecord,
    Provenance,
    RemarkRecord,
    ScaleRecord,
    SubmissionRecord,
    TextRecord,
)
from annotation.readers.report_limits import check_report
from metrics.errors import BadInput
from metrics.report.formats.data_columns import format_decimal
from metrics.report.formats.json import read
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.row_records import AssignmentRow, ConditionFacts, PlanFacts
from metrics.report.snapshot import read_snapshot
from metrics.types import Item

LAYOUT = "report of Assay"
TYPICALITY, HUMAN_OR_MACHINE = "typicality", "human_or_machine"
PAYMENTS: dict[str, Literal["approve", "reject"]] = {"approved": "approve", "rejected": "reject"}
ALONE = ""  # of ratings whose HIT is not in the file


def read_report(path: Path) -> CollectedWork:
    """The study behind a report.json or a snapshot.json.

    Raises DesignError with the place that is wrong, or what cannot be imported.
    """
    try:
        content = path.read_bytes()
        report = _read(content)
    except OSError as error:
        raise DesignError(f"{path.name} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        reason = str(error) if isinstance(error, BadInput) else "it is not JSON."
        raise DesignError(f"{path.name}: {reason}") from None
    return report_work(report, Provenance(path.name, hashlib.sha256(content).hexdigest(), len(report.ratings), LAYOUT))


def _read(content: bytes) -> ReportInput:
    """Of a snapshot.json, whose hashes are checked, or a report.json. Raises ValueError."""
    document = json.loads(content)
    is_snapshot = isinstance(document, dict) and "header_sha256" in document
    return read_snapshot(content).report_input if is_snapshot else read(document)


def report_work(report: ReportInput, origin: Provenance) -> CollectedWork:
    """Return the report's study as records, with the report itself. Raises DesignError for what cannot be stored."""
    check_report(report)
    pages = _pages(report)
    labels = tuple(LabelRecord(label.name, _code(label.code), label.gloss) for label in report.study.scale)
    planned = {condition.planned for condition in report.conditions}
    return CollectedWork(
        texts=tuple(_texts(report)),
        hits=tuple(_hits(report, pages)),
        submissions=tuple(_submissions(report, pages)),
        scale=ScaleRecord("", labels),
        provider="",
        raw_format="report-json",
        provenance=(origin,),
        question="" if report.study.question == "not recorded" else report.study.question,
        noun=report.study.noun,
        reward_cents=report.money.reward_cents or 0,
        warnings=_warnings(report),
        statements=tuple(_statements(report)),
        task=_task(report),
        conditions=tuple(_condition(condition) for condition in report.conditions),
        evaluators_per_cell=planned.pop() if len(planned) == 1 else _evaluators(report),
        scales=_scales(report),
        generators=tuple((system.name, system.decoding or "") for system in report.systems),
        report_input=report,
        in_order=True,
    )


def _evaluators(report: ReportInput) -> int | None:
    """Planned for each cell, as the settings have it."""
    people = dict(report.settings).get("evaluators_per_cell")
    return people if isinstance(people, int) else None


def _task(report: ReportInput) -> str:
    """As the settings have it; else by what was asked."""
    task = str(dict(report.settings).get("task", ""))
    criteria = {rating.criterion for rating in report.ratings}
    if task or TYPICALITY in criteria or not criteria:
        return task or TYPICALITY
    if any(rating.partner for rating in report.ratings):
        return "pairwise"
    return HUMAN_OR_MACHINE if criteria == {HUMAN_OR_MACHINE} else "likert"


def _condition(facts: ConditionFacts) -> ConditionRecord:
    return ConditionRecord(
        facts.name, facts.training or "none", facts.domain, facts.generator, reward_cents=facts.reward_cents
    )


def _scales(report: ReportInput) -> dict[str, ScaleRecord]:
    """Of each criterion that was not answered on the study's scale: the labels that were given, by their numbers."""
    study_labels = {(label.name, Fraction(label.code)) for label in report.study.scale}
    by_criterion: dict[str, dict[str, Fraction]] = {}
    for rating in report.ratings:
        by_criterion.setdefault(rating.criterion, {})[rating.label] = Fraction(rating.value)
    return {
        criterion: ScaleRecord("", tuple(LabelRecord(name, _code(code)) for name, code in _sort_by_code(labels)))
        for criterion, labels in by_criterion.items()
        if not set(labels.items()) <= study_labels
    }


def _sort_by_code(labels: dict[str, Fraction]) -> list[tuple[str, Fraction]]:
    return sorted(labels.items(), key=lambda item: item[1])


def _statements(report: ReportInput) -> Iterator[tuple[str, str]]:
    """Yield the study details of the report, by their keys."""
    plan = report.plan or PlanFacts()
    more = {
        "licence": report.licence,
        "language": report.language,
        "ethics": report.crowd.ethics,
        "consent": report.crowd.consent,
    }
    if not plan.is_logged:  # one that a log had kept stays what it was
        more |= {
            "plan": " ".join(plan.sentences),
            "registered": plan.registered_where,
            "power": plan.power,
            "deviations": " ".join(plan.deviations or ()),
        }
    yield from report.statements
    yield from ((key, words) for key, words in more.items() if words)


def _code(code: int | Fraction) -> str:
    return format_decimal(Fraction(code))


def _warnings(report: ReportInput) -> tuple[str, ...]:
    excluded = sum(not rating.kept for rating in report.ratings)
    if not excluded:
        return ()
    return (f"The report excluded {excluded} judgments from its analysis. Their submissions are excluded here, too.",)


def _texts(report: ReportInput) -> Iterator[TextRecord]:
    likelihoods: dict[str, list[LikelihoodRecord]] = {}
    decodings = {facts.name: facts.decoding or "" for facts in report.systems}
    for facts in report.generators:
        for item in (*facts.items, *facts.dropped):
            if item.log_prob is not None:
                likelihoods.setdefault(item.id, []).append(_likelihood(facts, item))
    for text in report.texts:
        yield TextRecord(
            id=text.id,
            body=text.body,
            source=text.source,
            generator=text.generator,
            decoding=decodings.get(text.generator or "", ""),
            context=text.context_id,
            context_body=text.context or "",
            corpus_count=text.corpus_count,
            corpus_name=text.corpus_name,
            likelihoods=tuple(likelihoods.get(text.id, ())),
        )


def _likelihood(facts: GeneratorFacts, item: Item) -> LikelihoodRecord:
    if facts.length_unit not in UNITS:
        raise DesignError(f"The lengths of {facts.name} are counted in {facts.length_unit}, which cannot be imported.")
    log_prob = cast(float, item.log_prob)
    return LikelihoodRecord(facts.name, log_prob, item.length, facts.length_unit, facts.log_prob_decoding or "")


Pages = dict[str, dict[str, list[RatingRow]]]  # by HIT, then by rater


def _pages(report: ReportInput) -> Pages:
    """HITs in the order of the assignments, those of them too from which nothing is left."""
    pages: Pages = {}
    for assignment in report.assignments:
        pages.setdefault(assignment.hit or ALONE, {}).setdefault(assignment.rater, [])
    for rating in report.ratings:
        pages.setdefault(rating.hit or ALONE, {}).setdefault(rating.rater, []).append(rating)
    return pages


def _hits(report: ReportInput, pages: Pages) -> Iterator[HitRecord]:
    conditions = {assignment.hit or ALONE: assignment.condition for assignment in report.assignments}
    conditions |= {rating.hit or ALONE: rating.condition for rating in report.ratings}
    for name, by_rater in pages.items():
        places: dict[str, int] = {}
        for ratings in by_rater.values():
            for at, rating in enumerate(ratings):
                places.setdefault(rating.text, rating.position if rating.position is not None else at)
        texts = tuple(sorted(places, key=lambda text: (places[text], text)))
        yield HitRecord(name, texts, len(by_rater), conditions[name])


def _submissions(report: ReportInput, pages: Pages) -> Iterator[SubmissionRecord]:
    assignments = {(assignment.hit or ALONE, assignment.rater): assignment for assignment in report.assignments}
    remarks = _remarks(report, pages)
    dropped = {item.id for facts in report.generators for item in facts.dropped}
    rules = {flag.name: flag.rule for flag in report.flags or ()}
    number = 0
    for name, by_rater in pages.items():
        for rater, ratings in by_rater.items():
            known = assignments.get((name, rater))
            number += 1
            yield SubmissionRecord(
                hit=name,
                assignment=f"report {number}",
                worker=rater,
                raw=tuple(
                    (f"{at}: {rating.criterion} of {rating.text}", rating.label) for at, rating in enumerate(ratings, 1)
                ),
                judgments=tuple(_judgments(ratings)),
                submitted_at=known.submitted_at if known else None,
                work_seconds=known.seconds if known else None,
                payment=PAYMENTS.get(known.payment if known else ""),
                left_out=_exclusion_reason(known) if _is_excluded(known, ratings, dropped) else "",
                remarks=tuple(remarks.get((name, rater), ())),
                flags=tuple((kind, rules.get(kind) or kind) for kind in (known.flags if known else ())),
            )


def _judgments(ratings: Sequence[RatingRow]) -> Iterator[JudgmentRecord]:
    order: dict[str, int] = {}
    for rating in ratings:
        at = order.setdefault(rating.text, len(order))
        yield JudgmentRecord(
            rating.text, rating.position - 1 if rating.position else at, rating.label, rating.criterion, rating.partner
        )


def _remarks(report: ReportInput, pages: Pages) -> dict[tuple[str, str], list[RemarkRecord]]:
    """By HIT and rater. A comment does not name its HIT: one in which its rater judged the text, else any of theirs."""
    mine: dict[str, list[str]] = {}
    judged: dict[tuple[str, str], list[str]] = {}
    for hit, by_rater in pages.items():
        for rater, ratings in by_rater.items():
            mine.setdefault(rater, []).append(hit)
            for text in {rating.text for rating in ratings}:
                judged.setdefault((rater, text), []).append(hit)
    remarks: dict[tuple[str, str], list[RemarkRecord]] = {}
    for comment in report.comments:
        hits = judged.get((comment.rater, comment.text)) or mine.get(comment.rater)
        if hits is None:
            raise DesignError(f"The comment of {comment.rater} on {comment.text} belongs to no assignment.")
        candidates = [remarks.setdefault((hit, comment.rater), []) for hit in hits]
        free = [
            known
            for known in candidates
            if (comment.text, comment.question) not in {(r.text, r.question) for r in known}
        ]
        if not free:
            raise DesignError(f"{comment.rater} commented twice on {comment.text}, asked {comment.question}.")
        free[0].append(RemarkRecord(comment.text, comment.question, comment.body))
    return remarks


def _is_excluded(known: AssignmentRow | None, ratings: Sequence[RatingRow], dropped: Collection[str]) -> bool:
    """Whether the submission is excluded: by its assignment, else by its ratings of texts that were not dropped."""
    return not known.kept if known else any(not rating.kept and rating.text not in dropped for rating in ratings)


def _exclusion_reason(known: AssignmentRow | None) -> str:
    return (known.reason if known else "") or "Excluded in the imported report."
