"""Two live studies from an empty installation, in browsers alone: a researcher, and people who come by a link.

Six people come in `make test`; `make people` has 24 of them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.annotation.console.installation import installation
from tests.annotation.console.participant import Participant, change_device, come_twice, decline, give_back, work
from tests.annotation.console.researcher import PAY, TRAINING, Researcher, log_probabilities, texts
from tests.browsing import DESK, PHONE, fresh

PEOPLE = int(os.environ.get("ASSAY_PEOPLE", "6"))
MOST_ACTIONS = 25
SIGN_IN = 3  # the link, the password, the button
LONG_MS = 60_000  # a report on a machine that has other work
GERMAN = "Ich stimme zu und beginne"


@dataclass
class Crowd:
    """People in browsers of their own, and what became of them: outcomes are finished, declined and returned."""

    browser: Browser
    link: str
    outcomes: Counter[str]

    def come(self, kind: str) -> None:
        with ExitStack() as open_contexts:

            def new_page(**settings: object) -> Page:
                context = open_contexts.enter_context(fresh(self.browser, **settings))
                context.set_default_timeout(LONG_MS)
                return context.new_page()

            code = WAYS[kind](new_page, self.link)
        assert bool(code) == (kind not in OUTCOMES), kind
        self.outcomes[OUTCOMES.get(kind, "finished")] += 1


def on_a_phone(new_page: Callable[..., Page], link: str) -> str:
    return work(Participant(new_page(viewport=PHONE, has_touch=True)), link)


def at_a_desk(new_page: Callable[..., Page], link: str) -> str:
    return work(Participant(new_page(viewport=DESK)), link)


def in_german(new_page: Callable[..., Page], link: str) -> str:
    return work(Participant(new_page(locale="de-DE"), agree=GERMAN), link)


def by_keyboard(new_page: Callable[..., Page], link: str) -> str:
    return work(Participant(new_page(), keyboard=True), link)


def who_declines(new_page: Callable[..., Page], link: str) -> str:
    decline(Participant(new_page()), link)
    return ""


def who_returns(new_page: Callable[..., Page], link: str) -> str:
    give_back(Participant(new_page()), link)
    return ""


def who_comes_twice(new_page: Callable[..., Page], link: str) -> str:
    return come_twice(Participant(new_page(locale="en-GB")), link)


def who_changes_device(new_page: Callable[..., Page], link: str) -> str:
    return change_device(Participant(new_page()), link, lambda: new_page(viewport=PHONE))


WAYS = {
    "keyboard": by_keyboard,
    "phone": on_a_phone,
    "returns": who_returns,
    "declines": who_declines,
    "device": who_changes_device,
    "twice": who_comes_twice,
    "german": in_german,
    "desk": at_a_desk,
}
OUTCOMES = {"declines": "declined", "returns": "returned"}


pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def made(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], None]
) -> Iterator[tuple[Researcher, Path]]:
    """The first owner of a new installation at the console, and a folder for their files."""
    folder = tmp_path_factory.mktemp("installation")
    migrated(folder / "assay.sqlite3")
    with (
        installation(folder) as link,
        fresh(browser, viewport=DESK, base_url=link[: link.index("/console/")]) as context,
    ):
        context.set_default_timeout(LONG_MS)
        ada = Researcher(context.new_page())
        ada.sign_in(link)
        assert ada.actions == SIGN_IN
        yield ada, folder


def come_to_console(ada: Researcher) -> None:
    """As after the first sign-in, whichever test is first: no more actions than led there."""
    ada.page.goto("/console/")
    ada.actions = SIGN_IN


def first_answer(ada: Researcher, bea: Participant, link: str) -> None:
    """Open the link, agree and answer the first question, which is stored."""
    ada.count(bea.page.goto, link)
    ada.count(bea.page.get_by_role("button", name=bea.agree, exact=True).click)
    frame = bea.task()
    while not frame.locator(".choices:visible").count():
        ada.count(frame.locator("button:visible").last.click)
    with bea.page.expect_response("**/draft?*") as stored:
        ada.count(frame.locator(".choices:visible label").first.click)
    assert stored.value.ok


def people_come(ada: Researcher, browser: Browser, link: str, number: int) -> Counter[str]:
    """The first person on a phone, whose first answer the actions lead to, and the others; what became of them."""
    crowd = Crowd(browser, link, Counter(finished=1))
    with fresh(browser, viewport=PHONE) as context:
        context.set_default_timeout(LONG_MS)
        bea = Participant(context.new_page())
        first_answer(ada, bea, link)
        assert bea.finish()
    kinds = list(WAYS)
    for at in range(number - 1):
        crowd.come(kinds[at % len(kinds)])
    return crowd.outcomes


def flat(report: str) -> str:
    return " ".join(report.split())


def test_human_or_machine_with_four_trainings(made: tuple[Researcher, Path], browser: Browser) -> None:
    ada, folder = made
    come_to_console(ada)
    (folder / "texts.csv").write_text(texts(("tiny",), 10), encoding="utf-8")
    (folder / "training.csv").write_text(TRAINING, encoding="utf-8")
    ada.begin("arms", "Human or machine?", folder / "texts.csv")
    ada.write_training(folder / "training.csv")
    ada.press("Create tasks and preview")
    ada.recruit_by_link()
    link = ada.publish()
    outcomes = people_come(ada, browser, link, PEOPLE)
    assert ada.actions <= MOST_ACTIONS
    finished, returned = outcomes["finished"], outcomes["returned"]
    report = flat(ada.read_report(finished))
    assert f"{finished} people took part through assay (by a link)." in report
    assert f"Raters were paid by voucher ({PAY})." in report
    assert "Consent: Asked by the marketplace or the invitation, before the first task." in report
    assert not re.search(r"\d USD", report)
    # Who declined was not assigned; who returned was, and came back to no task.
    assert f"Conditions were assigned at random when people entered ({finished + returned} draws, seed " in report
    stages = [
        [int(number) for number in numbers]
        for numbers in re.findall(r"(?:none|instructions|examples|comparison) (\d+) (\d+) (\d+) (\d+) (\d+) ", report)
    ]
    assigned, left, inside, done, _excluded = map(sum, zip(*stages, strict=True))
    assert (assigned, left, inside, done) == (finished + returned, returned, 0, finished)
    assert max(row[0] for row in stages) - min(row[0] for row in stages) <= 1 + returned


def test_huse_with_two_generators(made: tuple[Researcher, Path], browser: Browser) -> None:
    ada, folder = made
    come_to_console(ada)
    generators = ("tiny", "small")
    # 9 references and 8 texts of each: a task of 25 texts, and more items than the 16 neighbours of HUSE.
    (folder / "typical.csv").write_text(texts(generators, 8, references=9), encoding="utf-8")
    (folder / "log_p.csv").write_text(log_probabilities(generators, 9), encoding="utf-8")
    ada.begin("typical", "How typical is each text?", folder / "typical.csv", folder / "log_p.csv")
    ada.press("Create tasks and preview")
    ada.recruit_by_link()
    link = ada.publish()
    outcomes = people_come(ada, browser, link, 3)
    assert ada.actions <= MOST_ACTIONS
    report = flat(ada.read_report(outcomes["finished"]))
    assert f"{outcomes['finished']} people took part through assay (by a link)." in report
    assert f"Raters were paid by voucher ({PAY})." in report
    # 9 references and 8 texts of a generator.
    for generator in generators:
        assert re.search(rf"{generator}: HUSE \d\.\d\d at 17 texts", report)
