"""LaTeX in tests: three engines, stand-ins for figures, and what a log says of widths and pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ASSETS = Path(__file__).parent / "assets"
ENGINES = ("pdflatex", "lualatex", "xelatex")
WIDTH = 300  # points: 400 pixels
# Asked whether a font exists, XeTeX else tries for seconds to make each that does not.
NO_FONTS_MADE = {"MKTEXTFM": "0", "MKTEXMF": "0", "MKTEXPK": "0"}


def needs(engine: str) -> None:
    """Skip without the engine, but not where CI says that everything is there."""
    program = "xetex" if engine == "xelatex" else engine
    if shutil.which(program) is None and os.environ.get("CI") is None:
        pytest.skip(f"no {engine}")


def compile_tex(folder: Path, name: str, engine: str) -> str:
    """Run the engine once and give its log; a failure fails the test."""
    command = [engine]
    if engine == "xelatex":
        command = ["xetex", f"-fmt={_xelatex_format(folder)}"]
    done = subprocess.run(
        [*command, "-interaction=nonstopmode", "-halt-on-error", name],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        env={**os.environ, "TEXINPUTS": f"{ASSETS}:", "max_print_line": "1000", **NO_FONTS_MADE},
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / name).with_suffix(".log").read_text(encoding="utf-8", errors="replace")


def _xelatex_format(folder: Path) -> Path:
    """Debian builds the format of XeLaTeX with texlive-xetex, which brings 188 MB; the engine itself comes with the
    others, and makes the format in seconds."""
    made = folder / "format"
    made.mkdir()
    command = ["xetex", "-ini", "-etex", "-jobname=xelatex", "-progname=xelatex", "xelatex.ini"]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, errors="replace", timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]
    return made / "xelatex.fmt"


def overfull(log: str) -> list[float]:
    """By how many points each box is too wide."""
    return [float(points) for points in re.findall(r"Overfull \\hbox \((\d+\.\d+)pt too wide\)", log)]


def pages(log: str) -> int:
    """How many pages were written."""
    written = re.search(r"Output written on .*?\((\d+) pages?", log, re.DOTALL)
    return int(written[1]) if written else 0


def blank_pdf(heights: Sequence[int]) -> bytes:
    """A PDF with one empty page a figure, 400 pixels wide and as high as given: a stand-in for a browser's print."""
    empty = 3 + len(heights)
    kids = " ".join(f"{at} 0 R" for at in range(3, empty))
    boxes = [f"[0 0 {WIDTH} {height * 0.75:g}]" for height in heights]
    more = f"/Resources << >> /Contents {empty} 0 R"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(heights)} >>",
        *(f"<< /Type /Page /Parent 2 0 R /MediaBox {box} {more} >>" for box in boxes),
        "<< /Length 0 >>\nstream\n\nendstream",
    ]
    body, places = b"%PDF-1.4\n", []
    for at, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{at} 0 obj\n{text}\nendobj\n".encode()
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(
        f"{place:010d} 00000 n \n" for place in places
    )
    return (
        body + f"{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n".encode()
    )
