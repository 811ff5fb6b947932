"""A researcher who runs a study with real people from the console, and counts every click, field and file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

PASSWORD = "quite a long pass phrase"
# What the starting text leaves open, as this researcher fills it.
CONSENT = (
    "The Reading Lab asks you to take part in a study. You read short texts and answer questions about them.\n\n"
    "It takes about 5 minutes. Taking part is voluntary. You can stop at any time by closing the page.\n\n"
    "Stored are your answers and how long you look at each text, until 30 June 2030. Only the lab reads them.\n\n"
    "Questions: lab@example.org"
)
PAY = "a voucher of 5 euros"
HEADER = "id,text,source,generator,log_prob\n"
TRAINING = """training,text,source,human,machine,explanation
instructions,"Read each text to the end. Look for what a person would not say.",,,,
examples,"We walked to the harbour and it rained.",human,,,People mention what happened by chance.
comparison,,,"The baker forgot the salt.","The bread is bread of bread.",{machine} repeats itself.
"""


def texts(generators: tuple[str, ...], each: int, *, references: int = 0) -> str:
    """A file of texts; the log p of the references are in a file of their own, for they differ by generator."""
    rows = [
        f'r{at},"Reference {at}: the boat left the harbour at {at}.",reference,,' for at in range(references or each)
    ]
    rows += [
        f'{name}{at},"{name.title()} {at}: the boat is a boat of {at}.",model,{name},-{at + 6}.25'
        for name in generators
        for at in range(each)
    ]
    return HEADER + "\n".join(rows) + "\n"


def log_probabilities(generators: tuple[str, ...], each: int) -> str:
    rows = [f"r{at},{name},-{at + 4}.{n}5" for n, name in enumerate(generators) for at in range(each)]
    return "text,generator,log_prob\n" + "\n".join(rows) + "\n"


@dataclass
class Researcher:
    """Somebody at the console. shoot: takes a picture of a step, where a page of the documentation wants one."""

    page: Page
    shoot: Callable[[str], None] = lambda _name: None
    actions: int = 0

    def press(self, name: str, *, exact: bool = False) -> None:
        main = self.page.locator("main")
        button = main.get_by_role("button", name=name, exact=exact).or_(
            main.get_by_role("link", name=name, exact=exact)
        )
        self.count(button.first.click)

    def fill(self, label: str, value: str, *, exact: bool = False) -> None:
        self.count(self.page.locator("main").get_by_label(label, exact=exact).first.fill, value)

    def choose(self, label: str, value: str) -> None:
        self.count(self.page.get_by_role("combobox", name=label).first.select_option, label=value)

    def tick(self, label: str) -> None:
        self.count(self.page.get_by_label(label).first.check)

    def bring(self, label: str, file: Path) -> None:
        self.count(self.page.get_by_label(label).first.set_input_files, file)

    def count(self, deed: Callable[..., Any], *words: Any, **more: Any) -> None:
        self.actions += 1
        deed(*words, **more)

    def sign_in(self, link: str) -> None:
        """By the link that a new installation prints for its owner."""
        self.count(self.page.goto, link)
        self.fill("Password", PASSWORD, exact=True)
        self.shoot("password")
        self.press("Save password")

    def begin(self, name: str, template: str, texts: Path, log_p: Path | None = None) -> None:
        """A live study of that name from the start of an empty console, with its texts, at the design."""
        self.press(f"Start a live study: {template}")
        self.fill("Name", name)
        self.shoot("new")
        self.press("Create study")
        self.bring("File of texts", texts)
        if log_p:
            self.bring("File of log-probabilities", log_p)
        self.press("Check file")
        expect(self.page.locator("main").get_by_role("button", name="Add ").first).to_be_visible(timeout=90_000)
        self.shoot("texts")
        self.press("Add ")

    def recruit_by_link(self) -> None:
        """From the created tasks to a channel, and by it to the check before publishing."""
        self.shoot("preview")
        self.press("Recruit by a link")
        self.choose("Payment", "A voucher")
        self.fill("Payment in words", PAY)
        self.fill("Consent text", CONSENT)
        if self.page.locator("main").get_by_label("Name", exact=True).count():
            self.fill("Name", "The Reading Lab", exact=True)
        self.shoot("channel")
        self.press("Open channel")

    def publish(self) -> str:
        """Publish by the channel, whose participants the site does not pay; its address."""
        expect(self.page.get_by_role("heading", name="What will be created")).to_be_visible(timeout=90_000)
        self.shoot("publish")
        self.press("Publish", exact=True)
        # "All 8 tasks are on the marketplace.", not "2 of 8 tasks are ...".
        out = re.compile(r"(All [\d,]+ tasks are|The task is) on the marketplace\.")
        expect(self.page.locator("#funnel")).to_contain_text(out, timeout=90_000)
        link = self.page.locator("#link").inner_text()
        self.shoot("address")
        return link

    def write_training(self, items: Path) -> None:
        """The training items from a file."""
        self.press("Save and edit training items")
        self.bring("File", items)
        self.press("Import items", exact=True)
        self.shoot("training")

    def compute_log_probabilities(self, generator: str) -> None:
        """From a page of the study, with the small model that comes with Assay."""
        tabs = self.page.get_by_role("navigation")
        self.count(tabs.get_by_role("link", name="Set up").click)
        self.count(tabs.get_by_role("link", name="Texts").click)
        self.press("Log-probabilities")
        expect(self.page.get_by_text("include HUSE-Q alone")).to_be_visible()
        self.choose("Generator", generator)
        self.press("Compute log-probabilities")
        self.press("View log-probabilities")
        expect(self.page.get_by_text("Every text has a log-probability")).to_be_visible()

    def read_report(self, submissions: int) -> str:
        """Wait for the submissions, look at the people's numbers, and read the report."""
        tabs = self.page.get_by_role("navigation")
        tabs.get_by_role("link", name="Collect").click()
        expect(self.page.locator("#state")).to_contain_text(f"{submissions} of")
        self.shoot("progress")
        tabs.get_by_role("link", name="Set up").click()
        tabs.get_by_role("link", name="Recruit").click()
        self.shoot("funnel")
        tabs.get_by_role("link", name="Results", exact=True).last.click()
        self.press("Unblind results")
        self.press("Compute results")
        self.press("View results")
        self.shoot("results")
        self.press("Open full report")
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()
        self.shoot("report")
        return self.page.locator("body").inner_text()
