"""The commands of the pages are taken by the programs that they name."""

from __future__ import annotations

import pytest

from tests.docs.commands import PAGES, ROOT, Shown, refusal, shown_commands

RUN_BY = {
    "README.md": "tests/distribution/test_wheel.py",
    "docs/quick-start.md": "tests/distribution/test_wheel.py",
    "docs/marketplace.md": "tests/marketplace/qualifications/test_once.py",
    "docs/migrating.md": "tests/annotation/batches/test_migrating_page.py",
    "docs/python.md": "tests/metrics/data/test_frames.py",
    "docs/studio.md": "tests/annotation/client/test_client.py",
}
COMMANDS = {page.relative_to(ROOT).as_posix(): list(shown_commands(page)) for page in PAGES}


@pytest.mark.parametrize("page", [name for name, commands in COMMANDS.items() if commands])
def test_every_command_of_a_page_is_taken_by_its_program(page: str) -> None:
    assert {shown.line: said for shown in COMMANDS[page] if (said := refusal(shown))} == {}


def test_the_pages_that_people_follow_show_commands() -> None:
    followed = ("README.md", "docs/designing.md", "docs/import.md", "docs/migrating.md", "docs/running.md")
    assert all(len(COMMANDS[page]) >= 4 for page in followed)


def test_the_python_of_each_page_is_run_by_a_test() -> None:
    with_python = {page.relative_to(ROOT).as_posix() for page in PAGES if "```python\n" in page.read_text("utf-8")}
    assert with_python == set(RUN_BY)
    for page, test in RUN_BY.items():
        assert page.rpartition("/")[2] in (ROOT / test).read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("manage.py pubish mine", "no command pubish"),
        ("manage.py publish mine --quick", "unrecognized arguments: --quick"),
        ("manage.py publish", "required"),
        ("python -m metrics hus items.csv", "invalid choice"),
        ("python -m metrics huse items.csv --speed 3", "--speed"),
        ("python -m tests.load_all", "no module tests.load_all"),
        ("make tea", "no target tea"),
        ("make docs SUGAR=2", "reads no SUGAR"),
        ("textassay hscore", "required"),
    ],
)
def test_a_wrong_command_is_named(line: str, said: str) -> None:
    assert said in refusal(Shown("page.md", line))
