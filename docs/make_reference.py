"""Pages of commands, settings, web API and public Python, made from the code for `docs/make_site.py`.

It reads sources and the stored description of the web API and imports nothing of Assay, so the pages are the same
wherever they are made.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.make_api import PACKAGE, Module, anchor, exported, first_sentence, names, page, read, summary_of, text

MADE = "Made from the code by `make docs`."
COMMAND_FOLDERS = (
    ("Studies, texts, people and money", "annotation/management/commands"),
    ("The marketplace", "annotation/marketplace/management/commands"),
    ("Simulated people", "annotation/rehearsal/management/commands"),
)


@dataclass(frozen=True)
class Setting:
    """One variable of the environment, as the settings read it."""

    name: str
    kind: str
    default: str
    meaning: str


def reference_pages(root: Path) -> dict[str, str]:
    """Every page by its path in the site."""
    return {
        "reference/commands.md": commands_page(root),
        "reference/settings.md": settings_page(root),
        "reference/web-api.md": web_api_page(root),
        **python_pages(root),
    }


def commands_page(root: Path) -> str:
    """Measures of files, then the commands of the studio, with the arguments of each."""
    lines = ["# Commands", "", MADE, ""]
    lines += ["In a checkout `python -m metrics NAME` and `python manage.py NAME`, installed `textassay NAME`.", ""]
    lines += ["## Measures of files", ""]
    for path in sorted((root / "metrics" / "cli").glob("*.py")):
        if "COMMAND_ORDER" in path.read_text(encoding="utf-8"):
            lines += _command(path)
    for title, folder in COMMAND_FOLDERS:
        lines += [f"## {title}", ""]
        for path in sorted((root / folder).glob("[a-z]*.py")):
            lines += _command(path)
    return "\n".join(lines) + "\n"


def _command(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    doc = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    yield from (f"### `{path.stem}`", "", text(" ".join(doc.split())), "")
    arguments = list(_arguments(tree))
    if arguments:
        yield from ("| argument | meaning |", "|---|---|")
        yield from (f"| `{words}` | {cell(meaning)} |" for words, meaning in arguments)
        yield ""


def _arguments(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            words = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
            meaning = next((one.value for one in node.keywords if one.arg == "help"), None)
            if words:
                yield ", ".join(words), _written(meaning)


def _written(meaning: ast.expr | None) -> str:
    """A help text as it is written; what is computed in it stands as its name in capitals."""
    if isinstance(meaning, ast.Constant):
        return str(meaning.value)
    if isinstance(meaning, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else ast.unparse(part.value).split("(")[0].upper()
            for part in meaning.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    return ""


def settings_page(root: Path) -> str:
    """Every variable of the environment that a running installation reads."""
    lines = ["# Settings", "", MADE, ""]
    lines += ["Variables of the environment. An impossible value is an error with a sentence when Assay starts.", ""]
    lines += ["| variable | kind | default | meaning |", "|---|---|---|---|"]
    for one in sorted(settings(root), key=lambda setting: setting.name):
        lines.append(f"| `{one.name}` | {one.kind} | {one.default} | {cell(one.meaning)} |")
    return "\n".join(lines) + "\n"


def settings(root: Path) -> list[Setting]:
    """The variables that the settings of development and production read, each once."""
    read_ones: dict[str, Setting] = {}
    for name in ("base", "production", "development"):
        source = (root / "deploy" / "settings" / f"{name}.py").read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) == "env"
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                variable = str(node.args[0].value)
                default = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
                shown = f"`{default}`" if default not in ("", "''", '""') else "none"
                meaning = " ".join(_comment(lines, node.lineno - 1))
                read_ones.setdefault(
                    variable, Setting(variable, node.func.attr.replace("_", " "), cell(shown), meaning)
                )
    return list(read_ones.values())


def _comment(lines: list[str], at: int) -> list[str]:
    """The comment above a line, or at its end."""
    said: list[str] = []
    above = at - 1
    while above >= 0 and lines[above].lstrip().startswith("#"):
        said.insert(0, lines[above].lstrip("# "))
        above -= 1
    return said or ([lines[at].partition("  # ")[2]] if "  # " in lines[at] else [])


def web_api_page(root: Path) -> str:
    """Every operation of the web API by subject."""
    description = json.loads((root / "docs" / "openapi.json").read_text(encoding="utf-8"))
    by_subject: dict[str, list[str]] = {}
    for address, operations in description["paths"].items():
        for method, operation in operations.items():
            subject = (operation.get("tags") or ["Other"])[0]
            said = operation.get("summary") or first_sentence(operation.get("description", ""))
            by_subject.setdefault(subject, []).append(f"| `{method.upper()} {address}` | {cell(said)} |")
    lines = ["# Operations of the web API", "", MADE, "", "[How to use them](../web-api.md).", ""]
    for subject, rows in sorted(by_subject.items()):
        lines += [f"## {subject[:1].upper()}{subject[1:]}", "", "| operation | what it does |", "|---|---|", *rows, ""]
    return "\n".join(lines) + "\n"


def python_pages(root: Path) -> dict[str, str]:
    """The names that the package offers, and the pages of the modules where they live."""
    modules = [read(root, path) for path in sorted((root / PACKAGE).rglob("*.py"))]
    top = next(module for module in modules if module.name == PACKAGE)
    homes: dict[str, Module] = {name: module for module in modules if module.public() for name in names(module)}
    lines = ["# Public Python", "", MADE, "", text(top.summary), "", "[From a notebook](../../python.md).", ""]
    written: dict[str, str] = {}
    for name in exported(top):
        if home := homes.get(name):
            lines.append(f"- [`{name}`]({home.page}#{anchor(name)}): {text(summary_of(home, name))}")
            written[f"reference/python/{home.page}"] = page(home).replace("(README.md)", "(index.md)")
    return {"reference/python/index.md": "\n".join(lines) + "\n", **written}


def cell(said: str) -> str:
    """A text in a cell of a table."""
    return " ".join(said.replace("|", "\\|").replace("<", "&lt;").replace("%%", "%").split())
