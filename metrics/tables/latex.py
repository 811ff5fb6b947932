r"""LaTeX with booktabs: text escaped, so that it compiles whatever a generator is called.

`table_latex` is a `table` environment to be input into a paper (it needs booktabs, and the T1 encoding for accents);
`document` compiles alone with pdflatex, and with lualatex or xelatex.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from metrics.tables import scripts
from metrics.tables.record import ALIGNED_LEFT, Row, Table
from metrics.tables.shown import split_cell

TEXT_SIGNS = {
    "“": "quotedblleft", "”": "quotedblright", "‘": "quoteleft", "’": "quoteright", "¡": "exclamdown",
    "¿": "questiondown", "°": "degree", "€": "euro", "£": "sterling", "¥": "yen", "¢": "cent", "·": "periodcentered",
    "•": "bullet", "™": "trademark", "©": "copyright", "®": "registered", "¹": "onesuperior", "²": "twosuperior",
    "³": "threesuperior", "¼": "onequarter", "½": "onehalf", "¾": "threequarters", "µ": "mu", "¬": "lnot",
    "†": "dagger", "‡": "daggerdbl", "‰": "perthousand",
}  # fmt: skip
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
    "—": "---",
    "‑": "-",
    **{sign: rf"\text{name}{{}}" for sign, name in TEXT_SIGNS.items()},
    "§": r"\S{}",
    "„": r"\quotedblbase{}",
    "‚": r"\quotesinglbase{}",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "→": r"$\rightarrow$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "…": r"\ldots{}",
    "`": r"\char96{}",
    "\u00a0": "~",
    "\0": "{}",
}
UNKNOWN = "ĦħĸĿŀŉŦŧ"  # letters missing in the standard fonts
GREEK = {
    **dict.fromkeys("ο", "o"),
    **{letter: rf"\mathrm{{{latin}}}" for letter, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)},
    "ς": r"\varsigma", "ε": r"\varepsilon", "φ": r"\varphi",
}  # fmt: skip
# Marks over and under a letter (Unicode's combining ones), as commands in text and in mathematics.
MARKS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
         "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0328": "k",
         "\u0331": "b", "\u0326": "textcommabelow"}  # fmt: skip
MATH_MARKS = {"\u0300": r"\grave", "\u0301": r"\acute", "\u0308": r"\ddot", "\u0342": r"\tilde"}
PACKAGES = r"""\usepackage{booktabs}
\usepackage[landscape,margin=15mm]{geometry}
"""


def escape(text: str) -> str:
    """Text that LaTeX prints as it is: its own signs escaped, line ends and control characters as spaces.

    Latin and Greek letters are printed with their marks. Others, which are missing in pdflatex's standard fonts, go
    into the command of `scripts` (U+4E2D under pdflatex, the letters themselves under lualatex and xelatex).
    """
    flat = re.sub(r"[^\S\u00a0]+|[\x00-\x1f\x7f]+", " ", unicodedata.normalize("NFC", text))
    separated = re.sub(r"([-,'])(?=\1)", "\\1\0", flat)  # two of these in a row would be drawn as another sign
    return "".join(_run(run) for run in scripts.split_runs(separated, lambda letter: _letter(letter) is None))


def _run(run: str | scripts.Run) -> str:
    return run.latex if isinstance(run, scripts.Run) else "".join(_letter(letter) or "" for letter in run)


def _letter(letter: str) -> str | None:
    """Return the letter in LaTeX, None if the standard fonts do not have it."""
    if letter in SPECIAL:
        return SPECIAL[letter]
    if letter.isascii() or ("À" <= letter <= "ž" and letter not in UNKNOWN):
        return letter
    decomposed = unicodedata.normalize("NFD", letter)
    base, marks = decomposed[0], decomposed[1:]
    if "Α" <= base <= "ω" and base.isalpha() and all(mark in MATH_MARKS for mark in marks):
        return f"${_marked(_greek(base), [MATH_MARKS[mark] for mark in marks])}$"
    if base.isascii() and base.isalpha() and all(mark in MARKS for mark in marks):
        return _marked(base, [rf"\{MARKS[mark]}" for mark in marks])
    return None


def _greek(letter: str) -> str:
    """Return the command of mathematics: if GREEK has no other, the last word of its name in Unicode."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return GREEK.get(letter, "\\" + (name.lower() if letter.islower() else name.capitalize()))


def _marked(letter: str, commands: Sequence[str]) -> str:
    """`\\'{\\^{e}}`: the last mark is the outermost."""
    for command in commands:
        letter = rf"{command}{{{letter}}}"
    return letter


FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def table_latex(table: Table, *, fit: bool = False) -> str:
    """A `table` environment: caption, label, head, rows, notes; signatures follow as comments. Ends with LF.

    fit: a table wider than the page is made smaller (needs graphicx).
    """
    columns = "".join("l" if column.kind in ALIGNED_LEFT else "r" for column in table.columns)
    head = " & ".join(escape(column.title) for column in table.columns)
    rows = [_row(table, row) for row in table.rows]
    notes = [rf"\par\smallskip\footnotesize {escape(note)}" for note in table.notes]
    signatures = ["% " + " ".join(line.split()) for line in table.signatures]
    body = "\n".join(
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
    return scripts.command_preamble(body) + body


def document(*tables: Table) -> str:
    """The tables as a document that compiles alone."""
    body = "\n".join(table_latex(table) for table in tables)
    return scripts.preamble(body, PACKAGES) + body + "\\end{document}\n"


def _row(table: Table, row: Row) -> str:
    pairs = zip(table.columns, row, strict=True)
    cells = (_cell(*split_cell(column, cell, n=table.needs_n(row, column))) for column, cell in pairs)
    return " & ".join(cells) + r" \\"


def _cell(value: str, detail: str) -> str:
    """Return the value with its interval and n below it, so that seven estimates fit on a page."""
    if not detail:
        return escape(value)
    below = "".join(rf"\\\footnotesize {escape(line)}" for line in detail.replace(" (n", "\n(n").split("\n"))
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{escape(value)}{below}\end{{tabular}}"


def _label(name: str) -> str:
    """A label of letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "table"
