"""Interactive figures inside one HTML file: no network, readable without script, in the page's own palette.

A page takes `style()`, `elements(charts)`, `packed_payload(charts)`, `packed_library()` and `script()`, and lets what
it runs run by `policy`.
`page(charts)` is such a page, with the figures alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from metrics.figures import static, theme
from metrics.figures.chart import Chart
from metrics.figures.interactive import figure
from metrics.figures.texts import isolate_right_to_left

FOLDER = Path(__file__).parent
PLOTLY = FOLDER / "vendor" / "plotly-basic-4.1.1.min.js"
PAGE_STYLE = (
    'html{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);'
    "background:var(--paper)}body{margin:0 auto;padding:24px 16px;max-width:1200px}h1{font-size:20px;font-weight:600}"
)


@cache
def library() -> str:
    """The drawing library."""
    return PLOTLY.read_text(encoding="utf-8").replace("\r\n", "\n").replace("\r", "\n").strip()


@cache
def packed_library() -> str:
    """The drawing library as a page carries it."""
    return pack(library())


def pack(text: str) -> str:
    """The text compressed (zlib), in base64; `script()` unpacks it."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def unpack(packed: str) -> str:
    """What `pack` packed."""
    return zlib.decompress(base64.b64decode(packed)).decode()


def script() -> str:
    """What unpacks the library and draws this page's figures; a browser that cannot keeps the still pictures."""
    return (FOLDER / "figures.js").read_text(encoding="utf-8").strip()


def policy(run: Sequence[str]) -> str:
    """A Content-Security-Policy: nothing is fetched from anywhere; only the library and the scripts `run` run."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in (library(), *run))
    allowed = " ".join(f"'sha256-{value}'" for value in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def style() -> str:
    """The palettes (light, and dark where the reader's screen is), the still pictures, and the grid of figures."""
    light, dark = theme.css_variables(theme.LIGHT), theme.css_variables(theme.DARK)
    schemes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return schemes + static.STYLE + (FOLDER / "figures.css").read_text(encoding="utf-8")


def payload(charts: Sequence[Chart]) -> str:
    """Plotly's JSON of each chart and the palette they are drawn in."""
    drawn = {chart.name: json.loads(str(figure(chart).to_json())) for chart in charts}
    body = {"palette": theme.LIGHT, "figures": drawn}
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def packed_payload(charts: Sequence[Chart]) -> str:
    """The charts as a page carries them."""
    return pack(payload(charts))


def element(chart: Chart, caption: str | None = None) -> str:
    """One figure: its still picture, the place of the live one, and a caption (HTML; None takes title and alt text)."""
    words = (
        f"<b>{escape(isolate_right_to_left(chart.title))}</b>. {escape(isolate_right_to_left(chart.alt))}"
        if caption is None
        else caption
    )
    wide = ' class="wide"' if chart.marks else ""
    return (
        f'<figure id="figure-{escape(chart.name)}"{wide}><div class="static">{static.svg(chart)}</div>'
        f'<div class="live" data-figure="{escape(chart.name)}" role="img" aria-label="{escape(chart.alt)}"></div>'
        f"<figcaption>{words}</figcaption></figure>"
    )


def page(charts: Sequence[Chart], *, title: str) -> str:
    """The figures alone as one HTML file. Equal charts give equal bytes."""
    run = (script(),)
    figures = "".join(element(chart) for chart in charts)
    two = " two" if len(charts) == 2 else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(run)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n'
        f"<style>{PAGE_STYLE}{style()}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<div class="figures{two}">{figures}</div>\n'
        f'<script type="text/plain" id="figures">{packed_payload(charts)}</script>\n'
        f'<script type="text/plain" id="library">{packed_library()}</script>\n'
        + "".join(f"<script>{script}</script>\n" for script in run)
        + "</body>\n</html>\n"
    )
