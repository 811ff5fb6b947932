"""A database with rows in it goes back to its first migrations and forward again, and keeps its rows and its shape.

A new database is built in one step for each application (`0001_squashed_...`); one that is older takes the steps that
it replaces, so both ways are walked and must end in the same tables.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F

from annotation.models import AuditEvent, Parse, Presentation, Study, Worker, WorkerIdentity
from annotation.studies.create import Plan, create
from tests.annotation.review.factories import make

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.long,
    pytest.mark.timeout(900),
]

OURS = ("accounts", "annotation", "marketplace")


def migrate(*targets: tuple[str, str]) -> None:
    """Step by step, as a database goes that is older than the one step."""
    executor = MigrationExecutor(connection)
    executor.loader.replace_migrations = False
    executor.loader.build_graph()
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


def test_every_later_migration_can_be_taken_back_and_applied_again() -> None:
    study = create("upgraded", mode="rehearsal", plan=Plan(), actor="ada", now=datetime(2026, 11, 20, tzinfo=UTC))
    in_one_step = shape()
    try:
        migrate(*((app, "0001_initial") for app in OURS))
    finally:
        migrate()
    assert Study.objects.get().uuid == study.uuid
    assert len(in_one_step["triggers"]) == 2
    step_by_step = shape()
    assert {table: at for table, at in step_by_step.items() if in_one_step.get(table) != at} == {}
    assert step_by_step.keys() == in_one_step.keys()
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


def test_workers_of_an_earlier_version_keep_their_pseudonyms_and_are_known_again() -> None:
    make(workers=2, hits=1, texts=1)
    before = {one.external_id: one.worker for one in WorkerIdentity.objects.select_related("worker")}
    try:
        migrate(("annotation", "0028_lifted_by"))
    finally:
        migrate()
    assert len(before) == 2
    assert len(set(WorkerIdentity.objects.values_list("look_up", flat=True)) - {""}) == 2
    WorkerIdentity.objects.update(external_id=F("look_up"))  # found by the hash alone
    assert Worker.objects.known_all("test", before) == before
