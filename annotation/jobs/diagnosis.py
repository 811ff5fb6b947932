"""What is wrong with an installation, with a cure for each fault: settings, hosts, certificates, queue, disk, clock ...

Every check reads or tries the thing itself and changes nothing. The checks do not depend on each other, so that one
fault hides no other.
"""

from __future__ import annotations

import platform
import smtplib
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urlsplit

import django
import httpx
from django.conf import settings
from django.core import checks, mail
from django.core.files.base import ContentFile
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.template.defaultfilters import pluralize

from annotation.accounts import provider
from annotation.accounts.lock_wait import limit_lock_wait
from annotation.apps import check_host_of_tasks
from annotation.jobs import job_files, shared_files
from annotation.jobs.backups.back_up import NO_DATABASE, USE_INSTALLATION
from annotation.jobs.backups.database_copy import database_name, has_tables, is_absent
from annotation.jobs.installation_state import (
    BROKER_ERRORS,
    ActionState,
    QueueLag,
    count_broker_messages,
    count_jobs,
    describe_duration,
    measure_actions,
    measure_disks,
    measure_queues,
    oldest_running_seconds,
    proven_at,
)
from annotation.jobs.missing_columns import missing_columns, sentence_on
from annotation.models import Job
from annotation.settings import chromium, uploads
from annotation.studies.group_roles import unknown_studies
from metrics.version import __version__

State = Literal["ok", "warning", "fault"]
SEVERITY: tuple[State, ...] = ("fault", "warning", "ok")
SECONDS = 5.0
# A submission may hold megabytes, and SQLite and PostgreSQL stop at a full disk.
LITTLE_DISK = 1024**3
CERTIFICATE_ENDS = timedelta(days=14)
# Signatures of requests are refused from 5 minutes on (mturk-api.md, section 2).
CLOCK_AWAY = timedelta(seconds=60)
BACKUP_OLD = timedelta(days=2)
# Writers of this project hold SQLite's lock for milliseconds, and a table of PostgreSQL for a migration alone.
LOCK_SECONDS, LOCK_LONG = 2.0, timedelta(seconds=30)
LOCKING_SESSIONS = """
    SELECT session.pid, session.state, extract(epoch FROM clock_timestamp() - session.xact_start)
    FROM pg_stat_activity AS session
    WHERE session.datname = current_database() AND session.pid <> pg_backend_pid()
    AND session.xact_start < clock_timestamp() - make_interval(secs => %s)
    AND (
        EXISTS (
            SELECT 1 FROM pg_locks AS held JOIN pg_class AS locked ON locked.oid = held.relation
            WHERE held.pid = session.pid AND held.granted AND locked.relkind IN ('r', 'p')
            AND held.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
        )
        OR EXISTS (
            SELECT 1 FROM pg_stat_activity AS waiting
            WHERE waiting.wait_event_type = 'Lock' AND session.pid = ANY (pg_blocking_pids(waiting.pid))
        )
    )
    ORDER BY session.xact_start
"""
WAITS_LONG = timedelta(minutes=15)
# These take moments: work loops look every two seconds, the scheduler every minute. Scoring takes what models take.
DUE_LONG = {
    "actions": timedelta(minutes=5),
    "answers": timedelta(minutes=5),
    "notifications": timedelta(minutes=5),
    "scoring": timedelta(hours=1),
}
PROVIDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
ORIGINS = ("WORKER_ORIGIN", "HIT_ORIGIN", "CONSOLE_ORIGIN")


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a check saw. subject: what was looked at. cure: what to do, "" where nothing is wrong. One that is ok
    and has a cure is a note: nothing is at fault, and something may be done."""

    subject: str
    state: State
    sentence: str
    cure: str = ""


def diagnose(*, now: datetime) -> list[Symptom]:
    """Return the symptoms of every check, in the order in which an operator would repair them."""
    return [symptom for check in CHECKS for symptom in check(now)]


def check_versions(now: datetime) -> Iterator[Symptom]:
    """Versions of Assay, Python, Django and the database."""
    database = sqlite3.sqlite_version if connection.vendor == "sqlite" else _version_of_postgresql()
    kind = "SQLite" if connection.vendor == "sqlite" else "PostgreSQL"
    sentence = (
        f"Assay {__version__}, Python {platform.python_version()}, Django {django.__version__}, {kind} {database}."
    )
    yield Symptom("versions", "ok", sentence)


def check_settings(now: datetime) -> Iterator[Symptom]:
    """Django's own checks, and those for a deployment where a host is reached by HTTPS."""
    messages = checks.run_checks(include_deployment_checks=_is_deployed())
    for message in messages:
        state: State = "fault" if message.level >= checks.ERROR else "warning"
        yield Symptom("settings", state, f"{message.msg} ({message.id})", message.hint or "See the check's number.")
    if not messages:
        yield Symptom("settings", "ok", "No check of the settings has an objection.")


def check_database(now: datetime) -> Iterator[Symptom]:
    """Whether the database answers and has every table of this version."""
    try:
        if not has_tables():
            sentence = NO_DATABASE.format(name=database_name())
            cure = f"{USE_INSTALLATION} A new installation gets its tables by its first start."
            yield Symptom("database", "fault", sentence, cure)
            return
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError as error:
        yield Symptom(
            "database", "fault", f"The database does not answer: {error}", "Start it, or correct DATABASE_URL."
        )
        return
    if missing:
        sentence = f"{missing} {pluralize(missing, 'migration is,migrations are')} not applied."
        yield Symptom("database", "fault", sentence, "Make a backup, then run `manage.py migrate`.")
    elif sentence := sentence_on(missing_columns()):
        yield Symptom("database", "fault", sentence, "See the sentence.")
    else:
        yield Symptom("database", "ok", "The database answers and has the tables of this version.")


def check_locks(now: datetime) -> Iterator[Symptom]:
    """Whether another session has kept the database, or a table of it, locked for long."""
    try:
        if is_absent():
            return
        sentences = list(_locks_of_sqlite() if connection.vendor == "sqlite" else _locks_of_postgresql())
    except DatabaseError:
        return  # the check of the database says why
    for sentence, cure in sentences:
        yield Symptom("locks", "fault", sentence, cure)
    if not sentences:
        yield Symptom("locks", "ok", "No other session has locked the database for long.")


def _locks_of_sqlite() -> Iterator[tuple[str, str]]:
    """Begin a transaction that writes, and write nothing."""
    try:
        with limit_lock_wait(LOCK_SECONDS), transaction.atomic():
            pass
    except OperationalError as error:
        name = connection.settings_dict["NAME"]
        if "locked" in str(error):
            sentence = f"Nothing could be written within {LOCK_SECONDS:.0f} s: {name}: {error}."
            yield sentence, f"End the program that keeps it locked (`fuser {name}` names those that have it open)."
        else:
            yield f"{name} cannot be written: {error}.", "Let the user of the processes write the file and its folder."


def _locks_of_postgresql() -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        if cursor.fetchone()[0] == "on":
            cure = "Point DATABASE_URL at the primary server, or end default_transaction_read_only of the database."
            yield "The database takes no writes: its transactions are read-only.", cure
        cursor.execute(LOCKING_SESSIONS, [LOCK_LONG.total_seconds()])
        sessions = cursor.fetchall()
    for pid, state, seconds in sessions:
        duration = describe_duration(float(seconds))
        sentence = f"Session {pid} ({state}) locks a table or blocks others in a transaction open for {duration}."
        yield sentence, f"See in pg_stat_activity what it does; `SELECT pg_terminate_backend({pid});` ends it."


def check_hosts(now: datetime) -> Iterator[Symptom]:
    """Whether requesters' HTML has a host of its own, and each host answers with the right time."""
    # Of a deployed installation the check of the settings says so.
    for message in [] if _is_deployed() else check_host_of_tasks():
        yield Symptom("hosts", "fault", str(message.msg), str(message.hint))
    for origin in dict.fromkeys(getattr(settings, name) for name in ORIGINS):
        yield from _visit(origin)


def check_certificates(now: datetime) -> Iterator[Symptom]:
    """Whether the certificate of each HTTPS host is valid for some time yet."""
    hosts = {(url.hostname, url.port or 443) for url in map(urlsplit, _origins()) if url.scheme == "https"}
    for host, port in sorted(hosts, key=str):
        try:
            left = certificate_end(str(host), port) - now
        except (OSError, ssl.SSLError) as error:
            cure = "Renew the certificate, or correct the proxy that holds it."
            yield Symptom("certificate", "fault", f"{host}: no valid certificate: {error}", cure)
            continue
        state: State = "ok" if left > CERTIFICATE_ENDS else "warning"
        cure = "" if state == "ok" else "See why the proxy does not renew it."
        yield Symptom("certificate", state, f"{host}: valid for {left.days} more days.", cure)


def certificate_end(host: str, port: int, context: ssl.SSLContext | None = None) -> datetime:
    """Return when the certificate of a server ends. Raises OSError or ssl.SSLError where there is no valid one."""
    checked = context or ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=SECONDS) as plain,
        checked.wrap_socket(plain, server_hostname=host) as secured,
    ):
        ends = str((secured.getpeercert() or {})["notAfter"])
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC)


def check_queue(now: datetime) -> Iterator[Symptom]:
    """Whether the broker answers, and whether jobs, answers, notifications and marketplace actions are carried out."""
    if settings.CELERY_BROKER_URL:
        yield _broker()
    try:
        if is_absent():
            return
        queues, actions = measure_queues(now), measure_actions(now)
        running, failed = oldest_running_seconds(now), count_jobs()[Job.State.FAILED]
    except DatabaseError:
        return  # the check of the database says why
    for queue in queues:
        yield _queue_symptom(queue)
    yield from _unfinished(actions)
    if running > settings.JOB_SECONDS + WAITS_LONG.total_seconds():
        limit = describe_duration(settings.JOB_SECONDS)
        sentence = (
            f"A job that was requested {describe_duration(running)} ago still runs. A job may run for {limit} at most "
            "(JOB_SECONDS)."
        )
        yield Symptom(
            "jobs", "warning", sentence, "See whether its process lives; it is taken again after 15 minutes of silence."
        )
    else:
        yield Symptom("jobs", "ok", "No running job is older than the limit of one job.")
    if failed:
        yield Symptom(
            "jobs",
            "ok",
            f"Jobs that failed so far: {failed:,}.",
            "The page Operation lists their reasons.",
        )


def check_disk(now: datetime) -> Iterator[Symptom]:
    """Whether files and an embedded database have room."""
    for disk in measure_disks():
        if disk.free_bytes is None:
            yield Symptom("disk", "fault", f"{disk.folder} is not a folder.", "Create it, or set ASSAY_VAR.")
            continue
        sentence = f"{disk.folder}: {disk.free} free."
        if disk.free_bytes < LITTLE_DISK:
            yield Symptom("disk", "fault", sentence, "Free space: below 1 GiB submissions may soon fail.")
        else:
            yield Symptom("disk", "ok", sentence)


def check_files(now: datetime) -> Iterator[Symptom]:
    """Whether the folders, and the storage that several machines share, take a file and delete it."""
    refused = list(_folders_that_refuse())
    yield from refused
    shared = shared_files.storage()
    if shared is None and refused:
        return
    if shared is None:
        yield Symptom("files", "ok", f"Uploads and jobs' files lie in {settings.VAR}, on this machine alone.")
        return
    name, content = f"doctor/{uuid.uuid4().hex}", b"a file of the doctor"
    try:
        shared.save(name, ContentFile(content))
        with shared.open(name) as stored:
            same = stored.read() == content
        shared.delete(name)
    except shared_files.FAILURES as error:
        cure = "Correct FILES_BUCKET, FILES_ENDPOINT_URL and the keys, or start the store."
        yield Symptom("files", "fault", f"The storage of files does not answer: {' '.join(str(error).split())}", cure)
        return
    if same:
        yield Symptom("files", "ok", f"The bucket {settings.FILES_BUCKET} takes files and returns them.")
    else:
        yield Symptom("files", "fault", "The bucket returned another content.", "Use another store.")


def _folders_that_refuse() -> Iterator[Symptom]:
    for folder in (settings.VAR, uploads(), job_files.jobs_folder()):
        if not folder.is_dir():
            continue  # it is created when it is needed; the check of the disk names a missing VAR
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"a file of the doctor")
        except OSError as error:
            cure = "Let the user of the processes write there, mount it for writing, or free space."
            yield Symptom("files", "fault", f"{folder} cannot be written: {error.strerror}.", cure)


def check_backup(now: datetime) -> Iterator[Symptom]:
    """Whether a backup was proven lately."""
    cure, proven = "Run `manage.py backup FILE --prove`, every night.", proven_at()
    if proven is None:
        yield Symptom("backup", "warning" if _is_deployed() else "ok", "This machine knows of no proven backup.", cure)
    elif now - proven > BACKUP_OLD:
        yield Symptom("backup", "warning", f"The last proven backup is {(now - proven).days} days old.", cure)
    else:
        yield Symptom("backup", "ok", f"The last backup was proven at {proven:%Y-%m-%d %H:%M} (UTC).")


def check_mail(now: datetime) -> Iterator[Symptom]:
    """Whether mail leaves this machine."""
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        cure = "Set EMAIL_HOST to an SMTP server: sign-in links and notices are mailed."
        yield Symptom("mail", "warning" if _is_deployed() else "ok", "Mail is written to the console.", cure)
        return
    try:
        with mail.get_connection():
            pass
        yield Symptom("mail", "ok", "The mail server takes our messages.")
    except (OSError, smtplib.SMTPException) as error:
        cure = "Correct EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER or EMAIL_HOST_PASSWORD."
        yield Symptom("mail", "fault", f"The mail server does not take our messages: {error}", cure)


def check_provider(now: datetime) -> Iterator[Symptom]:
    """Whether the OpenID Connect provider answers as the settings name it."""
    if not settings.OIDC_ISSUER:
        return
    cure = "Correct OIDC_ISSUER, or see why this machine does not reach the provider."
    if not provider.is_configured():
        yield Symptom("provider", "fault", "OIDC_ISSUER is set and OIDC_CLIENT_ID is not.", "Set OIDC_CLIENT_ID.")
        return
    try:
        stated = httpx.get(provider.discovery_address(), timeout=SECONDS).raise_for_status().json()
        issuer, missing = stated["issuer"], [name for name in PROVIDED if not stated.get(name)]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        sentence = f"The provider of OIDC_ISSUER does not say what it offers: {error}"
        yield Symptom("provider", "fault", sentence, cure)
        return
    if issuer.rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
        yield Symptom("provider", "fault", f"The provider calls itself {issuer}, not {settings.OIDC_ISSUER}.", cure)
    elif missing:
        yield Symptom("provider", "fault", f"The provider states no {', '.join(missing)}.", cure)
    else:
        yield Symptom("provider", "ok", f"The provider {issuer} answers.")
    if unknown := unknown_studies():
        sentence = f"OIDC_ROLES names studies that do not exist: {', '.join(unknown)}. Their groups get no role."
        yield Symptom(
            "provider", "warning", sentence, "Write each study's name as the page Settings of the study has it."
        )


def check_browser(now: datetime) -> Iterator[Symptom]:
    """Whether the browser that prints reports to PDF starts."""
    path = chromium()
    if path is None:
        cure = "Install Chromium and set CHROMIUM to its path."
        yield Symptom("Chromium", "warning", "CHROMIUM is not set: reports are exported without PDF.", cure)
        return
    try:
        ran = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=20)  # noqa: S603 - the path is a setting
        yield Symptom("Chromium", "ok", f"{ran.stdout.strip()} starts.")
    except (OSError, subprocess.SubprocessError) as error:
        yield Symptom("Chromium", "fault", f"{path} does not start: {error}", "Set CHROMIUM to a browser that starts.")


CHECKS: tuple[Callable[[datetime], Iterator[Symptom]], ...] = (
    check_versions,
    check_settings,
    check_database,
    check_locks,
    check_disk,
    check_files,
    check_backup,
    check_queue,
    check_hosts,
    check_certificates,
    check_mail,
    check_provider,
    check_browser,
)


# What takes more than a moment, or visits this very server, is left to the command.
QUICK_CHECKS = (check_versions, check_database, check_locks, check_disk, check_backup, check_queue)


def diagnose_quickly(*, now: datetime) -> list[Symptom]:
    """Return the symptoms of the checks that a page of the server can make itself, faults first."""
    symptoms = [symptom for check in QUICK_CHECKS for symptom in check(now)]
    return sorted(symptoms, key=lambda symptom: SEVERITY.index(symptom.state))


def _is_deployed() -> bool:
    return any(origin.startswith("https://") for origin in _origins())


def _origins() -> list[str]:
    return [getattr(settings, name) for name in ORIGINS]


def _version_of_postgresql() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            return str(cursor.fetchone()[0])
    except DatabaseError:
        return "of unknown version"


def _visit(origin: str) -> Iterator[Symptom]:
    """Visit the page of a host that says that it lives; its clock is read from the answer."""
    before = datetime.now(UTC)
    try:
        # Its threads may wait for a lock first (deploy/postgresql), a little less than SECONDS.
        answer = httpx.get(f"{origin}/health/live", timeout=2 * SECONDS)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        cure = "Start the server (`manage.py serve`), or correct the name, the proxy or the address."
        yield Symptom("hosts", "fault", f"{origin} does not answer: {error}", cure)
        return
    yield Symptom("hosts", "ok", f"{origin} answers.")
    date = answer.headers.get("date")
    away = abs(parsedate_to_datetime(date) - before) if date else timedelta(0)
    if away > CLOCK_AWAY:
        sentence = f"The clock of {origin} is {away.total_seconds():.0f} s away from this machine's."
        yield Symptom(
            "clock", "fault", sentence, "Synchronise both clocks (NTP): signed requests of another time fail."
        )


def _broker() -> Symptom:
    try:
        messages = count_broker_messages()
    except BROKER_ERRORS as error:
        return Symptom(
            "queue", "fault", f"The broker does not answer: {error}", "Start Redis, or correct CELERY_BROKER_URL."
        )
    waiting = ", ".join(f"{name} {number:,}" for name, number in messages.items() if number)
    return Symptom("queue", "ok", f"The broker answers. Messages in its queues: {waiting or 'none'}.")


def _queue_symptom(queue: QueueLag) -> Symptom:
    """A queue is late when its oldest row has been due for longer than what one job or pause may take."""
    if not queue.waiting:
        return Symptom("queue", "ok", f"{queue.name}: none is due.")
    sentence = f"{queue.name}: {queue.waiting:,} due, the oldest for {describe_duration(queue.oldest_seconds)}."
    late = DUE_LONG.get(queue.key, WAITS_LONG)
    if queue.oldest_seconds <= late.total_seconds():
        return Symptom("queue", "ok", sentence)
    cure = f"Start the process `{queue.process}` (`python -m deploy run {queue.process}`), or see its log."
    return Symptom("queue", "fault", sentence, cure)


def _unfinished(actions: ActionState) -> Iterator[Symptom]:
    if actions.put_off:
        sentence = (
            f"{actions.put_off:,} marketplace {pluralize(actions.put_off, 'action waits,actions wait')} "
            f"after an error: {actions.last_error}"
        )
        cure = "See whether the marketplace answers. They are tried again without you."
        yield Symptom("queue", "warning", sentence, cure)
    if actions.failed:
        cure = "`manage.py outbox STUDY` names them and the reasons; retry or drop them there."
        yield Symptom(
            "queue", "warning", f"{actions.failed:,} marketplace action{pluralize(actions.failed)} failed.", cure
        )
