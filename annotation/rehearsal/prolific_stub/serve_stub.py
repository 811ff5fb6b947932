"""`python -m annotation.rehearsal.prolific_stub.serve_stub --port N`: serve on loopback until the process ends."""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from annotation.rehearsal.prolific_stub.application import Application, Request
from annotation.rehearsal.prolific_stub.events import start_sender

HOST = "127.0.0.1"


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole, answers it, or ends the connection."""

    protocol_version = "HTTP/1.1"
    # Header and body leave in one packet: two would wait for each other's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    application: Application

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, self.path, raw, self.headers.get("Authorization", ""))
        answer = self.application.answer(request)
        if answer is None:
            self.close_connection = True
            return
        kind = answer.headers.pop("Content-Type", "application/json")
        body = b"" if answer.body is None else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        if answer.status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.status != 204:
            self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _answer  # noqa: N815  names of the standard library

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the log of requests is the application's."""


def main() -> None:
    """Serve; the port that was chosen is printed once it answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free port, printed")
    parser.add_argument("--state", type=Path, help="file in which everything survives this process")
    parser.add_argument("--log", type=Path, help="file to which each request is added, a line of JSON")
    options = parser.parse_args()
    Handler.application = Application(options.state, options.log)
    start_sender()
    with ThreadingHTTPServer((HOST, options.port), Handler) as server:
        server.daemon_threads = True
        print(f"http://{HOST}:{server.server_address[1]}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
