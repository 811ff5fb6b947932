"""The shell commands of the pages are run as typed: all by `make snippets`, those of a first study here."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command

from annotation.models import Study
from annotation.rehearsal.crowd.browser import Answer, Browser
from tests.annotation.conftest import told
from tests.docs.commands import PAGES, ROOT, is_run_by, sentence_lines, shell_lines
from tests.docs.journeys import JOURNEYS, NOT_TYPED, OWN_STUDY, RUN_ELSEWHERE, Journey
from tests.docs.snippets import reason_not_to_run, typed_lines


class Terminal(io.StringIO):
    """A keyboard on which an answer was typed."""

    def isatty(self) -> bool:
        return True


COMMANDS = {page.relative_to(ROOT).as_posix(): shell_lines(page) for page in PAGES}
SENTENCES = {page.relative_to(ROOT).as_posix(): sentence_lines(page) for page in PAGES}
TYPED = [line for journey in JOURNEYS for _, line in typed_lines(journey)] + [
    line for page in RUN_ELSEWHERE for line in COMMANDS[page]
]
RUN_HERE = {page: journey for journey in JOURNEYS for page in journey.pages}
IN_A_TEST = re.compile(r"^(?:\.venv/bin/python )?manage\.py (?!serve\b)(?P<words>.+)$")


def test_every_page_with_commands_is_run() -> None:
    assert {page for page, lines in COMMANDS.items() if lines} <= RUN_HERE.keys() | RUN_ELSEWHERE.keys()


def test_every_command_within_a_sentence_is_run_or_stands_with_its_reason() -> None:
    left = [
        line for lines in SENTENCES.values() for line in lines if not any(is_run_by(line, typed) for typed in TYPED)
    ]
    assert [line for line in left if not any(re.match(begins, line) for begins in NOT_TYPED)] == []
    assert [begins for begins in NOT_TYPED if not any(re.match(begins, line) for line in left)] == []
    assert all(len(reason.split()) >= 4 for reason in NOT_TYPED.values())


@pytest.mark.parametrize(
    ("line", "typed", "run"),
    [
        ("manage.py share FIRST SECOND --new", "manage.py share rated again --new", True),
        ("manage.py share FIRST SECOND --new", "manage.py share rated again", False),
        (
            "manage.py import_texts FILE --study NAME [--create]",
            "manage.py import_texts a.csv --study a --create",
            True,
        ),
        ("manage.py work", ".venv/bin/python manage.py work --only files", True),
        ("manage.py work --only files", "manage.py work", False),
        ("make setup MODELS=no", "make setup", False),
        ("make start", "manage.py start", False),
    ],
)
def test_a_command_of_a_sentence_is_run_by_one_with_its_words(line: str, typed: str, run: bool) -> None:
    assert is_run_by(line, typed) == run


def test_every_command_of_these_pages_is_run_or_stands_with_its_reason() -> None:
    for journey in JOURNEYS:
        run = [line for place, line in typed_lines(journey) if place in journey.pages]
        left = [line for page in journey.pages for line in COMMANDS[page] if line not in run]
        assert all(reason_not_to_run(journey, line) for line in left)
        assert len(run) + len(left) == sum(len(COMMANDS[page]) for page in journey.pages)


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.pages[0])
def test_a_journey_says_nothing_of_commands_that_its_pages_do_not_have(journey: Journey) -> None:
    lines = [*journey.before, *journey.in_sentences, *(line for page in journey.pages for line in COMMANDS[page])]
    for part in (*journey.not_run, *journey.typed, *journey.after, *journey.reader_writes):
        assert any(part in line for line in lines), part
    assert all(len(reason.split()) >= 4 for reason in journey.not_run.values())


@pytest.mark.parametrize(("page", "test"), RUN_ELSEWHERE.items())
def test_the_other_pages_are_run_by_tests_that_name_them(page: str, test: str) -> None:
    named = [path.read_text("utf-8") for path in (ROOT / test).parent.glob("*.py")]
    assert page in (ROOT / test).read_text("utf-8")
    assert any(f'"{Path(page).name}"' in text or page in text for text in named)


def test_a_command_in_a_block_is_seen_and_what_it_prints_is_not(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "Type `make\ntea` or ``make `tea` ``, or use `make`.\n\n"
        "```\n$ python -m metrics huse a.csv\nHUSE 0.5\n```\n\n```sh\nA=b curl \\\n  here\n# said\n```\n"
        "```python\nmake = 'tea'\n```\n"
    )
    assert shell_lines(tmp_path / "page.md") == ["python -m metrics huse a.csv", "A=b curl  here"]
    assert sentence_lines(tmp_path / "page.md") == ["make tea", "make `tea`"]


def test_a_reader_follows_the_readme_from_a_file_to_a_report_and_its_upkeep(
    site: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, behind the server of the tests in place of `serve`."""
    cache.clear()
    monkeypatch.chdir(tmp_path)
    settings.VAR, settings.CONSOLE_ORIGIN, settings.MTURK_ENDPOINT_URL = tmp_path / "var", site, f"{site}/mturk/"
    key = told("create_requester", "console-requester", "--balance", "1000.00")  # by `serve`, in a reader's folder
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    for name, content in OWN_STUDY.files.items():
        Path(name).write_text(str(content), encoding="utf-8")
    printed: dict[str, str] = {}
    for _, line in typed_lines(OWN_STUDY):
        if line == "WORK":
            do_tasks(printed["create_worker"])
        elif (command := IN_A_TEST.match(line)) and "$" not in line:
            words = shlex.split(command["words"], comments=True)
            answer = next((typed for part, typed in OWN_STUDY.typed.items() if part in line), "")
            monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
            out = io.StringIO()
            call_command(*words, stdout=out, stderr=out)
            printed[words[0]] = out.getvalue()
    assert printed["collect"].startswith("1 new submissions, 6 judgments; 0 could not be read")
    assert "1 approved" in printed["approve"]
    assert set(Study.objects.values_list("name", flat=True)) == {"old", "theirs", "mine"}
    assert all(Path(folder, "report.html").exists() for folder in ("report", "old-report", "their-report"))


def do_tasks(printed: str) -> None:
    """Open the link that was printed, and answer what is on offer."""
    with Browser(re.search(r"sign_in_url: (\S+)", printed)[1]) as browser:  # type: ignore[index]
        for offer in list(browser.offers()):
            sheet = browser.accept(offer)
            browser.hand_in(sheet, [Answer(field.labels[0], 1500) for field in sheet.fields])
