"""Rewrite the project's absolute imports so that they hold inside one import package.

In the repository, `metrics`, `annotation` and `deploy` lie at the top, and import each other by these names. Installed
so, they would take names that belong to others: a researcher's own `metrics.py` beside a notebook would shadow ours, or
ours theirs. In the wheel the same modules are `textassay.metrics`, `textassay.annotation` and `textassay.deploy`.

Three things are rewritten, and nothing else: import statements; strings that are the dotted path of a module of the
project, or of a name in one (settings, `include("annotation.console.urls")`); and, in the texts that people read, the
commands `manage.py` and `python -m metrics`, which are `textassay` there.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

PACKAGE = "textassay"
TOPS = ("metrics", "annotation", "deploy", "manage")
DOTTED = re.compile(rf"(?:{'|'.join(TOPS)})(?:\.[A-Za-z_]\w*)+")
DOCTEST = re.compile(rf"(>>> (?:from|import) )({'|'.join(TOPS)})\b")
QUEUED = {"annotation.jobs"}  # the name of a task on the queue, which is the name of a package, too
COMMANDS = ((re.compile(r"\bpython -m metrics\b"), PACKAGE), (re.compile(r"\bmanage\.py (?=[A-Za-z{])"), f"{PACKAGE} "))

Edit = tuple[tuple[int, int], tuple[int, int], str]  # from (line, column) to (line, column), new text


class Rewriter:
    """Rewrites modules of the tree at `root`, whose files say which dotted paths are modules."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._defined: dict[Path, set[str]] = {}

    def rewrite(self, source: str) -> str:
        """Return the source with its imports, dotted paths and commands as they are inside the package.

        Raises SyntaxError for a source that does not parse, and ValueError for `import annotation.x` without `as`,
        which binds a top-level name.
        """
        edits = [*_imports(ast.parse(source)), *self._strings(source)]
        lines = source.splitlines(keepends=True)
        for (line, start), (last, end), text in sorted(edits, reverse=True):
            if line != last:
                head, tail = lines[line - 1][:start], lines[last - 1][end:]
                lines[line - 1 : last] = [head + text + tail]
            else:
                row = lines[line - 1]
                lines[line - 1] = row[:start] + text + row[end:]
        return "".join(lines)

    def _strings(self, source: str) -> Iterator[Edit]:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.STRING:
                text = self._string(token.string)
                if text != token.string:
                    yield token.start, token.end, text

    def _string(self, literal: str) -> str:
        content = literal.strip("rbfuRBFU").strip("\"'")
        if DOTTED.fullmatch(content) and content not in QUEUED and self.is_name_of_project(content):
            return literal.replace(content, f"{PACKAGE}.{content}")
        literal = DOCTEST.sub(rf"\1{PACKAGE}.\2", literal)
        for command, replacement in COMMANDS:
            literal = command.sub(replacement, literal)
        return literal

    def is_name_of_project(self, dotted: str) -> bool:
        """Whether a dotted path names a module of the project, or a name that a module defines."""
        parts = dotted.split(".")
        if self._module(parts) is not None:
            return True
        module = self._module(parts[:-1]) if len(parts) > 2 else None
        return module is not None and parts[-1] in self._names(module)

    def _module(self, parts: Sequence[str]) -> Path | None:
        path = self._root.joinpath(*parts)
        package, module = path / "__init__.py", path.with_suffix(".py")
        return package if package.exists() else module if module.exists() else None

    def _names(self, module: Path) -> set[str]:
        if module not in self._defined:
            tree = ast.parse(module.read_text(encoding="utf-8"))
            self._defined[module] = set(_definitions(tree.body))
        return self._defined[module]


def _definitions(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (name.asname or name.name for name in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _imports(tree: ast.Module) -> Iterator[Edit]:
    """Edits of the import statements that name a top-level folder of the project."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and _is_ours(node.module):
            column = node.col_offset + len("from ")
            end = column + len(node.module)
            yield (node.lineno, column), (node.lineno, end), f"{PACKAGE}.{node.module}"
        elif isinstance(node, ast.Import):
            yield from _plain_import(node)


def _plain_import(node: ast.Import) -> Iterator[Edit]:
    ours = [name for name in node.names if _is_ours(name.name)]
    if not ours:
        return
    if len(node.names) > 1:
        raise ValueError(f"line {node.lineno}: import one module of the project in each statement")
    name = ours[0]
    top, _, rest = name.name.partition(".")
    start, end = (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)
    if name.asname:
        yield start, end, f"import {PACKAGE}.{name.name} as {name.asname}"
    elif rest:  # binds the top-level name, as migrations use it
        yield start, end, f"import {PACKAGE}.{name.name}; from {PACKAGE} import {top}"
    else:
        yield start, end, f"from {PACKAGE} import {top}"


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in TOPS
