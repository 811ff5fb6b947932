"""Mail through SMTP: a server on this machine takes what an installation sends, and `doctor` sees that it does."""

from __future__ import annotations

import email
import socketserver
import threading
from collections.abc import Iterator
from email import policy
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from annotation.jobs.diagnosis import check_mail


class MailServer(socketserver.ThreadingTCPServer):
    """Says of SMTP (RFC 5321) what is needed to take a message; `taken`: sender, recipients and message of each."""

    daemon_threads = True

    def __init__(self) -> None:
        self.taken: list[tuple[str, list[str], bytes]] = []
        super().__init__(("127.0.0.1", 0), Session)


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        sender, recipients = "", list[str]()
        self._say("220 mail.example.org")
        while line := self.rfile.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            verb = verb.upper()
            if verb == "MAIL":
                sender = rest
            elif verb == "RCPT":
                recipients.append(rest)
            elif verb == "DATA":
                self._say("354 go on")
                # A dot that begins a line is sent as two.
                lines = [line.removeprefix(b".") for line in iter(self.rfile.readline, b".\r\n")]
                self.server.taken.append((sender, recipients, b"".join(lines)))
            self._say("221 bye" if verb == "QUIT" else "250 ok")

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with MailServer() as running:
        threading.Thread(target=running.serve_forever, args=[0.05], daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = running.server_address[:2]
        settings.EMAIL_USE_TLS, settings.EMAIL_HOST_USER = False, ""
        yield running
        running.shutdown()


def test_a_message_arrives_as_it_was_written(server: MailServer) -> None:
    words = "Grüße. Your link: https://study.example.org/hits/enter/abc/\n.\nA dot on a line of its own ends nothing.\n"
    mail.EmailMessage("Sign in", words, "site@example.org", ["ann@example.org"]).send()
    ((sender, recipients, body),) = server.taken
    assert (sender.split()[0], recipients) == ("FROM:<site@example.org>", ["TO:<ann@example.org>"])
    message = email.message_from_bytes(body, policy=policy.default)
    assert message["subject"] == "Sign in"
    assert message.get_content().splitlines() == words.splitlines()


def test_doctor_finds_a_mail_server_that_takes_our_messages(server: MailServer) -> None:
    (symptom,) = check_mail(timezone.now())
    assert (symptom.state, symptom.sentence) == ("ok", "The mail server takes our messages.")
    assert server.taken == []
