"""Those who are told: a small web server, and a queue with its client."""

from __future__ import annotations

import json
import ssl
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

EVERY_EVENT = [
    "AssignmentAccepted", "AssignmentAbandoned", "AssignmentReturned", "AssignmentSubmitted", "AssignmentRejected",
    "AssignmentApproved", "HITCreated", "HITExpired", "HITReviewable", "HITExtended", "HITDisposed",
]  # fmt: skip


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Senders that hang up are part of the tests."""


class Receiver:
    """Answers every POST with `status` after keeping its JSON body in `got`."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.status = 200
        self._came = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver._came:
                    receiver.got.append(json.loads(body))
                    receiver._came.notify_all()
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = QuietServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/notices?from=market"

    def wait_for(self, kind: str) -> dict[str, Any]:
        """The first message of this type, as soon as it has come."""

        def found() -> list[dict[str, Any]]:
            return [message for message in self.got if message["Type"] == kind]

        with self._came:
            assert self._came.wait_for(found, timeout=120), f"no {kind} came"
        return found()[0]

    def secure(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)

    def documents(self) -> list[dict[str, Any]]:
        """The documents of events that came."""
        return [json.loads(message["Message"]) for message in self.got if message["Type"] == "Notification"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


@dataclass(frozen=True)
class Queue:
    """A queue: boto3's client, its address, its row."""

    client: Any
    url: str
    row: Any

    def receive(self, **parameters: object) -> list[dict[str, Any]]:
        return self.client.receive_message(QueueUrl=self.url, **parameters).get("Messages", [])

    def documents(self) -> list[dict[str, Any]]:
        """All documents in the queue, which is empty then."""
        found: list[dict[str, Any]] = []
        while messages := self.receive(MaxNumberOfMessages=10):
            for message in messages:
                found.append(json.loads(message["Body"]))
                self.client.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
        return found

    def events(self) -> list[dict[str, str]]:
        return [event for document in self.documents() for event in document["Events"]]

    def kinds(self) -> list[str]:
        return [event["EventType"] for event in self.events()]

    def asked(self, *event_types: str, **changes: str) -> dict[str, Any]:
        """A NotificationSpecification for this queue."""
        usual = {"Destination": self.url, "Transport": "SQS", "Version": "2014-08-15"}
        return {**usual, "EventTypes": list(event_types or EVERY_EVENT), **changes}
