"""What one person from a panel does: they open the study's address, agree, do their tasks, and go back with a code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
from lxml import html

from annotation.rehearsal.crowd.browser import Answer, Browser, Sheet

# More than any study has for one person.
MAX_TASKS = 500


class PanelVisit(Browser):
    """A visit that begins at the address which the panel opens. Use as a context manager."""

    def begin(self) -> httpx.Response:
        """Agree and come to the first task. Raises RefusedError with the page's heading, SiteError."""
        page = self._press(self._home, "/begin/")
        return self._home if page is None else self._to_task(page)

    def decline(self) -> str:
        """Do not agree; the code of the way back, "" where the page has none."""
        page = self._press(self._home, "/decline/")
        links = [] if page is None else html.fromstring(page.content).xpath("//a[contains(@href, 'cc=')]/@href")
        return code_in(links[0]) if links else ""

    def work(self, judge: Callable[[Sheet], Sequence[Answer]]) -> int:
        """Do every task there is, from `begin` on; how many were submitted."""
        page = self.begin()
        for number in range(MAX_TASKS):
            if not html.fromstring(page.content).xpath("//iframe/@src"):
                return number
            sheet = self._sheet(page)
            self.hand_in(sheet, judge(sheet))
            page = self._to_task(self._get(urljoin(str(page.url), "/hits/")))
        return MAX_TASKS

    def go_back(self) -> str:
        """The code with which the site sends the person back to the panel."""
        address = urljoin(str(self._home.url), "/hits/end/back/")
        answer = self._site.get(address, follow_redirects=False)
        return code_in(answer.headers.get("location", ""))

    def _to_task(self, page: httpx.Response) -> httpx.Response:
        """The page of the task, behind a button between two tasks or what a task pays."""
        for ending in ("/start/", "/pay/"):
            page = self._press(page, ending) or page
        return page


def code_in(address: str) -> str:
    """The completion code in the address of a panel."""
    return parse_qs(urlsplit(address).query).get("cc", [""])[0]
