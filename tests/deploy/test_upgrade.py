"""A database with rows in it goes forward to the newest migrations, keeps its rows and ends in the shape of a new one.

Each application has one first migration, made before the first release and never edited afterwards. From the first
release on, a test for each later migration begins with the database of that release.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from annotation.models import AuditEvent, Study
from annotation.studies.create import Plan, create

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.long, pytest.mark.timeout(900)]

OURS = ("accounts", "annotation", "marketplace")


@pytest.fixture
def study() -> Study:
    return create("upgraded", mode="rehearsal", plan=Plan(), actor="ada", now=datetime(2026, 11, 20, tzinfo=UTC))


def migrate(*targets: tuple[str, str]) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets) or [node for node in executor.loader.graph.leaf_nodes() if node[0] in OURS])


def shape() -> dict[str, object]:
    """Columns, constraints and indexes of each of our tables, and the triggers, without the order they were made in."""
    shapes: dict[str, object] = {"triggers": triggers()}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(OURS):
                columns = connection.introspection.get_table_description(cursor, table)
                constraints = connection.introspection.get_constraints(cursor, table)
                shapes[table] = (
                    sorted((c.name, c.type_code, c.null_ok, c.default, c.display_size) for c in columns),
                    sorted(repr((known(name), sorted(of.items(), key=str))) for name, of in constraints.items()),
                )
    return shapes


def known(name: str) -> str:
    """Without the numbers that SQLite gives to constraints which have no name."""
    return re.sub(r"^(__unnamed_constraint_|fk_)\d+", r"\1", name)


def triggers() -> list[tuple[str, ...]]:
    asked = (
        "SELECT tgname::text, tgrelid::regclass::text, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
        "WHERE NOT tgisinternal"
        if connection.vendor == "postgresql"
        else "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return sorted(cursor.fetchall())


# On SQLite a database of an earlier commit goes forward, in test_upgrade_running_study.
@pytest.mark.skipif(connection.vendor != "postgresql", reason="asked of PostgreSQL, in the run on PostgreSQL")
def test_later_migrations_lead_to_the_tables_of_a_new_database_and_keep_the_rows(study: Study) -> None:
    before, rows = shape(), AuditEvent.objects.count()
    try:
        migrate(*((app, "0001_initial") for app in OURS))
    finally:
        migrate()
    assert shape() == before
    assert AuditEvent.objects.count() == rows > 0
    assert Study.objects.get().uuid == study.uuid


def test_submissions_and_both_logs_are_protected_by_triggers(study: Study) -> None:
    tables = {table.removeprefix("annotation_").removeprefix("marketplace_") for _, table, _ in triggers()}
    assert tables == {"auditevent", "submission", "batchevent", "sealedplan", "paperanswers"}
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        AuditEvent.objects.update(actor="eve")


def test_a_database_in_the_middle_of_the_earlier_migrations_is_refused_in_a_sentence() -> None:
    recorder = MigrationRecorder(connection)
    earlier = ["0002_immutable_rows", "0028_lifted_by"]
    for name in earlier:
        recorder.record_applied("annotation", name)
    try:
        with pytest.raises(CommandError, match="earlier version of Assay"):
            call_command("migrate", verbosity=0)
        recorder.record_applied("annotation", "0030_job_lay_out")
        call_command("migrate", verbosity=0)
    finally:
        for name in (*earlier, "0030_job_lay_out"):
            recorder.record_unapplied("annotation", name)
