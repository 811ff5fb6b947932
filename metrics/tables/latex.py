r"""LaTeX with booktabs: text escaped, so that it compiles whatever a generator is called.

`table_latex` is a `table` environment to be input into a paper (it needs booktabs, and the T1 encoding for accents);
`document` compiles alone with pdflatex.
"""

from __future__ import annotations

import re

from metrics.tables.record import Row, Table
from metrics.tables.shown import parts

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    '"': r"\char34{}",
    "−": r"$-$",
    "–": "--",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "φ": r"$\varphi$",
    "…": r"\ldots{}",
    "`": r"\char96{}",
    "\u00a0": "~",
    "\0": "{}",
}
UNKNOWN = "ĦħĸĿŀŉŦŧ"  # letters that the standard fonts lack
PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{booktabs}
\usepackage[landscape,margin=15mm]{geometry}
\begin{document}
"""


def escape(text: str) -> str:
    """Text that LaTeX prints as it is: its own signs escaped, line ends and control characters as spaces.

    Letters that pdflatex's standard fonts lack (beyond Latin and the signs above) are printed as their code, U+4E2D.
    """
    flat = re.sub(r"[^\S\u00a0]+|[\x00-\x1f\x7f]+", " ", text)
    apart = re.sub(r"([-,'])(?=\1)", "\\1\0", flat)  # two of these in a row would be drawn as another sign
    return "".join(_letter(letter) for letter in apart)


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    if letter.isascii() or ("À" <= letter <= "ž" and letter not in UNKNOWN):
        return letter
    return f"U+{ord(letter):04X}"


FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def table_latex(table: Table, *, fit: bool = False) -> str:
    """A `table` environment: caption, label, head, rows, notes; signatures follow as comments. Ends with LF.

    fit: a table wider than the page is made smaller (needs graphicx).
    """
    columns = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    head = " & ".join(escape(column.title) for column in table.columns)
    rows = [_row(table, row) for row in table.rows]
    notes = [rf"\par\smallskip\footnotesize {escape(note)}" for note in table.notes]
    signatures = ["% " + " ".join(line.split()) for line in table.signatures]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(table.title)}}}",
            rf"\label{{tab:{_label(table.name)}}}",
            *([FIT] if fit else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}%" + "\n}" if fit else r"\end{tabular}",
            *notes,
            r"\end{table}",
            *signatures,
            "",
        ]
    )


def document(*tables: Table) -> str:
    """The tables as a document that compiles alone."""
    return PREAMBLE + "\n".join(table_latex(table) for table in tables) + "\\end{document}\n"


def _row(table: Table, row: Row) -> str:
    pairs = zip(table.columns, row, strict=True)
    cells = (_cell(*parts(column, cell, n=table.needs_n(row, column))) for column, cell in pairs)
    return " & ".join(cells) + r" \\"


def _cell(value: str, beside: str) -> str:
    """The value, and under it what stands beside it, so that seven estimates fit on a page."""
    if not beside:
        return escape(value)
    below = "".join(rf"\\\footnotesize {escape(line)}" for line in beside.replace(" (n", "\n(n").split("\n"))
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{escape(value)}{below}\end{{tabular}}"


def _label(name: str) -> str:
    """A label of letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "table"
