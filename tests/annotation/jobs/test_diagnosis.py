"""`manage.py doctor` finds planted faults, each by what it tries itself, and says what to do."""

from __future__ import annotations

import io
import socket
import sqlite3
import ssl
import threading
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.management import call_command
from django.db import connection, connections, transaction

from annotation.jobs import diagnosis, installation_state
from annotation.jobs.diagnosis import certificate_end, diagnose
from annotation.models import Job
from tests.annotation.locked_database import lock_out_writers

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@contextmanager
def host(date: datetime) -> Iterator[str]:
    """A server that lives, whose clock shows `date`."""

    class Live(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(200 if self.path == "/health/live" else 404)
            self.send_header("Date", date.strftime("%a, %d %b %Y %H:%M:%S GMT"))
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Live) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def symptoms_of(subject: str, state: str) -> list[diagnosis.Symptom]:
    return [entry for entry in diagnose(now=NOW) if (entry.subject, entry.state) == (subject, state)]


@pytest.fixture
def healthy(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An installation whose host answers; each test breaks a part of it."""
    with host(datetime.now(UTC)) as origin:
        settings.WORKER_ORIGIN = settings.CONSOLE_ORIGIN = origin
        settings.HIT_ORIGIN = origin.replace("127.0.0.1", "localhost")
        settings.VAR, settings.CELERY_BROKER_URL, settings.CHROMIUM = tmp_path, "", ""
        settings.DEBUG, settings.EMAIL_BACKEND = True, "django.core.mail.backends.locmem.EmailBackend"
        yield settings


def test_a_healthy_installation_has_no_fault_and_each_subject_is_looked_at(healthy: Any) -> None:
    out = io.StringIO()
    call_command("doctor", stdout=out)
    assert "0 fault(s)" in out.getvalue()
    for subject in ("versions", "settings", "database", "disk", "queue", "hosts", "mail", "Chromium"):
        assert f"  {subject}: " in out.getvalue()


def test_each_planted_fault_is_named_with_its_cure(healthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody_listens:
        nobody_listens.bind(("127.0.0.1", 0))
        dead = f"127.0.0.1:{nobody_listens.getsockname()[1]}"
        healthy.CELERY_BROKER_URL, healthy.CHROMIUM = f"redis://{dead}/0", "/bin/false"
        healthy.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        healthy.EMAIL_HOST, _, port = dead.partition(":")
        healthy.EMAIL_PORT, healthy.HIT_ORIGIN = int(port), f"http://{dead}"
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(installation_state.shutil, "disk_usage", lambda path: usage(10**12, 10**12 - 10**6, 10**6))
        Job.objects.create(kind=Job.Kind.REPORT, created_at=NOW - timedelta(hours=1))
        out = io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", stdout=out)
    assert ended.value.code == 1
    said = out.getvalue()
    for sentence in (
        "mail: The mail server does not take our messages",
        "Chromium: /bin/false does not start",
        f"hosts: http://{dead} does not answer",
        "shown on the host of sessions, 127.0.0.1",
        "0.0 GiB free",
        "Jobs: 1 due, the oldest for ",
    ):
        assert sentence in said
    assert "The broker does not answer" in said
    assert all("->" in after for after in said.split("FAULT")[1:])


@pytest.mark.database
def test_a_lock_that_another_session_keeps_is_a_fault_with_its_cure(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "LOCK_SECONDS", 0.05)
    monkeypatch.setattr(diagnosis, "LOCK_LONG", timedelta(0))
    with lock_out_writers(Job._meta.db_table):
        (fault,) = diagnosis.check_locks(NOW)
    assert fault.state == "fault"
    if connection.vendor == "sqlite":
        assert "locked" in fault.sentence
        assert "fuser" in fault.cure
    else:
        assert "(idle in transaction)" in fault.sentence
        assert "pg_terminate_backend" in fault.cure
    assert [symptom.state for symptom in diagnosis.check_locks(NOW)] == ["ok"]


@pytest.mark.database
def test_a_database_that_takes_no_writes_is_a_fault_with_its_cure(
    transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor == "sqlite":
        path = tmp_path / "assay.sqlite3"
        sqlite3.connect(path).execute("VACUUM").connection.close()
        unwritable = connection.copy()
        unwritable.settings_dict = {**connection.settings_dict, "NAME": f"file:{path}?mode=ro"}
        monkeypatch.setattr(connections._connections, "default", unwritable)
        (fault,) = diagnosis.check_locks(NOW)
        unwritable.close()
        assert f"{path}?mode=ro cannot be written: attempt to write a readonly database" in fault.sentence
        assert "the user of the processes" in fault.cure
    else:
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION READ ONLY")
            (fault,) = diagnosis.check_locks(NOW)
        assert "takes no writes" in fault.sentence
        assert "DATABASE_URL" in fault.cure
    assert fault.state == "fault"


def test_a_folder_of_files_that_cannot_be_written_is_a_fault(settings: Any) -> None:
    settings.VAR = Path("/proc/self")  # no user may create a file there
    (fault,) = diagnosis.check_files(NOW)
    assert (fault.state, "/proc/self cannot be written: " in fault.sentence) == ("fault", True)


def test_a_clock_that_is_an_hour_off_is_a_fault(healthy: Any) -> None:
    with host(datetime.now(UTC) - timedelta(hours=1)) as origin:
        healthy.HIT_ORIGIN = origin.replace("127.0.0.1", "localhost")
        (fault,) = symptoms_of("clock", "fault")
    assert "36" in fault.sentence
    assert "NTP" in fault.cure


def test_a_certificate_is_read_from_the_server_and_a_strange_one_is_refused(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(days=3)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(ends - timedelta(days=10))
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    trusting = ssl.create_default_context(cadata=certificate.public_bytes(serialization.Encoding.PEM).decode())

    def serve(listening: socket.socket) -> None:
        for _ in range(2):
            plain, _address = listening.accept()
            try:
                server.wrap_socket(plain, server_side=True).close()
            except ssl.SSLError:
                plain.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        assert certificate_end("localhost", port, trusting) == ends
        with pytest.raises(ssl.SSLError):
            certificate_end("localhost", port)
        thread.join()
