"""Two live studies from an empty installation, in browsers alone: a researcher, and people who come by a link.

Six people come in `make test`, three for HUSE; `make people` has 24 of them in each, from an installation of its own.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from metrics.__main__ import main
from tests.annotation.console.installation import installation
from tests.annotation.console.participant import Participant, change_device, come_twice, decline, give_back, work
from tests.annotation.console.researcher import PAY, TRAINING, Researcher, log_probabilities, texts
from tests.browsing import DESK, PHONE, fresh

PEOPLE = int(os.environ.get("ASSAY_PEOPLE", "6"))
# Where all come, each study has an installation of its own, and all of them rate for HUSE.
ALL = PEOPLE > 6
RATERS = PEOPLE if ALL else 3
MOST_ACTIONS = 25
SIGN_IN = 3  # the link, the password, the button
LONG_MS = 60_000  # a report on a machine that has other work
AGREE, GERMAN = "I agree and start", "Ich stimme zu und beginne"


@dataclass
class Crowd:
    """People in browsers of their own, and what became of them: outcomes are finished, declined and returned.

    by_training: the outcomes of those who read a training, and of those who read none.
    """

    browser: Browser
    link: str
    outcomes: Counter[str] = field(default_factory=Counter)
    by_training: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def come(self, kind: str) -> None:
        with ExitStack() as open_contexts:
            devices = []

            def person(*, agree: str = AGREE, keyboard: bool = False, **settings: object) -> Participant:
                context = open_contexts.enter_context(fresh(self.browser, **settings))
                context.set_default_timeout(LONG_MS)
                devices.append(Participant(context.new_page(), keyboard=keyboard, agree=agree))
                return devices[-1]

            code = WAYS[kind](person, self.link)
        assert bool(code) == (kind not in OUTCOMES), kind
        self.note(OUTCOMES.get(kind, "finished"), [text for device in devices for text in device.read])

    def note(self, outcome: str, read: Sequence[str]) -> None:
        self.outcomes[outcome] += 1
        if read:
            seen = [training for training, words in SIGNS.items() if any(words in text for text in read)]
            assert len(seen) <= 1, seen
            self.by_training[seen[0] if seen else "none"][outcome] += 1


WAYS: dict[str, Callable[[Callable[..., Participant], str], str]] = {
    "keyboard": lambda person, link: work(person(keyboard=True), link),
    "phone": lambda person, link: work(person(viewport=PHONE, has_touch=True), link),
    "returns": lambda person, link: give_back(person(), link),
    "declines": lambda person, link: decline(person(), link),
    "device": lambda person, link: change_device(person(), link, person(viewport=PHONE)),
    "twice": lambda person, link: come_twice(person(locale="en-GB"), link),
    "german": lambda person, link: work(person(locale="de-DE", agree=GERMAN), link),
    "desk": lambda person, link: work(person(viewport=DESK), link),
}
OUTCOMES = {"declines": "declined", "returns": "returned"}
# What only the training of this name shows, of the file that the researcher brings.
SIGNS = {
    "instructions": "Look for what a person would not say.",
    "examples": "We walked to the harbour and it rained.",
    "comparison": "The baker forgot the salt.",
}


pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture(scope="function" if ALL else "module")
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
        frame = bea.task()
    with bea.page.expect_response("**/draft?*") as stored:
        ada.count(frame.locator(".choices:visible label").first.click)
    assert stored.value.ok


def people_come(ada: Researcher, browser: Browser, link: str, number: int) -> Crowd:
    """The first person on a phone, whose first answer the actions lead to, and the others."""
    crowd = Crowd(browser, link)
    with fresh(browser, viewport=PHONE) as context:
        context.set_default_timeout(LONG_MS)
        bea = Participant(context.new_page())
        first_answer(ada, bea, link)
        assert bea.finish()
        crowd.note("finished", bea.read)
    kinds = list(WAYS)
    for at in range(number - 1):
        crowd.come(kinds[at % len(kinds)])
    return crowd


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
    crowd = people_come(ada, browser, link, PEOPLE)
    assert ada.actions <= MOST_ACTIONS
    finished, returned = crowd.outcomes["finished"], crowd.outcomes["returned"]
    report = flat(ada.read_report(finished))
    assert f"{finished} people took part through Assay (by a link)." in report
    assert f"Raters were paid by voucher ({PAY})." in report
    assert "Consent: Asked by the marketplace or the invitation, before the first task." in report
    assert not re.search(r"\d USD", report)
    # Who declined was not assigned; who returned was, and came back to no task.
    assert f"Conditions were assigned at random when people entered ({finished + returned} draws, seed " in report
    assert "Condition Assigned Left Inside Finished Excluded " in report
    for training in ("none", *SIGNS):
        people = crowd.by_training[training]
        row = f"{training} {people.total()} {people['returned']} 0 {people['finished']} 0 "
        assert row in report, (training, crowd.by_training)
    assigned = [people.total() for people in crowd.by_training.values()]
    assert len(assigned) == len(SIGNS) + 1
    assert max(assigned) - min(assigned) <= 1 + returned


def by_command(files: Path, generator: str) -> dict[str, Any]:
    """What `python -m metrics huse` prints of the generator's items and their ratings, as a report exports them."""
    items = files / f"items-{generator}.csv"
    keys = {row["id"] for row in csv.DictReader(items.read_text(encoding="utf-8").splitlines())}
    header, *rows = (files / "ratings.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    ratings, printed = files.parent / f"ratings-{generator}.csv", files.parent / f"{generator}.json"
    ratings.write_text("".join([header, *(row for row in rows if row.split(",")[0] in keys)]), encoding="utf-8")
    assert main(["huse", str(items), "--ratings", str(ratings), "--json", "--out", str(printed)]) == 0
    modes: dict[str, Any] = json.loads(printed.read_text(encoding="utf-8"))["modes"]
    return modes


def test_huse_with_log_probabilities_of_a_file_and_of_a_model(made: tuple[Researcher, Path], browser: Browser) -> None:
    ada, folder = made
    come_to_console(ada)
    generators = ("tiny", "small")
    # 9 references and 8 texts of each: a task of 25 texts, and more items than the 16 neighbours of HUSE.
    rows = texts(generators, 8, references=9).splitlines(keepends=True)
    rows = [f"{row.rpartition(',')[0]},\n" if row.startswith("tiny") else row for row in rows]
    (folder / "typical.csv").write_text("".join(rows), encoding="utf-8")
    (folder / "log_p.csv").write_text(log_probabilities(("small",), 9), encoding="utf-8")
    ada.begin("typical", "How typical is each text?", folder / "typical.csv", folder / "log_p.csv")
    ada.press("Create tasks and preview")
    ada.recruit_by_link()
    link = ada.publish()
    crowd = people_come(ada, browser, link, RATERS)
    assert ada.actions <= MOST_ACTIONS
    finished = crowd.outcomes["finished"]
    ada.compute_log_probabilities("tiny")
    report = flat(ada.read_report(finished))
    assert f"{finished} people took part through Assay (by a link)." in report
    assert f"Raters were paid by voucher ({PAY})." in report
    files = folder / "jobs" / ada.page.url.split("/")[-2]
    document = json.loads((files / "report.json").read_text(encoding="utf-8"))
    assert set(document["generators"]) == set(generators)
    for name, block in document["generators"].items():
        printed = by_command(files, name)
        for mode, measure in product(printed, ("huse", "huse_q", "huse_d")):
            assert block["modes"][mode][measure]["value"] == printed[mode][measure]["value"]
        # 9 references and 8 texts of a generator.
        assert f"{name}: HUSE {printed['exact']['huse']['value']:.2f} at 17 texts" in report
