"""A report of Assay (report.json) read back as a finished study."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Literal, cast

from annotation.datasets.records import (
    UNITS,
    CollectedWork,
    HitRecord,
    JudgmentRecord,
    LabelRecord,
    LikelihoodRecord,
    Provenance,
    ScaleRecord,
    SubmissionRecord,
    TextRecord,
)
from annotation.exceptions import DesignError
from metrics.errors import BadInput
from metrics.report.particulars import AssignmentRow, PlanFacts
from metrics.report.payload import read
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.tables import decimal
from metrics.types import Item

LAYOUT = "report of Assay"
TYPICALITY = "typicality"
PAYMENTS: dict[str, Literal["approve", "reject"]] = {"approved": "approve", "rejected": "reject"}
ALONE = "HIT"  # of ratings whose HIT is not told


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
    strange = {one.criterion for one in given.ratings} - {TYPICALITY}
    if strange or not given.ratings:
        what = ", ".join(sorted(strange)) or "nothing"
        raise DesignError(f"{path.name}: only ratings of typicality can be imported; the file holds {what}.")
    return _work(given, Provenance(path.name, hashlib.sha256(content).hexdigest(), len(given.ratings), LAYOUT))


def _work(given: ReportInput, origin: Provenance) -> CollectedWork:
    pages = _pages(given)
    labels = tuple(LabelRecord(one.name, _code(one.code), one.gloss) for one in given.study.scale)
    return CollectedWork(
        texts=tuple(_texts(given)),
        hits=tuple(_hits(pages)),
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
    )


def _statements(given: ReportInput) -> Iterator[tuple[str, str]]:
    """Whatever a person had said of the study, under the key that it is said by."""
    plan = given.plan or PlanFacts()
    more = {
        "licence": given.licence,
        "language": given.language,
        "ethics": given.crowd.ethics,
        "consent": given.crowd.consent,
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
    decodings = {facts.name: facts.decoding or "" for facts in given.generators}
    for facts in given.generators:
        for item in facts.items:
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
            likelihoods=tuple(likelihoods.get(text.id, ())),
        )


def _likelihood(facts: GeneratorFacts, item: Item) -> LikelihoodRecord:
    if facts.length_unit not in UNITS:
        raise DesignError(f"The lengths of {facts.name} are counted in {facts.length_unit}, which cannot be imported.")
    log_prob = cast(float, item.log_prob)
    return LikelihoodRecord(facts.name, log_prob, item.length, facts.length_unit, facts.log_prob_decoding or "")


Pages = dict[str, dict[str, list[RatingRow]]]  # by HIT, then by rater


def _pages(given: ReportInput) -> Pages:
    found: Pages = {}
    for rating in given.ratings:
        found.setdefault(rating.hit or ALONE, {}).setdefault(rating.rater, []).append(rating)
    return found


def _hits(pages: Pages) -> Iterator[HitRecord]:
    for name, by_rater in pages.items():
        places: dict[str, int] = {}
        for ratings in by_rater.values():
            for at, rating in enumerate(ratings):
                places.setdefault(rating.text, rating.position if rating.position is not None else at)
        yield HitRecord(name, tuple(sorted(places, key=lambda text: (places[text], text))), len(by_rater))


def _submissions(given: ReportInput, pages: Pages) -> Iterator[SubmissionRecord]:
    told = {(one.hit, one.rater): one for one in given.assignments}
    for name, by_rater in pages.items():
        for rater, ratings in by_rater.items():
            known = told.get((name, rater))
            decided = PAYMENTS.get(known.payment if known else "")
            yield SubmissionRecord(
                hit=name,
                assignment=f"{name}/{rater}",
                worker=rater,
                raw=tuple((one.text, one.label) for one in ratings),
                judgments=tuple(
                    JudgmentRecord(one.text, one.position - 1 if one.position else at, one.label)
                    for at, one in enumerate(ratings)
                ),
                submitted_at=known.submitted_at if known else None,
                work_seconds=known.seconds if known else None,
                payment=decided,
                left_out=next((_reason(known) for one in ratings if not one.kept), ""),
            )


def _reason(known: AssignmentRow | None) -> str:
    return (known.reason if known else "") or "Left out of the report that this was imported from."
