"""What newcomers ask is asked of the built site as they would say it: of its own search, in a browser, offline."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from annotation.console.navigation import HELP
from tests.browsing import fresh, wrong_at_each_width
from tests.docs.newcomers import QUESTIONS, Question
from tests.docs.paths import ROOT

pytestmark = pytest.mark.long
FIRST = 3
HELP_OF_CONSOLE = "/console/help"
# The pages that a newcomer reads, for the eyes of axe; every other one has the same frame.
READ_FIRST = ("index.html", "tasks/index.html", "methods.html")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it: a warning of MkDocs would fail here."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "docs.make_site", "--out", str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """Serves the site under the console's policy, and writes no line for a request."""

    def end_headers(self) -> None:
        self.send_header(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
        )
        super().end_headers()

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(HELP_OF_CONSOLE))

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(built: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def plain(text: str) -> str:
    """A heading or question without its signs, in small letters."""
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == " ").strip()


def article(page: Path) -> str:
    """What a page itself says, without the navigation around it."""
    return page.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_every_question_is_asked_once_and_none_is_a_heading() -> None:
    asked = {plain(question.words) for question in QUESTIONS}
    headings = {
        plain(line.lstrip("#"))
        for page in (ROOT / "docs").rglob("*.md")
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    }
    assert len(asked) == len(QUESTIONS) >= 57
    assert asked.isdisjoint(headings)


def test_every_answer_stands_where_it_is_looked_for(built: Path) -> None:
    missing = [
        (question.words, page)
        for question in QUESTIONS
        for page in question.pages
        if question.answer.lower() not in words(article(built / page)).lower()
    ]
    assert missing == []


def test_the_console_s_help_opens_pages_that_exist(built: Path) -> None:
    assert [page for page in HELP.values() if not (built / page).is_file()] == []


def test_programs_read_a_list_of_all_pages(built: Path) -> None:
    lines = (built / "llms.txt").read_text(encoding="utf-8").splitlines()
    addresses = [address for line in lines for address in re.findall(r"^- \[.+?\]\((\S+?)\)", line)]
    papers = ("typicality", "human-or-machine", "near-negative", "human-likelihood")
    assert [Path(address).stem for address in addresses[:4]] == list(papers)
    assert len(addresses) == len({*addresses})
    assert {*addresses} == {page.relative_to(built).as_posix() for page in built.rglob("*.html")} - {"404.html"}


def test_no_page_loads_or_runs_what_the_console_forbids(built: Path) -> None:
    for page in built.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="(https?:)?//[^"]*"', html)
        assert loaded == [], page
        assert "<style" not in html, page
        assert re.search(r'\sstyle="', html) is None, page
        assert re.search(r"<script(?![^>]*(?:\bsrc=|application/json))", html) is None, page


def test_newcomers_find_their_answers_and_see_pages_without_barriers(browser: Browser, site: str) -> None:
    problems: list[str] = []
    with fresh(browser, reduced_motion="reduce") as context:
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(site)
        found = {question.words: asked(page, question) for question in QUESTIONS}
        lost = {one.words: found[one.words] for one in QUESTIONS if not set(one.pages) & set(found[one.words])}
        assert lost == {}
        for name in READ_FIRST:
            page.goto(site + name)
            assert wrong_at_each_width(page) == [], name
        back = page.get_by_role("link", name="Back to the console")
        expect(back).to_have_count(0)
        page.goto(f"{site.rstrip('/')}{HELP_OF_CONSOLE}/tasks/index.html")
        expect(back).to_have_attribute("href", "/console/")
    assert problems == []


def asked(page: Any, question: Question) -> list[str]:
    """The pages of the first results of the site's own search, whose results are those of the last key."""
    box, count = page.locator("input.md-search__input"), page.locator(".md-search-result__meta")
    box.fill("")
    box.press("End")
    expect(count).to_have_text("Type to start searching")
    box.fill(question.words)
    box.press("End")
    expect(count).to_contain_text("matching document")
    links = page.locator(".md-search-result__item > a.md-search-result__link:first-child")
    return [urlsplit(str(one.evaluate("one => one.href"))).path[1:] for one in links.all()[:FIRST]]
