"""Figures in a real browser, where `CHROMIUM` says there is one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lxml import html as lxml_html

from metrics.figures import embed, images
from metrics.figures.static import svg
from tests.metrics.figures.test_curves import ALL

CHROMIUM = os.environ.get("CHROMIUM")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="set CHROMIUM to the path of a Chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("figures") / "figures.html"
    path.write_text(embed.page(ALL, title="Figures"), encoding="utf-8")
    return path


def test_every_figure_comes_alive_under_the_pages_policy_and_nothing_is_complained_of(page: Path) -> None:
    own = ("--no-sandbox", f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=10000")
    command = [str(CHROMIUM), *images.FLAGS, *own, "--enable-logging=stderr", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    root = lxml_html.fromstring(done.stdout)
    assert len(root.xpath("//figure[contains(@class, 'alive')]//*[contains(@class, 'main-svg')]")) >= len(ALL)


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_of_figures_becomes_a_picture(page: Path, tmp_path: Path, dark: bool) -> None:
    path = images.png(page, tmp_path / "x.png", chromium=Path(str(CHROMIUM)), dark=dark, sandbox=False)
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > 20_000


def test_a_figure_becomes_a_pdf(tmp_path: Path) -> None:
    drawing = tmp_path / "figure.svg"
    drawing.write_text(svg(ALL[0], standalone=True), encoding="utf-8")
    path = images.pdf(drawing, tmp_path / "figure.pdf", chromium=Path(str(CHROMIUM)), sandbox=False)
    assert path.read_bytes()[:5] == b"%PDF-"
