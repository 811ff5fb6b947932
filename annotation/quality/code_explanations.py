"""Code explanations by two people independently; where they differ, a third coding settles it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Codebook, Coding, Flag, Remark, Study
from annotation.quality.codebooks import DEFAULTS, Categories, book_of
from annotation.quality.filters import JUDGED_BY_HAND
from metrics.evaluators.comment_codes import NULL

CODERS = 2


def edit_codebook(study: Study, purpose: str, categories: Categories, *, actor: User, now: datetime) -> Codebook:
    """A new version of a codebook. What was coded by an earlier one stays with it."""
    if purpose not in DEFAULTS:
        raise StateError(f"A codebook is for {' or '.join(DEFAULTS)}.")
    book_of(categories)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = study.codebooks.filter(purpose=purpose).aggregate(last=Max("number"))["last"] or 0
        stored_categories = [[str(name), list(codes)] for name, codes in categories]  # type: ignore[call-overload]
        book = Codebook.objects.create(
            study=study, purpose=purpose, number=last + 1, categories=stored_categories, made_at=now
        )
        facts = {"purpose": purpose, "version": book.number}
        AuditEvent.objects.record(study, "edit_codebook", actor=actor.get_username(), now=now, **facts)
        return book


def code(remark: Remark, book: Codebook, codes: Sequence[str], *, coder: User, now: datetime) -> Coding:
    """One person's codes for one explanation (`null` alone: none fits). At most two people code one."""
    _check(remark, book, codes)
    with transaction.atomic():
        Remark.objects.select_for_update().get(pk=remark.pk)
        others = Coding.objects.filter(remark=remark, codebook=book, adjudicated=False).exclude(coder=coder)
        if others.count() >= CODERS:
            raise StateError("Two people have coded this explanation already.")
        coding, _ = Coding.objects.update_or_create(
            remark=remark, codebook=book, coder=coder, adjudicated=False, defaults={"codes": list(codes), "at": now}
        )
        _flag(remark, book, now=now)
        return coding


def adjudicate(remark: Remark, book: Codebook, codes: Sequence[str], *, actor: User, now: datetime) -> Coding:
    """Settle the codes where two coders differ; it may be done again."""
    _check(remark, book, codes)
    with transaction.atomic():
        Remark.objects.select_for_update().get(pk=remark.pk)
        if Coding.objects.filter(remark=remark, codebook=book, adjudicated=False).count() < CODERS:
            raise StateError("There is nothing to settle before two people have coded the explanation.")
        coding, _ = Coding.objects.update_or_create(
            remark=remark, codebook=book, adjudicated=True, defaults={"codes": list(codes), "coder": actor, "at": now}
        )
        _flag(remark, book, now=now)
        return coding


def _check(remark: Remark, book: Codebook, codes: Sequence[str]) -> None:
    if remark.presentation.submission.hit.study_id != book.study_id:
        raise StateError("The explanation belongs to another study.")
    known = {*book_of(book.categories).codes, NULL}
    if unknown := [code for code in codes if code not in known]:
        raise StateError(f"“{unknown[0]}” is not in the codebook.").at("codes")
    if not codes or len(set(codes)) < len(codes) or (NULL in codes and len(codes) > 1):
        raise StateError(f"An explanation has at least one code, each once, or {NULL} alone.").at("codes")


def _flag(remark: Remark, book: Codebook, *, now: datetime) -> None:
    """Raise the flags of the criteria that two people agree on (or that were settled); lower those that fell."""
    if book.purpose != Codebook.Purpose.CRITERIA:
        return
    submission = remark.presentation.submission
    criteria: set[str] = set()
    for explanation in Remark.objects.filter(presentation__submission=submission):
        criteria |= _settled(explanation)
    Flag.objects.filter(submission=submission, kind__in=[*JUDGED_BY_HAND]).exclude(kind__in=criteria).delete()
    for kind in criteria & set(JUDGED_BY_HAND):
        sentence = JUDGED_BY_HAND[kind].split(": ", 1)[1]
        Flag.objects.get_or_create(
            submission=submission, kind=kind, defaults={"sentence": sentence.capitalize(), "raised_at": now}
        )


def _settled(remark: Remark) -> set[str]:
    """The criteria that hold, by the latest version of the codebook by which two people have coded the explanation: the
    adjudicated ones, else those that both coders gave."""
    codings = Coding.objects.filter(remark=remark, codebook__purpose=Codebook.Purpose.CRITERIA)
    for version in sorted(set(codings.values_list("codebook__number", flat=True)), reverse=True):
        rows = list(codings.filter(codebook__number=version))
        if word := next((row for row in rows if row.adjudicated), None):
            return set(word.codes)
        if len(rows) == CODERS:
            return set(rows[0].codes) & set(rows[1].codes)
    return set()
