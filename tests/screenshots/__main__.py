"""python -m tests.screenshots [NAME ...] [--again] [--docs]: photograph the pages whose names begin with a NAME (all).

--again: take the rehearsal of the last run instead of a new one. --docs: instead, take every picture of docs anew, each
by its own command of DOCUMENTED. `reports` as the first word: instead, photograph every kind of report (`reports.py`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from tests.browsing import chromium, fresh
from tests.screenshots import console, figures, first_study, hits, judging, readme, reports, tasks, workers
from tests.screenshots.shots import Shot, World
from tests.screenshots.world import ROOT, rehearsed, served

OUT = ROOT / "var" / "screenshots"
FOLDER = ROOT / "var" / "screenshots-world"
# Pixels: what is higher is cut into several pictures, as Chromium draws none of 16,384.
HIGHEST = 8_000
DRAWN_MS = 1_000
# A phone, a tablet and a desk, by day and by night.
WIDTHS = {"phone": (360, 740), "tablet": (768, 1024), "desk": (1440, 900)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


# The modules that take the pictures of docs, and the files that each writes.
DOCUMENTED = {
    tasks: [tasks.OUT / f"{name}.png" for name in tasks.PICTURES],
    judging: [judging.OUT / f"{name}.png" for name in judging.PICTURES],
    first_study: [first_study.OUT / first_study.file_name(name) for name in first_study.PICTURES],
    readme: [readme.OUT / name for name in readme.PICTURES],
}


def registered() -> list[Shot]:
    """Every picture there is."""
    return [*console.SHOTS, *workers.SHOTS, *hits.SHOTS, *figures.SHOTS]


def take(browser: Browser, shot: Shot, world: World, out: Path) -> list[Path]:
    """The picture, or pictures, of a page at each width in each scheme; it is opened once, as what it posts counts."""
    taken: list[Path] = []
    with fresh(browser, color_scheme="light") as context:
        context.add_cookies(world.cookies.get(shot.who, []))  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(shot.address(world))
        if shot.act:
            shot.act(page)
        for name, (width, height) in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            # What stays in sight while one scrolls would stand in the middle of the picture.
            page.evaluate("window.scrollTo(0, 0)")
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                taken += _pictures(page, shot, out / f"{shot.name}-{name}-{scheme}.png")
    return taken


def _pictures(page: Page, shot: Shot, path: Path) -> list[Path]:
    if not shot.each:
        return _whole(page, path)
    paths = []
    for number, element in enumerate(page.locator(shot.each).all()):
        paths.append(path.with_stem(f"{shot.name}-{number + 1}-{path.stem.removeprefix(f'{shot.name}-')}"))
        element.screenshot(path=paths[-1])
    return paths


def _whole(page: Page, path: Path) -> list[Path]:
    """From top to bottom, in as many pictures as that takes: NAME-LOOK.png, NAME-LOOK-2.png ..."""
    width, height = page.evaluate("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
    if len(page.frames) > 1:
        # A frame of another origin is not drawn anew while a picture is taken: first the window is as high as the page.
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(DRAWN_MS)
        page.screenshot(path=path)
        return [path]
    if height <= HIGHEST:
        page.screenshot(path=path, full_page=True)
        return [path]
    paths = []
    for number, top in enumerate(range(0, height, HIGHEST), 1):
        paths.append(path if number == 1 else path.with_stem(f"{path.stem}-{number}"))
        part = {"x": 0, "y": top, "width": width, "height": min(HIGHEST, height - top)}
        page.screenshot(path=paths[-1], full_page=True, clip=part)  # type: ignore[arg-type]
    return paths


def main(words: list[str]) -> int:
    path = os.environ.get("CHROMIUM")
    if not path:
        sys.stderr.write("Set CHROMIUM to the path of a Chromium.\n")
        return 2
    if words[:1] == ["reports"]:
        return reports.main(words[1:])
    parser = argparse.ArgumentParser(prog="make screenshots", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--docs", action="store_true")
    given = parser.parse_args(words)
    if given.docs:
        return max(subprocess.call([sys.executable, "-m", module.__name__], cwd=ROOT) for module in DOCUMENTED)
    wanted = [shot for shot in registered() if not given.names or shot.name.startswith(tuple(given.names))]
    if not given.again or not (FOLDER / "assay.sqlite3").exists():
        sys.stdout.write("Rehearsing a small study ...\n")
        rehearsed(FOLDER)
    OUT.mkdir(parents=True, exist_ok=True)
    with served(FOLDER) as world, chromium(path) as browser:
        failed = [shot.name for shot in wanted if not taken(browser, shot, world)]
    sys.stdout.write(f"In {OUT.relative_to(ROOT)}\n")
    if failed:
        sys.stderr.write(f"No picture, or not every one, of {', '.join(failed)}.\n")
    return 1 if failed else 0


def taken(browser: Browser, shot: Shot, world: World) -> bool:
    """Take the pictures of a page and say so; where one fails the others still come."""
    try:
        count = len(take(browser, shot, world, OUT))
    except (PlaywrightError, KeyError) as error:
        sys.stderr.write(f"{shot.name}: {error}\n")
        return False
    sys.stdout.write(f"{shot.name}: {count} pictures\n")
    sys.stdout.flush()
    return True


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
