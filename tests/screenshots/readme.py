"""python -m tests.screenshots.readme: the pictures of README.md, of the demo as everybody makes it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.annotation.console.installation import installation
from tests.annotation.console.researcher import Researcher
from tests.browsing import chromium, fresh
from tests.screenshots.shots import replacing

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "readme"
PICTURES = ("console.png", "huse-plane.png")
WINDOW = {"width": 1200, "height": 860}


def take_console(browser: Browser, folder: Path, out: Path) -> None:
    """Home, with the studies of the demo: console.png."""
    with installation(folder) as link, fresh(browser, viewport=WINDOW) as context:
        page = context.new_page()
        Researcher(page).sign_in(link)
        page.goto(link[: link.index("/console/")] + "/console/")
        page.screenshot(path=out / PICTURES[0])


def take_plane(browser: Browser, folder: Path, out: Path) -> None:
    """The plane of HUSE, of the demo's report: huse-plane.png."""
    with fresh(browser, viewport=WINDOW) as context:
        page = context.new_page()
        page.goto((folder / "report" / "report.html").as_uri())
        page.wait_for_load_state("networkidle")
        plane = page.locator("figure", has_text="HUSE").first
        plane.evaluate("figure => { figure.style.padding = '12px'; }")  # the site rounds the corners of pictures
        plane.screenshot(path=out / PICTURES[1])


def main() -> int:
    with (
        tempfile.TemporaryDirectory() as name,
        replacing(OUT) as out,
        chromium(os.environ["CHROMIUM"]) as browser,
    ):
        folder = Path(name)
        demo = [sys.executable, "-m", "annotation.rehearsal", "--folder", str(folder)]
        subprocess.run(demo, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        take_plane(browser, folder, out)
        take_console(browser, folder, out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
