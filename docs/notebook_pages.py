"""A notebook as a page of the site: its texts, its code, and what is stored of what its cells showed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STYLE = re.compile(r"<style.*?</style>\n?", re.DOTALL)
# The console's policy refuses styles in pages, and the theme draws tables without a class.
STYLED = re.compile(r'(?:\sstyle="[^"]*"|(?<=<table)(?:\s(?:border|class)="[^"]*")+)')
TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL)
Cell = dict[str, Any]


def notebook_pages(path: Path) -> dict[str, str]:
    """The page of a notebook as Markdown, and its pictures (SVG), by the names of their files beside each other."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    files: dict[str, str] = {}
    parts: list[str] = []
    for cell in cells:
        source = "".join(cell["source"])
        parts += (
            [source]
            if cell["cell_type"] == "markdown"
            else [f"```python\n{source}\n```", *_shown(cell, path.stem, files)]
        )
    note = f"This page is the notebook `docs/notebooks/{path.name}`, which runs without the network."
    first, *rest = parts
    title, _, text = first.partition("\n")
    return files | {f"{path.stem}.md": "\n\n".join([title, text.strip(), note, *rest]) + "\n"}


def _shown(cell: Cell, name: str, files: dict[str, str]) -> Iterator[str]:
    """What a cell showed: its printed lines, tables as HTML, pictures as files."""
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text" in output:
            yield f"```text\n{''.join(output['text']).rstrip()}\n```"
        elif "image/svg+xml" in data:
            file = f"{name}-{len(files) + 1}.svg"
            files[file] = "".join(data["image/svg+xml"])
            title = TITLE.search(files[file])
            yield f"![{title[1].strip() if title else 'Estimates with their intervals'}]({file})"
        elif "text/html" in data:
            table = STYLED.sub("", STYLE.sub("", "".join(data["text/html"])))
            yield re.sub(r"\n\s*", "\n", table).strip()
        elif "text/plain" in data:
            yield f"```text\n{''.join(data['text/plain'])}\n```"
