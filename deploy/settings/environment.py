"""The only reader of the process environment: typed values, and a sentence when one is odd."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from botocore.config import Config
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError

ROOT = Path(__file__).resolve().parents[2]
# "" in a checkout; the name of the package, and a dot, where Assay is installed as one.
PACKAGE = __name__.rpartition("deploy.settings.")[0]

# Off for a connection pool between us and the server that hands each transaction to another connection.
PREPARE = "DATABASE_PREPARE"
LOCK_SECONDS = 20

_env = Env()

SETTINGS = "DJANGO_SETTINGS_MODULE"
# Tests and scripts choose their settings, and then no file of an installation may change them.
SETTINGS_CHOSEN = SETTINGS in os.environ
STUDY_ROLES = ("viewer", "reviewer", "editor", "owner")


def served_port(file: Path | None) -> int:
    """The port that `manage.py serve` left in `file`; 8000 where it left none."""
    try:
        return int(file.read_text()) if file else 8000
    except (OSError, ValueError):
        return 8000


def installation_file() -> Path:
    """Where `python -m deploy` stores the secrets and choices of an installation."""
    return Path(text("ASSAY_VAR", str(ROOT / "var"))) / "installation.env"


def read_file(path: Path) -> dict[str, str]:
    """The names and values of an installation's file: one NAME='value' per line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value.strip("'") for name, _, value in pairs}


def read_installation(*, always: bool = False) -> None:
    """Set what the installation's file says and the environment does not, where nobody chose other settings."""
    path = installation_file()
    if not path.is_file() or (SETTINGS_CHOSEN and not always):
        return
    values = read_file(path)
    for name, value in values.items():
        os.environ.setdefault(name, value)
    if not SETTINGS_CHOSEN:
        os.environ[SETTINGS] = values[SETTINGS]


def text(name: str, default: str | None = None) -> str:
    """A string; without a default it must be set and not blank."""
    value: str = _env.str(name, default if default is not None else "")
    if not value and default is None:
        raise ImproperlyConfigured(f"The environment variable {name} must be set.")
    return value


def flag(name: str, default: bool) -> bool:
    """A truth value: 1, 0, true, false, yes, no."""
    try:
        value: bool = _env.bool(name, default)
    except EnvError:
        raise ImproperlyConfigured(f"The environment variable {name} must be true or false.") from None
    return value


def words(name: str, default: list[str] | None = None) -> list[str]:
    """A comma-separated list; without a default it must hold at least one word."""
    items = [word.strip() for word in _env.list(name, default or []) if word.strip()]
    if not items and default is None:
        raise ImproperlyConfigured(f"The environment variable {name} must name at least one value, comma-separated.")
    return items


def whole_number(name: str, default: int, *, minimum: int = 0) -> int:
    """A whole number of at least `least`."""
    try:
        value: int = _env.int(name, default)
    except EnvError:
        raise ImproperlyConfigured(f"The environment variable {name} must be a whole number.") from None
    if value < minimum:
        raise ImproperlyConfigured(f"The environment variable {name} must be {minimum} or more, not {value}.")
    return value


def chosen(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """One of the `allowed` words."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"The environment variable {name} must be {' or '.join(allowed)}, not {value!r}.")
    return value


def origin(name: str, default: str) -> str:
    """Scheme and host (and port), such as https://hits.example.org, without path."""
    value = text(name, default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path or parts.query:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be an origin such as https://hits.example.org, not {value!r}."
        )
    return value


def issuer(name: str) -> str:
    """The address of an OpenID Connect provider, by https but on this machine; "" for none."""
    value = text(name, "")
    parts = urlsplit(value)
    here = parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost", "::1"}
    if value and (not parts.netloc or parts.query or parts.fragment or not (parts.scheme == "https" or here)):
        raise ImproperlyConfigured(
            f"The environment variable {name} must be an address such as https://login.example.org, not {value!r}."
        )
    return value


def roles_of_groups(name: str) -> list[tuple[str, str, str]]:
    """Comma-separated rules such as `admins=owner` or `nlp=reviewer@headlines`: group, role, study; "" for none."""
    rules = []
    for rule in words(name, []):
        group, _, target = rule.rpartition("=")
        role, _, study = (part.strip() for part in target.partition("@"))
        if not group.strip() or role not in (STUDY_ROLES if study else ("owner",)):
            raise ImproperlyConfigured(
                f"The environment variable {name} must hold rules GROUP=owner (of the installation) or "
                f"GROUP=ROLE@STUDY with ROLE {', '.join(STUDY_ROLES)}; {rule!r} is neither."
            )
        rules.append((group.strip(), role, study))
    return rules


def broker(name: str) -> str:
    """The address of a Celery broker, or "" for the embedded work loop."""
    value = text(name, "")
    schemes = {"redis", "rediss", "amqp", "amqps", "memory"}
    if value and urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"The environment variable {name} must start with redis:// or amqp://.")
    return value


def database(name: str, default: str, *, synchronous: str = "NORMAL") -> dict[str, Any]:
    """A database by URL: sqlite:///path or postgres://user@host/name.

    synchronous: of SQLite. With FULL a commit waits for the disk, so that what was acknowledged survives a loss of
    power; with NORMAL it survives the end of every process, and a commit takes microseconds in place of milliseconds.

    SQLite runs in WAL with IMMEDIATE transactions: without them a read that turns into a write
    fails at once with "database is locked" instead of waiting its turn.
    """
    url = text(name, default)
    try:
        options: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, KeyError, dj_database_url.UnknownSchemeError):
        options = {}
    engine = options.get("ENGINE", "")
    if engine == "django.db.backends.sqlite3" and options.get("NAME"):
        if options["NAME"] != ":memory:":
            _make_folder(name, Path(options["NAME"]).parent)
        # Opening the file again, with its pragmas, would take half of the time of a small request.
        options["CONN_MAX_AGE"] = 600
        options["ENGINE"] = "deploy.sqlite3"
        options["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": LOCK_SECONDS,
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON;",
        }
        return options
    if engine == "django.db.backends.postgresql" and options.get("NAME"):
        options["CONN_MAX_AGE"] = 600
        options["CONN_HEALTH_CHECKS"] = True
        # The compose file's database has a password that is made at the first start, and no URL can name it.
        options["PASSWORD"] = options["PASSWORD"] or text("DATABASE_PASSWORD", "")
        options["ENGINE"] = "deploy.postgresql"
        # Statements that come again are prepared by the server: half of its work for a small call is reading SQL.
        prepared = {"server_side_binding": True, "prepare_threshold": 3 if flag(PREPARE, True) else None}
        options["OPTIONS"] = {**prepared, **_patience(prepared), **options.get("OPTIONS", {})}
        return options
    scheme = url.partition(":")[0]
    raise ImproperlyConfigured(
        f"The environment variable {name} must be sqlite:///path or postgres://user@host/name, not {scheme}:..."
    )


def _patience(prepared: Mapping[str, Any]) -> dict[str, str]:
    """How long a statement waits for a lock that another one holds: as long as with SQLite, then the page says so.

    A pool that shares connections by transaction takes no such option.
    """
    return {"options": f"-c lock_timeout={LOCK_SECONDS}s"} if prepared["prepare_threshold"] else {}


def bucket(name: str) -> dict[str, Any] | None:
    """The storage of a bucket; None where there is no name. Without keys, those that boto3 finds are used."""
    if not name:
        return None
    options = {
        "bucket_name": name,
        "endpoint_url": text("FILES_ENDPOINT_URL", "") or None,
        "region_name": text("FILES_REGION", "") or None,
        "access_key": text("FILES_ACCESS_KEY", "") or None,
        "secret_key": text("FILES_SECRET_KEY", "") or None,
        "default_acl": None,
        "file_overwrite": True,
        # A store that hangs must not hold a page for minutes.
        "client_config": Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 2}, proxies={}),
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def _make_folder(name: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"The folder {folder} of {name} cannot be made: {error.strerror}.") from None
