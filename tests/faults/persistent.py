"""A worker whose page goes on through failures, as a browser does: it sends again until the site says "recorded"."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin

import httpx

from annotation.rehearsal.crowd.browser import Browser, Field, RefusedError, Sheet, SiteError

HELD = re.compile(r"/hits/work/3[A-Z0-9]{29}/")
MILLISECONDS, PAUSE = 1500, 0.3


@dataclass
class Met:
    """What people met. recorded: what was sent, by the assignment for which the site said that it is recorded."""

    recorded: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    failed: int = 0


@dataclass
class Persistent:
    """Somebody who does every HIT of a study that is on offer, and never gives up."""

    # A new link for each sign-in: one works once.
    link: Callable[[], str]
    met: Met
    patience: float = 900.0
    # Seconds between two tasks.
    pace: float = 0.0

    def rates(self, study: str, *, most: int | None = None, until: Callable[[], bool] = lambda: False) -> int:
        """How many HITs of the study are done when none is on offer any more (or `most` are, or it is enough)."""
        done, ends, browser = 0, time.monotonic() + self.patience, None
        try:
            while time.monotonic() < ends:
                try:
                    browser = browser or Browser(self.link())
                    while sheet := self._next(browser, study):
                        self._send(browser, sheet)
                        done += 1
                        time.sleep(self.pace)
                        if done == most or until():
                            return done
                    return done
                except RefusedError as refusal:
                    self.met.answers[f"refused: {refusal}"] += 1
                except SiteError as error:
                    self._note(str(error))
                time.sleep(PAUSE)
        finally:
            if browser is not None:
                browser.__exit__()
        raise TimeoutError(f"{study}: after {self.patience:.0f} s a person still could not go on: {self.met.answers}")

    def open_task(self, study: str) -> tuple[Browser, Sheet]:
        """Accept a task of the study and leave its page open."""
        browser = Browser(self.link())
        sheet = self._next(browser, study)
        assert sheet is not None, f"{study}: no task is on offer"
        return browser, sheet

    def submit(self, browser: Browser, sheet: Sheet) -> None:
        """Send the answers of an open page, again and again until they are recorded."""
        self._send(browser, sheet)
        browser.__exit__()

    def _note(self, words: str) -> None:
        self.met.failed += 1
        status = re.search(r"answered (\d+)", words)
        self.met.answers[status[1] if status else "no answer"] += 1

    def _next(self, browser: Browser, study: str) -> Sheet | None:
        """The task that is held already, or else the next one on offer."""
        home = browser._get(urljoin(str(browser._home.url), "/hits/"))
        if held := HELD.search(home.text):
            return browser._sheet(browser._get(urljoin(str(browser._home.url), held[0])))
        browser._home = home
        for offer in list(browser.offers()):
            if any(study in item.text for item in browser.preview(offer).fields):
                return browser.accept(offer)
        return None

    def _send(self, browser: Browser, sheet: Sheet) -> None:
        fields, began = _filled(sheet), time.monotonic()
        while time.monotonic() < began + self.patience:
            try:
                answer = browser._frame.post(sheet.action, data=fields, headers={"Accept": "application/json"})
                word = answer.json().get("reason", "") if "json" in answer.headers.get("content-type", "") else ""
            except httpx.TransportError:
                self._note("no answer")
            else:
                if answer.status_code == 200 or word == "twice":
                    self.met.recorded[fields["assignmentId"]] = fields
                    self.met.longest = max(self.met.longest, time.monotonic() - began)
                    return
                self._note(f"answered {answer.status_code}")
                self.met.sentences[f"{answer.status_code} {_sentence(answer)}"] += 1
                if answer.status_code < 500:
                    raise RefusedError(f"{answer.status_code} {word}")
            time.sleep(PAUSE)
        raise TimeoutError(f"the answers of {fields['assignmentId']} could not be sent")


def _sentence(answer: httpx.Response) -> str:
    """What a person reads: of JSON its title and text, of a page its heading and first paragraph."""
    if "json" in answer.headers.get("content-type", ""):
        said = answer.json()
        words = [str(said[name]).rstrip(".") for name in ("title", "text") if said.get(name)]
        return str(said.get("detail") or ". ".join(words))
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", answer.text, re.DOTALL)
    return " ".join(heading[1].split()) if heading else "(no sentence)"


def _filled(sheet: Sheet) -> dict[str, str]:
    fields = dict(sheet.hidden)
    for item in sheet.fields:
        fields |= _answer(item)
    return fields


def _answer(item: Field) -> dict[str, str]:
    clock = {item.clock: str(MILLISECONDS)} if item.clock else {}
    return {item.name: item.labels[0] if item.labels else "Typical", **clock}
