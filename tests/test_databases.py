"""The tests' own database: every migration is in the copy, and nothing of one test is left to the next."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.accounts.models import User
from annotation.models import AuditEvent, Study
from annotation.studies.create import Plan, create
from tests.databases import empty, first_alone, version_of


@pytest.mark.database
def test_the_copy_lacks_no_migration(db: None) -> None:
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


@pytest.mark.database
def test_what_a_test_committed_is_deleted_and_what_migrating_wrote_stays(transactional_db: None) -> None:
    User.objects.create_user("ada", password="a long password 1")
    create("headlines", mode="rehearsal", plan=Plan(), actor="ada", now=datetime(2026, 11, 20, tzinfo=UTC))
    assert Study.objects.exists()
    assert AuditEvent.objects.exists()
    types = ContentType.objects.count()
    empty()
    full = {model._meta.label for model in apps.get_models(include_auto_created=True) if model.objects.exists()}
    assert full == {"auth.Permission", "contenttypes.ContentType"}
    assert ContentType.objects.count() == types


def test_another_migration_is_another_version(tmp_path: Path) -> None:
    one, two = tmp_path / "0001_initial.py", tmp_path / "0002_more.py"
    one.write_text("operations = []")
    before = version_of([one])
    two.write_text("operations = []")
    with_another = version_of([one, two])
    two.write_text("operations = [1]")
    assert len({before, with_another, version_of([one, two])}) == 3
    assert version_of([two, one]) == version_of([one, two])


def test_the_first_of_several_is_alone_and_the_others_wait_for_it(tmp_path: Path) -> None:
    inside, beside, together = threading.Semaphore(0), [], threading.Barrier(2)

    def act(number: int) -> None:
        with first_alone(tmp_path / "var" / "done"):
            if not (tmp_path / "var" / "done").exists():
                inside.release()
                beside.append(inside.acquire(timeout=0.2) and inside.acquire(timeout=0.2))
            else:
                together.wait(timeout=30)

    with ThreadPoolExecutor(3) as three:
        list(three.map(act, range(3)))
    assert beside == [False]


def test_a_run_of_the_database_tests_alone_reads_every_module_that_has_one(request: pytest.FixtureRequest) -> None:
    marked = {item.path for item in request.session.items if item.get_closest_marker("database")}
    assert Path(__file__) in marked
    assert not [path for path in marked if "mark.database" not in path.read_text(encoding="utf-8")]
