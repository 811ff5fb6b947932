"""Simulated people come to a site over HTTPS as browsers do, and a day on which they submit nothing is a failure."""

from __future__ import annotations

import datetime as dt
import io
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.management import CommandError, call_command
from django.db.models import Q
from django.utils import timezone

from annotation.management.commands.serve import application
from annotation.marketplace.models import Submission
from annotation.models import Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish

PLACES = 4  # two HITs with two places each


@pytest.fixture
def published(study: Study, market: Market) -> Study:
    publish(study, actor="ada", now=timezone.now())
    work(Q(study=study), market=market, clock=timezone.now)
    return study


def crowd(*words: str) -> str:
    out = io.StringIO()
    call_command("rehearsal_crowd", "headlines", *words, stdout=out)
    return out.getvalue()


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A PEM file with a key and a certificate of its own for this machine."""
    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    hosts = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(hosts, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "own.pem"
    file.write_bytes(private + made.public_bytes(pem))
    return file


@pytest.fixture
def over_https(published: Study, certificate: Path, settings: Any) -> Iterator[None]:
    """The site over HTTPS alone, on another port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with _Server(("127.0.0.1", 0), _Quiet) as server:
        server.base_environ["HTTPS"] = "on"
        server.set_app(application())
        server.socket = context.wrap_socket(server.socket, server_side=True)
        settings.WORKER_ORIGIN = f"https://127.0.0.1:{server.server_port}"
        settings.HIT_ORIGIN = f"https://localhost:{server.server_port}"
        settings.CSRF_COOKIE_SECURE = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield
        server.shutdown()
        thread.join(timeout=10)


def test_simulated_people_submit_over_https(over_https: None, certificate: Path) -> None:
    with pytest.raises(CommandError, match=r"could not be reached: .*--ca-bundle"):
        crowd()
    assert f"{PLACES} assignments were submitted; 0 could not be accepted." in crowd("--ca-bundle", str(certificate))
    assert Submission.objects.count() == PLACES


def test_a_day_without_a_submission_fails_with_the_reason(published: Study) -> None:
    crowd()
    # Nothing of it was collected: the same people come to the same places.
    with pytest.raises(
        CommandError, match=rf"Nothing was submitted: {PLACES} assignments could not be accepted\. .*\w\.$"
    ):
        crowd()
    assert Submission.objects.count() == PLACES


def test_a_file_of_certificates_that_is_not_there_is_named(published: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"there is no file .*nowhere\.pem"):
        crowd("--ca-bundle", str(tmp_path / "nowhere.pem"))
