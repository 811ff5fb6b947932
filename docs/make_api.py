"""Write the API reference, docs/api: one page a module of `metrics`, from its docstrings and signatures.

    python docs/make_api.py           writes the pages (and removes those of modules that are gone)
    python docs/make_api.py --check   says whether they are up to date, and changes nothing

It reads the source and imports nothing, so the pages are the same wherever they are made.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "api"
PACKAGE = "metrics"
SECTION = re.compile(r"(Args|Returns|Raises|Source|Example):\n")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its text and its tree."""

    name: str
    source: str
    tree: ast.Module

    @property
    def page(self) -> str:
        """Name of its page."""
        return f"{self.name}.md"

    @property
    def summary(self) -> str:
        """The first sentence of its docstring."""
        return first_sentence(ast.get_docstring(self.tree) or "")

    def public(self) -> list[Function | ast.ClassDef]:
        """Its public functions and classes, in their order."""
        return [one for one in self.tree.body if isinstance(one, Function | ast.ClassDef) and shown(one.name)]


def main(arguments: list[str]) -> int:
    """Write or check the pages; 1 where a check finds them out of date."""
    wanted = pages(ROOT)
    if arguments == ["--check"]:
        stale = out_of_date(wanted, OUT)
        sys.stdout.write(
            f"Out of date: {', '.join(stale)}. Run python docs/make_api.py.\n" if stale else "Up to date.\n"
        )
        return 1 if stale else 0
    OUT.mkdir(parents=True, exist_ok=True)
    for path in OUT.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (OUT / name).write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(wanted)} pages in {OUT.relative_to(ROOT)}\n")
    return 0


def out_of_date(wanted: dict[str, str], folder: Path) -> list[str]:
    """Names of the pages that differ from the source, are missing, or have no module any more."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def pages(root: Path) -> dict[str, str]:
    """Every page by its file name; README.md is the index."""
    modules = [read(root, path) for path in sorted((root / PACKAGE).rglob("*.py"))]
    written = {module.page: page(module) for module in modules if module.public() or "." not in module.name}
    return {"README.md": index(modules, set(written)), **written}


def read(root: Path, path: Path) -> Module:
    """A source file as a module."""
    parts = path.relative_to(root).with_suffix("").parts
    source = path.read_text(encoding="utf-8")
    return Module(".".join(part for part in parts if part != "__init__"), source, ast.parse(source))


def index(modules: list[Module], written: set[str]) -> str:
    """What the package offers by name, then every module with its first sentence."""
    root = next(module for module in modules if module.name == PACKAGE)
    homes = {name: module for module in modules if module.page in written for name in names(module)}
    lines = ["# API reference", "", f"Made from the source by `python docs/make_api.py`. {text(root.summary)}", ""]
    lines += [f"## What `import {PACKAGE}` offers", ""]
    for name in exported(root):
        home = homes.get(name)
        if home is not None:
            summary = summary_of(home, name)
            lines.append(f"- [`{name}`]({home.page}#{anchor(name)}){': ' + text(summary) if summary else ''}")
    lines += ["", "## Modules", ""]
    lines += [f"- [`{one.name}`]({one.page}): {text(one.summary)}" for one in modules if one.page in written]
    return "\n".join(lines) + "\n"


def page(module: Module) -> str:
    """One module: its docstring, then each public class and function."""
    lines = [f"# `{module.name}`", "", "[API reference](README.md)", "", text(ast.get_docstring(module.tree) or ""), ""]
    for one in module.public():
        lines += described(module, one, 2)
    return "\n".join(lines).rstrip() + "\n"


def described(module: Module, one: Function | ast.ClassDef, depth: int, owner: str = "") -> Iterator[str]:
    """A class with its fields and methods, or a function: signature, then docstring."""
    yield from (f"{'#' * depth} `{owner}{one.name}`", "", "```python", *code(module, one), "```", "")
    if doc := ast.get_docstring(one):
        yield from (text(doc), "")
    if isinstance(one, ast.ClassDef):
        for part in one.body:
            if isinstance(part, Function) and shown(part.name) and ast.get_docstring(part):
                yield from described(module, part, depth + 1, f"{one.name}.")


def code(module: Module, one: Function | ast.ClassDef) -> list[str]:
    """The head as it stands in the source: decorators, signature, and the fields of a class."""
    marks = [f"@{segment(module, mark)}" for mark in one.decorator_list]
    if isinstance(one, ast.ClassDef):
        bases = ", ".join(segment(module, base) for base in one.bases)
        fields = [part for part in one.body if isinstance(part, ast.AnnAssign) and shown(ast.unparse(part.target))]
        body = [f"    {segment(module, part)}" for part in fields]
        return [*marks, f"class {one.name}{f'({bases})' if bases else ''}:", *body]
    return [*marks, *head(module, one)]


def segment(module: Module, node: ast.expr | ast.stmt) -> str:
    """The source of a node; `ast.get_source_segment` would split the whole file for each."""
    lines = module.source.encode().splitlines(keepends=True)[node.lineno - 1 : node.end_lineno]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


def head(module: Module, function: Function) -> list[str]:
    """The lines from `def` to the end of what is returned, moved to the left edge."""
    lines = module.source.splitlines()[function.lineno - 1 : (function.body[0].lineno - 1)]
    while not lines[-1].rstrip().endswith(":"):
        lines.pop()
    return [line[function.col_offset :].rstrip() for line in lines] if lines else []


def names(module: Module) -> set[str]:
    """Public classes and functions of a module."""
    return {one.name for one in module.public()}


def exported(root: Module) -> list[str]:
    """The names in `__all__`."""
    for one in root.tree.body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(one.value)]
    return []


def summary_of(module: Module, name: str) -> str:
    """The first sentence of what a name stands for."""
    return next(first_sentence(ast.get_docstring(one) or "") for one in module.public() if one.name == name)


def shown(name: str) -> bool:
    """Whether a name is public."""
    return not name.startswith("_")


def first_sentence(doc: str) -> str:
    """Up to the first full stop that ends a sentence, on one line."""
    flat = " ".join(doc.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z0-9)`\]]\.) (?=[A-Z`])", flat)[0]


def anchor(name: str) -> str:
    """The anchor of a heading."""
    return name.lower()


def text(doc: str) -> str:
    """A docstring as Markdown: code between backticks is left alone, other marks are escaped, examples are code."""
    blocks = []
    for block in doc.split("\n\n"):
        if heading := SECTION.match(block):
            blocks += [f"**{heading[1]}**", section(heading[1], textwrap.dedent(block[heading.end() :]))]
            continue
        parts = [block] if block.startswith("    ") else re.split(r"(`[^`]*`)", block)
        blocks.append("".join(part if part.startswith(("`", "    ")) else escaped(part) for part in parts))
    return "\n\n".join(blocks)


def section(heading: str, body: str) -> str:
    """The lines below a heading: an example as code, arguments and errors as a list, anything else as a paragraph."""
    if heading == "Example":
        return f"```python\n{body}\n```"
    if heading not in ("Args", "Raises"):
        return text(body)
    entries = re.split(r"\n(?! )", body)
    pairs = [" ".join(entry.split()).partition(": ") for entry in entries]
    return "\n".join(f"- `{name}`: {text(meaning)}" for name, _, meaning in pairs)


def escaped(part: str) -> str:
    """Text whose signs Markdown would read as marks."""
    return re.sub(r"([*<\[]|\b_|_\b)", r"\\\1", part)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
