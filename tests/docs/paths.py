"""What documents name: files, and names in files."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("annotation", "metrics")
ROW = re.compile(r"^\| (?P<what>.+?) \| `(?P<path>[^`]+)` \| `(?P<name>[^`]+)` \|$", re.MULTILINE)
ENTRY = re.compile(r'(?P<table>\w+)\["(?P<key>[^"]+)"\]')
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
SUFFIXES = {".css", ".html", ".js", ".json", ".md", ".po", ".py", ".toml", ".txt"}


def answers(document: str) -> list[tuple[str, str, str]]:
    """(what, path, name) of each row of a document's tables."""
    return [(row["what"], row["path"], row["name"]) for row in ROW.finditer(document)]


def resolves(path: str, name: str, root: Path = ROOT) -> bool:
    """Whether a file is there and has the name: of a module an attribute or an entry, of others a piece of text."""
    file = root / path
    if not file.is_file():
        return False
    if file.suffix == ".py" and path.split("/")[0] in PRODUCT and root == ROOT:
        return _is_attribute(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)
    if file.suffix == ".py":
        return name in set(_bound(ast.parse(file.read_text(encoding="utf-8"))))
    return name in file.read_text(encoding="utf-8")


def _is_attribute(owner: object, name: str) -> bool:
    if entry := ENTRY.fullmatch(name):
        return entry["key"] in getattr(owner, entry["table"], {})
    for part in name.split("."):
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def paths(document: str) -> list[str]:
    """The files and folders that a document names in code: with a slash, or with the ending of a file."""
    words = [word.strip(",;:()") for span in CODE.findall(document) for word in span.split()]
    return [word for word in words if PATH.fullmatch(word) and _is_path(word)]


def _is_path(word: str) -> bool:
    if word.startswith("tests.") or word.startswith("var/"):
        return False
    return "/" in word or Path(word).suffix in SUFFIXES


def exists(path: str, root: Path = ROOT) -> bool:
    """Whether a path is there, from the root or as Django names a template or a static file."""
    if (root / path).exists():
        return True
    return any(any(root.glob(f"annotation/**/{folder}/{path}")) for folder in ("templates", "static"))
