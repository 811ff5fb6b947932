"""Write the plan of a study, seal it (the first answer does), and amend it with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, PaperAnswers, SealedPlan, Study, Submission
from annotation.studies.plan_document import (
    KEYS,
    MAX_LETTERS,
    answers_in,
    answers_of,
    canonical,
    digest_of,
    document_of,
    read_document,
)
from annotation.studies.rows import require_rows

FIRST_ANSWER = "first answer"


def sealed_plans(study: Study) -> list[SealedPlan]:
    """The plan and its amendments, in their order."""
    return list(SealedPlan.objects.filter(study=study).order_by("number"))


def save_answers(study: Study, answers: Mapping[str, str], *, actor: str, now: datetime) -> None:
    """Store what people answered about the plan. Raises StateError once it is sealed: then it is amended."""
    require_rows(study)
    clean = check_answers(answers)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if SealedPlan.objects.filter(study=study).exists():
            raise StateError("The plan is sealed. Store what has changed as an amendment, with its reason.")
        stored = {**answers_of(study), **clean}
        PaperAnswers.objects.update_or_create(
            study=study,
            paper=PaperAnswers.Paper.PLAN,
            language="en",
            defaults={"answers": {key: text for key, text in stored.items() if text}},
        )
        AuditEvent.objects.record(study, "plan_answers", actor=actor, now=now, keys=sorted(clean))


def check_answers(answers: Mapping[str, str]) -> dict[str, str]:
    """The answers without outer spaces. Raises StateError for an unknown key, and for one that is too long."""
    for key, text in answers.items():
        if key not in KEYS:
            raise StateError(f"The plan has no item called {key}; there are {', '.join(KEYS)}.")
        if len(text) > MAX_LETTERS:
            raise StateError(f"An answer has at most {MAX_LETTERS} characters; this one has {len(text)}.").at(key)
    return {key: text.strip().replace("\r\n", "\n") for key, text in answers.items()}


def seal_plan(study: Study, *, actor: str, now: datetime, reason: str = "") -> SealedPlan:
    """Seal the plan as it is now. Raises StateError where it is sealed already."""
    require_rows(study)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if SealedPlan.objects.filter(study=study).exists():
            raise StateError("The plan is sealed already.")
        return _store(study, answers_of(study), actor=actor, now=now, reason=reason)


def seal_before_first_answer(study: Study, *, now: datetime) -> None:
    """Seal the plan where answers are about to be stored and nobody has done so. The caller holds the study's lock."""
    if not SealedPlan.objects.filter(study=study).exists():
        _store(study, answers_of(study), actor="collect", now=now, reason=FIRST_ANSWER)


def amend_plan(study: Study, answers: Mapping[str, str], *, reason: str, actor: str, now: datetime) -> SealedPlan:
    """Store an amendment of a sealed plan: what the answers are from now on, why, and how many answers were in.

    Raises StateError without a reason, where nothing changes, and where the plan is not sealed.
    """
    clean, why = check_answers(answers), reason.strip()
    if not why:
        raise StateError("Enter why the plan changes.").at("reason")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = SealedPlan.objects.filter(study=study).order_by("-number").first()
        if last is None:
            raise StateError("The plan is not sealed yet. Change it without an amendment.")
        before = answers_in(last)
        after = {key: text for key, text in {**before, **clean}.items() if text}
        if after == before and canonical(_facts(document_of(study, after))) == canonical(_facts(read_document(last))):
            raise StateError("Nothing differs from the sealed plan.")
        return _store(study, after, actor=actor, now=now, reason=why, number=last.number + 1)


def _store(
    study: Study, answers: Mapping[str, str], *, actor: str, now: datetime, reason: str, number: int = 1
) -> SealedPlan:
    text = canonical(document_of(study, answers))
    row = SealedPlan.objects.create(
        study=study,
        number=number,
        at=now,
        actor=actor,
        reason=reason,
        submissions=Submission.objects.filter(hit__study=study).count(),
        document=text,
        sha256=digest_of(text),
    )
    facts = {"plan_number": number, "sha256": row.sha256, "submissions": row.submissions, "reason": reason}
    AuditEvent.objects.record(study, "seal_plan" if number == 1 else "amend_plan", actor=actor, now=now, **facts)
    return row


def _facts(document: Mapping[str, object]) -> dict[str, object]:
    """What a plan says, without how many answers were in."""
    return {name: value for name, value in document.items() if name != "submissions"}
