"""Writing checked records as rows, many at a time. Tools of the verbs; each runs in the caller's transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Count

from annotation.accounts.models import User
from annotation.common import bulk_insert
from annotation.exceptions import DesignError, StateError
from annotation.models import (
    Arm,
    Cell,
    Decision,
    Flag,
    Generator,
    Hit,
    HitItem,
    ItemRole,
    Judgment,
    Membership,
    Parse,
    Participation,
    Presentation,
    Remark,
    Role,
    Scale,
    ScaleLabel,
    Study,
    Submission,
    Worker,
)
from annotation.readers.records import (
    CollectedWork,
    ConditionRecord,
    JudgmentRecord,
    Provenance,
    ScaleRecord,
    SubmissionRecord,
)

SHORT = 6


def stored_scale(record: ScaleRecord, *, study_name: str) -> Scale:
    """The scale of that name, made if new. Raises DesignError where one of that name has other labels."""
    name = record.name or f"scale of {study_name}"
    pairs = {(label.label, label.code) for label in record.labels}
    scale = Scale.objects.ensure(name, [(label.label, label.code, label.gloss) for label in record.labels])
    if set(scale.labels.values_list("label", "code")) != pairs:
        raise DesignError(f"A scale named {name!r} exists already and has other labels; give this one another name.")
    return scale


def check_study(study: Study) -> Study:
    """Return the unsaved study after checking its name. Raises StateError or DesignError."""
    if Study.objects.filter(name=study.name).exists():
        raise StateError(f"A study named {study.name!r} exists already; nothing was imported. Choose another name.")
    try:
        study.clean_fields(exclude=["scale"])
    except ValidationError as error:
        field, sentences = next(iter(error.message_dict.items()))
        raise DesignError(f"The study's {field} {getattr(study, field)!r} is invalid: {' '.join(sentences)}") from None
    return study


def add_owner(study: Study, owner: User | None) -> None:
    """Add the owner of the study, where there is one."""
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Role.OWNER)


def stored_hits(study: Study, work: CollectedWork, texts: Mapping[str, int]) -> dict[str, Hit]:
    """Write the study's cells, their HITs and the places of their texts (keys of rows by id); HIT by its id, "" for one
    without."""
    cells = _stored_cells(study, work.conditions or (ConditionRecord(""),))
    hits = Hit.objects.bulk_create(
        Hit(
            study=study,
            cell=cells[record.condition],
            slot=slot,
            max_assignments=record.max_assignments,
            market_id=record.id or None,
        )
        for slot, record in enumerate(work.hits)
    )
    by_id = {hit.market_id or "": hit for hit in hits}
    bulk_insert.insert(
        HitItem,
        ("hit", "text", "partner", "position", "role"),
        (
            (
                by_id[record.id].pk,
                texts[key],
                None if partner is None else texts[partner],
                position,
                ItemRole.ITEM.value,
            )
            for record in work.hits
            for position, (key, partner) in enumerate(zip_longest(record.texts, record.partners))
        ),
    )
    return by_id


def _stored_cells(study: Study, conditions: Sequence[ConditionRecord]) -> dict[str, Cell]:
    """By the condition's name. An arm pays what its first condition pays, where that is not the study's reward."""
    arms: dict[str, Arm] = {}
    cells: dict[str, Cell] = {}
    for condition in conditions:
        if condition.training not in arms:
            reward_cents = condition.reward_cents if condition.reward_cents != study.reward_cents else None
            arms[condition.training] = Arm.objects.create(
                study=study, training=condition.training, reward_cents=reward_cents
            )
        generator = (
            Generator.objects.get_or_create(study=study, name=condition.generator)[0] if condition.generator else None
        )
        cells[condition.name] = Cell.objects.create(
            arm=arms[condition.training], domain=condition.domain, generator=generator
        )
    return cells


class StoredSubmission(NamedTuple):
    """What is needed of a stored row by those that refer to it."""

    pk: int
    hit_id: int
    worker_id: int
    accepted_at: datetime | None
    submitted_at: datetime | None


SUBMITTED = (
    "id",
    "hit",
    "worker",
    "market_id",
    "raw",
    "raw_format",
    "accepted_at",
    "submitted_at",
    "work_seconds",
    "received_at",
)


def stored_submissions(
    records: Sequence[SubmissionRecord],
    hits: Mapping[str, Hit],
    workers: Mapping[str, Worker],
    *,
    raw_format: str,
    now: datetime,
) -> list[StoredSubmission]:
    """Write the submissions as they came, in the order of the file; a worker's real id is not among what is stored."""
    rows = [
        StoredSubmission(key, hits[record.hit].pk, workers[record.worker].pk, record.accepted_at, record.submitted_at)
        for key, record in zip(bulk_insert.new_keys(Submission, len(records)), records, strict=True)
    ]
    received_at = _moment(now)
    bulk_insert.insert(
        Submission,
        SUBMITTED,
        (
            (
                row.pk,
                row.hit_id,
                row.worker_id,
                record.assignment,
                raw_document(record, workers[record.worker].pseudonym),
                raw_format,
                _moment(record.accepted_at),
                _moment(record.submitted_at),
                record.work_seconds,
                received_at,
            )
            for row, record in zip(rows, records, strict=True)
        ),
    )
    return rows


def _moment(at: datetime | None) -> str | None:
    """As the database stores it."""
    return None if at is None else str(connection.ops.adapt_datetimefield_value(at))


def raw_document(record: SubmissionRecord, pseudonym: str) -> str:
    """Return the row as JSON, with the pseudonym in place of the worker's id.

    An id of fewer than SHORT characters stays: it may be an ordinary word or number.
    """
    if len(record.worker) < SHORT:
        return json.dumps(dict(record.raw))
    worker = re.compile(rf"(?<!\w){re.escape(record.worker)}(?!\w)")
    return json.dumps(
        {name: worker.sub(pseudonym, cell) if record.worker in cell else cell for name, cell in record.raw}
    )


PRESENTED = ("id", "submission", "text", "partner", "position", "role", "sides_changed")
PARSED = ("submission", "parsed_at", "problem")
JUDGED = ("presentation", "criterion", "label", "text")


def store_judgments(
    records: Sequence[SubmissionRecord],
    submissions: Sequence[StoredSubmission],
    texts: Mapping[str, int],
    labels: Mapping[str, Mapping[str, int]],
    *,
    now: datetime,
) -> int:
    """Parse the stored submissions into presentations, judgments and remarks; returns how many judgments.

    texts: keys of rows by id. labels: as `labels_by_criterion` gives them.
    """
    shown = [(row.pk, place) for row, record in zip(submissions, records, strict=True) for place in _places_of(record)]
    keys = dict(zip(shown, bulk_insert.new_keys(Presentation, len(shown)), strict=True))
    bulk_insert.insert(
        Presentation,
        PRESENTED,
        (
            (key, row, texts[text], None if partner is None else texts[partner], position, ItemRole.ITEM.value, turned)
            for (row, (position, text, partner, turned)), key in keys.items()
        ),
    )
    judged: list[bulk_insert.Row] = [
        (
            keys[row.pk, _place_of(judgment)],
            judgment.criterion,
            (labels.get(judgment.criterion) or labels[""])[judgment.label],
            texts[judgment.text],
        )
        for row, record in zip(submissions, records, strict=True)
        for judgment in record.judgments
    ]
    bulk_insert.insert(Judgment, JUDGED, judged)
    _store_remarks(records, submissions, keys)
    parsed_at = _moment(now)
    bulk_insert.insert(Parse, PARSED, ((submission.pk, parsed_at, "") for submission in submissions))
    return len(judged)


def _store_remarks(
    records: Sequence[SubmissionRecord], submissions: Sequence[StoredSubmission], keys: Mapping[tuple[int, Place], int]
) -> None:
    if any(record.remarks for record in records):
        by_text = {(row, text): key for (row, (_, text, *_)), key in keys.items()}
        Remark.objects.bulk_create(
            Remark(presentation_id=by_text[row.pk, remark.text], question=remark.question, body=remark.body)
            for row, record in zip(submissions, records, strict=True)
            for remark in record.remarks
        )


# Position, text, the other text of a pair, and whether that one stood on the left.
Place = tuple[int, str, str | None, bool | None]


def _place_of(judgment: JudgmentRecord) -> Place:
    turned = False if judgment.partner is None else judgment.turned
    return judgment.position, judgment.text, judgment.partner, turned


def _places_of(record: SubmissionRecord) -> list[Place]:
    """Return the place of each text; texts with remarks and no judgment come after the others."""
    places = list(dict.fromkeys(_place_of(judgment) for judgment in record.judgments))
    judged = {text for _, text, *_ in places}
    free = 1 + max((position for position, *_ in places), default=-1)
    others = dict.fromkeys(remark.text for remark in record.remarks if remark.text not in judged)
    return [*places, *((free + at, text, None, False) for at, text in enumerate(others))]


def labels_by_criterion(study: Study, work: CollectedWork) -> dict[str, dict[str, int]]:
    """Keys of labels by name, by criterion; "" for every criterion that is answered on the study's scale."""
    scales = {
        criterion: stored_scale(scale, study_name=f"{study.name}: {criterion}"[:100])
        for criterion, scale in work.scales.items()
    }
    return {
        criterion: dict(ScaleLabel.objects.filter(scale=scale).values_list("label", "pk"))
        for criterion, scale in {**scales, "": study.scale}.items()
    }


def store_flags(records: Sequence[SubmissionRecord], submissions: Sequence[StoredSubmission], *, now: datetime) -> None:
    """Store the quality flags of the file."""
    Flag.objects.bulk_create(
        Flag(submission_id=row.pk, kind=kind, sentence=sentence, raised_at=now)
        for row, record in zip(submissions, records, strict=True)
        for kind, sentence in record.flags
    )


def store_decisions(
    records: Sequence[SubmissionRecord], submissions: Sequence[StoredSubmission], *, now: datetime
) -> int:
    """Store the decisions of the file on payment and on the analysis; return how many were rejected."""
    decided = [(row, record) for row, record in zip(submissions, records, strict=True) if record.payment]
    Decision.objects.bulk_create(
        Decision(
            submission_id=row.pk,
            matter=Decision.Matter.PAYMENT,
            verdict=record.payment or "",
            reason=record.feedback or ("Rejected in the imported file." if record.payment == "reject" else ""),
            at=now,
        )
        for row, record in decided
    )
    Decision.objects.bulk_create(
        Decision(
            submission_id=row.pk,
            matter=Decision.Matter.ANALYSIS,
            verdict=Decision.Verdict.EXCLUDE,
            reason=record.left_out[:1024],
            at=now,
        )
        for row, record in zip(submissions, records, strict=True)
        if record.left_out
    )
    return sum(record.payment == "reject" for _, record in decided)


Since = dict[int, tuple[datetime, int]]  # by worker: when they began, and in which arm


def note_arms(since: Since, submissions: Sequence[StoredSubmission], arms: Mapping[int, int], *, now: datetime) -> None:
    """Add to `since` each worker's arm at their first submission. arms: by HIT."""
    for row in submissions:
        first = (row.accepted_at or row.submitted_at or now, arms[row.hit_id])
        since[row.worker_id] = min(first, since.get(row.worker_id, first))


def store_participations(study: Study, since: Since) -> None:
    """Note each worker's arm, since their first submission."""
    Participation.objects.bulk_create(
        Participation(study=study, worker_id=worker, arm_id=arm, since=at) for worker, (at, arm) in since.items()
    )


def provenance_details(origin: Provenance) -> dict[str, str | int]:
    """Return what the audit log stores of a file."""
    return {"file": origin.file, "sha256": origin.sha256, "rows": origin.rows, "layout": origin.layout}


def count_work(study: Study) -> None:
    """Bring the running sums of the study's HITs to what its rows say."""
    if connection.vendor == "postgresql":
        # Within the transaction that filled them, plans would be made for empty tables and take minutes.
        with connection.cursor() as cursor:
            for model in (Hit, Submission, Presentation, Judgment):
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
    submissions = Submission.objects.filter(hit__study=study).order_by().values_list("hit")
    judgments = Judgment.objects.filter(presentation__submission__hit__study=study).order_by()
    for pk, number in submissions.annotate(n=Count("pk")):
        Hit.objects.filter(pk=pk).update(collected=number)
    for pk, number in judgments.values_list("presentation__submission__hit").annotate(n=Count("pk")):
        Hit.objects.filter(pk=pk).update(judged=number)
