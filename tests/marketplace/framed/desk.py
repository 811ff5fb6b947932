"""A worker with a browser, and the tasks they meet."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.core.signals import got_request_exception
from playwright.sync_api import BrowserContext, Error, Frame, Page, expect

from annotation.marketplace.models import Assignment, Submission

FORM = """<!DOCTYPE html><html lang="en"><head><title>Task</title></head><body><h1>Rate this</h1>
<form method="post" action="https://www.mturk.com/mturk/externalSubmit" id="mturk_form">
<input type="hidden" name="assignmentId" id="assignmentId" value="">
<label>Why? <input name="why"></label>
<label><input type="radio" name="rating" value="1"> bad</label>
<label><input type="radio" name="rating" value="2"> good</label>
<button name="button" value="pressed">Submit</button></form>{more}</body></html>"""


_failures: list[str] = []


def _keep_failure(**_: Any) -> None:
    _failures.append(repr(sys.exc_info()[1]))


# A page that failed is named by its cause at once, in the line that sums up the test.
got_request_exception.connect(_keep_failure)


def enter(page: Page, link: str) -> None:
    """Sign in by a one-time link."""
    page.goto(link)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hits/")


CONNECTING = 30_000  # milliseconds
CONNECTED = "() => document.readyState === 'complete' && Boolean(window.assay && window.assay.connected())"


def task(more: str = "") -> str:
    return FORM.replace("{more}", more)


@dataclass(frozen=True)
class Desk:
    """A signed-in worker, their browser and the page they are at."""

    worker_id: str
    context: BrowserContext
    page: Page

    def accept(self, hit: dict) -> Frame:
        """Accept `hit` by its button; the frame of the task."""
        answer = self.page.goto(f"/hits/{hit['HITId']}/")
        assert answer
        assert answer.ok, _failures[-1:]
        self.page.get_by_role("button", name="Accept this task").click()
        self.page.wait_for_url("**/hits/work/**")
        return self.frame()

    def accept_outside(self, hit: dict) -> Frame:
        """Accept `hit`, whose page is somebody else's; its frame."""
        self.page.goto(f"/hits/{hit['HITId']}/")
        self.page.get_by_role("button", name="Accept this task").click()
        self.page.wait_for_url("**/hits/work/**")
        handle = self.page.wait_for_selector("iframe#task")
        inner = handle.content_frame() if handle else None
        assert inner is not None
        inner.wait_for_load_state()
        return inner

    def frame(self, page: Page | None = None) -> Frame:
        """The frame of the task, ready and connected to the page around it."""
        return connected(page or self.page)

    def recorded(self) -> None:
        """Wait for the page that says so."""
        expect(self.page.get_by_role("heading", name="Thank you, your work is recorded")).to_be_visible()


def connected(page: Page) -> Frame:
    # Asked from here each time: the pages forbid eval, by which a page would wait by itself. After going back, the
    # first element may be one of the page that is being left: it has no frame, or one that can no longer be asked.
    for _ in range(CONNECTING // 50):
        with suppress(Error):
            handle = page.query_selector("iframe#task")
            inner = handle.content_frame() if handle else None
            if inner is not None and inner.evaluate(CONNECTED):
                return inner
        page.wait_for_timeout(50)
    raise AssertionError("the task was never connected to the page around it")


def raw(assignment_id: str | None = None) -> list[list[str]]:
    """The fields of the only submission, in order."""
    rows = Submission.objects.all()
    if assignment_id:
        rows = rows.filter(assignment__assignment_id=assignment_id)
    return json.loads(rows.get().raw)


def fields(assignment_id: str | None = None) -> dict[str, Any]:
    return {name: value for name, value in raw(assignment_id) if name != "assignmentId"}


def state() -> str:
    return Assignment.objects.get().state
