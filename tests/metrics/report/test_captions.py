"""A caption of a table or a figure is a sentence bound to facts, or it states nothing: no number, no name, no verb."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import metrics.report
from metrics import figures, tables
from metrics.data.sentence import Plain, Sentence, plain
from metrics.pages import curves
from metrics.report.build import build_report
from tests.annotation.reports.round_trips import KINDS

PACKAGES = (metrics.report, figures, tables)
MODULES = sorted(path for package in PACKAGES for path in Path(str(package.__file__)).parent.rglob("*.py"))
MODULES.append(Path(curves.__file__))
# Where the caption is among the arguments, the first being 0, or by which name; captions of figures have a name alone.
WITH_CAPTION = {"Table": 1, "_table": 1, "_estimates": 3}
NAMED = {"Table": "title", "Chart": "caption", "Panel": "caption"}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def unbound(path: Path) -> Iterator[str]:
    """Captions of the module's tables and figures that are neither filled from a template nor plain."""
    tree = tree_of(path)
    for scope in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
            for caption in captions_of(call):
                if not _bound(caption, scope, tree):
                    yield f"{path.name}:{call.lineno}: {ast.unparse(caption)}"


def captions_of(call: ast.Call) -> Iterator[ast.expr]:
    """The caption among the arguments of a call."""
    name = ast.unparse(call.func).rpartition(".")[2]
    at = WITH_CAPTION.get(name)
    if at is not None and at < len(call.args):
        yield call.args[at]
    yield from (keyword.value for keyword in call.keywords if keyword.arg and keyword.arg == NAMED.get(name))


def _bound(caption: ast.expr, scope: ast.FunctionDef, tree: ast.Module) -> bool:
    """Whether every way to the caption is `plain(...)`, a template filled, or an argument that the caller binds.

    Of a function of the module, each `return` is such a way; `panel.caption` was bound where the panel was made.
    """
    if isinstance(caption, ast.IfExp):
        return all(_bound(choice, scope, tree) for choice in (caption.body, caption.orelse))
    if isinstance(caption, ast.Call):
        if ast.unparse(caption.func) == "plain" or ast.unparse(caption.func).endswith(".fill"):
            return True
        returned = [
            (node.value, function)
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef) and function.name == ast.unparse(caption.func)
            for node in ast.walk(function)
            if isinstance(node, ast.Return) and node.value is not None
        ]
        return bool(returned) and all(_bound(value, function, tree) for value, function in returned)
    if isinstance(caption, ast.Name):
        if caption.id in {argument.arg for argument in (*scope.args.args, *scope.args.kwonlyargs)}:
            return True
        written = [
            node.value
            for part in (scope, tree)
            for node in ast.walk(part)
            if isinstance(node, ast.Assign) and caption.id in map(ast.unparse, node.targets)
        ]
        return bool(written) and all(_bound(each, scope, tree) for each in written)
    return ast.unparse(caption) in ("''", "panel.caption")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_writes_a_caption_of_its_own(path: Path) -> None:
    assert list(unbound(path)) == []


def test_every_plain_caption_states_nothing() -> None:
    calls = [
        node
        for path in MODULES
        if path.parent.name in ("sections", "comparison")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "plain"
    ]
    captions = [ast.literal_eval(call.args[0]) for call in calls]
    assert len(captions) > 35
    assert [str(plain(caption)) for caption in captions] == captions


@pytest.mark.parametrize(
    "states", ["7 texts.", "Ratings by {source}.", "The sources are alike.", "95% intervals.", "“alpha” by source."]
)
def test_a_plain_caption_that_states_something_is_refused(states: str) -> None:
    with pytest.raises(ValueError, match="states something"):
        plain(states)


@pytest.mark.parametrize("name", ["scales", "pairs"])
def test_tables_of_a_report_have_such_captions(name: str) -> None:
    report = build_report(KINDS[name](3), k=5)
    tables = [table for section in report.sections for table in section.tables]
    assert tables
    assert [table.title for table in tables if not isinstance(table.title, Sentence | Plain)] == []
