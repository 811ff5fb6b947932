"""The embedded default needs no preparation: an empty SQLite database gets its tables at the first command."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import NoReturn

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command, execute_from_command_line, get_commands
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

import annotation
from annotation.accounts.database_errors import sentence_of
from annotation.jobs.missing_columns import missing_columns, sentence_on

# These meet a database before it has its tables, or those of this version.
PREPARE_THEMSELVES = {"backup", "restore", "doctor"}


def run(argv: Sequence[str]) -> None:
    """Carry out a command. A disk that is full, a database that is locked, read-only or away end it with a sentence
    and code 2 (with --traceback as they come)."""
    try:
        execute_from_command_line(prepare(argv))
    except (DatabaseError, InterfaceError, OSError) as error:
        sentence = sentence_of(error)
        if not sentence or "--traceback" in argv:
            raise
        _refuse(sentence)


def prepare(argv: Sequence[str]) -> list[str]:
    """Create the tables of an empty SQLite database before a command of Assay. Returns the arguments to run.

    Any other database with missing migrations is not changed: exits with code 2 and a sentence, as for an odd setting.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without a letter shows its number; nothing fails for it
            stream.reconfigure(errors="backslashreplace")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        _refuse(str(error))
    name = argv[1] if len(argv) > 1 else ""
    if not str(get_commands().get(name, "")).startswith(annotation.__name__) or {"-h", "--help"} & set(argv):
        return list(argv)
    if name not in PREPARE_THEMSELVES:
        _create_tables()
    # Django's checks load every page first: two seconds for each command. `migrate` and `check` make them, and tests.
    return [*argv[:2], "--skip-checks", *argv[2:]]


def _create_tables() -> None:
    try:
        executor = MigrationExecutor(connection)
    except OperationalError as error:
        _refuse(sentence_of(error) or f"The database cannot be reached: {str(error).strip()}")
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing and connection.vendor == "sqlite" and not executor.loader.applied_migrations:
        sys.stderr.write("Creating the tables of a new database; this can take a minute.\n")
        sys.stderr.flush()
        call_command("migrate", verbosity=0)
    elif missing:
        _refuse(f"{len(missing)} migrations are missing in the database. Run `manage.py migrate` first.")
    if sentence := sentence_on(missing_columns()):
        _refuse(sentence)


def _refuse(sentence: str) -> NoReturn:
    sys.stderr.write(f"{sentence}\n")
    raise SystemExit(2)
