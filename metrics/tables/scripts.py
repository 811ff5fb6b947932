r"""Writing systems in LaTeX: letters that pdflatex's standard fonts do not have, as codes there, letters elsewhere.

`\otherscript{script}{codes}{letters}` prints the codes under pdflatex. Under lualatex and xelatex it prints the letters
in the first installed font that has them all, the codes where none has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PLAIN = r"""\documentclass{article}
\usepackage{iftex}
\ifPDFTeX
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\else
\usepackage{fontspec}
\fi
"""
PROVIDED = r"\providecommand{\otherscript}[3]{#2}" + "\n"
COMMAND = r"""\makeatletter
\newif\ifotherscript
\ifPDFTeX
\DeclareRobustCommand{\otherscript}[3]{#2}
\else
\DeclareRobustCommand{\otherscript}[3]{{%
  \otherscriptfalse
  \edef\otherlist{\csname otherfonts#1\endcsname}%
  \@for\othername:=\otherlist\do{\ifotherscript\else\otherfont{#1}{#3}\fi}%
  \ifotherscript\csname otherdirection#1\endcsname{#3}\else\normalfont#2\fi}}
\newcommand{\otherfont}[2]{\expandafter\IfFontExistsTF\expandafter{\othername}{%
  \edef\otherchosen{\noexpand\fontspec{\othername}[\csname otherfeatures#1\endcsname]}\otherchosen\otherscripttrue
  \@tfor\otherletter:=#2\do{\expandafter\iffontchar\expandafter\font\expandafter`\otherletter\relax\else\otherscriptfalse\fi}}{}}
\ifXeTeX\TeXXeTstate=1\newcommand{\leftwards}[1]{\beginR#1\endR}\else\newcommand{\leftwards}[1]{{\textdir TRT #1}}\fi
FONTS\fi
\makeatother
"""
CJK = (
    "Noto Serif CJK SC,Noto Sans CJK SC,Source Han Serif SC,FandolSong,Songti SC,SimSun,IPAexMincho,Droid Sans Fallback"
)
WIDE = "DejaVu Serif,DejaVu Sans,FreeSerif,Noto Sans,Noto Serif,Arial Unicode MS"
# By the first word of a letter's name in Unicode; what is not listed is tried in the fonts of many scripts.
FONTS = {
    "cyrillic": "Latin Modern Roman,Noto Serif,DejaVu Serif,Times New Roman,Liberation Serif",
    "arabic": "Amiri,Noto Naskh Arabic,Scheherazade New,DejaVu Sans,FreeSerif",
    "hebrew": "Noto Serif Hebrew,Frank Ruehl CLM,DejaVu Sans,FreeSerif",
    "devanagari": "Noto Serif Devanagari,Noto Sans Devanagari,Lohit Devanagari,FreeSerif",
    "thai": "Noto Serif Thai,Noto Sans Thai,Loma,FreeSerif",
    "cjk": CJK,
    "hangul": "Noto Serif CJK KR,Noto Sans CJK KR,UnBatang,NanumMyeongjo," + CJK,
    "other": f"{WIDE},Noto Sans Symbols,Noto Sans Symbols2,Symbola,Noto Emoji,{CJK}",
}
ALIKE = {"hiragana": "cjk", "katakana": "cjk", "ideographic": "cjk", "fullwidth": "cjk", "katakana-hiragana": "cjk"}
LEFTWARDS = ("arabic", "hebrew")
SHAPED = (*LEFTWARDS, "devanagari", "thai")  # whose letters change with their neighbors


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one writing system that follow each other."""

    script: str
    letters: str

    @property
    def latex(self) -> str:
        """The command with its codes, word by word, and the letters."""
        codes = " ".join(
            r"\allowbreak ".join(f"U+{ord(letter):04X}" for letter in word) for word in self.letters.split(" ")
        )
        return rf"\otherscript{{{self.script}}}{{{codes}}}{{{self.letters}}}"


def split_runs(text: str, lacking: Callable[[str], bool]) -> Iterator[str | Run]:
    """Split the text into what the standard fonts have, and runs of what they do not, with the spaces between."""
    stretch, script = "", ""
    for letter in text:
        letter_script = script_of(letter) if lacking(letter) else ""
        if script and (letter == " " or (letter_script and _joins(letter))):
            letter_script = script
        if letter_script != script:
            yield from _closed(stretch, script)
            stretch = ""
        stretch, script = stretch + letter, letter_script
    yield from _closed(stretch, script)


def _closed(stretch: str, script: str) -> Iterator[str | Run]:
    letters = stretch.rstrip(" ") if script else ""
    if letters:
        yield Run(script, letters)
    if rest := stretch[len(letters) :]:
        yield rest


def _joins(letter: str) -> bool:
    """Whether it belongs to the letter before it, whatever that is: marks, joiners, variation selectors."""
    return unicodedata.category(letter) in ("Mn", "Mc", "Me", "Cf", "Sk")


def script_of(letter: str) -> str:
    """A key of FONTS."""
    word = unicodedata.name(letter, "").split(" ")[0].lower()
    script = ALIKE.get(word, word)
    return script if script in FONTS else "other"


def preamble(body: str, packages: str) -> str:
    """The head of a document whose text is `body`, down to its beginning; fonts only of scripts that it uses."""
    used = [script for script in FONTS if rf"\otherscript{{{script}}}" in body]
    font_lines = [line for script in used for line in _fonts(script)]
    command = COMMAND.replace("FONTS", "".join(line + "\n" for line in font_lines)) if used else ""
    return PLAIN + packages + command + "\\begin{document}\n"


def _fonts(script: str) -> Iterator[str]:
    """What the command needs to know of a script."""
    yield rf"\def\otherfonts{script}{{{FONTS[script]}}}"
    yield rf"\def\otherfeatures{script}{{{'Script=' + script.capitalize() if script in SHAPED else ''}}}"
    if script in LEFTWARDS:
        yield rf"\let\otherdirection{script}\leftwards"


def command_preamble(body: str) -> str:
    """Return the definition before a separate table, for papers that do not define the command."""
    return PROVIDED if re.search(r"\\otherscript\{", body) else ""
