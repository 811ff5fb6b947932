"""Make an empty machine an installation: harmless when run again, or killed at any moment."""

from __future__ import annotations

import io
import json
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import django
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.utils import timezone

from deploy.settings.environment import installation_file, read_file, read_installation

PATIENCE_SECONDS = 60.0
# The requester account under which studies of this installation are published on its own marketplace.
REQUESTER = "lab"
SECRETS = ("SECRET_KEY", "PSEUDONYM_KEY", "METRICS_TOKEN")
# Those that a backup needs.
KEYS = SECRETS[:2]


class InstallationError(Exception):
    """A first start that cannot go on, with a sentence on what to do."""


def make_keys(choices: Mapping[str, str], *, secrets_of: Path | None = None) -> bool:
    """Write the installation's file with its secrets and the operator's choices; False where it is there already.

    secrets_of: the file of another installation, whose secrets its backup needs. The file appears whole or not at
    all, and only this user may read it. Raises InstallationError where an existing file has other choices.
    """
    path = installation_file()
    if path.exists():
        _refuse_other_choices(path, choices)
        if secrets_of:
            _refuse_other_secrets(path, secrets_of)
        return False
    values = _known(secrets_of) if secrets_of else {name: secrets.token_hex(32) for name in SECRETS}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _write(path, {"DJANGO_SETTINGS_MODULE": "deploy.settings.production", **values, **choices})
    try:
        os.link(unfinished, path)  # of two that start at the same moment, both go on with the secrets of one
    except FileExistsError:
        return False
    finally:
        unfinished.unlink()
    return True


def store_database_password(target: Path) -> None:
    """The database's password in a file of its own, which the image of PostgreSQL reads as another user."""
    unfinished = _private(target, read_file(installation_file())["DATABASE_PASSWORD"])
    unfinished.chmod(0o644)
    unfinished.replace(target)


def prepare(*, backup: Path | None, say: Callable[[str], object]) -> None:
    """Tables, static files, the requester account and the first owner's link of an installation that has its file.

    backup: restored first, where the database is empty. Raises InstallationError.
    """
    read_installation(always=True)
    django.setup()
    # Models can be imported from here on.
    from annotation.accounts.links import first_owner_link
    from annotation.jobs.backups.database_copy import rows_in_use
    from annotation.jobs.missing_columns import missing_columns, sentence_on

    _wait_for_database()
    if backup and rows_in_use():
        say(f"{backup} was not restored: the database is in use already.")
    elif backup:
        try:
            call_command("restore", str(backup), prove=True)
        except CommandError as error:
            raise InstallationError(str(error)) from None
    call_command("migrate", verbosity=0)
    if sentence := sentence_on(missing_columns()):
        raise InstallationError(sentence)
    call_command("collectstatic", interactive=False, verbosity=0)
    _make_requester()
    if link := first_owner_link(now=timezone.now()):
        say(f"The console has no owner yet. To become the owner, open this link, which works once:\n  {link}")


def _known(path: Path) -> dict[str, str]:
    """The values of another installation's file."""
    try:
        values = read_file(path)
    except OSError as error:
        raise InstallationError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        values = {}
    if missing := [name for name in KEYS if not values.get(name)]:
        raise InstallationError(f"{path} is no installation.env: it has no {' and no '.join(missing)}.")
    return values


def _refuse_other_secrets(path: Path, other: Path) -> None:
    stored, secrets_there = read_file(path), _known(other)
    if any(stored.get(name) != secrets_there[name] for name in KEYS):
        raise InstallationError(
            f"{path} has other secrets than {other}. Where nothing was stored with them yet, delete {path} and start "
            "again; else leave the option out."
        )


def _refuse_other_choices(path: Path, choices: Mapping[str, str]) -> None:
    stored = read_file(path)
    other = [name for name, value in choices.items() if stored.get(name) != value]
    if other:
        raise InstallationError(
            f"{path} has another {' and '.join(other)}. Change that file and start again, or leave the option out."
        )


def _write(path: Path, values: Mapping[str, str]) -> Path:
    """A private file beside `path` with the values."""
    for name, value in values.items():
        if "'" in value or "\n" in value:
            raise InstallationError(f"{name} may hold neither an apostrophe nor a line break.")
    lines = ["# Secrets and choices of this installation. Keep a copy in another place: no backup holds them."]
    return _private(path, "\n".join([*lines, *(f"{name}='{value}'" for name, value in values.items()), ""]))


def _private(path: Path, text: str) -> Path:
    """A new file beside `path`, on the disk, which only this user may read."""
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)


def _wait_for_database() -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            if time.monotonic() > ends:
                raise InstallationError(f"The database does not answer: {' '.join(str(error).split())}") from None
            time.sleep(0.5)
        else:
            return


def _make_requester() -> None:
    """The key by which console, work loop and commands reach the marketplace of this installation.

    A start that was killed before the key was written issues another one.
    """
    if settings.MTURK_ACCESS_KEY or not settings.MTURK_ENDPOINT_URL.startswith(f"{settings.WORKER_ORIGIN}/"):
        return
    out, queue = io.StringIO(), io.StringIO()
    call_command("create_requester", REQUESTER, "--new-key", "--json", stdout=out)
    call_command("notification_endpoint", "queue", "console", "--requester", REQUESTER, "--json", stdout=queue)
    account, path = json.loads(out.getvalue()), installation_file()
    values = {"MTURK_ACCESS_KEY": account["access_key"], "MTURK_SECRET_KEY": account["secret_key"]}
    values["MTURK_QUEUE_URL"] = str(json.loads(queue.getvalue())["url"])
    _write(path, {**read_file(path), **values}).replace(path)
    os.environ.update(values)
