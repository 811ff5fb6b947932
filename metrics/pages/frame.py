"""What every page shares: one file with its style, readable in light and dark and in print."""

from __future__ import annotations

from html import escape

from metrics.figures.theme import DARK, FONT, LIGHT, css_variables

STYLE = f"""
*{{box-sizing:border-box}}
:root{{color-scheme:light dark;{css_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{css_variables(DARK)}}}}}
@media print{{:root{{color-scheme:light;{css_variables(LIGHT)}}}*{{print-color-adjust:exact}}
@page{{margin:16mm 14mm}}body{{padding:0}}h1,h2,h3{{break-after:avoid}}tr{{break-inside:avoid}}}}
html{{font:15px/1.5 {FONT};color:var(--ink);background:var(--paper);-webkit-text-size-adjust:100%}}
body{{margin:0 auto;padding:24px 16px 64px;max-width:1000px}}
h1{{font-size:28px;line-height:1.2;margin:4px 0 12px}}
h2{{font-size:20px;margin:32px 0 8px;padding-top:16px;border-top:1px solid var(--line);overflow-wrap:anywhere}}
h1,h2,h3,b{{font-weight:600}}
h3{{font-size:15px;margin:16px 0 4px}}
p{{margin:8px 0;max-width:76ch}}
.quiet{{color:var(--quiet)}}
.scroll{{overflow-x:auto}}
table{{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}}
caption{{text-align:left;color:var(--quiet);padding-bottom:8px}}
th,td{{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}}
th{{font-weight:400}}
thead th{{color:var(--quiet);border-bottom-color:var(--line)}}
.n{{text-align:right;white-space:nowrap}}
.warn{{padding:8px 12px;border-left:4px solid var(--model)}}
:focus-visible{{outline:2px solid var(--reference);outline-offset:2px}}
"""


def page(title: str, body: str, style: str = "") -> str:
    """A whole HTML document. title: plain text; body: HTML; style: CSS beyond the common one."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style></head>\n"
        f"<body><main><h1>{escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )
