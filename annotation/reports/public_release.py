"""Public releases: who does not share, what to look at before, and writing the bundle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import Coalesce

from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.models import (
    AuditEvent,
    Release,
    Remark,
    SharingAnswer,
    SharingObjection,
    Study,
    StudyWording,
    Text,
    Worker,
)
from annotation.reports import report_rows
from annotation.reports.loaded_report import loaded_report
from annotation.reports.take_snapshot import look_at_results, take
from metrics.errors import BadInput
from metrics.report.release.bundle import Bundle, write_bundle
from metrics.report.release.look import Combination, FlaggedComment, flag_comments, rare_combinations
from metrics.report.release.public import CommentKey, ReleaseChoices, make_public, raters_of

REASON = "public release"


@dataclass(frozen=True, slots=True)
class ReleaseWish:
    """What a person decided of a release. comments: (text, rater, question) of those that they read and release."""

    licence: str
    consent: str
    comments: frozenset[CommentKey] = frozenset()


@dataclass(frozen=True, slots=True)
class ReleaseLook:
    """What to look at before a release: comments with what flags them, and what few raters have in common.

    withheld: raters who did not agree to share. refused: those of them who were asked on the task page.
    """

    comments: tuple[FlaggedComment, ...]
    rare: tuple[Combination, ...]
    raters: int
    withheld: int
    refused: int


def set_objections(study: Study, names: Iterable[str], *, actor: str, now: datetime) -> int:
    """Store who did not agree to share, in place of who was stored before; how many.

    names: pseudonyms or worker IDs. Raises StateError for one that is of nobody in the study; then nothing changes.
    """
    objecting = sorted({name.strip() for name in names if name.strip()})
    mine = Worker.objects.filter(submissions__hit__study=study)
    workers = list(
        mine.filter(Q(pseudonym__in=objecting) | Q(identity__external_id__in=objecting))
        .select_related("identity")
        .distinct()
    )
    known = {worker.pseudonym for worker in workers} | {
        worker.identity.external_id for worker in workers if hasattr(worker, "identity")
    }
    strange = [name for name in objecting if name not in known]
    if strange:
        place = 1 + objecting.index(strange[0])
        raise StateError(
            f"{len(strange)} names are of no rater of {study.name}, such as number {place} of the sorted list. "
            "Use pseudonyms or worker IDs. Nothing was changed."
        ).at("withheld")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        SharingObjection.objects.filter(study=study).exclude(worker__in=workers).delete()
        SharingObjection.objects.bulk_create(
            (SharingObjection(study=study, worker=worker, actor=actor, at=now) for worker in workers),
            ignore_conflicts=True,
        )
        AuditEvent.objects.record(study, "set_objections", actor=actor, now=now, raters=len(workers))
    return len(workers)


def look_before_release(study: Study, *, actor: str, now: datetime) -> ReleaseLook:
    """What a person must see before they release. A first look at results is logged, with a snapshot.

    Ratings are not read: whoever rated has an assignment.
    """
    look_at_results(study, actor=actor, reason="before a public release", now=now)
    if loaded := loaded_report(study):
        assignments, comments, everybody = loaded.assignments, loaded.comments, raters_of(loaded)
        judged = {text.id: f"{text.body} {text.context or ''}" for text in loaded.texts}
    else:
        assignments, comments = report_rows.assignments(study), report_rows.comments(study)
        everybody = frozenset(row.rater for row in assignments) | frozenset(row.rater for row in comments)
        judged = _judged_words(study)
    if not everybody:
        raise StateError(f"{study.name} has no submission, so there is nothing to release.")
    withheld = _withheld(study, everybody)
    shared = [item for item in flag_comments(comments, judged) if item.comment.rater not in withheld]
    rare = rare_combinations(assignments)
    refused = withheld & _refusing(study)
    return ReleaseLook(tuple(shared), rare, len(everybody - withheld), len(withheld), len(refused))


def _judged_words(study: Study) -> dict[str, str]:
    """The words of each text with a comment, and of its context, by the text's ID."""
    commented = Remark.objects.filter(presentation__submission__hit__study=study).values("presentation__text")
    rows = Text.objects.filter(study=study, pk__in=commented).values_list("key", "body", "context__body")
    return {key: f"{body} {context or ''}" for key, body, context in rows}


def _withheld(study: Study, raters: frozenset[str]) -> frozenset[str]:
    """Of the raters those on the stored list, and those who were asked and did not agree."""
    listed = frozenset(SharingObjection.objects.filter(study=study).values_list("worker__pseudonym", flat=True))
    return (listed | _refusing(study)) & raters


def _refusing(study: Study) -> frozenset[str]:
    """Pseudonyms of who was asked on the task page and did not agree in their latest submission that asked."""
    answers = SharingAnswer.objects.filter(submission__hit__study=study).order_by(
        Coalesce("submission__submitted_at", "submission__received_at"), "submission"
    )
    latest = dict(answers.values_list("submission__worker__pseudonym", "agreed"))
    return frozenset(name for name, agreed in latest.items() if not agreed)


def consent_of_task_page(study: Study) -> str:
    """How the task page asked for consent to share, in a sentence for the release; "" where nobody was asked."""
    versions = StudyWording.objects.filter(sharing_answers__submission__hit__study=study).order_by("version").distinct()
    wordings = [from_json(version.body) for version in versions]
    questions = dict.fromkeys(wording.fill_nouns(wording.sharing) for wording in wordings)
    if not questions:
        return ""
    quoted = "; ".join(f"“{question}”" for question in questions)
    return f"Each rater was asked on the task page, by a box to tick: {quoted}"


def release(study: Study, wish: ReleaseWish, folder: Path, *, actor: str, now: datetime) -> tuple[Release, Bundle]:
    """Write a release into a new folder and record it. Raises StateError; then neither is there."""
    snapshot = take(study, actor=actor, reason=REASON, now=now)
    withheld = _withheld(study, raters_of(snapshot.report_input))
    choices = ReleaseChoices(wish.licence.strip(), wish.consent.strip(), withheld, wish.comments)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        number = 1 + (Release.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0)
        try:
            public = make_public(snapshot, choices, number=number, now=now)
            bundle = write_bundle(public, snapshot, choices, folder)
        except BadInput as error:
            raise StateError(str(error)).at(error.column or "") from None
        row = Release.objects.create(
            study=study,
            number=number,
            created_at=now,
            actor=actor,
            licence=choices.licence,
            consent=choices.consent,
            content_sha256=snapshot.header.content_sha256,
            sha256=bundle.sha256,
            raters=public.raters,
            withheld=public.withheld,
            comments=public.comments,
        )
        facts = {"release": number, "raters": public.raters, "withheld": public.withheld, "sha256": bundle.sha256}
        AuditEvent.objects.record(study, "release", actor=actor, now=now, **facts)
    return row, bundle


def comment_keys(rows: Sequence[Sequence[str]]) -> frozenset[CommentKey]:
    """Comments by (text, rater, question). Raises StateError for a row of another length."""
    if any(len(row) != 3 for row in rows):
        raise StateError("A comment is named by its text, its rater and its question.").at("comments")
    return frozenset((row[0], row[1], row[2]) for row in rows)
