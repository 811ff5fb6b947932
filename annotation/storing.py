"""Writing checked records as rows, many at a time. Tools of the verbs; each runs in the caller's transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Count

from annotation.accounts.models import User
from annotation.datasets.records import CollectedWork, Provenance, ScaleRecord, SubmissionRecord
from annotation.exceptions import DesignError, StateError
from annotation.models import (
    Arm,
    Cell,
    Decision,
    Hit,
    HitItem,
    Judgment,
    Membership,
    Parse,
    Participation,
    Presentation,
    Role,
    Scale,
    ScaleLabel,
    Statement,
    Study,
    Submission,
    Text,
    Worker,
)

SHORT = 6


def stored_scale(record: ScaleRecord, *, study_name: str) -> Scale:
    """The scale of that name, made if new. Raises DesignError where one of that name has other labels."""
    name = record.name or f"scale of {study_name}"
    wanted = {(one.label, one.code) for one in record.labels}
    scale = Scale.objects.ensure(name, [(one.label, one.code, one.gloss) for one in record.labels])
    if set(scale.labels.values_list("label", "code")) != wanted:
        raise DesignError(f"A scale named {name!r} exists already and has other labels; give this one another name.")
    return scale


def checked(study: Study) -> Study:
    """The unsaved study, its name found free and well formed. Raises StateError or DesignError."""
    if Study.objects.filter(name=study.name).exists():
        raise StateError(f"A study named {study.name!r} exists already; nothing was imported. Choose another name.")
    try:
        study.clean_fields(exclude=["scale"])
    except ValidationError as error:
        field, sentences = next(iter(error.message_dict.items()))
        raise DesignError(f"The study's {field} {getattr(study, field)!r} is refused: {' '.join(sentences)}") from None
    return study


def store_statements(study: Study, stated: Iterable[tuple[str, str]]) -> None:
    """What people had said of the study, one sentence or two a key. Raises DesignError."""
    for key, body in dict(stated).items():
        if key not in Statement.Key.values or not 0 < len(body) <= Statement.LONGEST:
            raise DesignError(f"The statement {key!r} is none that a report holds, or is longer than it may be.")
        Statement.objects.create(study=study, key=key, body=body)


def enrol_owner(study: Study, owner: User | None) -> None:
    """Give the study its owner, where somebody is named."""
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Role.OWNER)


def stored_hits(study: Study, work: CollectedWork, texts: dict[str, Text]) -> dict[str, Hit]:
    """Write the HITs of the study's only cell and the places of their texts; HIT by its id, "" for one without."""
    cell = Cell.objects.create(arm=Arm.objects.create(study=study))
    hits = Hit.objects.bulk_create(
        Hit(study=study, cell=cell, slot=slot, max_assignments=record.max_assignments, market_id=record.id or None)
        for slot, record in enumerate(work.hits)
    )
    by_id = {hit.market_id or "": hit for hit in hits}
    HitItem.objects.bulk_create(
        HitItem(hit=by_id[record.id], text=texts[key], position=position)
        for record in work.hits
        for position, key in enumerate(record.texts)
    )
    return by_id


def stored_submissions(
    work: CollectedWork, hits: dict[str, Hit], workers: dict[str, Worker], *, now: datetime
) -> list[Submission]:
    """Write the submissions as they came, in the order of the file; a worker's real id is not among what is stored."""
    return Submission.objects.bulk_create(
        Submission(
            hit=hits[record.hit],
            worker=workers[record.worker],
            market_id=record.assignment,
            raw=raw_document(record, workers[record.worker].pseudonym),
            raw_format=work.raw_format,
            accepted_at=record.accepted_at,
            submitted_at=record.submitted_at,
            work_seconds=record.work_seconds,
            received_at=now,
        )
        for record in work.submissions
    )


def raw_document(record: SubmissionRecord, pseudonym: str) -> str:
    """The row as JSON; wherever a cell names the worker's id, the pseudonym stands instead.

    An id of fewer than SHORT characters is left alone: it cannot be told from an ordinary word or number.
    """
    if len(record.worker) < SHORT:
        return json.dumps(dict(record.raw))
    worker = re.compile(rf"(?<!\w){re.escape(record.worker)}(?!\w)")
    return json.dumps({name: worker.sub(pseudonym, cell) for name, cell in record.raw})


def store_judgments(
    study: Study, work: CollectedWork, submissions: Sequence[Submission], texts: dict[str, Text], *, now: datetime
) -> int:
    """Parse the stored submissions into presentations and judgments; returns how many judgments."""
    labels = {one.label: one for one in ScaleLabel.objects.filter(scale=study.scale)}
    told = [
        (submission, judgment)
        for submission, record in zip(submissions, work.submissions, strict=True)
        for judgment in record.judgments
    ]
    presentations = Presentation.objects.bulk_create(
        Presentation(submission=submission, text=texts[judgment.text], position=judgment.position)
        for submission, judgment in told
    )
    Judgment.objects.bulk_create(
        Judgment(presentation=presentation, label=labels[judgment.label], text_id=presentation.text_id)
        for presentation, (_, judgment) in zip(presentations, told, strict=True)
    )
    Parse.objects.bulk_create(Parse(submission=submission, parsed_at=now) for submission in submissions)
    return len(told)


def store_decisions(work: CollectedWork, submissions: Sequence[Submission], *, now: datetime) -> int:
    """Write the decisions the file tells, on payment and on the analysis; returns how many were refused payment."""
    told = [(row, record) for row, record in zip(submissions, work.submissions, strict=True) if record.payment]
    Decision.objects.bulk_create(
        Decision(
            submission=row,
            matter=Decision.Matter.PAYMENT,
            verdict=record.payment or "",
            reason=record.feedback or ("Rejected in the imported file." if record.payment == "reject" else ""),
            at=now,
        )
        for row, record in told
    )
    Decision.objects.bulk_create(
        Decision(
            submission=row,
            matter=Decision.Matter.ANALYSIS,
            verdict=Decision.Verdict.EXCLUDE,
            reason=record.left_out[:1024],
            at=now,
        )
        for row, record in zip(submissions, work.submissions, strict=True)
        if record.left_out
    )
    return sum(record.payment == "reject" for _, record in told)


def store_participations(study: Study, submissions: Sequence[Submission], *, now: datetime) -> None:
    """Note each worker's arm, since their first submission."""
    arm = Arm.objects.get(study=study)
    since: dict[int, datetime] = {}
    for row in submissions:
        at = row.accepted_at or row.submitted_at or now
        since[row.worker_id] = min(at, since.get(row.worker_id, at))
    Participation.objects.bulk_create(
        Participation(study=study, worker_id=worker, arm=arm, since=at) for worker, at in since.items()
    )


def told_file(origin: Provenance) -> dict[str, str | int]:
    """A file as the audit tells it."""
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
