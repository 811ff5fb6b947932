"""Quality and exclusion by rules; coding of explanations; looking at results."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, gives, paged
from annotation.collecting import counts
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import ask, ask_to_detect
from annotation.models import Codebook, Job, Remark, Role, RuleSet, Study, Submission
from annotation.quality import applied_rules, code_explanations, coder_agreement, coding_queue, evidence
from annotation.quality.filters import FILTERS, NAMED_SETS, rule_without_code
from annotation.quality.methods_text import paragraph
from annotation.quality.rules import Rule, rules_from
from annotation.quality.work_table import QualityCheck
from annotation.reports import study_facts
from annotation.review import exclude
from annotation.studies import blinding
from metrics.evaluators.comment_codes import NULL

router = Router(tags=["Analysis"])


class FilterOut(Schema):
    """A quality check. default: part of the default rules; flags: raises flags by default; alone: may exclude a
    submission that no other rule excludes; circular: uses the answers themselves; style: uses only the writing style;
    sets: the named sets of rules with this check; wrongly: what it may wrongly flag."""

    id: str
    kind: str
    title: str
    rule: str
    threshold: float
    default: bool
    flags: bool
    alone: bool
    circular: bool
    style: bool
    sets: list[str]
    wrongly: str

    @staticmethod
    def resolve_sets(quality_filter: QualityCheck) -> list[str]:
        return [name for name, held in NAMED_SETS.items() if quality_filter.kind in held.kinds]


class FlagOut(Schema):
    """Submissions and workers with a flag, and how many of these submissions are excluded from the analysis."""

    kind: str
    rule: str
    submissions: int
    workers: int
    left_out: int


class DoubtedGoldOut(Schema):
    """A gold text that most raters answered differently from its known answer."""

    text: str
    known_label: str
    answers: int
    as_known: int


class QualityOut(Schema):
    """unblinded_at: when results were first seen; holds: the current version of the rules."""

    submissions: int
    measured: int
    left_out: int
    unblinded_at: datetime | None
    holds: int | None
    flags: list[FlagOut]
    doubted_gold: list[DoubtedGoldOut]
    paragraph: str


class DetectIn(Schema):
    """threshold: beyond it an explanation counts as machine-written."""

    threshold: float = Field(allow_inf_nan=False)


class RulePart(Schema):
    """A quality check, and its threshold if it is not the default."""

    kind: str
    threshold: float | None = None


class RulesIn(Schema):
    """set: a named set to start from (default, or papers: with the checks of writing style); rules replace and add to
    those of the set. One of the two is required."""

    name: str = Field(min_length=1, max_length=100)
    set: Literal["", "default", "papers"] = ""
    rules: list[RulePart] | None = None


class RulesOut(Schema):
    """A version of the rules. blind: locked before results were seen."""

    number: int
    name: str
    rules: list[RulePart]
    blind: bool
    fixed_at: datetime
    applied_at: datetime | None

    @staticmethod
    def resolve_rules(stored: RuleSet) -> list[dict[str, Any]]:
        return [{"kind": kind, "threshold": threshold} for kind, threshold in stored.rules]


class AppliedOut(Schema):
    """Submissions excluded now, and included again."""

    left_out: int
    returned: int


class CodeAgreement(Schema):
    code: str
    kappa: float | None

    @staticmethod
    def resolve_kappa(agreement: coder_agreement.Agreement) -> float | None:
        return agreement.kappa.value


class CodingOut(Schema):
    """Progress of coding explanations. version: of the codebook, null before the first."""

    purpose: str
    version: int | None
    codes: list[str]
    lines: str
    remarks: int
    coded_twice: int
    agreement: list[CodeAgreement]
    next_remark: int | None
    next_body: str
    unsettled: list[int]


class BookIn(Schema):
    """One category per line: `form: grammar, genre`."""

    lines: str = Field(min_length=1, max_length=10_000)


class CodesIn(Schema):
    """Codes of one explanation; an empty list counts as `null` (no code fits)."""

    codes: list[str] = []


@router.get("/filters", response=gives(Paged[FilterOut]), summary="Quality checks")
def list_filters(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(FILTERS, page)


@router.get("/studies/{study}/quality", response=gives(QualityOut), summary="Quality flags and exclusions")
def show_quality(request: HttpRequest, study: UUID) -> dict[str, Any]:
    study_row = study_for(request, study)
    work, stored = Submission.objects.filter(hit__study=study_row), applied_rules.rule_set(study_row)
    flags, people = counts.flags_by_kind(study_row).items(), counts.flagged_workers(study_row)
    done = study_facts.quality_done(study_row)
    return {
        "submissions": work.count(),
        "measured": work.exclude(evidence=None).count(),
        "left_out": len(applied_rules.left_out(study_row)),
        "unblinded_at": blinding.seen_at(study_row),
        "holds": stored.number if stored else None,
        "flags": [
            {
                "kind": kind,
                "rule": rule_without_code(kind),
                "submissions": n,
                "workers": people[kind],
                "left_out": excluded,
            }
            for kind, (n, excluded) in flags
        ],
        "doubted_gold": evidence.doubted_gold(study_row),
        "paragraph": paragraph(done) if done.submissions else "",
    }


@router.post("/studies/{study}/quality/measure", response=gives(JobOut, 202), summary="Run all quality checks")
def measure(request: HttpRequest, study: UUID) -> Status[Job]:
    """The job's outcome: submissions measured, and flags raised."""
    study_row = study_for(request, study, Role.EDITOR)
    return Status(202, ask(Job.Kind.CHECK_QUALITY, by=caller(request), now=timezone.now(), study=study_row))


@router.post(
    "/studies/{study}/quality/detect", response=gives(JobOut, 202), summary="Detect machine-written explanations"
)
def detect(request: HttpRequest, study: UUID, body: DetectIn) -> Status[Job]:
    """A job: the server's model scores the explanations, then all checks run again. A flag alone excludes nothing."""
    study_row = study_for(request, study, Role.EDITOR)
    return Status(202, ask_to_detect(study_row, body.threshold, by=caller(request), now=timezone.now()))


@router.get("/studies/{study}/rules", response=gives(Paged[RulesOut]), summary="Versions of the rules, newest first")
def list_rules(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(study_for(request, study).rule_sets.order_by("-number"), page)


@router.post("/studies/{study}/rules", response=gives(RulesOut, 201), summary="Lock a version of the rules")
def fix_rules(request: HttpRequest, study: UUID, body: RulesIn) -> Status[RuleSet]:
    """It excludes no submissions until it is applied."""
    study_row = study_for(request, study, Role.EDITOR)
    if body.rules is None and not body.set:
        raise StateError("Send rules, a set, or both.").at("rules")
    rules = rules_from(body.set, [Rule(part.kind, part.threshold) for part in body.rules or ()])
    return Status(201, exclude.fix_rules(study_row, body.name, rules, actor=caller(request), now=timezone.now()))


@router.post(
    "/studies/{study}/rules/{number}/apply", response=gives(AppliedOut), summary="Apply a version of the rules"
)
def apply_rules(request: HttpRequest, study: UUID, number: int) -> Any:
    """Payment does not change."""
    stored = study_for(request, study, Role.EDITOR).rule_sets.filter(number=number).first()
    if stored is None:
        raise HttpError(404, "There is no such version of the rules.")
    return exclude.apply_rules(stored, actor=caller(request), now=timezone.now())


@router.post("/studies/{study}/unblind", response=gives(JobOut, 202), summary="Unblind results")
def look(request: HttpRequest, study: UUID) -> Status[Job]:
    """The log notes when and by whom: later decisions are not blind. Results stay blinded until the job is done."""
    study_row = study_for(request, study, Role.REVIEWER)
    return Status(202, ask(Job.Kind.UNBLIND, by=caller(request), now=timezone.now(), study=study_row))


@router.get("/studies/{study}/coding", response=gives(Paged[CodingOut]), summary="Progress of coding explanations")
def show_coding(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    study_row = study_for(request, study, Role.REVIEWER)
    return paged([_coding(request, study_row, purpose) for purpose in Codebook.Purpose.values], page)


def _coding(request: HttpRequest, study: Study, purpose: str) -> dict[str, Any]:
    progress = coder_agreement.coding_progress(study, purpose)
    after = coding_queue.to_code(study, progress.book, caller(request)).first() if progress.book else None
    shown = {
        name: getattr(progress, name) for name in ("purpose", "codes", "lines", "remarks", "coded_twice", "agreement")
    }
    return {
        **shown,
        "version": progress.book.number if progress.book else None,
        "next_remark": after.pk if after else None,
        "next_body": after.body if after else "",
        "unsettled": [row.pk for row in coding_queue.to_settle(study, progress.book)] if progress.book else [],
    }


@router.put("/studies/{study}/coding/{purpose}", response=gives(None, 204), summary="Store a new version of a codebook")
def put_codebook(request: HttpRequest, study: UUID, purpose: str, body: BookIn) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    categories = coder_agreement.read_lines(body.lines.splitlines())
    code_explanations.edit_codebook(study_row, purpose, categories, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.put("/studies/{study}/coding/{purpose}/{remark}", response=gives(None, 204), summary="Code an explanation")
def code(request: HttpRequest, study: UUID, purpose: str, remark: int, body: CodesIn) -> Status[None]:
    explanation, book = _about(study_for(request, study, Role.REVIEWER), purpose, remark)
    code_explanations.code(explanation, book, body.codes or [NULL], coder=caller(request), now=timezone.now())
    return Status(204, None)


@router.put(
    "/studies/{study}/coding/{purpose}/{remark}/settled",
    response=gives(None, 204),
    summary="Settle a disagreement of coders",
)
def settle(request: HttpRequest, study: UUID, purpose: str, remark: int, body: CodesIn) -> Status[None]:
    explanation, book = _about(study_for(request, study, Role.REVIEWER), purpose, remark)
    code_explanations.adjudicate(explanation, book, body.codes or [NULL], actor=caller(request), now=timezone.now())
    return Status(204, None)


def _about(study: Study, purpose: str, remark: int) -> tuple[Remark, Codebook]:
    rows = Remark.objects.select_related("presentation__submission__hit")
    explanation = rows.filter(pk=remark, presentation__submission__hit__study=study).first()
    held = coder_agreement.current(study, purpose)
    if explanation is None or held is None:
        raise HttpError(404, "There is no such explanation, or no codebook for it yet.")
    return explanation, held
