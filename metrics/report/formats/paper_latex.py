r"""The paper page as LaTeX, in pieces for `\input` (table, figures, methods, limits), and a page that reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap

from metrics.figures.chart import Chart
from metrics.report.formats.latex import FIGURES
from metrics.report.paper.page import PaperPage
from metrics.tables import scripts
from metrics.tables.column import column_table, prose

PAGE, TABLE, METHODS, LIMITS = "paper.tex", "paper-table.tex", "paper-methods.tex", "paper-limits.tex"
WIDTH = 78  # letters of a line
# How sentences cite, and the key of what they cite.
CITED = (
    ("(Hashimoto et al., 2019)", "hashimoto2019huse"),
    ("(Clark et al., 2021)", "clark2021human"),
    ("(Lakens, 2017)", "lakens2017equivalence"),
)
PACKAGES = r"""\usepackage[a4paper,margin=2.5cm]{geometry}
\setlength{\columnsep}{0.6cm}
\usepackage{booktabs,tabularx,graphicx,natbib}
"""


def paper_files(page: PaperPage, *, name: str, charts: Sequence[Chart], has_figures: bool) -> dict[str, str]:
    """Name and content of each file.

    name: of the study. charts: those of the report, in the order in which figures.pdf holds them. has_figures: whether
    there is a figures.pdf.
    """
    pieces = {}
    if page.table is not None:
        pieces[TABLE] = column_table(page.table)
    for at, chart in enumerate(page.charts if has_figures else (), 1):
        pieces[f"paper-figure-{at}.tex"] = _figure(chart, charts.index(chart) + 1)
    pieces[METHODS] = _paragraph(page.methods)
    pieces[LIMITS] = _paragraph(page.limits)
    return {PAGE: _page(page, name, pieces), **pieces}


def _figure(chart: Chart, at: int) -> str:
    body = "\n".join(
        [
            r"\begin{figure}[t]",
            r"\centering",
            rf"\includegraphics[page={at},width=\columnwidth,height=.20\textheight,keepaspectratio]{{{FIGURES}}}",
            rf"\caption{{{prose(f'{chart.title}. {chart.legend_words}')}}}",
            rf"\label{{fig:{re.sub(r'[^A-Za-z0-9]+', '-', chart.name).strip('-')}}}",
            r"\end{figure}",
            "",
        ]
    )
    return scripts.command_preamble(body) + body


def _paragraph(sentences: Sequence[str]) -> str:
    """One paragraph in lines of at most 78 letters, with citations. Ends with LF."""
    text = prose(" ".join(sentences))
    for words, key in CITED:
        text = text.replace(words, rf"\citep{{{key}}}")
    body = "\n".join(wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)) + "\n"
    return scripts.command_preamble(body) + body


def _page(page: PaperPage, name: str, pieces: dict[str, str]) -> str:
    """The page that reads the pieces: it compiles alone."""
    files = [file.removesuffix(".tex") for file in pieces]
    floats = [rf"\input{{{file}}}" for file in files if file not in ("paper-methods", "paper-limits")]
    lines = [
        rf"\section*{{\raggedright {prose(name)}}}",
        *(prose(verdict) + "\n" for verdict in page.verdicts),
        *floats,
        r"\small",
        r"\subsection*{Methods}",
        r"\input{paper-methods}",
        *([r"\subsection*{Limitations}", r"\input{paper-limits}"] if page.limits else []),
        r"\bibliographystyle{plainnat}",
        r"\bibliography{references}",
        r"\end{document}",
        "",
    ]
    body = "\n".join(lines)
    head = scripts.preamble(body + "".join(pieces.values()), PACKAGES)
    head = head.replace(r"\documentclass{article}", r"\documentclass[10pt,twocolumn]{article}", 1)
    return head + body
