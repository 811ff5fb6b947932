"""The database of a test run: migrated once, copied for each process, emptied of what a test committed."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import django
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

# Written when the database is migrated, and the same ever after.
LASTING = {"django_content_type", "auth_permission"}


@functools.cache
def version_of_migrations() -> str:
    """Another whenever a migration of an installed application, or Django itself, is another."""
    modules = {type(migration).__module__ for migration in MigrationLoader(None).disk_migrations.values()}
    return version_of(Path(str(sys.modules[name].__file__)) for name in modules)


def version_of(files: Iterable[Path]) -> str:
    """Twelve digits that change with the name or the content of any of `files`."""
    written = sorted((file.parent.parent.name, file.name, file.read_bytes()) for file in files)
    return hashlib.sha256(repr((django.VERSION, written)).encode()).hexdigest()[:12]


class Copies(Protocol):
    """Whole databases as one thing, which each kind of database names and copies in its own way."""

    def exists(self, name: str) -> bool: ...

    def copy(self, name: str, to: str) -> None: ...

    def rename(self, name: str, to: str) -> None: ...

    def drop(self, name: str) -> None: ...

    def drop_like(self, beginning: str) -> None: ...


class Files:
    """Databases of SQLite, which nobody has open."""

    def exists(self, name: str) -> bool:
        """Whether there is one."""
        return Path(name).exists()

    def copy(self, name: str, to: str) -> None:
        """In place of what a killed run left there."""
        self.drop(to)
        shutil.copyfile(name, to)

    def rename(self, name: str, to: str) -> None:
        """All at once."""
        Path(name).replace(to)

    def drop(self, name: str) -> None:
        """Delete it, if it is there."""
        for left in (name, f"{name}-wal", f"{name}-shm"):
            Path(left).unlink(missing_ok=True)

    def drop_like(self, beginning: str) -> None:
        """Delete those whose names begin so."""
        for file in Path(beginning).parent.glob(f"{Path(beginning).name}*"):
            file.unlink()


class Databases:
    """Databases of a PostgreSQL server."""

    def _does(self, statement: str, *names: str, given: tuple[str, ...] = ()) -> list[tuple[str]]:
        quoted = [connection.ops.quote_name(name) for name in names]
        with connection._nodb_cursor() as cursor:
            cursor.execute(statement.format(*quoted), given or None)
            return cursor.fetchall() if cursor.description else []

    def exists(self, name: str) -> bool:
        """Whether there is one."""
        return bool(self._does("SELECT datname FROM pg_database WHERE datname = %s", given=(name,)))

    def copy(self, name: str, to: str) -> None:
        """In place of what a killed run left there."""
        self.drop(to)
        self._does("CREATE DATABASE {} TEMPLATE {}", to, name)

    def rename(self, name: str, to: str) -> None:
        """All at once."""
        self._does("ALTER DATABASE {} RENAME TO {}", name, to)

    def drop(self, name: str) -> None:
        """Delete it, if it is there, though a session that was closed a moment ago may not have ended yet."""
        self._does("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def drop_like(self, beginning: str) -> None:
        """Delete those whose names begin so."""
        for (name,) in self._does("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", given=(beginning,)):
            self.drop(name)


@contextmanager
def own_copy() -> Iterator[None]:
    """The connection stands on a fresh copy of the migrated database, which is dropped afterwards.

    Migrating takes a process twenty seconds, a copy less than one.
    """
    before, own = connection.settings_dict["NAME"], connection.creation._get_test_db_name()
    copies: Copies = Files() if connection.vendor == "sqlite" else Databases()
    with _one_at_a_time():
        if not copies.exists(_template(before)):
            _migrate(copies, before)
        copies.copy(_template(before), own)
    _stand_on(own)
    yield
    _stand_on(before)
    copies.drop(own)


def lay(file: Path) -> None:
    """Put a migrated SQLite database at `file`, for a program with a database of its own."""
    if connection.vendor == "sqlite":
        Files().copy(_template(""), str(file))
    else:
        told = {**os.environ, "DATABASE_URL": f"sqlite:///{file}"}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=settings.ROOT, env=told, check=True)


def _template(database: str, version: str = "") -> str:
    """The name of what is copied, which stays for the next run: `database` in the version of the migrations."""
    beginning = str(settings.VAR / "test-migrated-") if connection.vendor == "sqlite" else f"test_{database}_migrated_"
    return beginning + (version or version_of_migrations())


def _migrate(copies: Copies, database: str) -> None:
    """Make what is copied, in place of that of other migrations. Half made, it has another name."""
    unfinished, test = _template(database, "unfinished"), connection.settings_dict["TEST"]
    copies.drop_like(unfinished.removesuffix("unfinished"))
    own, test["NAME"] = test["NAME"], unfinished
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    test["NAME"] = own
    _stand_on(database)
    copies.rename(unfinished, _template(database))


def _stand_on(database: str) -> None:
    connection.close()
    settings.DATABASES[connection.alias]["NAME"] = connection.settings_dict["NAME"] = database


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """The processes of a run do not migrate side by side: the others wait for the first and copy."""
    settings.VAR.mkdir(parents=True, exist_ok=True)
    with (settings.VAR / "test-migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def first_alone(done: Path) -> Iterator[None]:
    """Who comes first does it alone and leaves `done`; those who come meanwhile wait, and then do it side by side."""
    done.parent.mkdir(parents=True, exist_ok=True)
    with done.with_suffix(".lock").open("w") as lock:
        if not done.exists():
            fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield
        done.touch()


def empty() -> None:
    """Delete what a test committed, from the tables that have rows.

    Django's own flush truncates every table and writes the content types anew, which takes PostgreSQL seconds.
    """
    quote = connection.ops.quote_name
    tables = set(connection.introspection.django_table_names()) - LASTING
    asked = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in tables)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(asked)
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {quote(table)}")
