"""python -m tests.screenshots reports [NAME ...] [--folder OUT]: photograph a report of every kind.

Kinds are those whose names begin with a NAME (all). Each page is taken at three widths by day and by night, and as
printed, in sheets that are at most SHEET pixels wide and high: where a column ends, the page goes on in the next.
By day all that can be opened is open; by night, and printed, a page is as it comes. Sheets are called
KIND-LOOK-NUMBER.png. At the end: how many sheets each look has, and what was measured to be wrong.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader, PdfWriter

from metrics.report.build import build_report
from metrics.report.build import report_of as report_of_snapshot
from metrics.report.comparison.compare import compare_studies
from metrics.report.formats import write_comparison
from metrics.report.formats.html import html
from metrics.report.formats.html_to_text import take_pictures
from metrics.report.formats.pdf import print_page
from metrics.report.records import ReportInput
from metrics.report.release.public import make_public
from metrics.report.result import Report
from tests.browsing import beyond_paper, chromium, fresh, sideways
from tests.metrics.report import stranger, test_layouts, test_public_release, test_reproduction, test_sentences
from tests.metrics.report.evaluators_study import evaluators
from tests.metrics.report.kinds_of_study import KINDS, K, report_of
from tests.metrics.report.samples import NOW, rated, study, with_rules
from tests.screenshots.world import ROOT

OUT = ROOT / "var" / "screenshots-reports"
SHEET = 1_400  # pixels
STRIPS = 10  # columns of a sheet that Chromium draws at once: it draws no more than 16,384 pixels
DOTS = 84  # an inch: two pages of A4 are as wide as a sheet
# How many columns a sheet has, by the width of the window. By night one looks for colours, so that letters may be less.
COLUMNS: dict[str, dict[int, int]] = {
    "light": {1440: 1, 768: 2, 360: 4},
    "dark": {1440: 2, 768: 3, 360: 6},
}
LOOKS = (*(f"{width}-{scheme}" for scheme, widths in COLUMNS.items() for width in widths), "print")
# Of `test_sentences`: inputs that no other kind has, by name.
CALLED_FOR = (
    "homogeneous",
    "evaluators",
    "drawn",
    "alone",
    "empty arm",
    "equal",
    "imported",
    "several days",
    "planned",
    "sealed and amended",
    "done as planned",
    "plan stated",
    "likely",
    "near-negative",
    "declared",
    "equivalent",
    "worse within the margin",
    "nothing shared",
    "counted",
    "scored",
    "changing",
    "emptied",
    "offered",
)
# Of `report_checker`: each kind and outcome, each further task, sealed plans, a plan that is judged, arms that are
# drawn, equivalence, two questions of one type, and lists that are cut.
SEEDS = (*range(9), *range(100, 106), 213, 214, 215, 300, 303, 304, 321, 322)
# Text that nobody can read: hidden beyond the edge of an element (that is not for screen readers alone) or a picture.
CUT = """() => {
  const hides = overflow => ["hidden", "clip"].includes(overflow);
  const cut = [...document.querySelectorAll("body *")].filter(element => {
    const {overflowX, overflowY, clipPath} = getComputedStyle(element);
    return clipPath === "none" && element.textContent.trim() && (
      hides(overflowX) && element.scrollWidth > element.clientWidth + 1 ||
      hides(overflowY) && element.scrollHeight > element.clientHeight + 1);
  });
  const outside = [...document.querySelectorAll("svg text")].filter(text => {
    const [own, all] = [text, text.ownerSVGElement].map(one => one.getBoundingClientRect());
    return own.width && (own.left < all.left - 1 || own.right > all.right + 1 ||
      own.top < all.top - 1 || own.bottom > all.bottom + 1);
  });
  return [...cut, ...outside].map(one => `${one.localName} “${one.textContent.trim().slice(0, 60)}”`);
}"""
MOVE = """([top, high]) => document.querySelectorAll("i").forEach((one, at) => {
  one.style.backgroundPositionY = `${-top - at * high}px`;
})"""
# Figures are drawn once the library is unpacked, and then a page is longer.
STILL = ":not(.alive) > [data-figure]"
OPEN = "document.querySelectorAll('details').forEach(one => { one.open = true; })"


def page_of(report: Report) -> str:
    """The page of a report, with the pages that raters saw."""
    seen = take_pictures(report.input.pages, Path(os.environ["CHROMIUM"]), sandbox=False)
    return html(report, now=NOW, pictures=seen)


def comparison_of(studies: Sequence[ReportInput]) -> str:
    """The page of studies that are compared."""
    compared = compare_studies(studies, k=3)
    return write_comparison.html(compared, now=NOW, files=write_comparison.tables_of(compared))


def release_page() -> str:
    """The page of the data that a study releases, where two raters do not share theirs."""
    whole = test_public_release.snapshot(study({"good": (0.0, 0.0)}, texts=16, raters=8))
    raters = sorted({row.rater for row in whole.report_input.ratings})
    choices = replace(test_public_release.CHOICES, withheld=frozenset(raters[:2]))
    public = make_public(whole, choices, number=1, now=test_public_release.MIDNIGHT)
    return page_of(report_of_snapshot(public.snapshot))


def checked_page(seed: int) -> str:
    """The page of a study that `report_checker` rehearses."""
    from tests.report_checker import world  # needs the database

    return world.report_of(seed).page


def kinds() -> dict[str, Callable[[], str]]:
    """Every kind of report, by its name: how its page is made."""
    again = [test_reproduction.study(str(at), rows) for at, rows in enumerate((test_reproduction.FIRST,) * 2)]
    again += [test_reproduction.study("again", test_reproduction.AGAIN)]
    several = {"alpha": (0.4, 0.6), "beta": (0.1, 0.9), "gamma": (1.0, 0.1), "delta": (0.2, 1.4)}
    inputs: dict[str, Callable[[], ReportInput]] = {
        "commented": test_layouts.commented,
        "preferences": test_layouts.pairwise,
        "two trainings": evaluators,
        "rules": lambda: with_rules(study({"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}, texts=12, raters=6)),
        "several generators": lambda: study(several, texts=12, raters=6),
        "systems compared": rated,
    }
    called, pairs = test_sentences.examples(), test_sentences.comparisons()
    made: dict[str, Callable[[], str]] = {
        **{name: lambda name=name: page_of(report_of(name)) for name in KINDS},  # type: ignore[misc]
        **{name: lambda make=make: page_of(build_report(make(), k=K)) for name, make in inputs.items()},  # type: ignore[misc]
        "stranger": lambda: page_of(stranger.report()),
        **{
            f"case {name}": lambda asked=called[name]: page_of(build_report(asked.report_input, k=asked.k))  # type: ignore[misc]
            for name in CALLED_FOR
        },
        **{
            f"compared {name}": lambda asked=asked: comparison_of([asked.report_input, asked.against])  # type: ignore[misc]
            for name, asked in pairs.items()
        },
        "compared three": lambda: comparison_of(again),
        "release": release_page,
        **{f"checked {seed:03}": lambda seed=seed: checked_page(seed) for seed in SEEDS},  # type: ignore[misc]
    }
    return {re.sub(r"[^a-z0-9]+", "-", name.lower()): make for name, make in made.items()}


def photograph(browser: Browser, kind: str, page: str, out: Path) -> tuple[Counter[str], list[str]]:
    """Write the sheets of a page: how many each look has, and what is wrong."""
    written: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, fresh(browser, viewport={"width": SHEET, "height": SHEET}) as desk:
        board, file = desk.new_page(), Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        for look in LOOKS:
            for old in out.glob(f"{kind}-{look}-*.png"):
                old.unlink()
            columns, parts, found = (
                (1, _printed(page, Path(folder)), []) if look == "print" else take(browser, file, look)
            )
            wrong += [f"{kind}, {look}: {one}" for one in found]
            for height in _mounted(board, columns, parts):
                written[look] += 1
                clip = {"x": 0, "y": 0, "width": SHEET, "height": height}
                board.screenshot(path=out / f"{kind}-{look}-{written[look]:02}.png", clip=clip)  # type: ignore[arg-type]
    return written, wrong


def take(browser: Browser, file: Path, look: str) -> tuple[int, list[bytes], list[str]]:
    """A page from top to bottom: how many columns a sheet has, pictures of whole sheets, what is wrong with it."""
    width, scheme = int(look.split("-")[0]), look.split("-")[1]
    columns = COLUMNS[scheme][width]
    scale, wrong = SHEET // columns / width, list[str]()
    size = {"width": width, "height": round(SHEET / scale)}
    with fresh(browser, viewport=size, color_scheme=scheme, device_scale_factor=scale) as context:
        page = context.new_page()
        page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(f"console: {error}"))
        page.goto(file.as_uri())
        page.wait_for_load_state("networkidle")
        expect(page.locator(STILL)).to_have_count(0)
        if scheme == "light":
            page.evaluate(OPEN)
            wrong += [f"{sideways(page)} pixels too wide"] if sideways(page) else []
            wrong += [f"cut: {one}" for one in page.evaluate(CUT)]
        height = page.evaluate("document.documentElement.scrollHeight")
        high, pictures = columns * (STRIPS // columns) * size["height"], []
        for top in range(0, height, high):
            part = {"x": 0, "y": top, "width": width, "height": min(high, height - top)}
            pictures.append(page.screenshot(full_page=True, clip=part))  # type: ignore[arg-type]
        if look == LOOKS[0]:
            wrong += [f"wider than paper: {one}" for one in beyond_paper(page)]
    return columns, pictures, wrong


def _printed(page: str, folder: Path) -> list[bytes]:
    """The pages of its PDF, two side by side."""
    pdf, pairs = folder / "report.pdf", PdfWriter()
    pdf.write_bytes(print_page(page, chromium=Path(os.environ["CHROMIUM"]), now=NOW, sandbox=False))
    for at, one in enumerate(PdfReader(pdf).pages):
        width, height = one.mediabox.width, one.mediabox.height
        pair = pairs.pages[-1] if at % 2 else pairs.add_blank_page(2 * width, height)
        pair.merge_translated_page(one, at % 2 * width, 0)
    pairs.write(folder / "pairs.pdf")
    command = ["pdftoppm", "-r", str(DOTS), "-png", folder / "pairs.pdf", folder / "pair"]
    subprocess.run(command, check=True)
    return [picture.read_bytes() for picture in sorted(folder.glob("pair-*.png"))]


def _mounted(board: Page, columns: int, pictures: Sequence[bytes]) -> Iterator[int]:
    """Show sheet after sheet, of pictures that are each cut into columns from the top; of each, how high it is."""
    width = SHEET // columns
    for picture in pictures:
        shown = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        board.set_content(
            f"<style>body{{margin:0;display:flex;background:#808}}"
            f"i{{flex:none;width:{width}px;height:{SHEET}px;background:url({shown}) no-repeat}}</style>"
            + "<i></i>"
            * columns
        )
        height = int.from_bytes(picture[20:24], "big")  # as a PNG says
        for top in range(0, height, columns * SHEET):
            board.evaluate(MOVE, [top, SHEET])
            yield min(SHEET, height - top)


@contextmanager
def database() -> Iterator[None]:
    """An empty database, as tests have it."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "deploy.settings.test"
    django.setup()
    from django.test.utils import setup_databases, teardown_databases

    laid = setup_databases(verbosity=0, interactive=False)
    try:
        yield
    finally:
        teardown_databases(laid, verbosity=0)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots reports", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=OUT)
    given = parser.parse_args(words)
    given.folder.mkdir(parents=True, exist_ok=True)
    sheets: Counter[str] = Counter()
    wrong: list[str] = []
    wanted = {kind: make for kind, make in kinds().items() if kind.startswith(tuple(given.names or [""]))}
    rehearsed = any(kind.startswith("checked") for kind in wanted)
    with database() if rehearsed else nullcontext(), chromium(os.environ["CHROMIUM"]) as browser:
        for kind, make in wanted.items():
            begun, written = time.monotonic(), Counter[str]()
            try:
                written, found = photograph(browser, kind, make(), given.folder)
            except Exception as error:  # noqa: BLE001 - the others still come
                found = [f"{kind}: no page, or not every sheet: {error!r}"]
            sheets, wrong = sheets + written, wrong + found
            sys.stdout.write(f"{kind}: {written.total()} sheets in {time.monotonic() - begun:.0f} s\n")
            sys.stdout.flush()
    counted = ", ".join(f"{look} {number}" for look, number in sheets.items())
    sys.stdout.write(f"{sheets.total()} sheets in {given.folder}: {counted}\n")
    sys.stdout.write("".join(f"{one}\n" for one in wrong) or "Nothing measured is wrong.\n")
    return 1 if wrong else 0
