"""Simulated workers that cost as little as can be: HTTP/1.1 by hand over kept-alive sockets, one event loop."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from time import perf_counter
from urllib.parse import urlsplit

FRAME = re.compile(rb'<iframe id="task"[^>]* src="([^"]+)"')
PATIENCE = 60.0
CSRF = "x" * 32
# Answers to the 25 texts of a HIT: a label and the milliseconds it took, as our own pages send them.
ANSWERS = "".join(f"&text-{number:02}=Somewhat+typical&ms-{number:02}=4{number:03}" for number in range(25))


@dataclass(frozen=True)
class Answer:
    status: int
    headers: bytes
    body: bytes


class Line:
    """A kept-alive connection to one host of the site."""

    def __init__(self, port: int, host: str) -> None:
        self.port, self.host = port, host
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, *, cookies: str = "", body: str = "", accept: str = "*/*") -> Answer:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAccept: {accept}\r\n"
        head += f"Cookie: {cookies}\r\n" if cookies else ""
        if body:
            head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        self.streams[1].write(f"{head}\r\n{body}".encode())
        return await asyncio.wait_for(self._answer(self.streams[0]), PATIENCE)

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        headers = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", headers)
        body = await reader.readexactly(int(found[1])) if found else b""
        if re.search(rb"(?i)\r\nconnection: *close", headers):
            self.close()
        return Answer(int(headers[9:12]), headers, body)

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


@dataclass
class Tally:
    """What the workers met: seconds of each step, ids told to be recorded, refusals and errors with their words."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"accept": [], "view": [], "submit": []})
    recorded: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lasted: float = 0.0  # seconds of the run


class Worker:
    """A worker without think time: accept a HIT, view it with its frame, hand it in."""

    def __init__(self, port: int, session: str) -> None:
        self.site, self.frame = Line(port, "127.0.0.1"), Line(port, "localhost")
        self.cookies = f"assay_worker={session}; csrftoken={CSRF}"
        # The HIT that was shown last: of a study of several cells it need not be the one that was posted.
        self.shown = ""
        # Of a group from which the marketplace chooses the HIT; "" where the HIT is posted.
        self.group = ""

    async def do(self, hit_id: str, tally: Tally) -> None:
        """One HIT; what goes wrong is noted and ends it."""
        started = perf_counter()
        form = f"csrfmiddlewaretoken={CSRF}"
        path = f"/hits/groups/{self.group}/accept/" if self.group else f"/hits/{hit_id}/accept/"
        answer = await self.site.ask("POST", path, cookies=self.cookies, body=form)
        accepted = perf_counter()
        tally.seconds["accept"].append(accepted - started)
        found = re.search(rb"(?i)\r\nlocation: *([^\r]+)", answer.headers)
        if answer.status != 302 or found is None:
            _wrong(tally, "accept", answer)
            return
        page = found[1].decode()
        submit_to = await self._view(page, tally)
        tally.seconds["view"].append(perf_counter() - accepted)
        if submit_to:
            await self._hand_in(page.split("/")[3], submit_to, tally)

    async def _view(self, page: str, tally: Tally) -> str:
        """The page of the task and its frame; what turkSubmitTo says."""
        answer = await self.site.ask("GET", page, cookies=self.cookies)
        found = FRAME.search(answer.body)
        if answer.status != 200 or found is None:
            _wrong(tally, "view", answer)
            return ""
        address = urlsplit(found[1].decode().replace("&amp;", "&"))
        self.shown = address.path.split("/")[3]
        framed = await self.frame.ask("GET", f"{address.path}?{address.query}")
        if framed.status != 200 or framed.body.count(b"<fieldset") != 25:
            _wrong(tally, "frame", framed)
            return ""
        submit = re.search(r"turkSubmitTo=([^&]+)", address.query)
        return (submit[1] if submit else "").replace("%3A", ":").replace("%2F", "/")

    async def _hand_in(self, assignment_id: str, submit_to: str, tally: Tally) -> None:
        started = perf_counter()
        path, body = f"{urlsplit(submit_to).path}/mturk/externalSubmit", f"assignmentId={assignment_id}{ANSWERS}"
        answer = await self.site.ask("POST", path, body=body, accept="application/json")
        tally.seconds["submit"].append(perf_counter() - started)
        if answer.status == 200 and b'"recorded"' in answer.body:
            tally.recorded.append(assignment_id)
        else:
            _wrong(tally, "submit", answer)

    def close(self) -> None:
        self.site.close()
        self.frame.close()


def _wrong(tally: Tally, step: str, answer: Answer) -> None:
    said = re.search(rb'data-reason="([^"]+)"|"reason": "([^"]+)"', answer.body)
    word = (said[1] or said[2]).decode() if said else ""
    kind = tally.refused if answer.status in {403, 409} else tally.errors
    kind.append(f"{step}: {answer.status} {word}".strip())
