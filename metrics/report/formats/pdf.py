"""The report and its figures as PDF, printed by Chromium from the same HTML; equal pages, equal bytes but a date."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from metrics.figures import embed, images, static
from metrics.figures.chart import Chart
from metrics.figures.scale import WIDTH

DATES = re.compile(rb"/(CreationDate|ModDate) \(D:[^)]*\)")
# What Chromium calls the places of a page for screen readers: numbers that differ from one print to the next.
PLACES = re.compile(rb"\(node(\d{8})\)")


def print_page(page: str, *, chromium: Path | None, now: datetime, sandbox: bool = True, timeout: float = 300) -> bytes:
    """The page as PDF, dated `now`. Raises NoBrowser."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        images.pdf(source, target, chromium=chromium, sandbox=sandbox, timeout=timeout)
        return _numbered(_dated(target.read_bytes(), now))


def print_figures(charts: Sequence[Chart], *, chromium: Path | None, now: datetime, sandbox: bool = True) -> bytes:
    """One figure a page, each page as large as its figure. Raises NoBrowser."""
    sizes = "".join(
        f"@page f{at}{{size:{WIDTH}px {chart.height}px;margin:0}}.f{at}{{page:f{at};break-after:page}}"
        for at, chart in enumerate(charts, 1)
    )
    drawn = "".join(f'<div class="f{at}">{static.svg(chart)}</div>' for at, chart in enumerate(charts, 1))
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Figures</title>'
        f"<style>{embed.style()}{sizes}body{{margin:0}}svg{{display:block;width:100%;height:auto}}"
        f"div:last-child{{break-after:auto}}</style></head><body>{drawn}</body></html>"
    )
    return print_page(page, chromium=chromium, now=now, sandbox=sandbox)


def _dated(content: bytes, now: datetime) -> bytes:
    """The same bytes with one date, which is as long as Chromium's."""
    stamp = now.strftime("D:%Y%m%d%H%M%S+00'00'").encode()

    def put(match: re.Match[bytes]) -> bytes:
        dated = b"/" + match[1] + b" (" + stamp + b")"
        return dated if len(dated) == len(match[0]) else match[0]

    return DATES.sub(put, content)


def _numbered(content: bytes) -> bytes:
    """The same bytes with places numbered from 1 in their order, by which the file looks them up."""
    numbers = {number: b"%08d" % at for at, number in enumerate(sorted(set(PLACES.findall(content))), 1)}
    return PLACES.sub(lambda match: b"(node" + numbers[match[1]] + b")", content)
