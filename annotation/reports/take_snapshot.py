"""Take a snapshot of a study: what a report is computed from, read in one transaction and stored with who looked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Max

from annotation.exceptions import StateError
from annotation.models import Snapshot, SnapshotContent, Study
from annotation.reports.gather import score
from annotation.studies.unblind import is_first_look, look, unblind
from metrics.errors import MetricsError
from metrics.report import snapshot as documents
from metrics.report.records import ReportInput, Truth
from metrics.report.row_records import Attached
from metrics.report.sections.registry import of_other_packages

T = TypeVar("T")
TRIES = 5
SERIALIZATION_FAILURE = "40001"


def take(
    study: Study,
    *,
    actor: str,
    reason: str,
    now: datetime,
    command: str | None = None,
    attached: Sequence[Attached] = (),
    truths: Mapping[str, Truth] | None = None,
) -> documents.Snapshot:
    """Unblind the results, store a snapshot and return it; data that did not change are stored once.

    truths, command, attached: as in `annotation.reports.gather.score`. Raises as it does; then nothing is stored, and
    the results stay blinded.
    """

    def read() -> documents.Snapshot:
        with _same_moment():
            Study.objects.select_for_update().get(pk=study.pk)
            look(study, actor=actor, now=now)
            report_input = score(study, truths=truths, command=command, attached=attached)
            content = documents.content_of(report_input)
            header = documents.Header(
                study=study.name,
                number=1 + (study.snapshots.aggregate(last=Max("number"))["last"] or 0),
                created_at=now.astimezone(UTC).replace(microsecond=0),
                actor=actor,
                reason=reason,
                content_sha256=documents.sha256_of(content),
                sections=tuple(kind.key for kind in of_other_packages() if kind.gather(report_input) is not None),
                versions=report_input.versions,
                commit=report_input.commit,
                command=command,
            )
            result = documents.Snapshot(header, content)
            _store(study, result)
        return result

    return _again_where_others_wrote(read)


def take_for_comparison(study: Study, *, actor: str, now: datetime, command: str) -> ReportInput:
    """A snapshot's data, under the name that the study has here: one that was loaded keeps another in its bytes."""
    report_input = take(study, actor=actor, reason="comparison of studies", now=now, command=command).report_input
    return replace(report_input, study=replace(report_input.study, name=study.name))


def open_results(
    study: Study,
    *,
    actor: str,
    now: datetime,
    before_reading: Callable[[], None] = lambda: None,
    on_store: Callable[[bool], None] = lambda first: None,
) -> bool:
    """Unblind the results, with a snapshot of what is shown; False where that was logged before.

    All answers are read, which takes as long as reading them for a report.

    Args:
        before_reading: called before answers are read, outside the transaction.
        on_store: called with what is returned, in the transaction that stores it. Where it raises, nothing is stored,
            and the results stay blinded.
    """

    def open_once() -> bool:
        before_reading()
        with _same_moment():
            warning = look_at_results(study, actor=actor, reason="unblinded", now=now)
            first = bool(warning) or unblind(study, actor=actor, now=now)
            on_store(first)
        return first

    return _again_where_others_wrote(open_once)


def look_at_results(study: Study, *, actor: str, reason: str, now: datetime, confirmed: bool = True) -> str:
    """Show results from now on, with a snapshot of what is shown; return a warning where they were blinded, else "".

    Where results were shown before, or nothing is submitted, nothing is stored: the page or file that follows takes a
    snapshot of its own. Of data that no report can be made of, the look alone is logged. Raises as
    `annotation.studies.unblind.look`.
    """
    if not is_first_look(study):
        return ""

    def show() -> str:
        with _same_moment():
            warning = look(study, actor=actor, now=now, confirmed=confirmed)
            try:
                with transaction.atomic():
                    take(study, actor=actor, reason=reason, now=now)
            except (MetricsError, StateError):
                pass  # no report can be made of the data, but decisions are no longer blind
        return warning

    return _again_where_others_wrote(show)


def _store(study: Study, snapshot: documents.Snapshot) -> None:
    header, content = snapshot.header, snapshot.content
    stored = SnapshotContent.objects.filter(study=study, sha256=header.content_sha256).first()
    if stored is None:
        stored = SnapshotContent.objects.create(
            study=study, sha256=header.content_sha256, compressed=zlib.compress(content, level=1)
        )
    Snapshot.objects.create(
        study=study,
        number=header.number,
        created_at=header.created_at,
        actor=header.actor,
        reason=header.reason,
        header=documents.header_bytes(header).decode(),
        header_sha256=header.sha256,
        content_sha256=header.content_sha256,
        content=stored,
    )


def stored_snapshot(study: Study, number: int) -> documents.Snapshot:
    """A snapshot as it was taken. Raises StateError where there is none, or where a withdrawal deleted its content."""
    row = study.snapshots.select_related("content").filter(number=number).first()
    if row is None:
        raise StateError(f"The study {study.name} has no snapshot {number}.")
    if row.content is None:
        raise StateError(
            f"The content of snapshot {number} was deleted, because answers in it were withdrawn. Create a new report."
        )
    return documents.Snapshot(documents.read_header(row.header.encode()), row.content.bytes)


def take_after_withdrawal(study: Study, *, actor: str, now: datetime) -> documents.Snapshot | None:
    """A new snapshot in place of those whose content a withdrawal deleted.

    None where nobody had looked, or where too little is left for a report.
    """
    if not study.snapshots.filter(content=None).exists():
        return None
    try:
        return take(study, actor=actor, reason="withdrawal of answers", now=now)
    except (MetricsError, StateError):
        return None


@contextmanager
def _same_moment() -> Iterator[None]:
    """A transaction in which all reads see the same moment. Within another transaction, that one's isolation holds."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _again_where_others_wrote(read: Callable[[], T]) -> T:
    """Read again where PostgreSQL says that another transaction changed the study meanwhile, as its manual asks."""
    for _ in range(TRIES - 1):
        try:
            return read()
        except OperationalError as error:
            if connection.in_atomic_block or getattr(error.__cause__, "sqlstate", "") != SERIALIZATION_FAILURE:
                raise
    return read()
