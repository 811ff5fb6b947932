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
from annotation.jobs.celery_tasks import ask_to_detect
from annotation.models import Codebook, Job, Remark, Role, RuleSet, Study, Submission
from annotation.quality import applied_rules as reviewing
from annotation.quality import assess, coding_queue, evidence
from annotation.quality import code_explanations as code_reasons
from annotation.quality import coder_agreement as coded
from annotation.quality.filters import FILTERS, NAMED_SETS, rule_of
from annotation.quality.methods_text import paragraph
from annotation.quality.rules import Rule, rules_from
from annotation.quality.work_table import QualityCheck
from annotation.reports import study_facts as facts
from annotation.review import exclude
from annotation.studies import blinding
from annotation.studies.unblind import unblind
from metrics.evaluators.comment_codes import NULL

router = Router(tags=["Analysis"])


class FilterOut(Schema):
    """A filter. default: the default rules hold it; flags: it raises flags by default; alone: it may leave work out
    where no other rule does; circular: it looks at the answers themselves; style: it looks only at how somebody writes;
    sets: the named sets of rules that hold it; wrongly: whom it can wrong."""

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
    def resolve_sets(one: QualityCheck) -> list[str]:
        return [name for name, held in NAMED_SETS.items() if one.kind in held.kinds]


class FlagOut(Schema):
    """Submissions and workers with a flag, and how many of these submissions are left out of the analysis."""

    kind: str
    rule: str
    submissions: int
    workers: int
    left_out: int


class DoubtedGoldOut(Schema):
    """A gold text that most people answered otherwise than its known answer says."""

    text: str
    known_label: str
    answers: int
    as_known: int


class QualityOut(Schema):
    """unblinded_at: when somebody first saw results; holds: the version of the rules that holds."""

    submissions: int
    measured: int
    left_out: int
    unblinded_at: datetime | None
    holds: int | None
    flags: list[FlagOut]
    doubted_gold: list[DoubtedGoldOut]
    paragraph: str


class MeasuredOut(Schema):
    submissions: int
    flags: int


class DetectIn(Schema):
    """Beyond the threshold an explanation is called machine-written."""

    threshold: float = Field(allow_inf_nan=False)


class RulePart(Schema):
    """A filter, and its threshold where another than the default is wanted."""

    kind: str
    threshold: float | None = None


class RulesIn(Schema):
    """set: a named set to start from (default, or papers: with the filters on how somebody writes); rules replace and
    add to those of the set. One of the two is required."""

    name: str = Field(min_length=1, max_length=100)
    set: Literal["", "default", "papers"] = ""
    rules: list[RulePart] | None = None


class RulesOut(Schema):
    """A version of the rules. blind: fixed before anybody saw results."""

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
    """Submissions left out now, and returned to the analysis."""

    left_out: int
    returned: int


class CodeAgreement(Schema):
    code: str
    kappa: float | None

    @staticmethod
    def resolve_kappa(one: coded.Agreement) -> float | None:
        return one.kappa.value


class CodingOut(Schema):
    """How far the coding of explanations is. version: of the codebook, null before its first."""

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
    """One category a line: `form: grammar, genre`."""

    lines: str = Field(min_length=1, max_length=10_000)


class CodesIn(Schema):
    """Codes of one explanation; none: `null`, which says that none fits."""

    codes: list[str] = []


@router.get("/filters", response=gives(Paged[FilterOut]), summary="The filters of quality")
def list_filters(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(FILTERS, page)


@router.get("/studies/{study}/quality", response=gives(QualityOut), summary="What was measured and left out")
def show_quality(request: HttpRequest, study: UUID) -> dict[str, Any]:
    found = study_for(request, study)
    work, stored = Submission.objects.filter(hit__study=found), reviewing.rule_set(found)
    flags, people = counts.flags_by_kind(found).items(), counts.flagged_workers(found)
    done = facts.quality_done(found)
    return {
        "submissions": work.count(),
        "measured": work.exclude(evidence=None).count(),
        "left_out": len(reviewing.left_out(found)),
        "unblinded_at": blinding.seen_at(found),
        "holds": stored.number if stored else None,
        "flags": [
            {"kind": kind, "rule": rule_of(kind), "submissions": n, "workers": people[kind], "left_out": gone}
            for kind, (n, gone) in flags
        ],
        "doubted_gold": evidence.doubted_gold(found),
        "paragraph": paragraph(done) if done.submissions else "",
    }


@router.post("/studies/{study}/quality/measure", response=gives(MeasuredOut), summary="Measure by every filter")
def measure(request: HttpRequest, study: UUID) -> Any:
    return assess.assess(study_for(request, study, Role.EDITOR), now=timezone.now())


@router.post("/studies/{study}/quality/detect", response=gives(JobOut, 202), summary="Look for machine-written text")
def detect(request: HttpRequest, study: UUID, given: DetectIn) -> Status[Job]:
    """A job: the server's model scores the explanations, then all is measured anew. Its flags exclude nobody alone."""
    found = study_for(request, study, Role.EDITOR)
    return Status(202, ask_to_detect(found, given.threshold, by=caller(request), now=timezone.now()))


@router.get("/studies/{study}/rules", response=gives(Paged[RulesOut]), summary="Versions of the rules, newest first")
def list_rules(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(study_for(request, study).rule_sets.order_by("-number"), page)


@router.post("/studies/{study}/rules", response=gives(RulesOut, 201), summary="Fix a version of the rules")
def fix_rules(request: HttpRequest, study: UUID, given: RulesIn) -> Status[RuleSet]:
    """It leaves nobody out until it is applied."""
    found = study_for(request, study, Role.EDITOR)
    if given.rules is None and not given.set:
        raise StateError("Send rules, a set, or both.").at("rules")
    rules = rules_from(given.set, [Rule(one.kind, one.threshold) for one in given.rules or ()])
    return Status(201, exclude.fix_rules(found, given.name, rules, actor=caller(request), now=timezone.now()))


@router.post(
    "/studies/{study}/rules/{number}/apply", response=gives(AppliedOut), summary="Leave out what a version says"
)
def apply_rules(request: HttpRequest, study: UUID, number: int) -> Any:
    """Nobody's payment changes."""
    stored = study_for(request, study, Role.EDITOR).rule_sets.filter(number=number).first()
    if stored is None:
        raise HttpError(404, "There is no such version of the rules.")
    return exclude.apply_rules(stored, actor=caller(request), now=timezone.now())


@router.post("/studies/{study}/unblind", response=gives(None, 204), summary="Look at results from now on")
def look(request: HttpRequest, study: UUID) -> Status[None]:
    """The log says when and by whom: whatever is decided afterwards was not decided blindly."""
    found = study_for(request, study, Role.REVIEWER)
    unblind(found, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.get("/studies/{study}/coding", response=gives(Paged[CodingOut]), summary="How far explanations are coded")
def show_coding(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    found = study_for(request, study, Role.REVIEWER)
    return paged([_coding(request, found, purpose) for purpose in Codebook.Purpose.values], page)


def _coding(request: HttpRequest, study: Study, purpose: str) -> dict[str, Any]:
    told = coded.coding_progress(study, purpose)
    after = coding_queue.to_code(study, told.book, caller(request)).first() if told.book else None
    shown = {name: getattr(told, name) for name in ("purpose", "codes", "lines", "remarks", "coded_twice", "agreement")}
    return {
        **shown,
        "version": told.book.number if told.book else None,
        "next_remark": after.pk if after else None,
        "next_body": after.body if after else "",
        "unsettled": [row.pk for row in coding_queue.to_settle(study, told.book)] if told.book else [],
    }


@router.put("/studies/{study}/coding/{purpose}", response=gives(None, 204), summary="A new version of a codebook")
def put_codebook(request: HttpRequest, study: UUID, purpose: str, given: BookIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    categories = coded.read_lines(given.lines.splitlines())
    code_reasons.edit_codebook(found, purpose, categories, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.put("/studies/{study}/coding/{purpose}/{remark}", response=gives(None, 204), summary="Code an explanation")
def code(request: HttpRequest, study: UUID, purpose: str, remark: int, given: CodesIn) -> Status[None]:
    one, book = _about(study_for(request, study, Role.REVIEWER), purpose, remark)
    code_reasons.code(one, book, given.codes or [NULL], coder=caller(request), now=timezone.now())
    return Status(204, None)


@router.put(
    "/studies/{study}/coding/{purpose}/{remark}/settled", response=gives(None, 204), summary="Settle a difference"
)
def settle(request: HttpRequest, study: UUID, purpose: str, remark: int, given: CodesIn) -> Status[None]:
    one, book = _about(study_for(request, study, Role.REVIEWER), purpose, remark)
    code_reasons.adjudicate(one, book, given.codes or [NULL], actor=caller(request), now=timezone.now())
    return Status(204, None)


def _about(study: Study, purpose: str, remark: int) -> tuple[Remark, Codebook]:
    rows = Remark.objects.select_related("presentation__submission__hit")
    one = rows.filter(pk=remark, presentation__submission__hit__study=study).first()
    held = coded.current(study, purpose)
    if one is None or held is None:
        raise HttpError(404, "There is no such explanation, or no codebook for it yet.")
    return one, held
