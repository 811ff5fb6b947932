"""python -m tests.screenshots.first_study BATCH.csv: the pictures of docs/first-study.md, made by walking its steps."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.browsing import chromium, fresh

OUT = Path(__file__).resolve().parents[2] / "docs" / "first-study"
WINDOW = {"width": 960, "height": 560}
PASSWORD = "a pass phrase for pictures"


@contextmanager
def installation(folder: Path) -> Iterator[str]:
    """A new installation as `make serve` makes it: a rehearsed study, a server, its work loop; yields the link."""
    os.environ["DATABASE_URL"], os.environ["ASSAY_VAR"] = f"sqlite:///{folder / 'assay.sqlite3'}", str(folder)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.utils import timezone
    from waitress import create_server

    from annotation.accounts.links import first_owner_link
    from annotation.jobs.run import run_due
    from annotation.management.commands.serve import application, follow_port

    settings.VAR = folder
    call_command("migrate", verbosity=0)
    call_command("rehearse", name="demo", texts=40, raters=10)
    server = create_server(application(), host="127.0.0.1", port=0, threads=8)
    follow_port(server.effective_port)
    threading.Thread(target=server.run, daemon=True).start()
    stop = threading.Event()

    def loop() -> None:
        while not stop.wait(0.5):
            run_due()

    worker = threading.Thread(target=loop)
    worker.start()
    yield first_owner_link(now=timezone.now()) or ""
    stop.set()
    worker.join()
    server.close()


def walk(page: Page, link: str, batch: Path) -> None:
    """The steps of the page, each with its picture."""
    numbers = iter(range(1, 100))

    def picture(name: str) -> None:
        page.screenshot(path=OUT / f"{next(numbers)}-{name}.png")

    def press(name: str) -> None:
        main: Any = page.locator("main")
        main.get_by_role("button", name=name).or_(main.get_by_role("link", name=name)).first.click()

    page.goto(link)
    for label in ("Password", "Repeat password"):
        page.get_by_label(label, exact=True).fill(PASSWORD)
    picture("password")
    press("Save password")
    picture("studies")
    press("Import a finished batch")
    page.get_by_label("Study name").fill("huse")
    page.get_by_label("Batch results (CSV)").set_input_files(batch)
    picture("import")
    press("Import batch")
    page.get_by_text("View results").wait_for()
    picture("imported")
    press("View results")
    press("Compute results")
    page.get_by_text("View results").wait_for()
    picture("computed")
    press("View results")
    picture("results")
    press("Open full report")
    page.wait_for_load_state("networkidle")
    picture("report")


def main(batch: str) -> int:
    OUT.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        installation(Path(folder)) as link,
        chromium(os.environ["CHROMIUM"]) as browser,
        fresh(browser, viewport=WINDOW) as context,
    ):
        context.set_default_timeout(240_000)
        walk(context.new_page(), link, Path(batch))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
