"""A database with rows in it goes back to its first migrations and forward again, and keeps its rows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from annotation.flows.create import Plan, create
from annotation.models import AuditEvent, Study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.timeout(900)]

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
