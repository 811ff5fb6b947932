"""Rows of a report: conditions, assignments, what raters wrote, the pages, study details."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.collecting import counts as collecting_counts
from annotation.collecting import ratings
from annotation.design.kinds import answers_of, find_kind
from annotation.design.wording import from_json
from annotation.hits.mturk_request import page_of, wording_of
from annotation.models import (
    AttentionCheck,
    Cell,
    CheckAnswer,
    Codebook,
    Coding,
    Decision,
    Flag,
    Hit,
    HitItem,
    ItemRole,
    Remark,
    Statement,
    Study,
    Submission,
    Text,
)
from annotation.reports.pay_facts import paid_by_amount
from annotation.studies.plan_document import power_sentence
from annotation.studies.preregistration import STATED, Planned, differences
from metrics.report.records import ExtrasFacts, GeneratorFacts, TextRow, Warn
from metrics.report.row_records import (
    AssignmentRow,
    Attached,
    AttachedKind,
    CodebookName,
    CodeRow,
    CommentRow,
    ComparisonPlan,
    ConditionFacts,
    PageFacts,
    PlanFacts,
    SealedPlanFacts,
)

NO_TRAINING = "none"


def condition_name(cell: Cell) -> str:
    """What a condition is called; "" for the one of a study that has no other."""
    parts = (cell.arm.training, cell.domain, cell.generator.name if cell.generator else "")
    return "" if parts == (NO_TRAINING, "", "") else " × ".join(part for part in parts if part)


def cells(study: Study) -> list[Cell]:
    """Conditions in the order in which they were made."""
    return list(Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk"))


def conditions(study: Study, rows: Sequence[AssignmentRow]) -> tuple[ConditionFacts, ...]:
    """Each condition with what came of it; none for a study without a choice of conditions."""
    study_cells = cells(study)
    if all(not condition_name(cell) for cell in study_cells):
        return ()
    amounts = paid_by_amount(study)
    return tuple(_condition(study, cell, rows, amounts=amounts) for cell in study_cells)


def _condition(study: Study, cell: Cell, rows: Sequence[AssignmentRow], *, amounts: bool) -> ConditionFacts:
    name = condition_name(cell)
    condition_rows = [row for row in rows if row.condition == name]
    seconds = [row.seconds for row in condition_rows if row.seconds is not None]
    return ConditionFacts(
        name=name,
        training=cell.arm.training,
        domain=cell.domain,
        generator=cell.generator.name if cell.generator else "",
        planned=study.evaluators_per_cell,
        workers=len({row.rater for row in condition_rows}),
        submitted=len(condition_rows),
        excluded=sum(not row.kept for row in condition_rows),
        reward_cents=(cell.reward_cents or None) if amounts else None,
        median_seconds=float(statistics.median(seconds)) if seconds else None,
    )


def numbers(study: Study) -> dict[int, str]:
    """Number a study's submissions (primary keys) as its reports name them."""
    rows = Submission.objects.filter(hit__study=study).order_by(
        "hit__slot", ratings.by_code_point("worker__pseudonym"), "pk"
    )
    return {pk: f"A{at:05d}" for at, pk in enumerate(rows.values_list("pk", flat=True), 1)}


def assignments(study: Study) -> tuple[AssignmentRow, ...]:
    """List every assignment by its report number, its HIT named as in the ratings. A rehearsal has no real times."""
    ids = numbers(study)
    timed, imported = study.mode != Study.Mode.REHEARSAL, study.mode == Study.Mode.IMPORTED
    study_cells = {cell.pk: cell for cell in cells(study)}
    names = {pk: condition_name(cell) for pk, cell in study_cells.items()}
    flags: dict[int, list[str]] = {}
    for pk, kind in (
        Flag.objects.filter(submission__hit__study=study)
        .order_by(ratings.by_code_point("kind"))
        .values_list("submission", "kind")
    ):
        flags.setdefault(pk, []).append(kind)
    decided = {
        (pk, matter): (verdict, reason)
        for pk, matter, verdict, reason in Decision.objects.filter(submission__hit__study=study).values_list(
            "submission", "matter", "verdict", "reason"
        )
    }
    checks = _check_answers(study)
    rows = (
        Submission.objects.filter(hit__study=study)
        .order_by("hit__slot", ratings.by_code_point("worker__pseudonym"), "pk")
        .values_list(
            "pk",
            "worker__pseudonym",
            "hit__slot",
            "hit__market_id",
            "hit__cell",
            "submitted_at",
            "raw_format",
            collecting_counts.SECONDS_WORKED,
        )
    )
    assignment_rows = []
    for pk, rater, slot, market_id, cell, at, written, seconds in rows:
        withdrawn = written == Submission.WITHDRAWN
        answered, failed = (None, None) if imported or withdrawn else checks.get(pk, (0, 0))
        payment = decided.get((pk, Decision.Matter.PAYMENT), ("", ""))[0]
        verdict, reason = decided.get((pk, Decision.Matter.ANALYSIS), ("", ""))
        included = verdict != Decision.Verdict.EXCLUDE
        assignment_rows.append(
            AssignmentRow(
                id=ids[pk],
                rater=rater,
                hit=market_id if imported else f"HIT {slot + 1}",
                condition=names[cell],
                submitted_at=at.replace(microsecond=0) if at and timed else None,
                seconds=None if seconds is None else round(seconds),
                payment={"approve": "approved", "reject": "rejected"}.get(payment, ""),
                kept=included,
                reason="" if included else reason,
                flags=tuple(flags.get(pk, ())),
                # Of an imported study the file states them.
                reward_cents=None if imported else study_cells[cell].reward_cents or None,
                currency="" if imported or not study_cells[cell].reward_cents else study.currency,
                withdrawn=withdrawn,
                checks=answered,
                checks_failed=failed,
            )
        )
    return tuple(assignment_rows)


def _check_answers(study: Study) -> dict[int, tuple[int, int]]:
    """Attention checks that were answered, and how many of them failed, by submission."""
    answers = CheckAnswer.objects.filter(submission__hit__study=study).order_by().values_list("submission")
    counted = answers.annotate(n=Count("pk"), failed=Count("pk", filter=Q(passed=False)))
    return {pk: (number, failed) for pk, number, failed in counted}


def comments(study: Study) -> tuple[CommentRow, ...]:
    """What raters wrote about the texts that count."""
    left_out = Exists(ratings.exclusions().filter(submission=OuterRef("presentation__submission")))
    rows = (
        Remark.objects.filter(presentation__submission__hit__study=study, presentation__role=ItemRole.ITEM)
        .annotate(left_out=left_out)
        .order_by(
            *map(
                ratings.by_code_point,
                ("presentation__text__key", "presentation__submission__worker__pseudonym", "question"),
            )
        )
        .values_list(
            "presentation__text__key", "presentation__submission__worker__pseudonym", "question", "body", "left_out"
        )
    )
    return tuple(
        CommentRow(text, rater, question, body, not excluded) for text, rater, question, body, excluded in rows
    )


def pages(study: Study) -> tuple[PageFacts, ...]:
    """The page of the first HIT of each training, as it was published."""
    firsts: dict[str, Hit] = {}
    if find_kind(study.task) is None:  # its page cannot be shown without the package
        return ()
    for hit in study.hits.select_related("cell__arm", "study", "wording").exclude(wording=None).order_by("slot"):
        firsts.setdefault(hit.cell.arm.training, hit)
    return tuple(
        PageFacts(f"page-{training}", _title(training), page_of(hit, wording_of(hit), shuffle=False))
        for training, hit in firsts.items()
    )


def _title(training: str) -> str:
    return "The task" if training == NO_TRAINING else f"The task, with {training} before it"


def statements(study: Study) -> dict[str, str]:
    """What people stated, by key."""
    return dict(study.statements.order_by(ratings.by_code_point("key")).values_list("key", "body"))


def plan(
    study: Study,
    statements: Mapping[str, str],
    preregistered: Planned | None,
    sealed: SealedPlanFacts | None = None,
) -> PlanFacts | None:
    """Return what was planned before the data: as logged at publication, else as far as it was stated."""
    deviations = statements.get("deviations")
    stated = preregistered.plan["stated"] if preregistered else statements
    noted = (deviations,) if deviations else ()
    facts = PlanFacts(
        sentences=(stated["plan"],) if "plan" in stated else (),
        registered_at=preregistered.at if preregistered else None,
        registered_where=stated.get("registered"),
        sha256=preregistered.sha256 if preregistered else None,
        deviations=(*noted, *differences(study, preregistered.plan)) if preregistered else noted or None,
        power=stated.get("power") or (power_sentence(preregistered.plan["settings"]) if preregistered else None),
        margin_points=preregistered.plan["settings"].get("margin_points") if preregistered else None,
        text=preregistered.text if preregistered else None,
        comparison=compared_in(preregistered.plan["settings"]) if preregistered else None,
        sealed=sealed,
    )
    return None if facts == PlanFacts() else facts


def compared_in(settings: Mapping[str, Any]) -> ComparisonPlan | None:
    """What was declared of the main comparison; None where nothing was, as in plans of earlier releases."""
    names = ("criterion", "first", "second", "margin", "family", "raters")
    declared = {name: settings.get(f"compare_{name}") for name in names}
    facts = ComparisonPlan(**{name: value for name, value in declared.items() if value is not None})
    return None if facts == ComparisonPlan() else facts


def plan_warnings(statements: Mapping[str, str], preregistered: Planned | None) -> list[Warn]:
    """What was stated of the plan after the study was published."""
    late = [key for key in STATED if preregistered and statements.get(key) != preregistered.plan["stated"].get(key)]
    if not late:
        return []
    words = " and ".join(str(Statement.Key(key).label) for key in late)
    sentence = f"Stated or changed after publication: {words}. The report shows the state at publication."
    return [Warn("plan_changed", sentence)]


@dataclass(frozen=True, slots=True)
class Words:
    """What the latest wording says: instructions and question as shown, how consent was asked, what a text is called.

    None: nothing.
    """

    instructions: str | None = None
    consent: str | None = None
    question: str | None = None
    noun: str | None = None
    answers: tuple[tuple[str, str], ...] = ()


def words(study: Study) -> Words:
    """Of the latest wording that a HIT holds, or of the one that a HIT would be given; nothing where there is none."""
    stored = study.wordings.filter(hits__isnull=False).last() or study.wordings.last()
    if stored is None:
        return Words()
    wording, contexts = from_json(stored.body), _contexts(study)
    consent = "Asked on the first page of every task, before anything else." if wording.consent else None
    shown = "\n".join(wording.fill_nouns(line, context=True in contexts) for line in wording.intro)
    questions = dict.fromkeys(
        wording.fill_nouns(criterion.question, context=context)
        for criterion in wording.criteria
        for context in contexts
    )
    answers = tuple((criterion, answer.value) for criterion, answer in answers_of(wording).items())
    return Words(shown or None, consent, " / ".join(questions), wording.noun, answers)


def _contexts(study: Study) -> tuple[bool, ...]:
    """Whether texts are judged with a context, without one, or some so and some so."""
    with_context = ~Q(context=None) & ~Q(context__body="")
    texts = study.texts.judged()
    counts = texts.aggregate(with_context=Count("pk", filter=with_context), without=Count("pk", filter=~with_context))
    return tuple(
        context for context, count in ((True, counts["with_context"]), (False, counts["without"])) if count
    ) or (False,)


def extras(study: Study) -> ExtrasFacts | None:
    """Count what submitted tasks held besides the texts; None where there are none, or of an import."""
    hits = study.hits.filter(Exists(Submission.objects.filter(hit=OuterRef("pk"))))
    if study.mode == Study.Mode.IMPORTED or not hits.exists():
        return None
    shown = HitItem.objects.filter(hit__in=hits)
    return ExtrasFacts(
        attention_checks=_spread(hits, AttentionCheck.objects.filter(hit__in=hits)),
        repeats=_spread(hits, shown.filter(role=ItemRole.REPEAT)),
        gold=_spread(hits, shown.filter(role=ItemRole.GOLD)),
    )


def _spread(hits: QuerySet[Hit], rows: QuerySet[Any]) -> tuple[int, int]:
    """The fewest and the most of the rows in a HIT."""
    by_hit = dict(rows.order_by().values_list("hit").annotate(n=Count("pk")))
    per_hit = [by_hit.get(pk, 0) for pk in hits.values_list("pk", flat=True)]
    return min(per_hit), max(per_hit)


def commit() -> str | None:
    """The revision of the platform: by the setting, else by the repository, else None."""
    if settings.ASSAY_COMMIT:
        return str(settings.ASSAY_COMMIT)
    head = settings.ROOT / ".git" / "HEAD"
    if not head.is_file():
        return None
    ref = head.read_text(encoding="utf-8").strip()
    named = settings.ROOT / ".git" / ref.removeprefix("ref: ")
    if not ref.startswith("ref: "):
        return ref
    return named.read_text(encoding="utf-8").strip() if named.is_file() else None


def codebook(study: Study, purpose: CodebookName = "comments") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The latest codebook of a purpose; () before there is one."""
    held = _codebook(study, purpose)
    return tuple((str(name), tuple(map(str, codes))) for name, codes in held.categories) if held else ()


def _codebook(study: Study, purpose: str) -> Codebook | None:
    return Codebook.objects.filter(study=study, purpose=purpose).order_by("number").last()


def codes(study: Study) -> tuple[CodeRow, ...]:
    """What coders made of the comments by the latest codebooks; coders by number in the order in which they began."""
    held: dict[int, CodebookName] = {
        book.pk: name for name in get_args(CodebookName) if (book := _codebook(study, name)) is not None
    }
    rows = Coding.objects.filter(codebook__in=held).order_by("at", "pk")
    coders: dict[int, str] = {}
    code_rows = []
    for row in rows.select_related("remark__presentation__text", "remark__presentation__submission__worker"):
        seen, who = row.remark.presentation, coders.setdefault(row.coder_id, f"coder {len(coders) + 1}")
        name = "adjudicated" if row.adjudicated else who
        key = (seen.text.key, seen.submission.worker.pseudonym, row.remark.question)
        code_rows.append(CodeRow(*key, name, tuple(row.codes), held[row.codebook_id]))
    return tuple(code_rows)


def text_row(text: Text) -> TextRow:
    """A text as a report takes it."""
    return TextRow(
        id=text.key,
        source="reference" if text.source == Text.Source.REFERENCE else "model",
        generator=text.generator.name if text.generator else None,
        body=text.body,
        context_id=text.context.key if text.context else None,
        context=(text.context.body or None) if text.context else None,
        corpus_count=text.corpus_count,
        corpus_name=text.corpus_name,
    )


def generation(texts: Sequence[Text]) -> tuple[str, ...]:
    """The settings that all these texts were made by; what differs from text to text is only named."""
    settings_of_texts = [text.generation for text in texts if text.generation]
    if not settings_of_texts:
        return ()
    names = sorted({name for text_settings in settings_of_texts for name in text_settings})
    same = {
        name: settings_of_texts[0].get(name)
        for name in names
        if all(text_settings.get(name) == settings_of_texts[0].get(name) for text_settings in settings_of_texts)
    }
    lines = [f"{name} = {str(value)[:200]}" for name, value in same.items() if value not in (None, "")]
    differ = [name for name in names if name not in same]
    return (*lines, *((f"different from text to text: {', '.join(differ)}",) if differ else ()))


def unscored(study: Study, texts: Sequence[Text]) -> tuple[GeneratorFacts, ...]:
    """What is known of generators that HUSE is not asked of."""
    return tuple(
        GeneratorFacts(
            name=generator.name,
            items=(),
            decoding=generator.decoding or None,
            generation=generation([text for text in texts if text.generator_id == generator.pk]),
        )
        for generator in study.generators.order_by("pk")
        if any(text.generator_id == generator.pk for text in texts)
    )


def attached(study: Study) -> tuple[Attached, ...]:
    """The files of numbers that the study keeps, in the order in which they came."""
    return tuple(
        Attached(
            cast(AttachedKind, score_file.kind),
            score_file.name,
            score_file.sha256,
            json.loads(score_file.document),
            score_file.model,
            score_file.version,
            score_file.actor,
            score_file.attached_at,
        )
        for score_file in study.score_files.order_by("pk")
    )
