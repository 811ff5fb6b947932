"""Where notifications may go: public https addresses only outside development, looked up again at each delivery."""

from __future__ import annotations

import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.accounts.models import User
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Document, Endpoint, Requester
from annotation.marketplace.notifications import https_post as posting
from annotation.marketplace.notifications.addresses import is_public, place_of, resolved
from annotation.marketplace.notifications.delivery import deliver
from annotation.marketplace.notifications.endpoints import register_address
from annotation.marketplace.notifications.https_post import NotDeliveredError, post

PRIVATE = [
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
    "2002:7f00:1::", "64:ff9b::7f00:1", "2001:0:4136:e378:8000:63bf:80ff:fffe",
]  # fmt: skip


@pytest.fixture
def production(settings):
    settings.MARKETPLACE_DEVELOPMENT = False


@pytest.fixture
def lab(transactional_db) -> Requester:
    user = User.objects.create(username="lab")
    return Requester.objects.create(user=user, created_at=timezone.now())


def names(*answers: list[str]):
    """A stand-in for getaddrinfo: the answers for `receiver.example.org`, one after the other."""
    real, left = socket.getaddrinfo, list(answers)

    def lookup(host: str, port: int, *arguments: object, **options: object) -> list:
        if host != "receiver.example.org":
            return real(host, port, *arguments, **options)
        found = left.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    return lookup


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_are_known(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_known(address):
    assert is_public(ip_address(address))


@pytest.mark.usefixtures("production")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "0x7f.1", "2130706433", "10.1"])
def test_a_private_address_is_refused_however_it_is_written(host):
    with pytest.raises((InvalidParameterError, OSError)):
        resolved(place_of(f"https://{host}/"))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "https://",
        "https:///path",
        "https://me:secret@example.org/",
        "https://example.org/#part",
        "https://exa mple.org/",
        "https://example.org:99999/",
        "https://[::1",
        "https://.example.org/",
        "https://bücher.example/",
        "https://" + "a" * 64 + ".org/",
        "https://example.org/" + "a" * 500,
        "https://example.org/\r\nX: y",
        "file:///etc/passwd",
        "",
    ],
)
def test_what_is_no_plain_address_is_refused(url):
    with pytest.raises(InvalidParameterError):
        place_of(url)


@pytest.mark.usefixtures("production")
def test_outside_development_an_endpoint_speaks_https():
    with pytest.raises(InvalidParameterError, match="https"):
        place_of("http://example.org/")


@pytest.mark.usefixtures("production")
def test_a_name_with_one_private_address_is_refused_whole(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", names(["93.184.216.34", "10.0.0.1"]))
    with pytest.raises(InvalidParameterError, match=r"10\.0\.0\.1"):
        resolved(place_of("https://receiver.example.org/"))


@pytest.mark.usefixtures("production")
def test_a_name_that_has_moved_to_a_private_address_gets_nothing(lab, receiver, monkeypatch):
    """DNS rebinding: public when it was registered, ours when the message is sent."""
    port = place_of(receiver.url.replace("http:", "https:")).port
    monkeypatch.setattr(socket, "getaddrinfo", names(["93.184.216.34"], ["127.0.0.1"]))
    register_address(lab, f"https://receiver.example.org:{port}/", name=None, now=timezone.now())
    assert deliver(clock=timezone.now).put_off == 1
    assert "not a public address" in Document.objects.get().last_error
    assert receiver.got == []


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch):
    """The name is looked up once: a second look-up could say something else."""
    called: list[tuple[str, int]] = []

    def refuse(address: tuple[str, int], timeout: float) -> socket.socket:
        called.append(address)
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(socket, "getaddrinfo", names(["93.184.216.34", "93.184.216.35"]))
    monkeypatch.setattr(posting.socket, "create_connection", refuse)
    with pytest.raises(NotDeliveredError, match="refused"):
        post("https://receiver.example.org/", b"{}", {})
    assert called == [("93.184.216.34", 443), ("93.184.216.35", 443)]


def certificate_for(name: str, folder: Path) -> Path:
    """A file with a key and a self-signed certificate."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + built.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.fixture
def secured(receiver, tmp_path):
    """The receiver behind TLS, under the name localhost: its address and its certificate."""
    file = certificate_for("localhost", tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    receiver.secure(context)
    return receiver.url.replace("http://127.0.0.1", "https://localhost"), file


def test_a_certificate_that_nobody_vouches_for_is_refused(secured, receiver):
    with pytest.raises(NotDeliveredError, match="CERTIFICATE_VERIFY_FAILED"):
        post(secured[0], b"{}", {})
    assert receiver.got == []


def test_a_message_goes_through_tls_to_the_name_it_was_meant_for(secured, receiver, monkeypatch):
    trusting = ssl.create_default_context(cafile=secured[1])
    monkeypatch.setattr(posting.ssl, "create_default_context", lambda: trusting)
    post(secured[0], b'{"a": 1}', {"Content-Type": "text/plain"})
    assert receiver.got == [{"a": 1}]
    with pytest.raises(NotDeliveredError, match="127"):
        post(secured[0].replace("localhost", "127.0.0.1"), b"{}", {})


@pytest.mark.usefixtures("lab")
def test_the_command_refuses_with_a_sentence(settings):
    settings.MARKETPLACE_DEVELOPMENT = False
    with pytest.raises(CommandError, match="not a public address"):
        call_command("notification_endpoint", "add", "https://127.0.0.1/")
    with pytest.raises(CommandError, match="letters, digits"):
        call_command("notification_endpoint", "queue", "two words")
    with pytest.raises(CommandError, match="There is no requester 'nobody'"):
        call_command("notification_endpoint", "list", "--requester", "nobody")
    assert not Endpoint.objects.exists()


def test_with_two_requesters_one_must_be_named(lab, capsys):
    other = User.objects.create(username="other")
    Requester.objects.create(user=other, created_at=timezone.now())
    with pytest.raises(CommandError, match="--requester"):
        call_command("notification_endpoint", "queue", "events")
    for _ in range(2):
        call_command("notification_endpoint", "queue", "events", "--requester", "other")
    assert Endpoint.objects.get().account.requester == other.requester
    assert "active" in capsys.readouterr().out


def test_an_address_that_was_closed_must_confirm_anew(lab, receiver, capsys):
    endpoint = register_address(lab, receiver.url, name="books", now=timezone.now())
    Endpoint.objects.update(confirmed_at=timezone.now())
    call_command("notification_endpoint", "close", endpoint.arn)
    again = register_address(lab, receiver.url, name=None, now=timezone.now())
    assert (again.arn, again.closed_at, again.confirmed_at) == (endpoint.arn, None, None)
    with pytest.raises(InvalidParameterError, match="taken"):
        register_address(lab, receiver.url + "&other", name="books", now=timezone.now())


def test_a_hanging_handshake_is_cut_off(monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent: list[socket.socket] = []
        thread = threading.Thread(target=lambda: silent.append(listener.accept()[0]))
        thread.start()
        with pytest.raises(NotDeliveredError):
            post(f"https://localhost:{listener.getsockname()[1]}/", b"{}", {})
        thread.join(timeout=10)
        silent[0].close()
