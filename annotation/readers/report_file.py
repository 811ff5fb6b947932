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
from annotation.readers.report_limits import check
from metrics.errors import BadInput
from metrics.report.formats.csv import decimal
from metrics.report.formats.json import read
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.row_records import AssignmentRow, ConditionFacts, PlanFacts
from metrics.types import Item

LAYOUT = "report of Assay"
TYPICALITY, HUMAN_OR_MACHINE = "typicality", "human_or_machine"
PAYMENTS: dict[str, Literal["approve", "reject"]] = {"approved": "approve", "rejected": "reject"}
ALONE = ""  # of ratings whose HIT is not told


def read_report(path: Path) -> CollectedWork:
    """The study behind a report. Raises DesignError with the place that is wrong, or what cannot be imported."""
    try:
        content = path.read_bytes()
        given = read(json.loads(content))
    except OSError as error:
        raise DesignError(f"{path.name} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        told = str(error) if isinstance(error, BadInput) else "it is not JSON."
        raise DesignError(f"{path.name}: {told}") from None
    return report_work(given, Provenance(path.name, hashlib.sha256(content).hexdigest(), len(given.ratings), LAYOUT))


def report_work(given: ReportInput, origin: Provenance) -> CollectedWork:
    """The report's study as rows, and beside them what no row holds. Raises DesignError for what cannot be rows."""
    check(given)
    pages = _pages(given)
    labels = tuple(LabelRecord(one.name, _code(one.code), one.gloss) for one in given.study.scale)
    planned = {one.planned for one in given.conditions}
    return CollectedWork(
        texts=tuple(_texts(given)),
        hits=tuple(_hits(given, pages)),
        submissions=tuple(_submissions(given, pages)),
        scale=ScaleRecord("", labels),
        provider="",
        raw_format="report-json",
        provenance=(origin,),
        question="" if given.study.question == "not recorded" else given.study.question,
        noun=given.study.noun,
        reward_cents=given.money.reward_cents or 0,
        warnings=_warnings(given),
        statements=tuple(_statements(given)),
        task=_task(given),
        conditions=tuple(_condition(one) for one in given.conditions),
        evaluators_per_cell=planned.pop() if len(planned) == 1 else _evaluators(given),
        scales=_scales(given),
        generators=tuple((one.name, one.decoding or "") for one in given.systems),
        told=given,
        in_order=True,
    )


def _evaluators(given: ReportInput) -> int | None:
    """Planned for each cell, as the settings have it."""
    people = dict(given.settings).get("evaluators_per_cell")
    return people if isinstance(people, int) else None


def _task(given: ReportInput) -> str:
    """As the settings have it; else by what was asked."""
    told = str(dict(given.settings).get("task", ""))
    criteria = {one.criterion for one in given.ratings}
    if told or TYPICALITY in criteria or not criteria:
        return told or TYPICALITY
    if any(one.partner for one in given.ratings):
        return "pairwise"
    return HUMAN_OR_MACHINE if criteria == {HUMAN_OR_MACHINE} else "likert"


def _condition(facts: ConditionFacts) -> ConditionRecord:
    return ConditionRecord(
        facts.name, facts.training or "none", facts.domain, facts.generator, reward_cents=facts.reward_cents
    )


def _scales(given: ReportInput) -> dict[str, ScaleRecord]:
    """Of each criterion that was not answered on the study's scale: the labels that were given, by their numbers."""
    own = {(one.name, Fraction(one.code)) for one in given.study.scale}
    found: dict[str, dict[str, Fraction]] = {}
    for one in given.ratings:
        found.setdefault(one.criterion, {})[one.label] = Fraction(one.value)
    return {
        criterion: ScaleRecord("", tuple(LabelRecord(name, _code(code)) for name, code in _ascending(labels)))
        for criterion, labels in found.items()
        if not set(labels.items()) <= own
    }


def _ascending(labels: dict[str, Fraction]) -> list[tuple[str, Fraction]]:
    return sorted(labels.items(), key=lambda one: one[1])


def _statements(given: ReportInput) -> Iterator[tuple[str, str]]:
    """Whatever a person had said of the study, under the key that it is said by."""
    plan = given.plan or PlanFacts()
    more = {
        "licence": given.licence,
        "language": given.language,
        "ethics": given.crowd.ethics,
        "consent": given.crowd.consent,
    }
    if not plan.kept:  # one that a log had kept stays what it was
        more |= {
            "plan": " ".join(plan.sentences),
            "registered": plan.registered_where,
            "power": plan.power,
            "deviations": " ".join(plan.deviations or ()),
        }
    yield from given.statements
    yield from ((key, words) for key, words in more.items() if words)


def _code(code: int | Fraction) -> str:
    return decimal(Fraction(code))


def _warnings(given: ReportInput) -> tuple[str, ...]:
    gone = sum(not one.kept for one in given.ratings)
    if not gone:
        return ()
    return (f"{gone} judgments were left out of that report's analysis; here their submissions are left out again.",)


def _texts(given: ReportInput) -> Iterator[TextRecord]:
    likelihoods: dict[str, list[LikelihoodRecord]] = {}
    decodings = {facts.name: facts.decoding or "" for facts in given.systems}
    for facts in given.generators:
        for item in (*facts.items, *facts.dropped):
            if item.log_prob is not None:
                likelihoods.setdefault(item.id, []).append(_likelihood(facts, item))
    for text in given.texts:
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


def _pages(given: ReportInput) -> Pages:
    """HITs in the order of the assignments, those of them too from which nothing is left."""
    found: Pages = {}
    for told in given.assignments:
        found.setdefault(told.hit or ALONE, {}).setdefault(told.rater, [])
    for rating in given.ratings:
        found.setdefault(rating.hit or ALONE, {}).setdefault(rating.rater, []).append(rating)
    return found


def _hits(given: ReportInput, pages: Pages) -> Iterator[HitRecord]:
    conditions = {one.hit or ALONE: one.condition for one in given.assignments}
    conditions |= {one.hit or ALONE: one.condition for one in given.ratings}
    for name, by_rater in pages.items():
        places: dict[str, int] = {}
        for ratings in by_rater.values():
            for at, rating in enumerate(ratings):
                places.setdefault(rating.text, rating.position if rating.position is not None else at)
        texts = tuple(sorted(places, key=lambda text: (places[text], text)))
        yield HitRecord(name, texts, len(by_rater), conditions[name])


def _submissions(given: ReportInput, pages: Pages) -> Iterator[SubmissionRecord]:
    told = {(one.hit or ALONE, one.rater): one for one in given.assignments}
    remarks = _remarks(given, pages)
    dropped = {item.id for facts in given.generators for item in facts.dropped}
    rules = {one.name: one.rule for one in given.flags or ()}
    number = 0
    for name, by_rater in pages.items():
        for rater, ratings in by_rater.items():
            known = told.get((name, rater))
            number += 1
            yield SubmissionRecord(
                hit=name,
                assignment=f"report {number}",
                worker=rater,
                raw=tuple((f"{at}: {one.criterion} of {one.text}", one.label) for at, one in enumerate(ratings, 1)),
                judgments=tuple(_judgments(ratings)),
                submitted_at=known.submitted_at if known else None,
                work_seconds=known.seconds if known else None,
                payment=PAYMENTS.get(known.payment if known else ""),
                left_out=_reason(known) if _left_out(known, ratings, dropped) else "",
                remarks=tuple(remarks.get((name, rater), ())),
                flags=tuple((kind, rules.get(kind) or kind) for kind in (known.flags if known else ())),
            )


def _judgments(ratings: Sequence[RatingRow]) -> Iterator[JudgmentRecord]:
    order: dict[str, int] = {}
    for one in ratings:
        at = order.setdefault(one.text, len(order))
        yield JudgmentRecord(one.text, one.position - 1 if one.position else at, one.label, one.criterion, one.partner)


def _remarks(given: ReportInput, pages: Pages) -> dict[tuple[str, str], list[RemarkRecord]]:
    """By HIT and rater. A comment does not name its HIT: one in which its rater judged the text, else any of theirs."""
    mine: dict[str, list[str]] = {}
    judged: dict[tuple[str, str], list[str]] = {}
    for hit, by_rater in pages.items():
        for rater, ratings in by_rater.items():
            mine.setdefault(rater, []).append(hit)
            for text in {one.text for one in ratings}:
                judged.setdefault((rater, text), []).append(hit)
    found: dict[tuple[str, str], list[RemarkRecord]] = {}
    for one in given.comments:
        own = judged.get((one.rater, one.text)) or mine.get(one.rater)
        if own is None:
            raise DesignError(f"The comment of {one.rater} on {one.text} belongs to no assignment.")
        taken = [found.setdefault((hit, one.rater), []) for hit in own]
        free = [known for known in taken if (one.text, one.question) not in {(r.text, r.question) for r in known}]
        if not free:
            raise DesignError(f"{one.rater} commented twice on {one.text}, asked {one.question}.")
        free[0].append(RemarkRecord(one.text, one.question, one.body))
    return found


def _left_out(known: AssignmentRow | None, ratings: Sequence[RatingRow], dropped: Collection[str]) -> bool:
    """By the assignment where it is told; a text that was dropped with its context says nothing of it."""
    return not known.kept if known else any(not one.kept and one.text not in dropped for one in ratings)


def _reason(known: AssignmentRow | None) -> str:
    return (known.reason if known else "") or "Left out of the report that this was imported from."
