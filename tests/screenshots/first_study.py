"""python -m tests.screenshots.first_study: the pictures of docs/first-study.md, made by walking its steps."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.annotation.console.installation import installation
from tests.annotation.console.participant import Participant, work
from tests.annotation.console.researcher import TRAINING, Researcher, texts
from tests.browsing import PHONE, chromium, fresh
from tests.screenshots.shots import replacing

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "first-study"
WINDOW = {"width": 960, "height": 640}
# In the order of the steps: docs/first-study/1-password.png and so on.
PICTURES = (
    "password",
    "new",
    "texts",
    "training",
    "preview",
    "channel",
    "publish",
    "address",
    "door",
    "task",
    "end",
    "progress",
    "funnel",
    "results",
    "report",
)
# What a picture is of, where that lies below the window: it is scrolled to the top.
SUBJECTS = {"preview": "main :text('Task 1 of')", "funnel": "#funnel"}


def file_name(name: str) -> str:
    """The file of a picture."""
    return f"{PICTURES.index(name) + 1}-{name}.png"


def walk(page: Page, link: str, browser: Browser, folder: Path, out: Path) -> None:
    """The steps of the page, each with its picture in `out`."""

    def picture(name: str, shown: Page = page) -> None:
        if name in SUBJECTS:
            shown.locator(SUBJECTS[name]).first.evaluate("element => element.scrollIntoView()")
        shown.screenshot(path=out / file_name(name))

    (folder / "texts.csv").write_text(texts(("tiny",), 10), encoding="utf-8")
    (folder / "training.csv").write_text(TRAINING, encoding="utf-8")
    ada = Researcher(page, shoot=picture)
    ada.sign_in(link)
    ada.begin("arms", "Human or machine?", folder / "texts.csv")
    ada.write_training(folder / "training.csv")
    ada.press("Create tasks and preview")
    ada.recruit_by_link()
    address = ada.publish()
    with fresh(browser, viewport=PHONE) as context:
        bea = Participant(context.new_page())
        bea.page.goto(address)
        picture("door", bea.page)
        bea.enter(address)
        bea.task()
        picture("task", bea.page)
        bea.finish()
        picture("end", bea.page)
    for _person in range(3):
        with fresh(browser) as context:
            work(Participant(context.new_page()), address)
    ada.read_report(4)


def main() -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        replacing(OUT, all_pictures=True) as out,
        installation(Path(folder)) as link,
        chromium(os.environ["CHROMIUM"]) as browser,
        fresh(browser, viewport=WINDOW) as context,
    ):
        context.set_default_timeout(240_000)
        walk(context.new_page(), link, browser, Path(folder), out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
