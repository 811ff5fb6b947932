"""A database with rows in it goes back to its first migrations and forward again, and keeps its rows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from annotation.flows.create import Plan, create
from annotation.models import AuditEvent, Parse, Presentation, Study
from tests.annotation.review.world import make

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.long,
    pytest.mark.timeout(900),
]

OURS = ("accounts", "annotation", "marketplace")


def migrate(*targets: tuple[str, str]) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets) or [node for node in executor.loader.graph.leaf_nodes() if node[0] in OURS])


def test_every_later_migration_can_be_taken_back_and_applied_again() -> None:
    study = create("upgraded", mode="rehearsal", plan=Plan(), actor="ada", now=datetime(2026, 11, 20, tzinfo=UTC))
    try:
        migrate(*((app, "0001_initial") for app in OURS))
    finally:
        migrate()
    assert Study.objects.get().uuid == study.uuid
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        AuditEvent.objects.update(actor="eve")


def test_the_time_of_work_that_was_read_before_is_summed_where_every_text_was_timed() -> None:
    make(workers=1, hits=2, texts=3)
    Presentation.objects.filter(submission__hit__slot=1, position=0).update(active_ms=None)
    try:
        migrate(("annotation", "0020_judging_more"))
    finally:
        migrate()
    assert list(Parse.objects.order_by("submission__hit__slot").values_list("active_ms", flat=True)) == [27_000, None]
