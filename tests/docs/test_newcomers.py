"""What newcomers ask is asked of the site as they would say it."""

from __future__ import annotations

from tests.docs.newcomers import QUESTIONS
from tests.docs.paths import ROOT


def plain(text: str) -> str:
    """A heading or question without its signs, in small letters."""
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == " ").strip()


def test_thirty_questions_are_asked_once_each() -> None:
    assert len({plain(question) for question in QUESTIONS}) == len(QUESTIONS) == 30


def test_no_question_is_the_title_or_a_heading_of_a_page() -> None:
    headings = {
        plain(line.lstrip("#"))
        for page in (ROOT / "docs").rglob("*.md")
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    }
    assert headings
    assert [question for question in QUESTIONS if plain(question) in headings] == []
