r"""The report as LaTeX that compiles alone (pdflatex, lualatex, xelatex): methods, tables, figures, datasheet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.figures.chart import Chart
from metrics.report.checklists.completeness import completeness_score
from metrics.report.formats import figures
from metrics.report.formats.csv import main_table
from metrics.report.prose import bibliography, shortened
from metrics.report.records import Warn
from metrics.report.result import Report
from metrics.report.section import Reference, Section
from metrics.report.wording import known
from metrics.tables import scripts
from metrics.tables.column import prose
from metrics.tables.latex import escape, table_latex

MAX_ROWS = 40  # of a table in the document
MAX_CAPTION_LETTERS = 1_500  # characters
BELOW = "The text describes what it shows."
FIGURES = "figures.pdf"
JSON = "report.json"  # holds every row of every table
CODES = (
    "pdflatex's standard fonts do not contain some letters of this report and print their codes (such as U+4E2D). "
    "lualatex and xelatex print the letters where a font has them, as the HTML and the PDF do."
)
PACKAGES = r"""\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[margin=20mm]{geometry}
"""


def latex(report: Report, *, has_figures: bool) -> str:
    """The document. has_figures: whether figures.pdf goes with it, one figure per page in the order of the report."""
    report_input = report.input
    parts = [
        render_section("Summary", report.verdicts),
        render_section("Methods", report.methods),
        *_results(report),
        render_limitations(report.warnings, report.limits),
        *(render_figures(figures.charts(report)) if has_figures else ()),
        r"\appendix",
        *_datasheet(report),
        render_section(
            "Completeness", [f"Recorded of what reviewers ask for: {completeness_score(report.checklist)}."]
        ),
        render_bibliography(bibliography.cited(report)),
    ]
    return render_document(report_input.study.name, f"Human evaluation: {report_input.study.task}", parts)


def render_document(title: str, subtitle: str, parts: Sequence[str]) -> str:
    """The parts between head and end; where letters may stand as codes, the first page says so."""
    head = (
        rf"\title{{{escape(title)}\\ \large {escape(subtitle)}}}"
        + "\n"
        + r"\date{}\author{}\maketitle\emergencystretch=3em"
    )
    body = "\n".join(parts)
    note = [rf"\noindent\emph{{{escape(CODES)}}}" + "\n"] if r"\otherscript" in head + body else []
    source = "\n".join([head, *note, body, r"\end{document}", ""])
    return scripts.preamble(source, PACKAGES) + source


def render_section(title: str, sentences: Sequence[str]) -> str:
    """A section of paragraphs."""
    return "\n".join([rf"\section{{{escape(title)}}}", "\n\n".join(prose(sentence) for sentence in sentences), ""])


def render_limitations(warnings: Sequence[Warn], limits: Sequence[str] = ()) -> str:
    """What the data warn of, also where that is nothing, and what cannot be concluded."""
    warned = [warn.sentence for warn in warnings] or ["No warning was raised by the data."]
    return render_section("Limitations", [*warned, *limits])


def render_bibliography(references: Sequence[Reference]) -> str:
    """The literature, "" without any."""
    used = ",".join(reference.key for reference in references)
    return f"\\nocite{{{used}}}\n\\bibliographystyle{{plain}}\n\\bibliography{{references}}" if used else ""


def _results(report: Report) -> Iterator[str]:
    yield r"\section{Results}"
    if report.generators:
        yield table_latex(main_table(report), fit=True)
    yield from render_subsections((report.items, *report.sections))


def render_subsections(sections: Sequence[Section], file: str = JSON) -> Iterator[str]:
    """Each part of the results as a subsection. file: of the tables with all their rows."""
    for part in sections:
        yield rf"\subsection{{{escape(part.title)}}}"
        yield from (prose(line) + "\n" for line in part.lead)
        yield from (table_latex(shortened.shorten_table(table, MAX_ROWS, file), fit=True) for table in part.tables)
        yield from (f"{escape(name)}: not recorded{': ' + escape(why) if why else '.'}\n" for name, why in part.missing)
        if part.tables:
            yield r"\clearpage"  # else floats would pile up


def render_figures(charts: Sequence[Chart]) -> Iterator[str]:
    """Each figure with its caption; figures.pdf holds one a page, in this order."""
    yield r"\section{Figures}"
    for page, chart in enumerate(charts, 1):
        yield "\n".join(
            [
                r"\begin{figure}[htbp]",
                r"\centering",
                rf"\includegraphics[page={page},width=.85\linewidth]{{{FIGURES}}}",
                rf"\caption{{{prose(chart.title)}. {prose(chart.legend_words if _fits(chart) else BELOW)}}}",
                rf"\label{{fig:{re.sub(r'[^A-Za-z0-9]+', '-', chart.name)}}}",
                r"\end{figure}",
                *([] if _fits(chart) else [rf"\noindent {prose(chart.title)}: {prose(chart.legend_words)}" + "\n"]),
                *([r"\clearpage"] if page % 2 == 0 else []),
            ]
        )


def _fits(chart: Chart) -> bool:
    """Whether the sentence can be a caption: TeX lays it out on one line first, which may be 5.7 m long and no more."""
    return len(chart.legend_words) <= MAX_CAPTION_LETTERS


def _datasheet(report: Report) -> Iterator[str]:
    yield r"\section{Human evaluation datasheet}"
    yield "After HEDS 3.0 (Belz and Thomson, 2025), in our words."
    part = None
    for entry in report.sheet:
        if entry.part != part:
            part = entry.part
            yield rf"\subsection*{{{escape(part)}}}"
        yield rf"\noindent\textbf{{{prose(entry.question)}:}} {prose(known(entry.answer))}" + "\n"
