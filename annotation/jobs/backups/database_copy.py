"""Copies of the whole database, made while it runs: by SQLite's own backup, or by pg_dump from one snapshot."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.apps import apps
from django.db import connection, connections, transaction
from django.db.migrations.loader import MigrationLoader

from annotation.jobs.backups.archive import BackupError

# Django fills these when it creates the tables.
FILLED_BY_DJANGO = {"django_migrations", "django_content_type", "auth_permission"}
PROOF = "_proof_"


def copy_database(target: Path) -> dict[str, int]:
    """Write a copy of the database to `target`; the number of rows of each table in it."""
    return _copy_postgresql(target) if connection.vendor == "postgresql" else _copy_sqlite(target)


def rows_of(url: str, tables: Sequence[str]) -> dict[str, int]:
    """The number of rows of each of these tables, in the database of a URL that `scratch_database` or the settings
    gave."""
    if url.startswith("sqlite:///"):
        return _count_file(Path(url.removeprefix("sqlite:///")), tables)
    settings = {**_settings(), "NAME": url.rpartition("/")[2]}
    query = "; ".join(f'SELECT count(*) FROM "{table}"' for table in tables)  # noqa: S608 - tables of ours
    counts = _run(["psql", "--tuples-only", "--no-align", "--command", query], settings).split()
    return dict(zip(tables, map(int, counts), strict=True))


def applied_migrations() -> list[str]:
    """The migrations of this version that the configured database has, as `app.name`."""
    loader = MigrationLoader(connection)
    return sorted(".".join(key) for key in set(loader.applied_migrations or ()) & set(loader.disk_migrations))


def known_migrations() -> set[str]:
    """The migrations of this version, as `app.name`."""
    return {".".join(key) for key in MigrationLoader(None).disk_migrations}


def database_name() -> str:
    """The file of the configured database, or its name on its server."""
    return str(connection.settings_dict["NAME"])


def is_absent() -> bool:
    """Whether the configured database is a file that does not exist; to connect would make it."""
    is_path = connection.vendor == "sqlite" and not database_name().startswith("file:")
    return is_path and not Path(database_name()).exists()


def has_tables() -> bool:
    """Whether the configured database exists and has tables of this project."""
    return not is_absent() and bool(set(connection.introspection.table_names()) & set(_tables()))


def rows_in_use() -> int:
    """Rows of the configured database that an empty installation would not have."""
    existing = set(connection.introspection.table_names())
    total = 0
    with connection.cursor() as cursor:
        for table in sorted(existing & set(_tables()) - FILLED_BY_DJANGO):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table of ours
            total += cursor.fetchone()[0]
    return total


def replace_database(copy: Path) -> None:
    """Put the copy in the place of the configured database, in one step."""
    connections.close_all()
    if connection.vendor == "postgresql":
        _load_postgresql(copy, _settings())
        return
    database = Path(str(connection.settings_dict["NAME"]))
    database.parent.mkdir(parents=True, exist_ok=True)
    for left in (f"{database}-wal", f"{database}-shm"):
        Path(left).unlink(missing_ok=True)
    # It may lie on another disk than the copy.
    unfinished = database.with_name(f"{database.name}.unfinished")
    shutil.move(copy, unfinished)
    unfinished.replace(database)


@contextmanager
def scratch_database(copy: Path, folder: Path) -> Iterator[str]:
    """A database of its own with the content of `copy`, for a proof; deleted afterwards. Yields its URL."""
    if connection.vendor != "postgresql":
        database = folder / f"proof-{secrets.token_hex(4)}.sqlite3"
        database.write_bytes(copy.read_bytes())
        yield f"sqlite:///{database}"
        return
    settings = _settings()
    name = f"{settings['NAME']}{PROOF}{secrets.token_hex(4)}"
    _run(["createdb", name], settings, database=False)
    try:
        _load_postgresql(copy, {**settings, "NAME": name})
        yield _url({**settings, "NAME": name})
    finally:
        _run(["dropdb", "--if-exists", name], settings, database=False)


def database_url() -> str:
    """The URL of the configured database."""
    settings = _settings()
    return _url(settings) if connection.vendor == "postgresql" else f"sqlite:///{settings['NAME']}"


def _copy_sqlite(target: Path) -> dict[str, int]:
    source = str(connection.settings_dict["NAME"])
    try:
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(target)) as copy:
            database.backup(copy)
        return _count_file(target, _tables())
    except sqlite3.Error as error:
        raise BackupError(f"{source} cannot be copied to {target.parent}: {error}.") from None


def _count_file(file: Path, tables: Sequence[str]) -> dict[str, int]:
    with closing(sqlite3.connect(file)) as database:
        names = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        count = 'SELECT count(*) FROM "{}"'
        return {table: database.execute(count.format(table)).fetchone()[0] for table in tables if table in names}


def _copy_postgresql(target: Path) -> dict[str, int]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
        counts = {}
        for table in sorted(set(_tables()) & set(connection.introspection.table_names(cursor))):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table of ours
            counts[table] = cursor.fetchone()[0]
        _run(["pg_dump", "--format=custom", "--no-owner", f"--snapshot={snapshot}", f"--file={target}"], _settings())
    return counts


def _load_postgresql(copy: Path, settings: Mapping[str, Any]) -> None:
    command = ["pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error"]
    _run([*command, f"--dbname={settings['NAME']}", str(copy)], settings, database=False)


def _tables() -> list[str]:
    """The tables of all installed models, also those between two models."""
    return sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})


def _settings() -> dict[str, Any]:
    return dict(connection.settings_dict)


def _url(settings: Mapping[str, Any]) -> str:
    user, password = quote(str(settings["USER"] or ""), safe=""), quote(str(settings["PASSWORD"] or ""), safe="")
    account = f"{user}:{password}@" if password else f"{user}@" if user else ""
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    return f"postgres://{account}{settings['HOST'] or ''}{port}/{settings['NAME']}"


def _run(command: Sequence[str], settings: Mapping[str, Any], *, database: bool = True) -> str:
    """Run a program of PostgreSQL with the configured server; its password is not among its arguments."""
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    names |= {"PGDATABASE": "NAME"} if database else {}
    environment = {**os.environ, **{name: str(settings[key]) for name, key in names.items() if settings[key]}}
    try:
        done = subprocess.run(list(command), env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise BackupError(
            f"The program {command[0]} is not installed. Install the client programs of PostgreSQL."
        ) from None
    if done.returncode:
        raise BackupError(f"{command[0]} failed: {' '.join(done.stderr.split())}")
    return done.stdout
